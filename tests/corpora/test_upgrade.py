"""A catalog of an older Fletcher is brought up to date where it is."""

import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect

from corpora import Catalog, CatalogError, ProjectKey
from corpora.schema import SCHEMA_VERSION
from tests.corpora.conftest import Put

VERSION_1 = Path(__file__).with_name("version_1.sql").read_text()


@pytest.fixture
def old_url(tmp_path: Path) -> str:
    with sqlite3.connect(tmp_path / "old.sqlite3") as connection:
        connection.executescript(VERSION_1)
    connection.close()
    return f"sqlite:///{tmp_path / 'old.sqlite3'}"


def shape(url: str) -> dict[str, Any]:
    """Tables, columns, keys and indexes of a database, in no order."""
    engine = create_engine(url)
    found = inspect(engine)
    shapes: dict[str, Any] = {}
    for table in found.get_table_names():
        columns = found.get_columns(table)
        shapes[table] = {
            "columns": {column["name"]: (str(column["type"]), column["nullable"]) for column in columns},
            "key": found.get_pk_constraint(table)["constrained_columns"],
            "references": {str(key["constrained_columns"]): key for key in found.get_foreign_keys(table)},
            "indexes": {index["name"]: index["column_names"] for index in found.get_indexes(table)},
        }
    engine.dispose()
    return shapes


def test_an_old_catalog_gets_what_a_new_one_has(old_url: str, sqlite_url: str) -> None:
    Catalog(sqlite_url).close()
    Catalog(old_url).close()
    assert shape(old_url) == shape(sqlite_url)


def test_what_is_in_an_old_catalog_stays_and_can_be_changed(old_url: str, key: ProjectKey) -> None:
    catalog = Catalog(old_url)
    (document,) = catalog.documents(key)
    assert (document.name, document.passages, document.embedded) == ("old.md", 1, 0)
    assert catalog.text(key, document.id) == "An old tale."
    assert catalog.corpus_version(key) == 3
    catalog.mark_embedded(key, catalog.unembedded(key))
    catalog.remove_document(key, "old.md")
    assert len(catalog.replaced_passages(key)) == 1
    catalog.close()


def test_an_upgrade_is_done_once(old_url: str, tmp_path: Path) -> None:
    barrier = threading.Barrier(4)
    failures: list[Exception] = []

    def open_it() -> None:
        barrier.wait()
        try:
            Catalog(old_url).close()
        except CatalogError as error:
            failures.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with sqlite3.connect(tmp_path / "old.sqlite3") as connection:
        recorded = connection.execute("SELECT value FROM fletcher_catalog WHERE name = 'schema_version'").fetchall()
    connection.close()
    assert recorded == [(str(SCHEMA_VERSION),)]


def test_a_lost_table_column_or_index_is_added_on_any_database(
    catalog: Catalog, put: Put, key: ProjectKey, database_url: str
) -> None:
    put(key, "a.md", "One.")
    whole = shape(database_url)
    with catalog._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        connection.exec_driver_sql("DROP TABLE originals")
        connection.exec_driver_sql("DROP INDEX ix_documents_sha256")
        connection.exec_driver_sql("ALTER TABLE passages DROP COLUMN page_to")
        connection.exec_driver_sql("UPDATE fletcher_catalog SET value = '1' WHERE name = 'schema_version'")
    catalog.close()
    again = Catalog(database_url)
    assert shape(database_url) == whole
    assert [passage.page_to for passage in again.passages(key)] == [None]
    again.close()
