"""A catalog, a real Chroma and a retriever for each test; the real model once for all that need it."""

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from corpora import Catalog, Document, Originals, Page, Passage, ProjectKey, passage_id
from retrieval import Embedder, Retriever, VectorStore
from retrieval.page_picture import page_picture
from tests.empty_data import data_directory
from tests.retrieval.small_embedder import SmallEmbedder

Put = Callable[..., Document]


@pytest.fixture
def without_garbage_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog(data_directory(tmp_path).catalog_url)
    yield opened
    opened.close()


@pytest.fixture
def key() -> ProjectKey:
    return ProjectKey("local", "1")


@pytest.fixture
def put(catalog: Catalog) -> Put:
    """Writes a document; each text is one passage. With `paged`, each is a page as well."""

    def put(key: ProjectKey, name: str, *texts: str, paged: bool = False, data: bytes = b"") -> Document:
        whole, pages, passages = "", list[Page](), list[Passage]()
        document_id, seen = key.document_id(name), Counter[str]()
        for number, text in enumerate(texts, start=1):
            start, end = len(whole), len(whole) + len(text)
            page = number if paged else None
            identity = passage_id(document_id, (), text, seen[text])
            passages.append(Passage(identity, document_id, name, page, page, (), start, end, text))
            pages.append(Page(page, start, end, text))
            seen[text] += 1
            whole += text + "\n"
        return catalog.put_document(
            key,
            name=name,
            format="pdf" if paged else "txt",
            sha256=sha256(data or whole.encode()).hexdigest(),
            size=len(whole),
            text=whole,
            pages=pages if paged else [Page(None, 0, len(whole), whole)],
            passages=passages,
        )

    return put


@pytest.fixture
def embedder() -> SmallEmbedder:
    return SmallEmbedder()


@pytest.fixture
def vectors(tmp_path: Path) -> Iterator[VectorStore]:
    store = VectorStore(tmp_path / "chroma")
    yield store
    store.close()


class PaintingHere:
    """Draws in this process."""

    def draw(
        self,
        key: ProjectKey,
        document: Document,
        read: Callable[[], bytes],
        number: int,
        marked: str,
        most_bytes: int | None = None,
    ) -> bytes:
        return page_picture(read(), document.format, number, marked, most_bytes)


@pytest.fixture
def originals(tmp_path: Path) -> Originals:
    return Originals(tmp_path / "originals")


@pytest.fixture
def retriever(
    catalog: Catalog, embedder: SmallEmbedder, vectors: VectorStore, originals: Originals
) -> Iterator[Retriever]:
    opened = Retriever(catalog, embedder, vectors, originals, painter=PaintingHere())
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def minilm() -> Embedder:
    """The real model; loading takes eight seconds, so all tests share it."""
    return Embedder()
