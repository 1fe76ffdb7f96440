"""Many searches at once: few of a workspace compute, and none of them while it waits for what may hang."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import pytest

from corpora import Catalog, Originals, Passage, ProjectKey, Shares
from retrieval import Retriever
from retrieval.computing import asking_provider, computing, running_model, waiting
from retrieval.embedder import Vectors
from tests.retrieval.conftest import Put
from tests.retrieval.small_embedder import SmallEmbedder
from tests.retrieval.test_lexical_indexes import held_up
from tests.retrieval.test_page_picture import pdf

ALICE, BOB = ProjectKey("alice", "1"), ProjectKey("bob", "1")
SEARCHES = 6
MORE_THAN_THREADS = 40  # than a pool has that is given no number


class HeldUp:
    """Work that all who come to it wait in until `go`.

    Attributes:
        entered: Released by each who comes.
        most: How many were in it at once.
    """

    def __init__(self) -> None:
        self.entered, self.go, self.most = threading.Semaphore(0), threading.Event(), 0
        self._at_once, self._lock = 0, threading.Lock()

    def wait(self) -> None:
        with self._lock:
            self._at_once += 1
            self.most = max(self.most, self._at_once)
        self.entered.release()
        self.go.wait(60)
        with self._lock:
            self._at_once -= 1


def test_of_a_workspace_that_searches_a_lot_two_searches_compute_and_another_is_answered(
    catalog: Catalog, put: Put, retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_up, passages_by_id = HeldUp(), Catalog.passages_by_id

    def looked_up(self: Catalog, key: ProjectKey, ids: Iterable[str]) -> dict[str, Passage]:
        if key == ALICE:
            held_up.wait()
        return passages_by_id(self, key, ids)

    for key in (ALICE, BOB):
        put(key, "a.md", "The dragon sleeps.")
        assert retriever.search(key, "dragon")
    monkeypatch.setattr(Catalog, "passages_by_id", looked_up)
    with ThreadPoolExecutor(SEARCHES) as pool:
        try:
            asked = [pool.submit(retriever.search, ALICE, "dragon") for _ in range(SEARCHES)]
            assert all(held_up.entered.acquire(timeout=60) for _ in range(2))
            assert retriever.search(BOB, "dragon")
        finally:
            held_up.go.set()
        assert all(one.result(60) for one in asked)
    assert held_up.most == 2


def test_what_compares_with_the_documents_computes_as_a_search_does(put: Put, retriever: Retriever) -> None:
    for key in (ALICE, BOB):
        put(key, "a.md", "The dragon sleeps.")
    entered, go = threading.Semaphore(0), threading.Event()

    def compare() -> None:
        with computing(ALICE):
            assert retriever.search(ALICE, "dragon")
            entered.release()
            go.wait(60)

    with ThreadPoolExecutor(SEARCHES) as pool:
        try:
            under_way = [pool.submit(compare) for _ in range(SEARCHES)]
            assert all(entered.acquire(timeout=60) for _ in range(2))
            assert retriever.search(BOB, "dragon")
            assert not entered.acquire(blocking=False)
        finally:
            go.set()
        for one in under_way:
            one.result(60)


def test_what_compares_for_long_lets_a_search_go_first_that_has_no_place(
    put: Put, retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Shares(1, each=1)
    monkeypatch.setattr("retrieval.computing._places", places)
    put(BOB, "a.md", "The dragon sleeps.")
    with ThreadPoolExecutor(1) as pool, computing(ALICE):
        retriever.give_way()  # to nobody
        found = pool.submit(retriever.search, BOB, "dragon")
        while not found.done():
            retriever.give_way()
        assert found.result()


@pytest.mark.parametrize(
    "what", ["documents", "document", "read_pages", "passages_of_page", "surroundings", "page_picture"]
)
def test_whoever_looks_into_a_document_has_a_place_for_each_statement(
    what: str, catalog: Catalog, put: Put, originals: Originals, retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pdf()
    originals.put(data)
    document = put(ALICE, "a.pdf", "The dragon sleeps.", paged=True, data=data)
    (passage,) = catalog.passages(ALICE)
    assert retriever.search(ALICE, "dragon")  # its index is made elsewhere
    places, had_place = Shares(1, each=1), list[bool]()

    def noting(statement: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **kwargs: Any) -> Any:
            place = places.ask(ALICE.workspace)
            had_place.append(not place.granted.done())
            places.give_back(place)
            return statement(*args, **kwargs)

        return noted

    monkeypatch.setattr("retrieval.computing._places", places)
    for name in ("documents", "find_document", "pages", "passages", "passages_by_id", "spans"):
        monkeypatch.setattr(Catalog, name, noting(getattr(Catalog, name)))
    match what:
        case "documents":
            assert retriever.shared_documents(ALICE)
        case "document":
            assert retriever.document(ALICE, document.id)
        case "read_pages":
            assert retriever.read_pages(ALICE, "a.pdf", 1)
        case "passages_of_page":
            assert retriever.passages_of_page(ALICE, document.id, 1)
        case "surroundings":
            assert retriever.surroundings(ALICE, document.id, passage.id, 10)
        case _:
            assert retriever.page_picture(ALICE, document.id, 1, passage.id)
    assert had_place
    assert all(had_place)


def test_who_waits_for_a_model_keeps_nobody_from_computing(
    put: Put, embedder: SmallEmbedder, retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(ALICE, "a.md", "The dragon sleeps.")
    retriever.embed_pending(ALICE)
    assert retriever.search(ALICE, "dragon")
    hung, go, embed = threading.Semaphore(0), threading.Event(), embedder.embed_query

    def hanging(text: str) -> Vectors:
        if text == "sleeps":
            hung.release()
            go.wait(60)
        return embed(text)

    monkeypatch.setattr(embedder, "embed_query", hanging)
    with ThreadPoolExecutor(SEARCHES) as pool:
        try:
            asked = [pool.submit(retriever.search, ALICE, "sleeps") for _ in range(SEARCHES)]
            assert all(hung.acquire(timeout=60) for _ in asked)
            assert retriever.search(ALICE, "dragon")
        finally:
            go.set()
        assert all(one.result(60) for one in asked)


def test_no_search_with_vectors_waits_for_the_index_of_another_project(
    catalog: Catalog, put: Put, embedder: SmallEmbedder, retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in (ALICE, BOB):
        put(key, "a.md", "The dragon sleeps.")
        retriever.embed_pending(key)
        assert retriever.search(key, "dragon")
    put(ALICE, "b.md", "The dragon wakes.")
    begun, go = held_up(catalog, monkeypatch, [ALICE])
    monkeypatch.setattr("retrieval.lexical_indexes._MAY_LAG_S", 0)
    asking, embed = threading.Semaphore(0), embedder.embed_query

    def noted(text: str) -> Vectors:
        asking.release()
        return embed(text)

    monkeypatch.setattr(embedder, "embed_query", noted)
    with ThreadPoolExecutor(MORE_THAN_THREADS) as pool, ThreadPoolExecutor(1) as bob:
        try:
            asked = [pool.submit(retriever.search, ALICE, "dragon") for _ in range(MORE_THAN_THREADS)]
            assert begun.wait(60)
            assert all(asking.acquire(timeout=60) for _ in asked)
            assert bob.submit(retriever.search, BOB, "dragon").result(60)
        finally:
            go.set()
        assert all(one.result(60) for one in asked)


@pytest.mark.parametrize(("reading", "most"), [(running_model, 1), (asking_provider, 2)])
def test_a_model_reads_few_questions_of_a_workspace_at_a_time_and_another_ones_meanwhile(
    reading: Callable[[], AbstractContextManager[None]], most: int
) -> None:
    held_up = HeldUp()

    def ask(key: ProjectKey) -> bool:
        with computing(key), waiting(), reading():
            if key == ALICE:
                held_up.wait()
        return True

    with ThreadPoolExecutor(SEARCHES + 1) as pool:
        try:
            asked = [pool.submit(ask, ALICE) for _ in range(SEARCHES)]
            assert all(held_up.entered.acquire(timeout=60) for _ in range(most))
            assert pool.submit(ask, BOB).result(60)
        finally:
            held_up.go.set()
        assert all(one.result(60) for one in asked)
    assert held_up.most == most


def test_of_a_long_question_a_model_reads_the_beginning(
    retriever: Retriever, embedder: SmallEmbedder, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[str]()
    embed = embedder.embed_query
    monkeypatch.setattr(embedder, "embed_query", lambda text: (read.append(text), embed(text))[1])
    put(ALICE, "a.md", "The dragon sleeps.")
    retriever.embed_pending(ALICE)
    assert retriever.search(ALICE, "dragon " * 1_000)
    assert [len(text) for text in read] == [2_000]
