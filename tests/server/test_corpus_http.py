"""The corpus over HTTP: upload, list, search, remove, page pictures."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from retrieval import EmbeddingModelUnavailable
from server import Limits
from tests.agent.scripted_model import PATIENCE_S
from tests.server.house import House, house
from tests.server.test_uploads import pdf

BIBLE = "# People\n\nElena keeps the lighthouse.\n\n# Places\n\nThe harbour freezes in winter.\n"


@pytest.fixture
def http(home: House) -> Iterator[httpx.Client]:
    with home.http() as opened:
        yield opened


def post(http: httpx.Client, *documents: dict[str, Any], query: str = "", **fields: Any) -> dict[str, Any]:
    answer = http.post(f"/projects/1/corpus{query}", json={"documents": documents, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


def base64_of(name: str, data: bytes) -> dict[str, Any]:
    return {"name": name, "content_base64": base64.b64encode(data).decode()}


def text_of(name: str, text: str = BIBLE) -> dict[str, Any]:
    return {"name": name, "text": text}


def listed(http: httpx.Client) -> list[str]:
    return [document["name"] for document in http.get("/projects/1/documents").json()["documents"]]


def found(http: httpx.Client, query: str, **params: Any) -> list[str]:
    answer = http.get("/projects/1/search", params={"q": query, **params})
    return [passage["document"] for passage in answer.json()["passages"]]


def error(answer: httpx.Response, status: int, code: str) -> str:
    """The message of an error in the one form that all have."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert list(body) == ["error"]
    assert set(body["error"]) == {"code", "message"}
    assert body["error"]["code"] == code
    return body["error"]["message"]


def test_text_and_base64_are_searchable_when_the_answer_comes(http: httpx.Client) -> None:
    report = post(http, text_of("bible.md"), base64_of("map.pdf", pdf("The map.", "")))
    assert report["project"] == "1"
    assert set(report) == {"project", "documents", "seconds"}
    bible, map_ = report["documents"]
    assert set(bible) == {"name", "id", "status", "pages", "pages_without_text", "passages", "embedded", "error"}
    assert (bible["name"], bible["status"], bible["pages"], bible["error"]) == ("bible.md", "searchable", None, None)
    assert (map_["name"], map_["pages"], map_["pages_without_text"]) == ("map.pdf", 2, [2])
    assert found(http, "Who keeps the lighthouse?")[0] == "bible.md"


def test_with_wait_all_are_indexed(http: httpx.Client) -> None:
    (bible,) = post(http, text_of("bible.md"), query="?wait=true")["documents"]
    assert bible["status"] == "indexed"
    assert bible["embedded"] == bible["passages"] == 2
    (again,) = post(http, text_of("bible.md"), query="?wait=true")["documents"]
    assert again["status"] == "unchanged"
    (changed,) = post(http, text_of("bible.md", BIBLE + "\nIt rains.\n"), query="?wait=true")["documents"]
    assert changed["status"] == "updated"


@pytest.mark.parametrize("name", ["cafe\u0301.md", "quests\\bible.md"])
def test_with_wait_a_changed_document_is_updated_however_its_name_is_spelt(http: httpx.Client, name: str) -> None:
    statuses = [post(http, text_of(name, text), query="?wait=true")["documents"][0]["status"] for text in ("A.", "B.")]
    assert statuses == ["indexed", "updated"]


def test_files_of_a_form(http: httpx.Client) -> None:
    files = [("files", ("quests/bible.md", BIBLE)), ("files", ("map.pdf", pdf("The map.")))]
    answer = http.post("/projects/1/corpus?wait=true", files=files)
    assert answer.status_code == 200
    assert [document["status"] for document in answer.json()["documents"]] == ["indexed", "indexed"]
    assert listed(http) == ["map.pdf", "quests/bible.md"]
    answer = http.post("/projects/1/corpus", files=files[:1], data={"replace": "true"})
    assert {document["name"]: document["status"] for document in answer.json()["documents"]} == {
        "quests/bible.md": "unchanged",
        "map.pdf": "removed",
    }


