"""The original of a document stays as long as somebody needs it, and no longer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from corpora import CatalogError, Document, DocumentNotFound, Originals, ProjectKey
from ingest import Source
from tests.ingest.conftest import on_both
from tests.ingest.sources import BIBLE, SOURCES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ingest.conftest import Pipeline

OTHER = ProjectKey("elsewhere", "1")


@on_both
def test_a_missing_original_is_restored_by_the_unchanged_document(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, SOURCES)
    sha256 = pipeline.catalog.find_document(key, "bible.md").sha256
    pipeline.originals.delete([sha256])
    pipeline.assert_no_original(sha256)
    pipeline.ingestor.index(key, SOURCES)
    assert pipeline.originals.get(sha256) == BIBLE.encode()


@on_both
def test_an_original_stays_as_long_as_one_project_needs_it(pipeline: Pipeline, key: ProjectKey) -> None:
    other = ProjectKey("local", "2")
    for project in (key, other):
        pipeline.ingestor.index(project, SOURCES)
    sha256 = pipeline.catalog.find_document(key, "bible.md").sha256
    removed = pipeline.ingestor.remove(key, "bible.md")
    assert (removed.name, removed.status) == ("bible.md", "removed")
    assert pipeline.originals.get(sha256) == BIBLE.encode()
    pipeline.ingestor.remove(other, other.document_id("bible.md"))
    pipeline.assert_no_original(sha256)
    pipeline.assert_consistent(key)
    pipeline.assert_consistent(other)


def test_a_document_whose_removal_fails_is_found_again_where_the_catalog_is_lost(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.ingestor.index(key, SOURCES)
    with monkeypatch.context() as patch:
        patch.setattr(pipeline.catalog, "remove_document", Mock(side_effect=CatalogError("The disk is full.")))
        with pytest.raises(CatalogError, match="full"):
            pipeline.ingestor.remove(key, "bible.md")
    assert pipeline.catalog.find_document(key, "bible.md")
    manifest = pipeline.originals.manifest
    assert manifest is not None
    assert "bible.md" in {entry.name for entry in manifest.entries()}


@on_both
def test_what_a_killed_call_left_of_an_original_goes_with_the_same_call_again(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(_: object) -> None:
        raise Killed

    pipeline.ingestor.index(key, SOURCES)
    sha256 = pipeline.catalog.find_document(key, "bible.md").sha256
    with monkeypatch.context() as patch:
        patch.setattr(pipeline.originals, "delete", killed)
        with pytest.raises(Killed):
            pipeline.ingestor.remove(key, "bible.md")
    assert pipeline.originals.get(sha256)
    with pytest.raises(DocumentNotFound):
        pipeline.ingestor.remove(key, "bible.md")
    pipeline.assert_no_original(sha256)


def test_a_lost_catalog_takes_no_original_with_it(open_pipeline: Callable[[Path], Pipeline], tmp_path: Path) -> None:
    key = ProjectKey("local", "1")
    first = open_pipeline(tmp_path / "data")
    first.ingestor.index(key, SOURCES)
    first.ingestor.index(key, [Source("map.md", b"# The map"), Source("songs.md", b"# The songs")])
    before = first.originals.hashes()
    assert len(before) == 4
    first.catalog.close()
    for path in (tmp_path / "data").glob("catalog.sqlite3*"):
        path.unlink()
    again = open_pipeline(tmp_path / "data")
    again.ingestor.index(key, [Source("new.md", b"# Something new")])
    again.ingestor.index(key, [Source("new.md", b"# Something newer")])
    again.ingestor.remove(key, "new.md")
    assert again.originals.hashes() == before


@on_both
def test_a_document_that_never_reached_the_catalog_leaves_no_original(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise CatalogError("The disk is full.")

    pipeline.ingestor.index(key, SOURCES[:1])
    before = pipeline.originals.hashes()
    with monkeypatch.context() as patch:
        patch.setattr(pipeline.catalog, "put_document", fails)
        with pytest.raises(CatalogError):
            pipeline.ingestor.index(key, [Source("new.md", b"# Something new")])
    assert len(pipeline.originals.hashes()) == 2
    pipeline.ingestor.index(key, SOURCES[:1])
    assert pipeline.originals.hashes() == before


@on_both
def test_others_are_taken_in_while_a_document_is_stored_and_leave_its_original(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, elsewhere = pipeline.catalog.put_document, ProjectKey("elsewhere", "1")

    def after_others(project: ProjectKey, **row: Any) -> Document:
        if project == key:
            pipeline.ingestor.add(elsewhere, SOURCES[:1])
            pipeline.ingestor.remove(elsewhere, "bible.md")
        return put(project, **row)

    monkeypatch.setattr(pipeline.catalog, "put_document", after_others)
    pipeline.ingestor.index(key, SOURCES[:1])
    assert pipeline.originals.get(pipeline.catalog.find_document(key, "bible.md").sha256) == BIBLE.encode()
    pipeline.ingestor.remove(key, "bible.md")
    assert pipeline.originals.hashes() == set()


def test_one_that_cannot_be_deleted_keeps_nobody_from_adding_and_removing(pipeline: Pipeline, key: ProjectKey) -> None:
    assert isinstance(pipeline.originals, Originals)  # those of a database are deleted with it
    theirs, ours = pipeline.ingestor.add(OTHER, [Source("theirs.md", b"Pell.")]), Source("ours.md", b"Ness.")
    assert theirs.documents[0].error is None
    (document,) = pipeline.catalog.documents(OTHER)
    path = pipeline.originals.path(document.sha256)
    path.unlink()
    path.mkdir()  # as little to be deleted as the file of another user
    pipeline.ingestor.remove(OTHER, "theirs.md")
    assert pipeline.ingestor.add(key, [ours]).documents[0].error is None
    (mine,) = pipeline.catalog.documents(key)
    pipeline.ingestor.remove(key, "ours.md")
    pipeline.assert_no_original(mine.sha256)
    path.rmdir()
    path.write_bytes(b"Pell.")
    pipeline.ingestor.add(key, [ours])
    pipeline.assert_no_original(document.sha256)
