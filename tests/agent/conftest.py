"""An assistant on a real catalog and Chroma, with a scripted model."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from corpora import Catalog, ProjectKey
from ingest import Extracted, Ingestor
from ingest.readers import PageListener, read
from retrieval import Retriever, VectorStore
from tests.agent.provider import KINDS, Provider
from tests.agent.scripted_model import ScriptedModel
from tests.agent.turn_runner import TurnRunner
from tests.empty_data import data_directory
from tests.retrieval.small_embedder import SmallEmbedder


class _Readers:
    """Reads in this process."""

    def read(self, name: str, data: bytes, progress: PageListener | None = None, *, workspace: str = "") -> Extracted:
        return read(name, data, progress)


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[TurnRunner]:
    """Everything that a turn needs."""
    directory = data_directory(tmp_path / "data")
    with closing(Catalog(directory.catalog_url)) as catalog:
        vectors = VectorStore(directory.chroma_path)
        with closing(Retriever(catalog, SmallEmbedder(), vectors, directory.originals)) as retriever:
            ingestor = Ingestor(catalog, directory.originals, retriever, _Readers())
            yield TurnRunner(retriever, ingestor, ScriptedModel(), ProjectKey("local", "1"))


@pytest.fixture(params=KINDS)
def provider(request: pytest.FixtureRequest, runner: TurnRunner, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """Each provider in turn."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    with ExitStack() as opened:
        yield Provider(request.param, runner, opened, monkeypatch)
