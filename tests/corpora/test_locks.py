"""Locks by name: between threads, and between the processes of one database server."""

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from weakref import ref

import pytest

from corpora import Catalog, CatalogBusy, CatalogError, ProjectKey
from corpora.locks import _Session  # pyright: ignore[reportPrivateUsage]
from corpora.statements import give_to_folder, touched_project
from tests.postgresql import EmptyDatabase
from tests.server_process import PATIENCE_S
from tests.waiting import eventually

pytestmark = pytest.mark.long


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


def test_who_uses_a_catalog_uses_it_after_a_lost_connection_too(
    catalogs: tuple[Catalog, Catalog], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.locks._SAYS_EVERY_S", 0.02)
    one, other = catalogs

    def is_refused_alone() -> bool:
        try:
            with other.in_use(alone=True):
                return False
        except CatalogBusy:
            return True

    with one.in_use(), lost_connections(other):
        eventually(is_refused_alone)
    assert not is_refused_alone()


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


def test_a_connection_that_another_thread_found_lost_fails_as_one_that_is(
    catalogs: tuple[Catalog, Catalog],
) -> None:
    one, other = catalogs
    with one.lock("a").held(), lost_connections(other):
        session = one._of_locks  # pyright: ignore[reportPrivateUsage]
        assert session is not None
        assert not session.answers()
        with pytest.raises(CatalogError, match="does not answer"):
            session.takes(1)


def give_up_after(seconds: int) -> Callable[[], None]:
    asked = iter(range(seconds))

    def asked_again() -> None:
        if next(asked, None) is None:
            raise GivesUp

    return asked_again


def test_a_server_that_hangs_has_its_locks_no_more(
    catalogs: tuple[Catalog, Catalog], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = catalogs
    with ExitStack() as hanging:
        hanging.enter_context(suppress(CatalogError))  # a machine may be busy for so long
        with monkeypatch.context() as patched:
            patched.setattr("corpora.locks._HANGS_S", 0.1)
            hanging.enter_context(one.lock("a").held())
        with other.lock("a").held(while_waiting=give_up_after(5)):
            pass
    with one.lock("a").held_if_free() as held:
        assert held


def test_a_server_that_works_for_long_says_so_and_keeps_its_locks(
    catalogs: tuple[Catalog, Catalog], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = catalogs
    monkeypatch.setattr("corpora.locks._SAYS_EVERY_S", 0.001)
    answered, answers, often = list[bool](), _Session.answers, threading.Event()

    def noted(session: _Session) -> bool:
        answered.append(answers(session))
        if len(answered) > 3:
            often.set()
        return answered[-1]

    monkeypatch.setattr(_Session, "answers", noted)
    with one.lock("a").held():
        assert often.wait(30)
        with other.lock("a").held_if_free() as held:
            assert not held
    with one._reading() as connection, one._reading() as another:  # pyright: ignore[reportPrivateUsage]
        for used in (connection, another):
            assert used.exec_driver_sql("SHOW idle_session_timeout").scalar() == "0", "as it was"


def test_a_transaction_of_a_server_that_hangs_keeps_others_waiting_no_longer_than_that(
    catalogs: tuple[Catalog, Catalog], monkeypatch: pytest.MonkeyPatch
) -> None:
    (one, other), write = catalogs, "UPDATE fletcher_catalog SET value = value"
    one.close()  # its next connection is another
    seen: list[str] = []

    def hang() -> None:
        with one._writing() as hanging:  # pyright: ignore[reportPrivateUsage]
            hanging.exec_driver_sql(write)
            seen.append("held")
            with other._writing() as connection:  # pyright: ignore[reportPrivateUsage]
                connection.exec_driver_sql("SET LOCAL lock_timeout = '5s'")
                connection.exec_driver_sql(write)
            seen.append("written")
            hanging.exec_driver_sql(write)

    with monkeypatch.context() as patched:
        patched.setattr("corpora.postgresql._IDLE_S", 0.1)
        with pytest.raises(CatalogError):
            hang()
    assert seen in (["held", "written"], []), "a machine may be so busy that it is not held at all"
    one.ping()


def test_an_original_is_kept_from_others_for_as_long_as_its_document_takes(catalogs: tuple[Catalog, Catalog]) -> None:
    catalog, _ = catalogs
    show = "SHOW idle_in_transaction_session_timeout"
    with catalog._standing() as connection:  # pyright: ignore[reportPrivateUsage]
        assert connection.exec_driver_sql(show).scalar() == "20min"
    with catalog._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        assert connection.exec_driver_sql(show).scalar() == "1min"


def test_a_folder_is_unlinked_once_whoever_writes_its_documents_is_done(
    catalogs: tuple[Catalog, Catalog], key: ProjectKey
) -> None:
    """Each would otherwise wait for the other's rows."""
    one, other = catalogs
    with one._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        touched_project(connection, key)
    one.link_folder(key, "/design")
    with ThreadPoolExecutor(1) as threads:
        with one._writing() as connection:  # pyright: ignore[reportPrivateUsage]
            project = touched_project(connection, key)
            unlinked = threads.submit(other.unlink_folder, key)
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            eventually(lambda: connection.exec_driver_sql(waiting).scalar() == 1)
            give_to_folder(connection, project, ["ferry.md"])
        unlinked.result(PATIENCE_S)
    assert one.linked_folder(key) is None
    assert not one.folder_documents(key)
