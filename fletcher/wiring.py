"""The parts of Fletcher, put together for one data directory."""

import threading
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpora import Catalog, DataDirectory
from fletcher.errors import CommandError
from fletcher.settings import Settings
from ingest import Ingestor, ReaderPool
from retrieval import Embedder, Reranker, Retriever, VectorStore

if TYPE_CHECKING:
    from server import Services


@dataclass(frozen=True)
class Parts:
    """What works on documents; the files of the data directory are open while it lives."""

    catalog: Catalog
    embedder: Embedder
    retriever: Retriever
    ingestor: Ingestor
    reranker: Reranker | None

    def load_embedder(self) -> None:
        """Begins to load the embedding model if it will be needed, so that the first question does not wait for it."""
        if self.catalog.embedding_model() is not None:
            threading.Thread(target=lambda: self.embedder.dimension, name="load-embedder", daemon=True).start()


@contextmanager
def open_parts(settings: Settings, directory: DataDirectory) -> Generator[Parts]:
    """Opens the data directory that this process owns. Nothing heavy is loaded before it is needed."""
    with ExitStack() as opened:
        catalog = opened.enter_context(closing(Catalog(settings.database_url or directory.catalog_url)))
        embedder = Embedder(settings.embedding_model)
        vectors = VectorStore(directory.chroma_path)
        reranker = Reranker(settings.reranker) if settings.reranker else None
        retriever = opened.enter_context(closing(Retriever(catalog, embedder, vectors, directory.originals, reranker)))
        readers = opened.enter_context(ReaderPool(ocr_languages=settings.ocr_languages))
        ingestor = Ingestor(catalog, directory.originals, retriever, readers)
        yield Parts(catalog, embedder, retriever, ingestor, reranker)


def build_services(settings: Settings, parts: Parts) -> "Services":
    """What a server serves with.

    Raises:
        CommandError: The model that is set cannot be used.
    """
    # These bring FastAPI and the model SDKs, which commands that only read the corpus do without.
    from agent import Assistant, ModelNotAvailable, open_model
    from server import EmbeddingWorker, Limits, Services

    try:
        model = open_model(settings.model_name)
    except ModelNotAvailable as error:
        raise CommandError(str(error)) from error
    assistant = Assistant(
        retriever=parts.retriever,
        model=model,
        model_name=settings.model_name,
        context_tokens=settings.context_tokens,
    )
    return Services(
        catalog=parts.catalog,
        retriever=parts.retriever,
        ingestor=parts.ingestor,
        assistant=assistant,
        embedding=EmbeddingWorker(parts.ingestor.embed, parts.retriever.repair),
        confirm=settings.confirm,
        limits=Limits(
            message_bytes=settings.max_message_bytes,
            upload_bytes=settings.max_upload_bytes,
            call_timeout_s=settings.call_timeout_s,
            connections=settings.max_connections,
            turns_per_minute=settings.turns_per_minute,
        ),
    )
