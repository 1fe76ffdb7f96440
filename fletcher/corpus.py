"""A corpus from the command line: in this process if it can own the data directory, else by its owner."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from corpora import (
    CorpusError,
    DataDirectory,
    DocumentNotFound,
    FolderNotFound,
    Ownership,
    ProjectKey,
    ProjectNotFound,
)
from fletcher.errors import CommandError
from fletcher.owner import own_or_find_owner
from fletcher.settings import Settings

if TYPE_CHECKING:  # a command that finds an owner needs none of what works on documents
    from ingest import DocumentReport, FolderReport, IngestReport, ProgressListener, Refusal, Source
    from retrieval import SearchAnswer

_Result = TypeVar("_Result")

# How long an owner that no longer answers may take to give the directory back: it may be in the midst of a batch.
_WAIT_FOR_ITS_END_S = 60.0


class CorpusAccess(Protocol):
    """What the command line does with a corpus."""

    def ingest(
        self,
        key: ProjectKey,
        sources: Collection[Source | Refusal],
        *,
        sync: bool,
        gone: Collection[str] = (),
        progress: ProgressListener,
    ) -> IngestReport:
        """Adds documents until their vectors are complete; with `sync`, removes those that are not named.

        The documents in `gone` are removed in any case; those of a linked folder never by `sync`.
        """
        ...

    def link(self, key: ProjectKey, folder: Path) -> FolderReport:
        """Makes a folder the project's, and reads it."""
        ...

    def folder(self, key: ProjectKey) -> FolderReport:
        """The project's linked folder."""
        ...

    def unlink(self, key: ProjectKey) -> FolderReport:
        """Forgets the linked folder, and leaves its documents."""
        ...

    def staying(self) -> AbstractContextManager[None]:
        """Other commands are answered while the block runs, also while nothing is ingested in it."""
        ...

    def documents(self, key: ProjectKey) -> list[DocumentReport]:
        """What is in the corpus."""
        ...

    def remove(self, key: ProjectKey, document: str) -> DocumentReport:
        """Takes one document out, by name or id."""
        ...

    def search(self, key: ProjectKey, query: str, k: int, document: str | None) -> SearchAnswer:
        """Ranked passages, and pages that could not be looked at."""
        ...


def with_corpus(settings: Settings, work: Callable[[CorpusAccess], _Result]) -> _Result:
    """What `work` makes of the corpus of the data directory, whoever owns it; nobody owns what is all on servers.

    If the owner ends meanwhile, `work` is done again from its beginning: here, or by the next owner.

    Raises:
        CatalogBusy: A process that needs the servers alone uses them.
        DirectoryBusy: The owner neither finishes nor answers.
        OwnerGone: The owner keeps the directory and has stopped to answer.
    """
    if settings.is_shared:
        from fletcher.own_corpus import LocalCorpus
        from fletcher.wiring import open_parts

        with open_parts(settings, None) as parts:
            return work(LocalCorpus(settings, parts))
    directory = DataDirectory(settings.data_dir)
    gone, give_up_at = None, 0.0
    while not isinstance(owned := own_or_find_owner(directory), Ownership):
        from fletcher.remote import OwnerGone, RemoteCorpus

        try:
            with RemoteCorpus(owned) as remote:
                return work(remote)
        except OwnerGone:
            # Not a busy loop: to find an owner takes the time in which we could have become it.
            if owned != gone:
                gone, give_up_at = owned, time.monotonic() + _WAIT_FOR_ITS_END_S
            elif time.monotonic() >= give_up_at:
                raise
    from fletcher.own_corpus import OwnCorpus
    from fletcher.wiring import open_parts

    with owned, open_parts(settings, directory) as parts:
        return work(OwnCorpus(settings, directory, parts, owned))


def remove_document(settings: Settings, key: ProjectKey, document: str) -> DocumentReport:
    """Takes one document out, once: an owner that ended may have done so before it could say it."""
    told: DocumentReport | None = None

    def remove(corpus: CorpusAccess) -> DocumentReport:
        nonlocal told
        try:
            return corpus.remove(key, document)
        except CorpusError as error:
            return _removed_before(told, error, error.code)
        except CommandError as error:
            told = getattr(error, "removing", None) or told
            return _removed_before(told, error, getattr(error, "code", ""))

    return with_corpus(settings, remove)


def _removed_before(told: DocumentReport | None, error: Exception, code: str) -> DocumentReport:
    if told is not None and code == DocumentNotFound.code:
        return told
    raise error


def removable_documents(corpus: CorpusAccess, key: ProjectKey) -> set[str]:
    """The names of the documents that a `sync` of nothing would remove: all but those of the linked folder."""
    listed = _or_nothing(lambda: corpus.documents(key), ProjectNotFound)
    folder = _or_nothing(lambda: corpus.folder(key).documents, FolderNotFound)
    return {document.name for document in listed} - {document.name for document in folder}


def _or_nothing(ask: Callable[[], Collection[DocumentReport]], unless: type[CorpusError]) -> Collection[DocumentReport]:
    try:
        return ask()
    except (CorpusError, CommandError) as error:  # an owner's refusals have the code only
        if getattr(error, "code", "") != unless.code:
            raise
        return ()
