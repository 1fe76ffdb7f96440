"""Everything real: readers in child processes, MiniLM, Chroma."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
import pytest

from corpora import Catalog, DataDirectory, ProjectKey
from ingest import Ingestor, ReaderPool, scan
from retrieval import Embedder, Retriever, VectorStore

if TYPE_CHECKING:
    from tests.ingest.conftest import Pipeline

SHARED = Path(__file__).parents[3] / "shared" / "data" / "documents" / "game-design"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "design"
    path.mkdir()
    (path / "bible.md").write_text("# People\n\nElena keeps the lighthouse.\n\n# Money\n\nA loaf costs two shells.\n")
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "The harbour freezes in winter.")
    pdf.new_page().insert_text((72, 72), "Wolves come down from the hills at night.")
    pdf.save(path / "world.pdf")
    return path


def test_documents_are_found_by_meaning_and_with_their_pages(folder: Path, tmp_path: Path, key: ProjectKey) -> None:
    directory = DataDirectory(tmp_path / "data")
    catalog, vectors = Catalog(directory.catalog_url), VectorStore(directory.chroma_path)
    retriever = Retriever(catalog, Embedder(), vectors, directory.originals)
    with ReaderPool(workers=1) as readers:
        report = Ingestor(catalog, directory.originals, retriever, readers).index(key, scan(folder))
    assert [document.status for document in report.documents] == ["indexed", "indexed"]
    assert [document.pages for document in report.documents] == [None, 2]
    assert vectors.ids(key) == {passage.id for passage in catalog.passages(key)}
    # None of these words stands in the documents.
    best = retriever.search(key, "dangerous animals after sunset")[0].passage
    assert (best.document, best.page_from) == ("world.pdf", 2)
    assert retriever.search(key, "price of bread")[0].passage.heading == ("Money",)
    retriever.close()
    catalog.close()


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the game design documents in ../shared")
def test_real_design_documents_become_searchable(pipeline: Pipeline, key: ProjectKey) -> None:
    report = pipeline.ingestor.add(key, scan(SHARED))
    by_status = {
        status: {document.name for document in report.documents if document.status == status}
        for status in ("searchable", "skipped", "failed")
    }
    assert by_status["failed"] == set()
    assert all(name.endswith(".LICENSE") for name in by_status["skipped"])
    assert by_status["searchable"] == {
        "crownline.md",
        "humonia.docx",
        "in-this-moment.odt",
        "nightmarevania.pdf",
        "space-shooter-fabula.pdf",
        "you-cant-save-them-all.pdf",
    }
    without_text = {document.name: document.pages_without_text for document in report.documents}
    assert without_text["nightmarevania.pdf"] == (14,)
    for document in pipeline.catalog.documents(key):
        text = pipeline.catalog.text(key, document.id)
        for passage in pipeline.catalog.passages(key, document.id):
            assert text[passage.char_from : passage.char_to] == passage.text
