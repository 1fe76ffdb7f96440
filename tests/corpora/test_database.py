"""Opening the catalog: ours, another's, a newer one's, none at all."""

import logging
import os
import sqlite3
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import insert, make_url, select, update
from sqlalchemy.exc import DBAPIError

from corpora import Catalog, CatalogError, ProjectKey
from corpora.schema import facts
from tests.forked import finished


def test_a_catalog_is_there_again_when_opened_again(database_url: str) -> None:
    first = Catalog(database_url)
    pending_id = first.put_pending("local", "1", "plan", {}, "a" * 64)
    first.close()
    second = Catalog(database_url)
    assert second.pop_pending("local", "1", pending_id) is not None
    second.close()


def test_what_sqlite_has_committed_outlasts_a_power_cut(tmp_path: Path) -> None:
    """In a process of its own: in this one nothing waits for the disk."""
    asking = """
from corpora import Catalog
with Catalog("sqlite:///catalog.sqlite3")._reading() as connection:
    print(connection.exec_driver_sql("PRAGMA synchronous").scalar())
"""
    assert finished([sys.executable, "-c", asking], tmp_path, os.environ).stdout.strip() == "2", "FULL"


def test_sqlite_runs_with_write_ahead_log_and_foreign_keys(sqlite_url: str) -> None:
    catalog = Catalog(sqlite_url)
    with catalog._reading() as connection:  # pyright: ignore[reportPrivateUsage]
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    catalog.close()


def test_a_file_is_read_by_as_many_at_once_as_want_it(sqlite_url: str) -> None:
    catalog = Catalog(sqlite_url)
    with ExitStack() as readings:
        opened = [readings.enter_context(catalog._reading()) for _ in range(40)]  # pyright: ignore[reportPrivateUsage]
        assert all(connection.exec_driver_sql("SELECT count(*) FROM documents").scalar() == 0 for connection in opened)
    catalog.close()


@pytest.mark.parametrize("version", ["99", "next"])
def test_a_newer_schema_version_is_refused(database_url: str, version: str) -> None:
    catalog = Catalog(database_url)
    with catalog._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        connection.execute(update(facts).values(value=version))
    catalog.close()
    with pytest.raises(CatalogError) as refused:
        Catalog(database_url)
    assert str(make_url(database_url).database) in refused.value.message
    assert refused.value.code == "CATALOG_ERROR"


def test_the_database_of_another_program_is_left_alone(sqlite_url: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "catalog.sqlite3") as connection:
        connection.execute("CREATE TABLE documents (title)")
    connection.close()
    with pytest.raises(CatalogError, match="another program"):
        Catalog(sqlite_url)
    with sqlite3.connect(tmp_path / "catalog.sqlite3") as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("documents",)]
    connection.close()


def test_a_file_that_is_no_database_is_refused(sqlite_url: str, tmp_path: Path) -> None:
    (tmp_path / "catalog.sqlite3").write_bytes(b"no database" * 100)
    with pytest.raises(CatalogError, match="not a database"):
        Catalog(sqlite_url)


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "sqlite:////no/such/folder/here.db",
        "unknown://host/x",
        "postgresql+nodriver://u:secret@h/d",
        "postgresql+psycopg://u:secret@127.0.0.1:1/d",
        "postgresql+psycopg://u@127.0.0.1:1/d?password=secret",
        "mysql://u:secret@h/d",
    ],
)
def test_a_url_that_leads_nowhere_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(CatalogError) as refused:
        Catalog(url)
    assert "secret" not in refused.value.message
    assert "?." not in refused.value.message


@pytest.mark.parametrize("reason", ["no space", 'connection to server at "10.0.0.7", port 5432 failed'])
def test_of_an_open_catalog_only_the_log_says_where_it_is(
    database_url: str, caplog: pytest.LogCaptureFixture, reason: str
) -> None:
    catalog = Catalog(database_url)
    place = str(make_url(database_url).set(query={}))
    caplog.set_level(logging.INFO, "corpora.database")
    for _ in range(2):
        with pytest.raises(CatalogError) as refused, catalog._reported():  # pyright: ignore[reportPrivateUsage]
            raise DBAPIError(None, None, Exception(reason))
        assert place not in refused.value.message
        assert "10.0.0.7" not in refused.value.message or not catalog.is_shared
        catalog.ping()  # a full disk may still be read
    assert [place in said and reason in said for said in caplog.messages] == [True], "once a minute"
    catalog.close()


def test_two_that_open_an_empty_database_at_once_agree(database_url: str) -> None:
    barrier = threading.Barrier(4)
    failures: list[Exception] = []

    def open_and_write(number: int) -> None:
        barrier.wait()
        try:
            catalog = Catalog(database_url)
            catalog.put_pending("local", str(number), "plan", {}, "a" * 64)
            catalog.close()
        except CatalogError as error:
            failures.append(error)

    threads = [threading.Thread(target=open_and_write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_reader_sees_the_whole_before_or_the_whole_after(catalog: Catalog, key: ProjectKey) -> None:
    with catalog._reading() as reader:  # pyright: ignore[reportPrivateUsage]
        assert reader.exec_driver_sql("SELECT * FROM projects").all() == []
        catalog.put_document(key, name="a", format="md", sha256="0" * 64, size=0, text="", pages=[], passages=[])
        assert reader.exec_driver_sql("SELECT * FROM documents").all() == []
    assert len(catalog.documents(key)) == 1


def test_the_write_ahead_log_has_an_end_however_many_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where always somebody reads, SQLite by itself never begins it anew."""
    monkeypatch.setattr("corpora.sqlite._LONGEST_LOG", 2**20)
    monkeypatch.setattr("corpora.sqlite._LOG_REST_S", 0.0)
    catalog = Catalog(f"sqlite:///{tmp_path}/catalog.sqlite3")
    log, is_over = tmp_path / "catalog.sqlite3-wal", threading.Event()
    turns, begun = ([threading.Semaphore(0), threading.Semaphore(0)] for _ in range(2))

    def read(own: int) -> None:
        """Until the other has begun: there is always one that reads."""
        while turns[own].acquire() and not is_over.is_set():
            with catalog._reading() as connection:  # pyright: ignore[reportPrivateUsage]
                connection.execute(select(facts)).all()
                begun[own].release()
                turns[1 - own].release()
                begun[1 - own].acquire()

    readers = [threading.Thread(target=read, args=(own,)) for own in range(2)]
    for reader in readers:
        reader.start()
    turns[0].release()
    lengths = list[int]()
    for number in range(60):
        with catalog._writing() as connection:  # pyright: ignore[reportPrivateUsage]
            connection.execute(insert(facts).values(name=str(number), value="x" * 100_000))
        lengths.append(log.stat().st_size)
    is_over.set()
    for semaphore in (*turns, *begun):
        semaphore.release(2)
    for reader in readers:
        reader.join()
    catalog.close()
    assert max(lengths) < 4 * 2**20
