"""A corpus from the command line: in this process if it can own the data directory, else by its owner."""

from collections.abc import Collection, Generator
from contextlib import contextmanager
from typing import Protocol

from corpora import DataDirectory, DirectoryBusy, Owner, Ownership, ProjectKey
from fletcher.settings import Settings
from fletcher.wiring import Parts, open_parts
from ingest import DocumentReport, IngestReport, Progress, ProgressListener, Refusal, Source
from retrieval import RankedPassage


class CorpusAccess(Protocol):
    """What the command line does with a corpus."""

    def ingest(
        self,
        key: ProjectKey,
        sources: Collection[Source | Refusal],
        *,
        sync: bool,
        progress: ProgressListener,
    ) -> IngestReport:
        """Adds documents until their vectors are complete; with `sync`, removes those that are not named."""
        ...

    def documents(self, key: ProjectKey) -> list[DocumentReport]:
        """What is in the corpus."""
        ...

    def remove(self, key: ProjectKey, document: str) -> DocumentReport:
        """Takes one document out, by name or id."""
        ...

    def search(self, key: ProjectKey, query: str, k: int, document: str | None) -> list[RankedPassage]:
        """Ranked passages."""
        ...


@contextmanager
def open_corpus(settings: Settings) -> Generator[CorpusAccess]:
    """The corpus of the data directory, whoever owns it.

    Raises:
        DirectoryBusy: The owner neither finishes nor answers.
    """
    directory = DataDirectory(settings.data_dir)
    owned = own_or_find_owner(directory)
    if isinstance(owned, Owner):
        from fletcher.remote import RemoteCorpus

        with RemoteCorpus(owned) as remote:
            yield remote
    else:
        with owned, open_parts(settings, directory) as parts:
            yield _LocalCorpus(settings, parts, owned)


def own_or_find_owner(directory: DataDirectory) -> Ownership | Owner:
    """Ownership of the directory, or the live owner that answers over HTTP.

    Raises:
        DirectoryBusy: The owner is a short command that does not come to its end.
    """
    try:
        return directory.own()
    except DirectoryBusy as busy:
        if busy.owner is not None and busy.owner.url is not None:
            return busy.owner
        raise


class _LocalCorpus:
    def __init__(self, settings: Settings, parts: Parts, ownership: Ownership) -> None:
        self._settings = settings
        self._parts = parts
        self._ownership = ownership

    def ingest(
        self,
        key: ProjectKey,
        sources: Collection[Source | Refusal],
        *,
        sync: bool,
        progress: ProgressListener,
    ) -> IngestReport:
        from fletcher.loopback_api import LoopbackApi

        with LoopbackApi(self._settings, self._parts, self._ownership) as api:

            def listen(event: Progress) -> None:
                if event.phase in ("reading", "embedding"):
                    api.start()
                progress(event)

            return self._parts.ingestor.index(key, sources, replace=sync, progress=listen)

    def documents(self, key: ProjectKey) -> list[DocumentReport]:
        self._parts.catalog.require_project(key)
        return [DocumentReport.listed(document) for document in self._parts.catalog.documents(key)]

    def remove(self, key: ProjectKey, document: str) -> DocumentReport:
        return self._parts.ingestor.remove(key, document)

    def search(self, key: ProjectKey, query: str, k: int, document: str | None) -> list[RankedPassage]:
        return self._parts.retriever.search(key, query, k, document)