def test_replace_removes_what_is_not_sent(http: httpx.Client) -> None:
    post(http, text_of("a.md"), text_of("b.md", "# B\n\nBram.\n"))
    report = post(http, text_of("b.md", "# B\n\nBram.\n"), replace=True)
    assert {document["name"]: document["status"] for document in report["documents"]}["a.md"] == "removed"
    assert listed(http) == ["b.md"]
    assert "a.md" not in found(http, "Who keeps the lighthouse?")


def test_nothing_is_removed_where_nothing_has_come_in_its_place(http: httpx.Client) -> None:
    post(http, text_of("a.md"), text_of("b.md", "# B\n\nBram.\n"))
    report = post(http, base64_of("new.pdf", b"no PDF"), replace=True)
    assert [document["status"] for document in report["documents"]] == ["failed"]
    assert listed(http) == ["a.md", "b.md"]


def test_bad_documents_among_good_ones(http: httpx.Client) -> None:
    report = post(
        http,
        text_of("bible.md"),
        base64_of("locked.pdf", pdf("Secret.", password="open sesame")),
        {"name": "broken.pdf", "content_base64": "%%%"},
        text_of("../outside.md"),
        text_of("empty.md", ""),
        text_of("notes.txt", "Bram."),
    )
    problems = {entry["name"]: (entry["status"], entry["error"]) for entry in report["documents"]}
    assert problems.pop("bible.md") == ("searchable", None)
    assert problems.pop("notes.txt") == ("searchable", None)
    codes = {name: problem["code"] for name, (status, problem) in problems.items() if status == "failed"}
    assert codes == {
        "locked.pdf": "ENCRYPTED",
        "broken.pdf": "INVALID_BASE64",
        "../outside.md": "INVALID_NAME",
        "empty.md": "EMPTY",
    }
    assert listed(http) == ["bible.md", "notes.txt"]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"documnets": [text_of("b.md", "B.")], "replace": True}, "documnets"),
        ({"replace": True}, "documents"),
        ({}, "documents"),
        ({"documents": [text_of("b.md", "B.") | {"txet": "C."}], "replace": True}, "txet"),
    ],
)
def test_a_misspelled_key_is_no_empty_corpus(http: httpx.Client, body: dict[str, Any], named: str) -> None:
    post(http, text_of("a.md", "# A\n\nAda.\n"))
    assert named in error(http.post("/projects/1/corpus", json=body), 422, "INVALID_REQUEST")
    files = [("files", ("b.md", b"B.")), ("file", ("c.md", b"C."))]
    answer = http.post("/projects/1/corpus", files=files, data={"replace": "true"})
    assert "'file'" in error(answer, 422, "INVALID_REQUEST")
    assert listed(http) == ["a.md"]
    emptied = http.post("/projects/1/corpus", json={"documents": [], "replace": True})
    assert (emptied.status_code, listed(http)) == (200, [])


@pytest.mark.parametrize(
    "body",
    [
        "",
        "not json",
        "[]",
        "{}[]",
        '{"documents": {}}',
        '{"documents": [{"name": "a.md"}]}',
        '{"documents": [{"name": "a.md", "text": "a", "content_base64": "YQ=="}]}',
        '{"documents": [{"text": "a"}]}',
        '{"documents": [{"name": 1, "text": "a"}]}',
        '{"documents": [{"name": "a.md", "text": "\\ud83d"}]}',
        '{"documents": [], "replace": "perhaps"}',
    ],
)
def test_a_request_that_is_none(http: httpx.Client, body: str) -> None:
    answer = http.post("/projects/1/corpus", content=body, headers={"Content-Type": "application/json"})
    error(answer, 422, "INVALID_REQUEST")


