"""A server that ends answers whoever still waits."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from corpora import CorpusError
from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.server.house import house

ASKED = [("GET", "documents"), ("GET", "search?q=ferry"), ("POST", "turns"), ("DELETE", "documents/a.md")]


@pytest.mark.parametrize(("method", "path"), ASKED)
def test_who_waits_for_a_store_that_hangs_is_told_that_the_server_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, path: str
) -> None:
    monkeypatch.setattr("fletcher.loopback._GRACE_S", 0)
    hanging, go_on = threading.Event(), threading.Event()

    def hang(*_: Any, **__: Any) -> None:
        hanging.set()
        assert go_on.wait(PATIENCE_S)
        raise CorpusError("it has hung too long")

    body = {"arrow_content": story_text(), "message": "Who is Elena?"} if method == "POST" else None
    with ExitStack() as opened, ThreadPoolExecutor(2) as threads:
        opened.callback(go_on.set)
        served = opened.enter_context(ExitStack())
        home = served.enter_context(house(tmp_path, local=True))
        home.put("a.md", "The ferry is called Bittern.")
        for asked in ("documents", "require_project", "find_document"):
            monkeypatch.setattr(home.catalog, asked, hang)
        http = opened.enter_context(home.http())
        answer = threads.submit(http.request, method, f"/projects/1/{path}", json=body)
        assert hanging.wait(PATIENCE_S)
        closed = threads.submit(served.close)
        response = answer.result(PATIENCE_S)
        go_on.set()
        closed.result(PATIENCE_S)
    assert (response.status_code, response.json()["error"]["code"]) == (503, "SERVER_CLOSING"), response.text
