"""A database server that hangs is waited for once, by nobody after that, and used again when it goes on."""

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import closing

import pytest

from corpora import Catalog, CatalogError, ProjectKey
from corpora.presence import Presence
from tests.corpora.conftest import Put
from tests.postgresql import EmptyDatabase, stopped

pytestmark = pytest.mark.long

PATIENCE_S = 300


@pytest.fixture
def database_url(empty_database: EmptyDatabase) -> str:
    return empty_database()


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.postgresql._SILENT_S", 0.2)
    monkeypatch.setattr("corpora.presence._ASKED_EVERY_S", 0.05)


def ended(*calls: Callable[[], object]) -> list[BaseException | None]:
    """Runs calls in threads and waits until all have ended; what each raised."""
    raised: list[BaseException | None] = [TimeoutError("it never ended")] * len(calls)

    def run(number: int) -> None:
        try:
            calls[number]()
            raised[number] = None
        except BaseException as error:  # noqa: BLE001 - told to the test
            raised[number] = error

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    give_up_at = time.monotonic() + PATIENCE_S
    for thread in threads:
        thread.join(max(0, give_up_at - time.monotonic()))
    return raised


def until_it_answers(catalog: Catalog) -> None:
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        try:
            return catalog.ping()
        except CatalogError:
            threading.Event().wait(0.05)
    raise TimeoutError


def test_calls_on_a_server_that_hangs_fail_and_work_again_when_it_goes_on(
    catalog: Catalog, database_url: str, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "text")
    with stopped(database_url):
        calls = [lambda: catalog.documents(key), lambda: put(key, "b.md", "text"), catalog.ping]
        raised = ended(*calls * 5)
        assert {type(error) for error in raised} == {CatalogError}
        assert all("Check that it is reachable" in str(error) for error in raised)
    until_it_answers(catalog)
    assert "a.md" in [document.name for document in catalog.documents(key)]
    put(key, "c.md", "text")


def test_a_statement_under_way_when_the_server_hangs_is_given_up(catalog: Catalog, database_url: str) -> None:
    def read() -> None:
        with catalog._reading() as connection:  # pyright: ignore[reportPrivateUsage]
            connection.exec_driver_sql("SELECT 1")
            with stopped(database_url):
                connection.exec_driver_sql("SELECT 2")

    (error,) = ended(read)
    assert isinstance(error, CatalogError)
    assert "does not answer" in str(error)
    until_it_answers(catalog)


def test_locks_fail_while_it_hangs_and_are_free_again_afterwards(catalog: Catalog, database_url: str) -> None:
    lock = catalog.lock("one")

    def hold() -> None:
        with lock.held():
            pass

    with stopped(database_url):
        (error,) = ended(hold)
    assert isinstance(error, CatalogError)
    until_it_answers(catalog)
    assert ended(hold) == [None]


def test_to_open_a_catalog_on_a_server_that_hangs_fails(database_url: str) -> None:
    with stopped(database_url):
        (error,) = ended(lambda: Catalog(database_url))
    assert isinstance(error, CatalogError)


def test_a_statement_that_waits_for_another_transaction_is_waited_for(
    catalog: Catalog, database_url: str, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "text")
    waited = threading.Event()
    with closing(Catalog(database_url)) as other:
        presence = other._presence  # pyright: ignore[reportPrivateUsage]
        assert presence is not None
        ask = presence.ask

        def asked() -> None:
            ask()
            waited.set()

        presence.ask = asked
        writer = threading.Thread(target=lambda: other.remove_document(key, "a.md"))
        with catalog._writing() as connection:  # pyright: ignore[reportPrivateUsage]
            connection.exec_driver_sql("UPDATE projects SET corpus_version = corpus_version")
            writer.start()
            assert waited.wait(PATIENCE_S), "it was silent for so long that it was asked for"
            assert not presence.is_away
        writer.join(PATIENCE_S)
    assert catalog.documents(key) == []


def test_connections_that_fell_silent_are_replaced(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.postgresql._PING_S", 0.3)
    with catalog._reading() as connection:  # pyright: ignore[reportPrivateUsage]
        ours = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
        backends: list[int] = list(connection.exec_driver_sql(ours).scalars())
    for backend in backends:
        os.kill(backend, signal.SIGSTOP)
    try:
        catalog.ping()
    finally:
        for backend in backends:
            os.kill(backend, signal.SIGCONT)


def test_a_statement_that_never_ends_is_given_up(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.postgresql._LONGEST_S", 0.5)
    with (
        pytest.raises(CatalogError, match="does not answer"),
        catalog._reading() as connection,  # pyright: ignore[reportPrivateUsage]
    ):
        connection.exec_driver_sql(f"SELECT pg_sleep({PATIENCE_S})")
    catalog.ping()


def test_while_it_is_away_one_thread_asks_and_nobody_else() -> None:
    asking = threading.Semaphore(0)
    answered = threading.Event()
    asked: list[int] = []

    def answers() -> bool:
        asked.append(threading.get_ident())
        asking.release()
        return answered.is_set()

    presence = Presence(answers)
    presence.ask()
    assert presence.is_away
    presence.ask()
    assert len(asked) == 1 or threading.get_ident() not in asked[1:]
    assert asking.acquire(timeout=PATIENCE_S)
    answered.set()
    give_up_at = time.monotonic() + PATIENCE_S
    while presence.is_away and time.monotonic() < give_up_at:
        asking.acquire(timeout=0.05)
    assert not presence.is_away
    assert len(set(asked)) == 2