def test_a_form_without_files(http: httpx.Client) -> None:
    answer = http.post("/projects/1/corpus", data={"a": "b"}, files={"other": b"x"})
    assert "files" in error(answer, 422, "INVALID_REQUEST")
    broken = {"Content-Type": "multipart/form-data; boundary=x"}
    assert http.post("/projects/1/corpus", content=b"nonsense", headers=broken).status_code in (400, 422)


@pytest.mark.parametrize("kind", ["json", "form", "turn"])
def test_a_body_that_is_too_long(tmp_path: Path, kind: str) -> None:
    limits = Limits(upload_bytes=20_000, call_timeout_s=PATIENCE_S)
    with house(tmp_path, limits=limits) as home, home.http() as http:
        text = "a" * 30_000
        requests = {
            "json": {"url": "/projects/1/corpus", "json": {"documents": [text_of("a.md", text)]}},
            "form": {"url": "/projects/1/corpus", "files": {"files": ("a.md", text)}},
            "turn": {"url": "/projects/1/turns", "json": {"arrow_content": text}},
        }
        answer = http.post(**requests[kind])  # type: ignore[arg-type]
        assert "20000" in error(answer, 413, "PAYLOAD_TOO_LARGE")
        assert post(http, text_of("b.md"))["documents"][0]["status"] == "searchable"


def test_documents_are_removed_by_name_and_by_id(http: httpx.Client) -> None:
    report = post(http, text_of("a.md"), text_of("quests/b.md", "# B\n\nBram.\n"), query="?wait=true")
    ids = {entry["name"]: entry["id"] for entry in report["documents"]}
    (removed,) = http.delete("/projects/1/documents/quests%2Fb.md").json()["documents"]
    assert (removed["name"], removed["status"]) == ("quests/b.md", "removed")
    (removed,) = http.delete(f"/projects/1/documents/{ids['a.md']}").json()["documents"]
    assert (removed["id"], removed["status"]) == (ids["a.md"], "removed")
    assert listed(http) == []
    assert found(http, "Who keeps the lighthouse?") == []
    error(http.delete("/projects/1/documents/a.md"), 404, "DOCUMENT_NOT_FOUND")


def test_the_list_says_what_is_searchable(http: httpx.Client) -> None:
    report = post(http, text_of("bible.md"), query="?wait=true")
    (entry,) = http.get("/projects/1/documents").json()["documents"]
    assert entry == report["documents"][0]


@pytest.mark.parametrize("path", ["documents", "search?q=Elena", "documents/a.pdf/pages/1.png"])
def test_an_unknown_project(http: httpx.Client, path: str) -> None:
    assert "77" in error(http.get(f"/projects/77/{path}"), 404, "PROJECT_NOT_FOUND")


@pytest.mark.parametrize("project", ["..%2F1", "a%20b", "x" * 65, "%F0%9F%A6%8A"])
def test_a_project_id_that_cannot_be_one(http: httpx.Client, project: str) -> None:
    assert http.get(f"/projects/{project}/documents").status_code in (404, 422)
    answer = http.post(f"/projects/{project}/corpus", json={"documents": []})
    assert answer.status_code in (404, 422)
    assert set(answer.json()) == {"error"}


def test_search(http: httpx.Client) -> None:
    post(http, text_of("bible.md"), text_of("notes.txt", "The lighthouse is cold."), query="?wait=true")
    answer = http.get("/projects/1/search", params={"q": "lighthouse", "k": 2}).json()
    assert answer["query"] == "lighthouse"
    assert len(answer["passages"]) == 2
    for passage in answer["passages"]:
        assert set(passage) == {
            "id", "document", "document_id", "page_from", "page_to", "heading", "char_from", "char_to", "score", "text",
        }  # fmt: skip
    scores = [passage["score"] for passage in answer["passages"]]
    assert scores == sorted(scores, reverse=True)
    assert len(found(http, "lighthouse", k=1)) == 1
    assert set(found(http, "lighthouse", document="notes.txt")) == {"notes.txt"}
    document_id = next(p["document_id"] for p in answer["passages"] if p["document"] == "bible.md")
    assert set(found(http, "lighthouse", document=document_id)) == {"bible.md"}


