"""A store that is away, or hangs: who does not need it does not notice, and nobody else's work is undone."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from corpora import Document, ProjectKey
from retrieval import EmbeddingModelMismatch, VectorStore, VectorStoreUnavailable
from server import Access
from tests.agent.scripted_model import PATIENCE_S
from tests.server.house import House, house

TOKENS = {"ada's token": "ada", "bo's token": "bo"}


@pytest.fixture
def tenants(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path, access=Access(TOKENS)) as home:
        for workspace in TOKENS.values():
            home.put("a.md", "The ferry is called Bittern.", ProjectKey(workspace, "1"))
        yield home


def documents(http: httpx.Client) -> list[str]:
    return [document["name"] for document in http.get("/projects/1/documents").json()["documents"]]


def added(home: House, name: str = "late.md") -> httpx.Response:
    body = {"documents": [{"name": name, "text": "The late ferry is called Heron."}]}
    with home.http() as http:
        return http.post("/projects/1/corpus?wait=true", json=body)


def refused(monkeypatch: pytest.MonkeyPatch, where: Any, name: str, error: Exception) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(where, name, refuse)


def test_one_workspace_that_waits_for_its_catalog_keeps_no_thread_from_anybody_else(
    tenants: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, of_catalog = threading.Event(), tenants.catalog.documents

    def hanging(key: ProjectKey) -> list[Document]:
        assert key.workspace == "bo" or go_on.wait(PATIENCE_S)
        return of_catalog(key)

    monkeypatch.setattr(tenants.catalog, "documents", hanging)
    loop = tenants.watched.loop
    assert loop is not None
    with (
        tenants.http(Authorization="Bearer ada's token") as ada,
        tenants.http(Authorization="Bearer bo's token") as bo,
        ThreadPoolExecutor(40) as at_once,
    ):
        hung = [at_once.submit(documents, ada) for _ in range(40)]
        try:
            assert documents(bo) == ["a.md"]
            shared = [asyncio.run_coroutine_threadsafe(asyncio.to_thread(int), loop) for _ in range(40)]
            assert [other.result(PATIENCE_S) for other in shared] == [0] * 40
        finally:
            go_on.set()
        assert [each.result() for each in hung] == [["a.md"]] * 40


def test_what_waits_for_vectors_is_searchable_while_they_cannot_be_written(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as away:
        refused(away, VectorStore, "put", VectorStoreUnavailable("It is away."))
        answer = added(home)
        assert answer.status_code == 200, answer.text
        (entry,) = answer.json()["documents"]
        assert (entry["status"], entry["embedded"], entry["error"]) == ("searchable", 0, None)
        with home.http() as http:
            found = http.get("/projects/1/search", params={"q": "late ferry"}).json()["passages"]
        assert [passage["document"] for passage in found] == ["late.md"]
    assert added(home, "again.md").json()["documents"][0]["status"] == "indexed"


def test_what_an_operator_must_mend_is_said_to_who_waits_for_vectors(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(monkeypatch, home.ingestor, "_embedding", EmbeddingModelMismatch("Run: fletcher reindex"))
    answer = added(home)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "EMBEDDING_MODEL_MISMATCH")
    with home.http() as http:
        assert documents(http) == ["late.md"]


def test_vectors_that_are_waited_for_are_made_in_the_shares_of_all(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(monkeypatch, home.ingestor, "embed", AssertionError("not in its turn"))
    assert added(home).json()["documents"][0]["status"] == "indexed"
