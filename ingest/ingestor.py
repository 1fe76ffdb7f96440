"""The way of documents into a project's corpus, and out of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace as with_changes
from time import perf_counter
from typing import Protocol

from corpora import Catalog, Document, Originals, ProjectKey
from ingest.addition import Addition, Reader
from ingest.locks import ProjectLocks
from ingest.report import DocumentReport, IngestReport, Progress, ProgressListener
from ingest.shelf import Shelf
from ingest.source import Refusal, Source


class SearchIndex(Protocol):
    """The part of `retrieval.Retriever` that an ingest needs."""

    def refresh(self, key: ProjectKey) -> None:
        """Make what was just written to the catalog searchable by text."""
        ...

    def embed_pending(self, key: ProjectKey, progress: Callable[[int, int], None] | None = None) -> int:
        """Make and store the vectors that are missing; returns how many were computed."""
        ...

    def forget(self, key: ProjectKey, passage_ids: Collection[str]) -> None:
        """Take vectors out of the vector store, and have the catalog mark them as forgotten."""
        ...


class Ingestor:
    """Adds documents to projects and removes them; safe to use from several threads.

    What changes one project's documents happens one after the other, and so does what changes its vectors;
    but documents can be added while vectors are being made. Whatever moment the process is killed at, the
    catalog has only whole documents, and knows which vectors are missing and which must go: the same call
    again does the rest.
    """

    def __init__(self, catalog: Catalog, originals: Originals, retriever: SearchIndex, readers: Reader) -> None:
        self._catalog = catalog
        self._shelf = Shelf(catalog, originals)
        self._retriever = retriever
        self._readers = readers
        self._documents_locks = ProjectLocks()
        self._vectors_locks = ProjectLocks()

    def add(
        self,
        key: ProjectKey,
        sources: Iterable[Source | Refusal],
        *,
        replace: bool = False,
        progress: ProgressListener | None = None,
    ) -> IngestReport:
        """Make documents searchable by text; their vectors are `embed`'s.

        A document that is known and unchanged costs next to nothing. One that cannot be read is reported
        `failed`, and an older version of it stays. With `replace`, what `sources` lacks is removed.
        """
        started = perf_counter()
        say = progress or _nobody
        entries = sources if isinstance(sources, Collection) else list(sources)
        say(Progress("", "queued", 0, len(entries)))
        with self._documents_locks[key]:
            before = self._catalog.documents(key)
            addition = Addition(key, before, self._shelf, self._readers, say)
            reports = [addition.take(entry, done, len(entries)) for done, entry in enumerate(entries)]
            gone = [self._shelf.remove(key, document.id) for document in addition.missing()] if replace else []
        if gone or addition.wrote:
            self._shelf.sweep()
            self._retriever.refresh(key)
        reports += [DocumentReport.of(document, "removed") for document in gone]
        return IngestReport(key.project_id, tuple(reports), perf_counter() - started)

    def embed(self, key: ProjectKey, progress: ProgressListener | None = None) -> None:
        """Bring the project's vectors up to date: make what is missing, drop what was replaced."""
        say = progress or _nobody
        with self._vectors_locks[key]:
            lacking = sum(document.passages - document.embedded for document in self._catalog.documents(key))
            if lacking:
                # Said before the model is loaded, which takes longer than the first passages do.
                say(Progress("", "embedding", 0, lacking))
                self._retriever.embed_pending(key, lambda done, total: say(Progress("", "embedding", done, total)))
        self._forget_replaced(key)

    def index(
        self,
        key: ProjectKey,
        sources: Iterable[Source | Refusal],
        *,
        replace: bool = False,
        progress: ProgressListener | None = None,
    ) -> IngestReport:
        """`add`, then `embed`, then the report on both."""
        started = perf_counter()
        before = {document.id: document for document in self._catalog.documents(key)}
        report = self.add(key, sources, replace=replace, progress=progress)
        self.embed(key, progress)
        now = {document.id: document for document in self._catalog.documents(key)}
        settled = tuple(_settled(document, before, now) for document in report.documents)
        return with_changes(report, documents=settled, seconds=perf_counter() - started)

    def remove(self, key: ProjectKey, name_or_id: str) -> DocumentReport:
        """Take one document out of the corpus; raises `ProjectNotFound` or `DocumentNotFound`."""
        with self._documents_locks[key]:
            document = self._shelf.remove(key, name_or_id)
        self._shelf.sweep()
        self._retriever.refresh(key)
        self._forget_replaced(key)
        return DocumentReport.of(document, "removed")

    def _forget_replaced(self, key: ProjectKey) -> None:
        """Drop the vectors of passages that are gone; if `embed` is at work, it does so at its end."""
        lock = self._vectors_locks[key]
        while self._catalog.replaced_passages(key) and lock.acquire(blocking=False):
            try:
                self._retriever.forget(key, self._catalog.replaced_passages(key))
            finally:
                lock.release()


def _settled(report: DocumentReport, before: Mapping[str, Document], now: Mapping[str, Document]) -> DocumentReport:
    """The report on a document once vectors have been made."""
    document = now.get(report.id) if report.id and report.status != "removed" else None
    if document is None:
        return report
    status = report.status
    if status == "searchable" and document.embedded == document.passages:
        older = before.get(document.id)
        status = "updated" if older and older.sha256 != document.sha256 else "indexed"
    return DocumentReport.of(document, status, report.error)


def _nobody(_: Progress) -> None:
    """Whom progress is told when nobody asked."""