@pytest.mark.parametrize(
    ("params", "status", "code"),
    [
        ({"q": ""}, 422, "EMPTY_QUERY"),
        ({"q": "  \n"}, 422, "EMPTY_QUERY"),
        ({}, 422, "INVALID_REQUEST"),
        ({"q": "Elena " * 2_000}, 422, "INVALID_REQUEST"),
        ({"q": "Elena", "k": "0"}, 422, "INVALID_REQUEST"),
        ({"q": "Elena", "k": "many"}, 422, "INVALID_REQUEST"),
        ({"q": "Elena", "document": "none.md"}, 404, "DOCUMENT_NOT_FOUND"),
    ],
)
def test_searches_that_are_refused(http: httpx.Client, params: dict[str, str], status: int, code: str) -> None:
    post(http, text_of("bible.md"))
    error(http.get("/projects/1/search", params=params), status, code)


def test_queries_of_any_characters(http: httpx.Client) -> None:
    post(http, text_of("bible.md"), query="?wait=true")
    for query in ('"', "* OR -", "[1]", "\N{FOX FACE}", "a" * 5000, "ß\x00", "?!"):
        assert http.get("/projects/1/search", params={"q": query}).status_code == 200, query


def test_a_page_as_a_picture(http: httpx.Client) -> None:
    post(http, base64_of("bible.pdf", pdf("Elena keeps the lighthouse.", "The harbour freezes.")), query="?wait=true")
    (passage, *_) = http.get("/projects/1/search", params={"q": "lighthouse"}).json()["passages"]
    assert passage["page_from"] == 1
    plain = http.get("/projects/1/documents/bible.pdf/pages/1.png")
    assert plain.status_code == 200
    assert plain.headers["content-type"] == "image/png"
    assert plain.content.startswith(b"\x89PNG\r\n\x1a\n")
    page = f"/projects/1/documents/{passage['document_id']}/pages/1.png"
    marked = http.get(page, params={"passage": passage["id"]})
    assert marked.content.startswith(b"\x89PNG\r\n\x1a\n")
    assert marked.content != plain.content
    assert http.get(page).content == plain.content


def test_pages_that_are_not_there(http: httpx.Client) -> None:
    post(http, base64_of("bible.pdf", pdf("Elena.")), text_of("bible.md"))
    for page in ("0", "2", "-1", "99999999999999999999"):
        error(http.get(f"/projects/1/documents/bible.pdf/pages/{page}.png"), 404, "PAGE_NOT_FOUND")
    error(http.get("/projects/1/documents/bible.pdf/pages/one.png"), 422, "INVALID_REQUEST")
    error(http.get("/projects/1/documents/bible.md/pages/1.png"), 404, "NO_PAGES")
    error(http.get("/projects/1/documents/none.pdf/pages/1.png"), 404, "DOCUMENT_NOT_FOUND")
    answer = http.get("/projects/1/documents/bible.pdf/pages/1.png", params={"passage": "none"})
    error(answer, 404, "PASSAGE_NOT_FOUND")


