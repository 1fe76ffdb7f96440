"""However many threads want the database, few have connections; who has one gets a second."""

import math
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from corpora import Catalog, CatalogBusy, ProjectKey
from corpora.places import ThreadPlaces, working_for
from tests.corpora.conftest import Put
from tests.postgresql import EmptyDatabase
from tests.waiting import eventually

PATIENCE_S = 300


@pytest.mark.long
def test_many_threads_that_need_two_connections_each_end_and_have_few(
    empty_database: EmptyDatabase, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.database._PLACES", ThreadPlaces(2))
    catalog = Catalog(empty_database())
    seen: list[int] = []

    def work(number: int) -> None:
        with catalog.lock(f"{number}").held(), catalog._reading() as connection:  # pyright: ignore[reportPrivateUsage]
            catalog.documents(key)
            ours = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'fletcher'"
            seen.append(connection.exec_driver_sql(ours).scalar_one())

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    catalog.close()
    assert len(seen) == len(threads)
    assert max(seen) <= 5  # two threads with two each, and one for all locks


def test_who_waits_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.places._PATIENCE_S", 0)
    places = ThreadPlaces(1)
    refused: list[CatalogBusy] = []

    def come() -> None:
        try:
            with places.taken():
                pass
        except CatalogBusy as error:
            refused.append(error)

    with places.taken(), places.taken():
        thread = threading.Thread(target=come)
        thread.start()
        thread.join(PATIENCE_S)
    assert [error.code for error in refused] == ["CATALOG_BUSY"]
    come()
    assert len(refused) == 1


def order_of(taken: Callable[[], AbstractContextManager[object]], places: ThreadPlaces) -> list[int]:
    """Of five threads that come while it is taken, one after the other, and of who had it and comes again at once."""
    came: list[int] = []

    def come(number: int) -> None:
        with taken():
            came.append(number)

    threads = [threading.Thread(target=come, args=(number,), daemon=True) for number in range(5)]
    with taken():
        for number, thread in enumerate(threads, 1):
            thread.start()
            eventually(lambda number=number: places.waiting == number)
    come(5)
    return came


def test_who_came_first_is_next() -> None:
    places = ThreadPlaces(1)
    assert order_of(places.taken, places) == [0, 1, 2, 3, 4, 5]


def test_of_workspaces_that_wait_each_is_served_in_turn_and_has_half_at_most() -> None:
    places, came, may_end = ThreadPlaces(4), list[str](), threading.Event()

    def come(workspace: str) -> None:
        def work() -> None:
            with places.taken():
                came.append(workspace)
                assert may_end.wait(PATIENCE_S)

        working_for(workspace, work)

    greedy = [threading.Thread(target=come, args=("greedy",), daemon=True) for _ in range(10)]
    for thread in greedy:
        thread.start()
    eventually(lambda: places.waiting == 8)
    quiet = threading.Thread(target=come, args=("quiet",), daemon=True)
    quiet.start()
    eventually(lambda: len(came) == 3)
    may_end.set()
    for thread in (*greedy, quiet):
        thread.join(PATIENCE_S)
    assert came[:3] == ["greedy", "greedy", "quiet"]
    assert len(came) == 11


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_between_two_very_long_writes_of_a_workspace_those_of_others_have_their_time(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many very long ones wait: what somebody else asks for meanwhile is several."""
    monkeypatch.setattr("corpora.database._MANY_ROWS", 2)
    monkeypatch.setattr("corpora.database._VERY_MANY_ROWS", 3)
    ada, bo = ProjectKey("ada", "1"), ProjectKey("bo", "1")
    left = list[list[str]]()

    def rest(_seconds: float) -> None:
        put(bo, f"{len(left)}.md", "One.", "Two.", "Three.")  # others rest only for what is their own
        left.append([document.name for document in catalog.documents(ada)])
        catalog._rests_until = {}  # pyright: ignore[reportPrivateUsage]

    def is_to_rest() -> None:
        catalog._rests_until = {"ada": math.inf}  # pyright: ignore[reportPrivateUsage]

    monkeypatch.setattr("corpora.database.sleep", rest)
    put(ada, "a.md", "One.", "Two.", "Three.")
    assert not left
    assert catalog._rests_until  # pyright: ignore[reportPrivateUsage]
    is_to_rest()
    put(ada, "b.md", "One.", "Two.", "Three.")
    is_to_rest()
    catalog.remove_document(ada, ada.document_id("b.md"))
    is_to_rest()
    put(ada, "a.md", "Four.")  # it is very long, too, to take away what was there
    assert left == [["a.md"], ["a.md", "b.md"], ["a.md"]]


def test_who_writes_an_sqlite_file_over_and_over_lets_those_in_who_wait(sqlite_url: str) -> None:
    catalog = Catalog(sqlite_url)
    order = order_of(catalog._writing, catalog._one_writer)  # pyright: ignore[reportPrivateUsage]
    assert order == [0, 1, 2, 3, 4, 5]
    catalog.close()
