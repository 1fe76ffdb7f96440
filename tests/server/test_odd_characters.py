"""Control characters, halves of characters and numbers without end in addresses: refused or not found, never a 500."""

from collections.abc import Iterator

import pytest

from tests.server.house import House, house

ODD = ["%00", "a%00b", "%01", "%0a", "%1b%5b2J", "%7f", "%ed%a0%80", "%ff", "%e2%80%ae", "..%2f..%2fetc", "x" * 5000]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One for all: nothing here changes anything."""
    with house(tmp_path_factory.mktemp("home") / "data") as opened:
        opened.put("bible.md", "Elena keeps the lighthouse.")
        yield opened


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd[:20])
def test_odd_characters_are_not_found(home: House, odd: str) -> None:
    asked = [
        ("GET", f"/projects/{odd}/documents"),
        ("GET", f"/projects/{odd}/folder"),
        ("DELETE", f"/projects/1/documents/{odd}"),
        ("GET", f"/projects/1/documents/{odd}/pages/1.png"),
        ("GET", f"/projects/1/documents/bible.md/pages/1.png?passage={odd}"),
        ("GET", f"/projects/1/search?q=Elena&document={odd}"),
        ("POST", f"/projects/{odd}/corpus"),
        ("POST", f"/projects/{odd}/turns"),
        ("GET", f"/{odd}"),
    ]
    with home.http() as http:
        answers = {(method, path): http.request(method, path).status_code for method, path in asked}
        assert set(answers.values()) <= {404, 405, 422}, answers
        assert http.get(f"/projects/1/search?q={odd}").status_code in (200, 422)


@pytest.mark.parametrize("odd", ["%0a", "a%0ab", "a%0a", "a/pages/1.png%0a", "%e2%80%a8"])
def test_a_line_break_in_a_documents_name_is_of_the_name(home: House, odd: str) -> None:
    with home.http() as http:
        for method, path in (("DELETE", f"documents/{odd}"), ("GET", f"documents/{odd}/pages/1.png")):
            answer = http.request(method, f"/projects/1/{path}")
            assert answer.json()["error"]["code"] == "DOCUMENT_NOT_FOUND", (method, path)


@pytest.mark.parametrize("number", ["9" * 30, "-1", "0", "-" + "9" * 30, "9" * 5000, "1e5"], ids=lambda n: n[:12])
def test_numbers_without_end(home: House, number: str) -> None:
    with home.http() as http:
        assert http.get(f"/projects/1/documents/bible.md/pages/{number}.png").status_code in (404, 422)
        assert http.get("/projects/1/search", params={"q": "Elena", "k": number}).status_code == 422


@pytest.mark.parametrize("odd", ["\0", "a\0b", "\x1b[2J", "\n", "x" * 5000], ids=repr)
def test_odd_characters_in_bodies(home: House, odd: str) -> None:
    with home.http() as http:
        answers = [
            http.post("/projects/1/turns", json={"arrow_content": odd}),
            http.post("/projects/1/turns", json={"arrow_content": "{}", "pending_id": odd}),
            http.put("/projects/1/folder", json={"path": odd}),
            http.put("/projects/1/folder", json={"path": f"/{odd}"}),
        ]
        assert {answer.status_code for answer in answers} <= {403, 404, 422}, [answer.text for answer in answers]
