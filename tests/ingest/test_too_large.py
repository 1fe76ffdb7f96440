"""One limit on a document's size, whichever way it comes in, and before it is in memory."""

import tracemalloc
from pathlib import Path

import pytest

from corpora import ProjectKey
from ingest import Refusal, Source, scan
from ingest.source import MAX_DOCUMENT_BYTES
from tests.ingest.conftest import Pipeline


@pytest.fixture
def huge(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(MAX_DOCUMENT_BYTES + 1)  # takes no room on the disk
    return folder


def test_a_file_that_is_too_large_is_refused_unread(huge: Path) -> None:
    tracemalloc.start()
    (entry,) = scan(huge)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(entry, Refusal)
    assert (entry.status, entry.code) == ("failed", "FILE_TOO_LARGE")
    assert "268,435,456" in entry.message
    assert most < 2**20


def test_it_is_reported_and_what_was_there_stays(
    pipeline: Pipeline, key: ProjectKey, huge: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.ingestor.add(key, [Source("huge.txt", b"It was small once.")])
    (document,) = pipeline.ingestor.add(key, scan(huge), replace=True).documents
    assert document.error is not None
    assert (document.status, document.error.code, document.passages) == ("failed", "FILE_TOO_LARGE", 1)
    monkeypatch.setattr("ingest.source.MAX_DOCUMENT_BYTES", 3)
    (given,) = pipeline.ingestor.add(key, [Source("given.txt", b"four")]).documents
    assert given.error is not None
    assert (given.status, given.error.code) == ("failed", "FILE_TOO_LARGE")
