"""A passage where it stands in its document, over HTTP."""

from pathlib import Path

import httpx
import pytest

from tests.server.house import house

_TEXT = "".join(f"# Part {number}\n\nThe keeper of lamp {number} sleeps.\n\n" for number in range(40))


@pytest.fixture
def http(tmp_path: Path):
    with house(tmp_path) as home, home.http() as client:
        client.post("/projects/1/corpus", json={"documents": [{"name": "long.md", "text": _TEXT}]}).raise_for_status()
        yield client


def test_a_passage_comes_with_what_is_around_it(http: httpx.Client) -> None:
    (found, *_) = http.get("/projects/1/search", params={"q": "keeper of lamp 20"}).json()["passages"]
    asked = {"document": "long.md", "passage": found["id"], "characters": 60}
    answer = http.get("/projects/1/text", params=asked).json()
    assert answer["text"] == found["text"]
    assert answer["document_id"] == found["document_id"]
    assert len(answer["before"]) == len(answer["after"]) == 60
    assert answer["before"] + answer["text"] + answer["after"] in _TEXT


def test_without_a_passage_it_is_how_the_document_begins(http: httpx.Client) -> None:
    answer = http.get("/projects/1/text", params={"document": "long.md", "characters": 100}).json()
    assert (answer["before"], answer["text"], answer["after"]) == ("", "", _TEXT[:100])


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"document": "other.md"}, 404, "DOCUMENT_NOT_FOUND"),
        ({"document": "long.md", "passage": "nowhere"}, 404, "PASSAGE_NOT_FOUND"),
        ({"document": "long.md", "characters": "-1"}, 422, "INVALID_REQUEST"),
        ({}, 422, "INVALID_REQUEST"),
    ],
)
def test_what_is_not_there_is_named(http: httpx.Client, asked: dict[str, str], status: int, code: str) -> None:
    answer = http.get("/projects/1/text", params=asked)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
