"""However many threads want the database, few have connections; who has one gets a second."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from corpora import Catalog, CatalogBusy, ProjectKey
from corpora.places import ThreadPlaces
from tests.postgresql import EmptyDatabase
from tests.waiting import eventually

PATIENCE_S = 300


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
            eventually(lambda number=number: len(places.waiting) == number)
    come(5)
    return came


def test_who_came_first_is_next() -> None:
    places = ThreadPlaces(1)
    assert order_of(places.taken, places) == [0, 1, 2, 3, 4, 5]


def test_who_writes_an_sqlite_file_over_and_over_lets_those_in_who_wait(sqlite_url: str) -> None:
    catalog = Catalog(sqlite_url)
    order = order_of(catalog._writing, catalog._one_writer)  # pyright: ignore[reportPrivateUsage]
    assert order == [0, 1, 2, 3, 4, 5]
    catalog.close()