def test_a_document_that_is_too_large_fails_alone(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.source.MAX_DOCUMENT_BYTES", 1000)
    large = "Elena. " * 1000
    report = post(http, text_of("a.txt", large), base64_of("b.txt", large.encode()), text_of("small.txt", "Elena."))
    codes = {entry["name"]: entry["error"] and entry["error"]["code"] for entry in report["documents"]}
    assert codes == {"a.txt": "FILE_TOO_LARGE", "b.txt": "FILE_TOO_LARGE", "small.txt": None}
    answer = http.post("/projects/1/corpus", files={"files": ("c.txt", large.encode())})
    (entry,) = answer.json()["documents"]
    assert entry["error"]["code"] == "FILE_TOO_LARGE"


def _events(http: httpx.Client, *documents: dict[str, Any], query: str = "") -> list[tuple[str, Any]]:
    accept = {"Accept": "text/event-stream"}
    answer = http.post(f"/projects/1/corpus{query}", json={"documents": documents}, headers=accept)
    assert answer.headers["content-type"].startswith("text/event-stream"), answer.text
    events = [event.splitlines() for event in answer.text.split("\n\n") if event]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in events]


def test_what_is_taken_in_is_told_while_it_happens(http: httpx.Client) -> None:
    *told, (last, report) = _events(
        http, text_of("bible.md"), base64_of("map.pdf", pdf("The map.", "")), query="?wait=true"
    )
    assert last == "answer"
    assert [document["status"] for document in report["documents"]] == ["indexed", "indexed"]
    assert {name for name, _ in told} == {"progress"}
    reading = [data for _, data in told if data["phase"] == "reading"]
    assert [data["document"] for data in reading if not data["page"]] == ["bible.md", "map.pdf"]
    assert (2, 2) in {(data["page"], data["pages"]) for data in reading}
    vectors = [data for _, data in told if data["phase"] == "embedding"]
    assert (vectors[-1]["done"], vectors[-1]["total"]) == (3, 3)


def test_vectors_that_cannot_be_made_are_told_at_the_end(
    home: House, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise EmbeddingModelUnavailable("There is no such model.")

    monkeypatch.setattr(home.retriever, "embed_if_free", broken)
    *_, (last, data) = _events(http, text_of("bible.md"), query="?wait=true")
    assert (last, data["error"]["code"]) == ("error", "EMBEDDING_MODEL_UNAVAILABLE")
    assert set(found(http, "lighthouse")) == {"bible.md"}


def test_a_form_in_another_encoding_is_not_read(http: httpx.Client) -> None:
    body = b'--x\r\ncontent-disposition: form-data; name="replace"\r\n\r\nfalse\r\n--x--\r\n'
    kind = "multipart/form-data; boundary=x; charset=punycode"
    answer = http.post("/projects/1/corpus", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 422
    assert "UTF-8" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ([("note", "🏮" * 5_000)], "Part exceeded maximum size of 16KB."),
        ([(f"n{number}", "1") for number in range(101)], "Too many fields. Maximum number of fields is 100."),
    ],
    ids=["long", "many"],
)
def test_of_a_form_little_is_read_that_is_no_file(
    http: httpx.Client, fields: list[tuple[str, str]], problem: str
) -> None:
    sent = [*((name, (None, value)) for name, value in fields), ("files", ("lamp.md", b"The lamp burned."))]
    answer = http.post("/projects/1/corpus", files=sent)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(f"{problem} Send the documents as files in fields named")


def test_a_form_that_breaks_off_removes_nothing(http: httpx.Client) -> None:
    names = ["elena.md", "ferry.md", "pier.md"]
    whole = http.post("/projects/1/corpus", files=[("files", (name, f"Of {name}.".encode())) for name in names])
    assert whole.status_code == 200
    field = "--x\r\nContent-Disposition: form-data; name="
    replace = f'{field}"replace"\r\n\r\ntrue\r\n'
    elena, ferry = (f'{field}"files"; filename="{name}"\r\n\r\nOf {name}.' for name in names[:2])
    broken_off = http.post(
        "/projects/1/corpus",
        content=f"{replace}{elena}\r\n{ferry}",
        headers={"Content-Type": "multipart/form-data; boundary=x"},
    )
    assert (broken_off.status_code, broken_off.json()["error"]["code"]) == (400, "BAD_REQUEST")
    assert [document["name"] for document in http.get("/projects/1/documents").json()["documents"]] == names
