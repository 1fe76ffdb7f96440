"""Everything real: readers in child processes, MiniLM, Chroma."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
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

# The same wiring in a process of its own, which then says what it has loaded and whether it has started a child.
INGESTING = """
import multiprocessing, sys
from corpora import Catalog, DataDirectory, ProjectKey
from ingest import Ingestor, ReaderPool, scan
from retrieval import Embedder, Retriever, VectorStore
directory = DataDirectory(sys.argv[1])
catalog = Catalog(directory.catalog_url)
retriever = Retriever(catalog, Embedder(), VectorStore(directory.chroma_path), directory.originals)
with ReaderPool() as readers:
    ingestor = Ingestor(catalog, directory.originals, retriever, readers)
    report = ingestor.index(ProjectKey("local", "1"), scan(sys.argv[2]))
    heavy = {"torch", "sentence_transformers", "onnxruntime", "llama_index", "chromadb", "pymupdf", "docx", "lxml"}
    print([document.status for document in report.documents], sorted(heavy & set(sys.modules)), end="")
    print(multiprocessing.active_children())
"""


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


def test_an_unchanged_folder_loads_no_model_no_vectors_and_no_reader(
    folder: Path, open_pipeline: Callable[[Path], Pipeline], tmp_path: Path, key: ProjectKey
) -> None:
    open_pipeline(tmp_path / "data").ingestor.index(key, scan(folder))
    command = [sys.executable, "-c", INGESTING, str(tmp_path / "data"), str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['unchanged', 'unchanged'] [][]"


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
