"""Lists of all documents are made one at a time for a workspace, and a few for all."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from corpora import Document, DocumentCounts, ProjectKey
from server import Access
from tests.agent.scripted_model import PATIENCE_S
from tests.server.house import house


def test_lists_of_one_workspace_are_made_one_at_a_time_and_keep_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, begun, lock = threading.Event(), threading.Event(), threading.Lock()
    under_way = most = 0
    with (
        house(tmp_path, access=Access({"a": "ada", "b": "bo"})) as home,
        home.http(Authorization="Bearer a") as ada,
        home.http(Authorization="Bearer b") as bo,
        ThreadPoolExecutor() as threads,
    ):
        for workspace in ("ada", "bo"):
            home.put("bible.md", "Elena keeps the lighthouse.", ProjectKey(workspace, "1"))
        documents = home.retriever.documents

        def held_up(key: ProjectKey) -> list[Document]:
            nonlocal under_way, most
            if key.workspace == "ada":
                with lock:
                    under_way += 1
                    most = max(most, under_way)
                begun.set()
                assert goes_on.wait(PATIENCE_S)
                with lock:
                    under_way -= 1
            return documents(key)

        monkeypatch.setattr(home.retriever, "documents", held_up)
        lists = [threads.submit(ada.get, "/projects/1/documents") for _ in range(8)]
        assert begun.wait(PATIENCE_S)
        assert bo.get("/projects/1/documents").json()["documents"]
        assert ada.get("/projects/1/search?q=lighthouse").json()["passages"], "what else it asks for does not wait"
        goes_on.set()
        assert all(made.result(PATIENCE_S).json()["documents"] for made in lists)
    assert most == 1


def test_counts_for_prometheus_that_one_workspace_asks_for_keep_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, begun, is_bos = threading.Event(), threading.Event(), threading.Event()
    with (
        house(tmp_path, access=Access({"a": "ada", "b": "bo"})) as home,
        home.http(Authorization="Bearer a") as ada,
        home.http(Authorization="Bearer b") as bo,
        ThreadPoolExecutor() as threads,
        ExitStack() as ended,
    ):
        ended.callback(goes_on.set)
        count, held = home.catalog.document_counts, list[str]()

        def held_up() -> DocumentCounts:
            if not is_bos.is_set():
                held.append("ada")
                begun.set()
                assert goes_on.wait(PATIENCE_S)
            return count()

        monkeypatch.setattr(home.catalog, "document_counts", held_up)
        asked = [threads.submit(ada.get, "/metrics") for _ in range(4)]
        assert begun.wait(PATIENCE_S)
        assert ada.get("/projects/1/search?q=lighthouse").status_code == 404, "what else it asks for does not wait"
        is_bos.set()
        assert bo.get("/metrics").status_code == 200
        assert held == ["ada"], "of a workspace one is made at a time"
        goes_on.set()
        assert all(made.result(PATIENCE_S).status_code == 200 for made in asked)


def test_what_has_not_changed_is_once_in_memory_however_many_lists_are_held(tmp_path: Path) -> None:
    """As pages hold the one that they show."""
    with house(tmp_path) as home:
        home.put("bible.md", "Elena keeps the lighthouse.")
        lists, key = home.services.lists, ProjectKey("local", "1")
        first = lists.now(key)
        home.put("quests.md", "Quest 1: wake the dragon.")
        second = lists.now(key)
        assert [document.name for document in second.documents] == ["bible.md", "quests.md"]
        assert second.documents[0] is first.documents[0]
