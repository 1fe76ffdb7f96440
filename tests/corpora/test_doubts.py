"""Originals that may go: nobody settles a doubt while somebody stores the original, or takes it from a document."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Engine, event

from corpora import Catalog, ProjectKey
from corpora.statements import doubt
from tests.corpora.conftest import Put
from tests.postgresql import EmptyDatabase
from tests.server_process import PATIENCE_S

ONE, OTHER = "1" * 64, "2" * 64


def settled(catalog: Catalog) -> list[str]:
    found = list[str]()
    for some in catalog.doubted_originals():
        with catalog.settling_originals(some) as unneeded:
            found += unneeded
    return sorted(found)


def test_what_no_document_needs_is_settled_once(catalog: Catalog) -> None:
    for sha256 in (ONE, OTHER, ONE):
        with catalog.storing_original(sha256, lambda _: False):
            assert catalog.doubted_originals()
    assert settled(catalog) == [ONE, OTHER]
    assert settled(catalog) == []
    assert not catalog.doubted_originals()


def test_what_a_document_needs_is_doubted_no_longer(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    with catalog.storing_original(put(key, "a.md", "text").sha256, lambda _: False):
        assert catalog.doubted_originals()
    assert settled(catalog) == []
    assert not catalog.doubted_originals()


def test_what_thousands_of_documents_need_is_looked_up_once(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    for name in ("a.md", "b.md", "c.md"):
        document = put(key, name, "the same text")
    catalog.remove_document(key, document.id)
    asked: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, values: object, *_: object) -> None:
        if "FROM documents" in statement:
            asked.append((statement, values))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        assert settled(catalog) == []
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    with catalog._reading() as connection:  # pyright: ignore[reportPrivateUsage]
        assert [len(connection.exec_driver_sql(*query).all()) for query in asked] == [1]


def test_thousands_are_settled_some_at_a_time(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.chunks._AT_ONCE", 2)
    hashes = [f"{number:064x}" for number in range(5)]
    for sha256 in hashes:
        with catalog.storing_original(sha256, lambda _: False):
            pass
    assert sorted(map(len, catalog.doubted_originals())) == [1, 2, 2]
    assert settled(catalog) == hashes
    assert not catalog.doubted_originals()


def test_what_is_being_stored_is_left_to_who_stores_it(catalog: Catalog) -> None:
    with catalog.storing_original(ONE, lambda _: False):
        with catalog.storing_original(ONE, lambda _: False), catalog.storing_original(OTHER, lambda _: False):
            assert settled(catalog) == []
        assert settled(catalog) == [OTHER]
    assert settled(catalog) == [ONE]


@pytest.mark.long
def test_so_it_is_to_another_server(empty_database: EmptyDatabase) -> None:
    url = empty_database()
    one, other = Catalog(url), Catalog(url)
    with (
        one.storing_original(ONE, lambda _: False),
        other.storing_original(ONE, lambda _: False),
        one.storing_original(OTHER, lambda _: False),
    ):
        assert settled(other) == []
    with one._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        doubt(connection, ONE)  # as who takes it from a document, which others still see
        assert settled(other) == [OTHER]
    assert settled(other) == [ONE]
    for catalog in (one, other):
        catalog.close()


@pytest.mark.long
def test_whoever_removes_the_same_file_waits_for_no_other_workspaces_large_document(
    empty_database: EmptyDatabase,
) -> None:
    url = empty_database()
    one, other = Catalog(url), Catalog(url)
    ada, bo = ProjectKey("ada", "1"), ProjectKey("bo", "1")

    def put(catalog: Catalog, key: ProjectKey, sha256: str) -> None:
        catalog.put_document(
            key, name="a.md", format="markdown", sha256=sha256, size=1, text="x", pages=[], passages=[]
        )

    put(one, ada, ONE)
    put(other, bo, ONE)
    removing = ThreadPoolExecutor()

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("INSERT INTO documents"):
            removing.submit(other.remove_document, bo, "a.md").result(PATIENCE_S)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        put(one, ada, OTHER)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
        removing.shutdown()
    assert settled(one) == [ONE]
    for catalog in (one, other):
        catalog.close()
