"""The parts of Fletcher, put together for one data directory, or for the servers that keep everything."""

import logging
import threading
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpora import Catalog, DataDirectory, Originals, Quota, StorageError, StoredOriginals
from fletcher.errors import CommandError
from fletcher.settings import Settings
from ingest import FolderRoots, Ingestor, Painter, ReaderPool, ReadError, counted
from retrieval import Embedder, Reranker, Retriever, VectorStore

if TYPE_CHECKING:
    from server import Services

logger = logging.getLogger(__name__)

_SHARED_VECTORS = "Processes can share it when all of them have the same FLETCHER_CHROMA_URL."


@dataclass(frozen=True)
class Parts:
    """What works on documents; files and connections are open while it lives."""

    catalog: Catalog
    vectors: VectorStore
    embedder: Embedder
    retriever: Retriever
    ingestor: Ingestor
    readers: ReaderPool
    reranker: Reranker | None

    def check(self) -> None:
        """Say now, before documents are read, if what was named cannot be used: an embedding model, a reader.

        Raises:
            EmbeddingModelUnavailable: The model.
            CommandError: A reader.
        """
        self.embedder.check()
        try:
            self.readers.check_named()
        except ReadError as error:
            raise CommandError(error.message) from error

    def load_embedder(self) -> None:
        """Begins to load the embedding model if it will be needed, so that the first question does not wait for it."""
        if self.catalog.embedding_model() is not None:
            # Waited for at the end: a library whose loading is cut off there aborts the process.
            threading.Thread(target=lambda: self.embedder.dimension, name="load-embedder").start()


@contextmanager
def open_parts(settings: Settings, directory: DataDirectory | None, *, alone: bool = False) -> Generator[Parts]:
    """Opens the data directory that this process owns, or with None the servers that keep everything instead.

    Nothing heavy is loaded before it is needed.

    Args:
        settings: Where everything is.
        directory: What is not on a server is there.
        alone: No other process may use the servers meanwhile.

    Raises:
        CatalogBusy: Another process uses the database, and one of the two needs it alone.
    """
    with ExitStack() as opened:
        url = settings.database_url or _of(directory).catalog_url
        catalog = opened.enter_context(closing(Catalog(url)))
        # Vectors that are in a directory are one process's, and then the catalog that knows them is, too.
        needs_directory = directory is not None
        opened.enter_context(
            catalog.in_use(alone=alone or needs_directory, remedy=_SHARED_VECTORS if needs_directory else "")
        )
        originals = directory.originals if directory else opened.enter_context(closing(StoredOriginals(url)))
        if isinstance(originals, Originals):
            _compare(catalog, originals)
        if settings.chroma_url:
            vectors = VectorStore(settings.chroma_url, catalog.vector_namespace())
        else:
            vectors = VectorStore(_of(directory).chroma_path)
        embedder = Embedder(settings.embedding_model)
        reranker = Reranker(settings.reranker) if settings.reranker else None
        painter = opened.enter_context(Painter())
        retriever = opened.enter_context(closing(Retriever(catalog, embedder, vectors, originals, reranker, painter)))
        readers = opened.enter_context(ReaderPool(ocr_languages=settings.ocr_languages))
        quota = Quota(settings.max_workspace_documents, settings.max_workspace_bytes)
        ingestor = Ingestor(catalog, originals, retriever, readers, settings.ocr_languages, quota)
        yield Parts(catalog, vectors, embedder, retriever, ingestor, readers, reranker)


def _compare(catalog: Catalog, originals: Originals) -> None:
    """Begins the manifest of a data directory that has none yet, and says when the catalog lacks what it names.

    What a killed server was storing or removing is in both of them, or in neither.
    """
    manifest, known = originals.manifest, catalog.every_document()
    if not manifest.is_there:
        manifest.begin(entry for entry, _ in known)
        return
    lacking = manifest.beyond([entry for entry, _ in known])
    manifest.await_documents(lacking)
    if known or catalog.every_project():
        try:
            manifest.settle(known, originals.has)
        except StorageError as error:  # as on a full disk, on which what is there can be searched all the same
            logger.warning("%s The next start tries it again.", error)
    if lacking:
        logger.warning(
            "The catalog does not know %s, such as %r, whose originals are there. If it was lost: "
            "'fletcher reindex --from-originals' brings them back.",
            counted(len(lacking), "document"),
            lacking[0].name,
        )


def _of(directory: DataDirectory | None) -> DataDirectory:
    if directory is None:
        raise ValueError("only what is all on servers can do without a data directory")
    return directory


def folder_roots(settings: Settings) -> FolderRoots:
    """Which folders may be linked."""
    return FolderRoots(settings.data_dir, settings.folders)


def build_services(settings: Settings, parts: Parts, *, needs_model: bool = True) -> "Services":
    """What a server serves with.

    Args:
        settings: How.
        parts: What it works with.
        needs_model: A model that cannot be used is said now, and not to the first message.

    Raises:
        CommandError: The model that is set is needed and cannot be used.
    """
    # These bring FastAPI and the model SDKs, which a command that finds an owner does without.
    from agent import Assistant, ModelNotAvailable, NoAnswerer, open_answerer
    from server import EmbeddingWorker, Limits, Services

    try:
        answerer = open_answerer(settings.model_name)
    except ModelNotAvailable as error:
        if needs_model:
            raise CommandError(str(error)) from error
        answerer = NoAnswerer(settings.model_name, error)
    assistant = Assistant(
        retriever=parts.retriever,
        answerer=answerer,
        context_tokens=settings.context_tokens,
    )
    return Services(
        catalog=parts.catalog,
        retriever=parts.retriever,
        ingestor=parts.ingestor,
        assistant=assistant,
        embedding=EmbeddingWorker(
            parts.ingestor.embed_if_free,
            parts.retriever.repair,
            parts.catalog.unfinished_projects,
            parts.ingestor.is_embedded,
        ),
        roots=folder_roots(settings),
        shares_database=settings.is_shared,
        is_away={"embedding": parts.embedder.is_away}
        | ({"reranking": parts.reranker.is_away} if parts.reranker else {}),
        confirm=settings.confirm,
        limits=Limits(
            message_bytes=settings.max_message_bytes,
            upload_bytes=settings.max_upload_bytes,
            call_timeout_s=settings.call_timeout_s,
            connections=settings.max_connections,
            turns_per_minute=settings.turns_per_minute,
        ),
    )
