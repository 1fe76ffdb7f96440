"""Locks by name: between threads, and between the processes of one database server."""

import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from weakref import ref

import pytest

from corpora import Catalog, CatalogBusy
from tests.postgresql import EmptyDatabase


@pytest.fixture
def catalogs(empty_database: EmptyDatabase) -> Iterator[tuple[Catalog, Catalog]]:
    """Two catalogs of one PostgreSQL database, as two servers open it."""
    url = empty_database()
    opened = Catalog(url), Catalog(url)
    yield opened
    for catalog in opened:
        catalog.close()


class GivesUp(Exception):
    pass


def give_up() -> None:
    raise GivesUp


def test_one_thread_at_a_time(catalog: Catalog) -> None:
    lock, inside, seen = catalog.lock("a"), list[int](), list[int]()

    def work() -> None:
        with lock.held():
            inside.append(1)
            seen.append(len(inside))
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 8
    assert catalog.lock("a") is lock


def test_who_waits_can_give_up_and_who_need_not_wait_is_told(catalog: Catalog) -> None:
    with catalog.lock("a").held():
        with pytest.raises(GivesUp), catalog.lock("a").held(while_waiting=give_up):
            pass
        with catalog.lock("a").held_if_free() as held:
            assert not held
        with catalog.lock("b").held_if_free() as held:
            assert held
    with catalog.lock("a").held_if_free() as held:
        assert held


def test_a_lock_is_there_for_as_long_as_anybody_has_it(catalog: Catalog) -> None:
    with catalog.lock("a").held():
        lock = ref(catalog.lock("a"))
        assert lock() is not None
    assert lock() is None


def test_an_error_inside_gives_the_lock_back(catalog: Catalog) -> None:
    with pytest.raises(GivesUp), catalog.lock("a").held():
        raise GivesUp
    with catalog.lock("a").held_if_free() as held:
        assert held


def test_two_servers_have_the_same_locks(catalogs: tuple[Catalog, Catalog]) -> None:
    one, other = catalogs
    with one.lock("a").held():
        with other.lock("a").held_if_free() as held:
            assert not held
        with pytest.raises(GivesUp), other.lock("a").held(while_waiting=give_up):
            pass
        with other.lock("b").held():
            pass
    with other.lock("a").held():
        pass


@contextmanager
def lost_connections(catalog: Catalog) -> Generator[None]:
    with catalog._reading() as connection:  # pyright: ignore[reportPrivateUsage]
        connection.exec_driver_sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
    yield


def test_a_lock_is_free_when_its_connection_is_gone(catalogs: tuple[Catalog, Catalog]) -> None:
    one, other = catalogs
    with one.lock("a").held(), lost_connections(other), other.lock("a").held():
        pass
    with one.lock("a").held_if_free() as held:
        assert held


def test_a_catalog_is_used_by_many_or_by_one_alone(catalogs: tuple[Catalog, Catalog]) -> None:
    one, other = catalogs
    with one.in_use(), other.in_use(), pytest.raises(CatalogBusy, match="alone: stop them"), one.in_use(alone=True):
        pass
    with (
        other.in_use(),
        pytest.raises(CatalogBusy, match=r"first\. Share it\.$"),
        one.in_use(alone=True, remedy="Share it."),
    ):
        raise AssertionError
    with one.in_use(alone=True), pytest.raises(CatalogBusy, match="wait"), other.in_use():
        pass
    with other.in_use(alone=True):
        pass


def test_a_data_directory_is_not_locked_twice(sqlite_url: str) -> None:
    catalog = Catalog(sqlite_url)
    with catalog.in_use(alone=True), catalog.in_use(alone=True):
        pass
    catalog.close()


def test_all_locks_of_a_server_are_on_one_connection(catalogs: tuple[Catalog, Catalog]) -> None:
    one, other = catalogs
    with ExitStack() as held:
        for name in "abcdef":
            held.enter_context(one.lock(name).held())
        with one._reading() as connection:  # pyright: ignore[reportPrivateUsage]
            holders = "SELECT count(DISTINCT pid), count(*) FROM pg_locks WHERE locktype = 'advisory'"
            assert tuple(connection.exec_driver_sql(holders).one()) == (1, 6)
        with one.lock("g").held():
            pass
        with other.lock("a").held_if_free() as taken:
            assert not taken
    with other.lock("a").held(), other.lock("f").held():
        pass


def test_where_the_connection_of_the_locks_is_lost_the_next_lock_has_another(catalogs: tuple[Catalog, Catalog]) -> None:
    one, other = catalogs
    with (
        one.lock("a").held(),
        lost_connections(other),
        one.lock("b").held(),
        other.lock("b").held_if_free() as taken,
    ):
        assert not taken
    with other.lock("a").held(), other.lock("b").held():
        pass
