"""A whole pipeline for each test: real readers, catalog and Chroma, a model that counts; and a watched folder."""

import hashlib
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from corpora import Catalog, OriginalNotFound, OriginalStore, ProjectKey, StoredOriginals
from ingest import Extracted, Ingestor, Watch
from ingest.readers import PageListener, read
from retrieval import Retriever, VectorStore
from tests.empty_data import data_directory
from tests.ingest.watched import Clock, taken, write


class CountingReader:
    """Reads in this process, and remembers what it was asked to read."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def read(self, name: str, data: bytes, progress: PageListener | None = None, *, workspace: str = "") -> Extracted:
        self.names.append(name)
        return read(name, data, progress)


class CountingModel:
    """Vectors from a hash of the text: the same text has the same vector, and nothing else is like it."""

    name = "hash"
    dimension = 8

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.before_passages: Callable[[], None] = lambda: None

    def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        self.before_passages()
        self.texts.extend(texts)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector = np.frombuffer(hashlib.sha256(text.encode()).digest()[:8], np.uint8).astype(np.float32) - 127.5
        return vector / np.float32(np.linalg.norm(vector))


@dataclass
class Pipeline:
    """An ingestor and what it works on."""

    catalog: Catalog
    originals: OriginalStore
    vectors: VectorStore
    retriever: Retriever
    ingestor: Ingestor
    reader: CountingReader
    model: CountingModel

    def assert_consistent(self, key: ProjectKey) -> None:
        """Every passage is whole and embedded, and Chroma has these vectors and no others."""
        passages = self.catalog.passages(key)
        assert self.catalog.unembedded(key) == []
        assert self.catalog.replaced_passages(key) == []
        assert self.vectors.ids(key) == {passage.id for passage in passages}
        for document in self.catalog.documents(key):
            text = self.catalog.text(key, document.id)
            own = [passage for passage in passages if passage.document_id == document.id]
            assert len(own) == document.passages == document.embedded
            assert all(text[passage.char_from : passage.char_to] == passage.text for passage in own)
            assert len(self.originals.get(document.sha256)) == document.size

    def assert_no_original(self, sha256: str) -> None:
        with pytest.raises(OriginalNotFound):
            self.originals.get(sha256)


@pytest.fixture
def key() -> ProjectKey:
    return ProjectKey("local", "1")


@contextmanager
def pipeline_of(catalog: Catalog, originals: OriginalStore, vectors: VectorStore) -> Generator[Pipeline]:
    """A pipeline on an open catalog, which it closes at the end."""
    with closing(catalog):
        reader, model = CountingReader(), CountingModel()
        with closing(Retriever(catalog, model, vectors, originals)) as retriever:
            ingestor = Ingestor(catalog, originals, retriever, reader)
            yield Pipeline(catalog, originals, vectors, retriever, ingestor, reader, model)


@contextmanager
def pipeline_in(path: Path) -> Generator[Pipeline]:
    """A pipeline on the data directory at a path."""
    directory = data_directory(path)
    catalog, vectors = Catalog(directory.catalog_url), VectorStore(directory.chroma_path)
    with pipeline_of(catalog, directory.originals, vectors) as pipeline:
        yield pipeline


@contextmanager
def pipeline_on(database_url: str, chroma_url: str) -> Generator[Pipeline]:
    """A pipeline on servers."""
    catalog = Catalog(database_url)
    vectors = VectorStore(chroma_url, catalog.vector_namespace())
    with closing(StoredOriginals(database_url)) as originals, pipeline_of(catalog, originals, vectors) as pipeline:
        yield pipeline


@pytest.fixture
def open_pipeline() -> Generator[Callable[[Path], Pipeline]]:
    """Opens the data directory at a path; at the end of the test all are closed."""
    with ExitStack() as opened:
        yield lambda path: opened.enter_context(pipeline_in(path))


# For what depends on the stores: that each does what it should is tested where they are.
on_both = pytest.mark.parametrize(
    "pipeline", ["directory", pytest.param("servers", marks=pytest.mark.long)], indirect=True
)


@pytest.fixture
def pipeline(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Pipeline]:
    """On a data directory with SQLite; `on_both` on PostgreSQL with a Chroma server, too."""
    if getattr(request, "param", "directory") == "directory":
        opened = pipeline_in(tmp_path / "data")
    else:
        opened = pipeline_on(request.getfixturevalue("empty_database")(), request.getfixturevalue("chroma_url"))
    with opened as pipeline:
        yield pipeline


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("ingest.watching.monotonic", lambda: clock.now)
    monkeypatch.setattr("ingest.announcements.monotonic", lambda: clock.now)
    monkeypatch.setattr("ingest.announcements.Announcements.wait", lambda _self, _folders, s: clock.wait(s))
    return clock


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "design"
    (folder / "quests").mkdir(parents=True)
    write(folder / "bible.md", "Elena keeps the lighthouse.")
    write(folder / "quests" / "ferry.md", "The ferry is called Bittern.")
    return folder


@pytest.fixture
def watch(folder: Path, clock: Clock) -> Watch:
    """A watch that has told what was there at first."""
    watch = Watch([folder], clock)
    taken(watch)
    return watch
