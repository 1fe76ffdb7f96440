"""Known documents are read again when they would be read better now, and only then."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
import pytest
from sqlalchemy import update

from corpora import Document, Originals, ProjectKey
from corpora.schema import documents
from ingest import IngestReport, Source
from ingest.ocr import usable_languages
from tests.ingest.conftest import on_both

if TYPE_CHECKING:
    from tests.ingest.conftest import Pipeline

NOTES = [Source("a.md", b"# Pell\n\nElena keeps the lighthouse."), Source("b.md", b"The ferry is called Bittern.")]
WORDS = "The harbour of Ness lies under the old bell tower."


def statuses(report: IngestReport) -> list[str]:
    return [document.status for document in report.documents]


def scanned() -> Source:
    """A page with typed words, and one that is a picture of words."""
    drawn, pdf = pymupdf.open().new_page(), pymupdf.open()
    drawn.insert_text((72, 90), WORDS, fontsize=14)
    pdf.new_page().insert_text((72, 100), "Typed words.")
    page = pdf.new_page()
    page.insert_image(page.rect, pixmap=drawn.get_pixmap(dpi=150))
    return Source("scan.pdf", pdf.tobytes())


def known(pipeline: Pipeline, key: ProjectKey) -> list[Document]:
    return pipeline.catalog.documents(key)


@on_both
def test_documents_of_an_older_catalog_are_read_again_once(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, NOTES)
    before = known(pipeline, key)
    with pipeline.catalog._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        connection.execute(update(documents).values(reader_version=None, ocr_languages=None))
    pipeline.reader.names.clear()
    pipeline.model.texts.clear()
    assert statuses(pipeline.ingestor.index(key, NOTES)) == ["updated", "updated"]
    assert (pipeline.reader.names, pipeline.model.texts) == (["a.md", "b.md"], [])
    assert known(pipeline, key) == before, "also the time of the last edit"
    assert statuses(pipeline.ingestor.index(key, NOTES)) == ["unchanged", "unchanged"]
    assert len(pipeline.reader.names) == 2
    pipeline.assert_consistent(key)


def test_other_readers_read_again_and_copies_follow(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = [NOTES[0], Source("copy.md", NOTES[0].data)]
    pipeline.ingestor.index(key, twice)
    for module in ("addition", "document_store"):
        monkeypatch.setattr(f"ingest.{module}.VERSION", 1_000)
    pipeline.reader.names.clear()
    assert statuses(pipeline.ingestor.index(key, twice)) == ["updated", "updated"]
    assert pipeline.reader.names == ["a.md"], "the copy is the same file"
    assert {document.reader_version for document in known(pipeline, key)} == {1_000}
    assert statuses(pipeline.ingestor.index(key, twice)) == ["unchanged", "unchanged"]


@pytest.mark.skipif(not usable_languages("eng"), reason="Tesseract and its English are not here")
def test_pictures_are_read_once_tesseract_is_there(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sources = [scanned(), NOTES[0]]
    with monkeypatch.context() as without:
        without.setenv("TESSDATA_PREFIX", str(tmp_path))
        pipeline.ingestor.index(key, sources)
        assert statuses(pipeline.ingestor.index(key, sources)) == ["unchanged", "unchanged"]
        assert known(pipeline, key)[1].pages_without_text == (2,)
    pipeline.model.texts.clear()
    assert statuses(pipeline.ingestor.index(key, sources)) == ["updated", "unchanged"]
    scan = known(pipeline, key)[1]
    assert (scan.pages_without_text, scan.pages_recognized, scan.ocr_languages) == ((), (2,), "eng")
    assert pipeline.model.texts == [WORDS]
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    assert statuses(pipeline.ingestor.index(key, sources)) == ["unchanged", "unchanged"], "what was read stays"
    assert pipeline.reader.names == ["scan.pdf", "a.md", "scan.pdf"]
    pipeline.assert_consistent(key)


def test_what_was_given_is_not_in_memory_before_its_turn(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, NOTES)
    original = pipeline.ingestor.original(key, "a.md")
    assert (original.held, original.size) == (0, len(NOTES[0].data))
    assert original.read() == NOTES[0]
    pipeline.originals.delete([known(pipeline, key)[0].sha256])
    (report,) = pipeline.ingestor.add(key, [original]).documents
    assert report.error is not None
    assert (report.status, report.error.code) == ("failed", "ORIGINAL_NOT_FOUND")


@pytest.mark.parametrize("newer", [b"# Pell\n\nOsk keeps the lighthouse.", None], ids=["replaced", "removed"])
@on_both
def test_what_was_replaced_or_removed_before_its_turn_does_not_come_back(
    pipeline: Pipeline, key: ProjectKey, newer: bytes | None
) -> None:
    pipeline.ingestor.index(key, NOTES)
    pipeline.ingestor.index(ProjectKey("other", "2"), NOTES)  # which needs the older version still
    again = pipeline.ingestor.original(key, "a.md")
    if newer is None:
        pipeline.ingestor.remove(key, "a.md")
    else:
        pipeline.ingestor.index(key, [Source("a.md", newer)])
    before = known(pipeline, key)
    (report,) = pipeline.ingestor.add(key, [again]).documents
    assert report.error is not None
    assert (report.status, report.error.code) == ("skipped", "CHANGED")
    assert known(pipeline, key) == before


def test_a_document_of_more_passages_than_one_may_have_now_stays_as_it_is(
    pipeline: Pipeline, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    (long,) = given = [
        Source("long.md", b"# Pell\n\nElena keeps the lighthouse.\n\n# Ness\n\nThe ferry is called Bittern.")
    ]
    pipeline.ingestor.index(key, given)
    before = known(pipeline, key)
    monkeypatch.setattr("ingest.split.MAX_PASSAGES", 1)
    assert statuses(pipeline.ingestor.index(key, given)) == ["unchanged"]
    monkeypatch.setattr("ingest.addition.VERSION", 1_000)
    for again in (long, pipeline.ingestor.original(key, "long.md")):
        (report,) = pipeline.ingestor.index(key, [again]).documents
        assert report.error is not None
        assert (report.status, report.error.code) == ("failed", "TOO_MANY_PASSAGES")
        assert (known(pipeline, key), report.passages) == (before, 2)
    assert "Bittern" in pipeline.retriever.search(key, "ferry")[0].passage.text
    pipeline.assert_consistent(key)


def test_of_a_damaged_original_nothing_is_read(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, NOTES)
    document = known(pipeline, key)[0]
    assert isinstance(pipeline.originals, Originals)  # a database looks after what it keeps
    path = pipeline.originals.path(document.sha256)
    path.write_bytes(path.read_bytes()[:6])
    (report,) = pipeline.ingestor.add(key, [pipeline.ingestor.original(key, "a.md")]).documents
    assert report.error is not None
    assert "is damaged: ingest its document again" in report.error.message
    assert known(pipeline, key)[0] == document
    assert pipeline.catalog.text(key, document.id).endswith("Elena keeps the lighthouse.")
