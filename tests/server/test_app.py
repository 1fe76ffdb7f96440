"""The application as a whole: health, documentation, and one form for every error."""

import logging
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse

from ingest import Source
from server import Access
from tests.server.house import House, house


def test_health(home: House) -> None:
    with home.http() as http:
        answer = http.get("/healthz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"


def test_documentation(home: House) -> None:
    with home.http() as http:
        page = http.get("/docs").text
        # It can be read without the internet: everything it loads comes from this server.
        loaded = re.findall(r'(?:src|href)="([^"]+)"', page)
        assert any(path.endswith(".js") for path in loaded)
        for path in loaded:
            assert path.startswith("/"), path
            assert http.get(path).status_code == 200
        paths = http.get("/openapi.json").json()["paths"]
    assert {"/projects/{project_id}/corpus", "/projects/{project_id}/turns", "/healthz"} <= set(paths)


def test_the_description_is_written_once_however_many_ask_for_it(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with home.http() as http:
        first = http.get("/openapi.json")
        assert first.json()["openapi"]
        monkeypatch.setattr(JSONResponse, "render", None)
        again = http.get("/openapi.json")
    assert (again.content, again.headers["Content-Type"]) == (first.content, "application/json")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing/here", 404, "NOT_FOUND"),
        ("GET", "/ws/chat", 404, "NOT_FOUND"),
        ("PUT", "/healthz", 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "/projects/1/corpus", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/projects/1/turns", 422, "INVALID_REQUEST"),
    ],
)
def test_every_error_has_the_same_form(home: House, method: str, path: str, status: int, code: str) -> None:
    with home.http() as http:
        answer = http.request(method, path)
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == code
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "sent", "said"),
    [
        ("PATCH", "/projects/1/turns", {}, ("'/projects/1/turns'", "POST", "PATCH", "/docs")),
        ("POST", "/openapi.json", {}, ("'/openapi.json'", "GET", "POST", "/docs")),
        ("GET", "/nothing", {}, ("'/nothing'", "/docs")),
        ("POST", "/projects/1/turns", {"data": {"x": "1"}}, ("JSON object", "Content-Type: application/json")),
        ("POST", "/projects/1/check", {}, ("JSON object", "Content-Type: application/json")),
    ],
)
def test_a_request_that_fits_nothing_is_told_what_would(
    home: House, method: str, path: str, sent: dict[str, Any], said: tuple[str, ...]
) -> None:
    with home.http() as http:
        answer = http.request(method, path, **sent)
    message = answer.json()["error"]["message"]
    assert all(part in message for part in said), message
    if answer.status_code == 405:
        assert answer.headers["Allow"]


def test_an_unexpected_failure_has_it_too(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("the secret of line 7")

    monkeypatch.setattr(home.catalog, "require_project", fail)
    with home.http() as http:
        answer = http.get("/projects/1/documents")
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "INTERNAL"
    assert "secret" not in answer.text


def test_a_client_is_not_told_where_the_catalog_is(
    home: House, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "corpora.database")
    with closing(sqlite3.connect(tmp_path / "data" / "catalog.sqlite3")) as catalog:
        catalog.execute("ALTER TABLE projects RENAME TO others")
    with home.http() as http:
        answer = http.get("/projects/1/documents")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "CATALOG_ERROR")
    assert "no such table" in answer.text
    assert str(tmp_path) not in answer.text
    assert str(tmp_path) in caplog.text


def test_what_an_earlier_process_left_undone_is_embedded_at_the_start(tmp_path: Path) -> None:
    with house(tmp_path) as home:
        home.ingestor.add(home.key, [Source("bible.md", b"Elena keeps the lighthouse.")])
        assert home.catalog.unembedded(home.key)
    with house(tmp_path) as home:
        home.until_embedded()
        assert not home.catalog.unembedded(home.key)


def test_tokens_are_compared_whole() -> None:
    access = Access(tokens={"abc": "ada", "abcd": "bo"})
    assert access.workspace("abc") == "ada"
    assert access.workspace("abcd") == "bo"
