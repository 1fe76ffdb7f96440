"""The way of documents into a project's corpus, and out of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace as with_changes
from datetime import UTC, datetime
from functools import partial
from time import perf_counter
from typing import Protocol

from corpora import Catalog, Document, DocumentOfFolder, Lock, OriginalStore, ProjectKey, Quota, Shares
from ingest.addition import Addition, Reader
from ingest.document_store import DocumentStore
from ingest.overwriting import Overwriting
from ingest.report import DocumentReport, IngestReport, Progress, ProgressListener, replaces_all
from ingest.source import BYTES_PER_S, LARGE, Refusal, Source, Unread, known_as, read_original
from ingest.watching import Change
from retrieval import ProviderAway, VectorStoreUnavailable

logger = logging.getLogger(__name__)

# A large document is in memory with so many others at most, of which none is its workspace's.
_LARGE_AT_ONCE = 2  # and as many of linked folders
# Of others that are no notes, far more than are read: a workspace may add to any number of projects at the same time.
_SMALL = 2**18
_ORDINARY_AT_ONCE, _NEWCOMERS = 16, 4
# The text of any may be 10 million characters: so many are in memory from before they are read until they are stored.
# Where others have long ones read, further ones are short.
_AT_ONCE, _OF_A_WORKSPACE, _FOR_NEWCOMERS, _FURTHER = 4, 2, 2, 4


class SearchIndex(Protocol):
    """The part of `retrieval.Retriever` that an ingest needs."""

    def refresh(self, key: ProjectKey) -> None:
        """Make what was just written to the catalog searchable by text."""
        ...

    def embed_pending(self, key: ProjectKey, progress: Callable[[int, int], None] | None = None) -> int:
        """Make and store the vectors that are missing; returns how many were computed."""
        ...

    def embed_if_free(self, key: ProjectKey, progress: Callable[[int, int], None] | None = None) -> bool:
        """The same, but waits for nobody; False if somebody else is at it, and it is to be done again later."""
        ...

    def forget_replaced(self, key: ProjectKey, beat: Callable[[], None] | None = None) -> None:
        """Take vectors of passages that are gone out of the vector store; who makes vectors does it at the end."""
        ...


class Ingestor:
    """Adds documents to projects and removes them; safe to use from several threads.

    What changes one project's documents happens one after the other, and so does what changes its vectors, also
    between servers that share a catalog; but documents can be added while vectors are being made. Whatever moment
    the process is killed at, the catalog has only whole documents, and knows which vectors are missing and which
    must go: the same call again does the rest.
    """

    def __init__(
        self,
        catalog: Catalog,
        originals: OriginalStore,
        retriever: SearchIndex,
        readers: Reader,
        ocr_languages: str = "eng",
        quota: Quota | None = None,
    ) -> None:
        """`ocr_languages` are those that `readers` try on pictures: with others, known pictures are read again.

        `quota` is what each workspace may have; None: whatever there is room for.
        """
        self._catalog = catalog
        self._originals = originals
        self._store = DocumentStore(catalog, originals, quota)
        self._retriever = retriever
        self._readers = readers
        self._ocr_languages = ocr_languages
        # Taken in this order, while the project's lock is held; readers and the catalog have theirs behind these.
        # Those on users' drives by themselves: one may hang, and uploads wait for none.
        self._large = {is_on_drive: Shares(_LARGE_AT_ONCE, each=1) for is_on_drive in (True, False)}
        self._ordinary = {
            is_on_drive: Shares(_ORDINARY_AT_ONCE, _OF_A_WORKSPACE, _NEWCOMERS) for is_on_drive in (True, False)
        }
        self._places = Shares(_AT_ONCE, _OF_A_WORKSPACE, _FOR_NEWCOMERS, _FURTHER)

    def add(
        self,
        key: ProjectKey,
        sources: Iterable[Source | Refusal | Unread],
        *,
        replace: bool = False,
        gone: Collection[str] = (),
        of_folder: bool = False,
        overwriting: Overwriting | None = None,
        given_at: datetime | None = None,
        progress: ProgressListener | None = None,
    ) -> IngestReport:
        """Make documents searchable by text; their vectors are `embed`'s.

        A document that is known and unchanged costs next to nothing. One that cannot be read is reported
        `failed`, and an older version of it stays. The documents named in `gone` are removed, where there are such;
        with `replace`, all that `sources` lacks is, but for the documents of the project's linked folder, and where
        `replaces_all` lets it. With `of_folder` those that `sources` has, and that are taken in, are the folder's; what
        is refused makes none so, and only the folder's are removed. With `overwriting`, what would take the place of
        another version is `failed` with `DOCUMENT_IS_THERE` where that does not let it. They were given at `given_at`,
        by default now.
        """
        started, given_at = perf_counter(), given_at or datetime.now(UTC)
        say = progress or _nobody
        entries = sources if isinstance(sources, Collection) else list(sources)
        say(Progress("", "queued", 0, len(entries)))
        with self._documents_lock(key).held(lambda: say(Progress("", "queued", 0, len(entries)))):
            before = self._catalog.documents(key)
            own = self._catalog.folder_documents(key) if of_folder else None
            addition = Addition(
                key,
                given_at,
                before,
                self._store,
                self._readers,
                say,
                self._ocr_languages,
                self._places,
                folder_documents=own,
                overwriting=overwriting,
            )
            reports: list[DocumentReport] = []
            for done, entry in enumerate(entries):
                beat = partial(say, Progress("", "queued", done, len(entries)))
                with self._room(key.workspace, entry, beat):
                    reports.append(addition.take(entry, done, len(entries)))
            if of_folder:  # also what it had to write nothing of
                taken = [report.name for report in reports if report.error is None]
                self._catalog.put_folder_documents(key, taken)
            names = set(gone)
            if own is not None:  # not what somebody has sent since they were known to be gone
                names &= own
            if replace and replaces_all([report.error.code if report.error else None for report in reports]):
                names |= {document.name for document in addition.missing()} - self._catalog.folder_documents(key)
            removed: list[Document] = []
            for document in before:
                if document.name in names:
                    say(Progress("", "queued", len(entries), len(entries)))  # whoever listens may end it here as well
                    removed.append(self._store.remove(key, document))
        self._store.sweep()
        if removed or addition.wrote:
            self._retriever.refresh(key)
        reports += [DocumentReport.of(document, "removed") for document in removed]
        return IngestReport(key.project_id, tuple(reports), perf_counter() - started)

    def embed(self, key: ProjectKey, progress: ProgressListener | None = None) -> None:
        """Bring the project's vectors up to date: make what is missing, drop what was replaced."""
        if say := self._embedding(key, progress):
            self._retriever.embed_pending(key, say)
        else:
            self._retriever.forget_replaced(key, _beat(progress))

    def is_embedded(self, key: ProjectKey) -> bool:
        """Whether no passage of the project lacks its vector and no vector must go; also where it is unknown."""
        return not self._catalog.lacking_vectors(key) and not self._catalog.replaced_passages(key, 1)

    def embed_if_free(self, key: ProjectKey, progress: ProgressListener | None = None) -> bool:
        """As `embed`, but waits for nobody, in whatever process; False if that is to be done again later."""
        if say := self._embedding(key, progress):
            return self._retriever.embed_if_free(key, say)
        self._retriever.forget_replaced(key, _beat(progress))
        return True

    def _room(
        self, workspace: str, entry: Source | Refusal | Unread, beat: Callable[[], None]
    ) -> AbstractContextManager[None]:
        """Held for as long as a document is in memory that came from the disk."""
        if not isinstance(entry, Unread) or entry.size <= _SMALL:
            return nullcontext()
        files = self._large if entry.size > LARGE else self._ordinary
        return files[entry.is_on_drive].taken(workspace, beat, entry.size / BYTES_PER_S)

    def _embedding(self, key: ProjectKey, progress: ProgressListener | None) -> Callable[[int, int], None] | None:
        """Who hears how many vectors are made; None where none are missing."""
        say = progress or _nobody
        lacking = self._catalog.lacking_vectors(key)
        if not lacking:
            return None
        # Said before the model is loaded, which takes longer than the first passages do.
        say(Progress("", "embedding", 0, lacking))
        return lambda done, total: say(Progress("", "embedding", done, total))

    def index(
        self,
        key: ProjectKey,
        sources: Iterable[Source | Refusal | Unread],
        *,
        replace: bool = False,
        gone: Collection[str] = (),
        of_folder: bool = False,
        progress: ProgressListener | None = None,
    ) -> IngestReport:
        """`add`, then `embed`, then the report on both; vectors follow later where what makes or keeps them is away."""
        before = self.documents(key)
        report = self.add(key, sources, replace=replace, gone=gone, of_folder=of_folder, progress=progress)
        try:
            self.embed(key, progress)
        except (
            ProviderAway,
            VectorStoreUnavailable,
        ) as error:  # what was taken in is there, and can be searched by text
            logger.warning("project %s can be searched by text, and its vectors follow: %s", key.project_id, error)
        return self.settled(key, report, before)

    def documents(self, key: ProjectKey, names: Iterable[str] | None = None) -> Mapping[str, Document]:
        """The project's documents by their ids, or those that came by these names."""
        ids = None if names is None else map(key.document_id, map(known_as, names))
        return {document.id: document for document in self._catalog.documents(key, ids)}

    def settled(self, key: ProjectKey, report: IngestReport, before: Mapping[str, Document]) -> IngestReport:
        """The report of an `add`, with what has become of the vectors since; `before` are the `documents` of then."""
        now = self.documents(key, (document.name for document in report.documents))
        return with_changes(report, documents=tuple(_settled(document, before, now) for document in report.documents))

    def follow(
        self, key: ProjectKey, change: Change, *, wait: bool = False, progress: ProgressListener | None = None
    ) -> IngestReport:
        """Bring what has changed in the project's linked folder into the corpus, or with `wait` into the vectors too.

        Only documents that came from the project's linked folder are removed.
        """
        gone = {name for name in self._catalog.folder_documents(key) if change.lacks(name)}
        take_in = self.index if wait else self.add
        return take_in(key, change.unread, gone=gone, of_folder=True, progress=progress)

    def original(self, key: ProjectKey, name_or_id: str) -> Unread:
        """A document as it was given, to be added once more: another reader, or OCR, may find more in it.

        What has been replaced or removed before its turn comes does not come back: it is `skipped`, as `CHANGED`.

        Raises `ProjectNotFound` or `DocumentNotFound`.
        """
        document = self._catalog.find_by_id(key, name_or_id)

        def read() -> Source | Refusal:
            by_now = self._catalog.documents(key, [document.id])
            if [known.sha256 for known in by_now] == [document.sha256]:
                return read_original(self._originals, document.name, document.sha256)
            message = f"{document.name}: it was replaced or removed meanwhile, and is not read again."
            return Refusal(document.name, "skipped", "CHANGED", message)

        return Unread(document.name, read, size=document.size)

    def remove(self, key: ProjectKey, name_or_id: str) -> DocumentReport:
        """Take one document out of the corpus and of search, its vectors too; raises as `take_out` does."""
        removed = self.take_out(key, name_or_id)
        self.forget_removed(key)
        self._retriever.forget_replaced(key)
        return removed

    def take_out(self, key: ProjectKey, name_or_id: str) -> DocumentReport:
        """Take one document out of the corpus; raises `ProjectNotFound`, `DocumentNotFound` or `DocumentOfFolder`."""
        try:
            with self._documents_lock(key).held():
                document = self._catalog.find_by_id(key, name_or_id)
                self._refuse_if_linked(key, document.name)
                self._store.remove(key, document)
        finally:
            self._store.sweep()  # also what the same call left when it was killed
        return DocumentReport.of(document, "removed")

    def forget_removed(self, key: ProjectKey) -> None:
        """Make that searches find no document that was taken out; many that were are forgotten together."""
        self._retriever.refresh(key)

    def _refuse_if_linked(self, key: ProjectKey, name: str) -> None:
        folder = self._catalog.linked_folder(key)
        if folder is not None and name in self._catalog.folder_documents(key):
            raise DocumentOfFolder(
                f"{name} is in the linked folder {folder.path} and would come back: delete the file there, or unlink "
                f"the folder first with 'fletcher link --project {key.project_id} --unlink'."
            )

    def _documents_lock(self, key: ProjectKey) -> Lock:
        return self._catalog.lock(f"documents of {key.workspace} {key.project_id}")


def _settled(report: DocumentReport, before: Mapping[str, Document], now: Mapping[str, Document]) -> DocumentReport:
    """The report on a document once vectors have been made."""
    document = now.get(report.id) if report.id and report.status != "removed" else None
    if document is None:
        return report
    status = report.status
    if status == "searchable" and document.embedded == document.passages:
        older = before.get(document.id)
        status = "updated" if older and _version(older) != _version(document) else "indexed"
    return with_changes(DocumentReport.of(document, status, report.error), replaced=report.replaced)


def _version(document: Document) -> tuple[str, int, str]:
    """What is another if a document of the same name is another one, or was read again."""
    return document.sha256, document.reader_version, document.ocr_languages


def _beat(progress: ProgressListener | None) -> Callable[[], None]:
    """Tells that no vectors are missing, and something is done all the same."""
    return partial(progress or _nobody, Progress("", "embedding", 0, 0))


def _nobody(_: Progress) -> None:
    """Whom progress is told when nobody asked."""
