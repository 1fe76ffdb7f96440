"""One call of `Ingestor.add`: each source is refused, known, changed or new."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Protocol

from propcache import cached_property

from corpora import Document, DocumentNotFound, InvalidName, ProjectKey, Shares, ValueRefused, WorkspaceFull
from ingest.document_store import DocumentStore
from ingest.extracted import Extracted, ReadError
from ingest.ocr import usable_languages
from ingest.overwriting import Overwriting
from ingest.readers import VERSION, PageListener
from ingest.readers.formats import detect
from ingest.report import DocumentReport, Phase, Problem, Progress, ProgressListener, Status, page_list
from ingest.source import BYTES_PER_S, Refusal, Source, Unread, document_name, known_as, too_large
from ingest.split import split

logger = logging.getLogger(__name__)

# Drives keep times to two seconds; what is closer goes by what comes last.
_TOLD_APART = timedelta(seconds=2)


class Reader(Protocol):
    """What reads documents apart from this process: `ReaderPool`."""

    def read(self, name: str, data: bytes, progress: PageListener | None = None, *, workspace: str = "") -> Extracted:
        """The document as text; `progress` hears (page, of how many), and may end it. Raises `ReadError`."""
        ...


class Given:
    """What one ingest was given: whether a source is one to read, and which documents are gone.

    The one rule for every way in, also for the command line that sends its documents to another process.
    """

    def __init__(self) -> None:
        self._sha256: dict[str, str] = {}
        self._refused_folders: list[str] = []

    def admit(self, entry: Source | Refusal) -> Source | DocumentReport:
        """The source by the name that the catalog keeps, or the report on why there is nothing to read."""
        if isinstance(entry, Refusal):
            # What lies in the folder is not gone from it, even if it cannot be read today.
            self._sha256[entry.name] = ""
            self._refused_folders.append(f"{entry.name}/")
            return DocumentReport(entry.name, entry.status, error=Problem(entry.code, entry.message))
        try:
            name = document_name(entry.name)
        except InvalidName as error:
            return _failed(known_as(entry.name), Problem(error.code, error.message))
        sha256 = hashlib.sha256(entry.data).hexdigest()
        if self._sha256.setdefault(name, sha256) != sha256:
            return _failed(name, _two_of(name))
        return Source(name, entry.data)

    def sha256(self, name: str) -> str:
        """The hash of the admitted source of this name."""
        return self._sha256[name]

    def lacks(self, name: str) -> bool:
        """Whether no entry named this document, and it does not lie in a folder that was refused."""
        return name not in self._sha256 and not name.startswith(tuple(self._refused_folders))


class Addition:
    """Takes sources one by one and says what became of each.

    They were given at a time, and `before` is what the project had. With `folder_documents`, the names of those of the
    linked folder, what is written is the folder's, and what was sent since a file was written stays. With
    `overwriting`, a document takes the place of one with other content only where that lets it.
    """

    def __init__(
        self,
        key: ProjectKey,
        given_at: datetime,
        before: Sequence[Document],
        store: DocumentStore,
        reader: Reader,
        progress: ProgressListener,
        ocr_languages: str,
        places: Shares,
        *,
        folder_documents: Collection[str] | None,
        overwriting: Overwriting | None,
    ) -> None:
        self._key = key
        self._given_at = given_at
        self._wanted_languages = ocr_languages
        self._known = {document.name: document for document in before}
        self._name_of = {document.sha256: document.name for document in before}
        self._store = store
        self._reader = reader
        self._progress = progress
        self._places = places
        self._of_folder = folder_documents is not None
        self._folder_documents = folder_documents or ()
        self._overwriting = overwriting
        self._given = Given()
        self.wrote = False

    def take(self, given: Source | Refusal | Unread, done: int, total: int) -> DocumentReport:
        """Bring one document into the corpus, or say why not; never raises for what is wrong with it."""
        entry = given.read() if isinstance(given, Unread) else given
        if isinstance(entry, Source):
            entry = too_large(entry.name, len(entry.data)) or entry
        admitted = self._given.admit(entry)
        if isinstance(admitted, Source):
            report = self._taken(admitted, given, done, total)
        else:
            report = self._kept(admitted) if isinstance(entry, Refusal) else admitted
        phase: Phase = "searchable" if report.status == "searchable" else "done"
        self._progress(Progress(report.name, phase, done + 1, total))
        return report

    def missing(self) -> Iterator[Document]:
        """The documents that the sources say are gone."""
        return (document for name, document in self._known.items() if self._given.lacks(name))

    def _taken(self, source: Source, given: Source | Refusal | Unread, done: int, total: int) -> DocumentReport:
        sha256 = self._given.sha256(source.name)
        known = self._known.get(source.name)
        is_same = known is not None and known.sha256 == sha256
        if known is not None and is_same and not self._is_outdated(known):
            self._store.restore_original(self._key, known, source.data)
            return DocumentReport.of(known, _status(known, "unchanged"))
        if known is not None and not is_same and not self._may_overwrite(known, sha256):
            return self._kept(_failed(source.name, _not_agreed(source.name)))
        written_at, given_at = (given.written_at, given.given_at) if isinstance(given, Unread) else (None, None)
        if known is not None and not is_same and self._is_newer(known, sha256, written_at):
            self._store.note_older_version(self._key, known, sha256)
            return self._kept(DocumentReport(source.name, "skipped", error=_older_version(source.name)))
        reading = Progress(source.name, "reading", done, total)
        self._progress(reading)
        updated_at = known.updated_at if known is not None and is_same else given_at or self._given_at
        try:
            self._store.require_room(self._key, source.name, len(source.data))  # not read only to be refused
            seconds = len(source.data) / BYTES_PER_S
            with self._places.taken(self._key.workspace, partial(self._progress, reading), seconds):
                document = self._copied(source, sha256, updated_at) or self._read(source, reading, updated_at)
        except (ReadError, WorkspaceFull) as error:
            return self._kept(_failed(source.name, Problem(error.code, error.message)))
        except ValueRefused as error:  # one document keeps no others out, and no folder from being followed
            return self._kept(_failed(source.name, Problem(error.code, f"{source.name}: {error.message}")))
        self.wrote = True
        self._known[source.name] = document
        self._name_of[sha256] = source.name
        report = DocumentReport.of(document, _status(document, "updated" if known else "indexed"))
        return replace(report, replaced=known is not None and not is_same)

    def _may_overwrite(self, known: Document, sha256: str) -> bool:
        return self._overwriting is None or self._overwriting.may(known, sha256)

    def _is_newer(self, known: Document, sha256: str, written_at: datetime | None) -> bool:
        """Whether it was sent after a file of the folder was written.

        A file may be given other times as it is copied, linked or checked out: its bytes say that it was there before.
        """
        if not self._of_folder or known.from_folder or known.name in self._folder_documents:
            return False
        if known.over_sha256 == sha256:
            return True
        if written_at is None or known.updated_at > datetime.now(UTC):  # by a clock that was ahead
            return False
        return known.updated_at - written_at >= _TOLD_APART

    def _read(self, source: Source, reading: Progress, updated_at: datetime) -> Document:
        def listen(page: int, pages: int) -> None:
            self._progress(replace(reading, page=page, pages=pages))

        extracted = self._reader.read(source.name, source.data, listen, workspace=self._key.workspace)
        return self._stored(source, extracted, updated_at)

    @cached_property
    def _ocr_languages(self) -> str:
        """Those that pictures can be read in now; looked up only if a document has pictures."""
        return usable_languages(self._wanted_languages)

    def _is_outdated(self, document: Document) -> bool:
        """Whether the same file would likely be read better now than it was.

        Where OCR is not possible any more, what it has read is kept.
        """
        if document.reader_version != VERSION:
            return True
        if not document.pages_without_text:
            return False
        return self._ocr_languages not in ("", document.ocr_languages)

    def _copied(self, source: Source, sha256: str, updated_at: datetime) -> Document | None:
        """The document under its new name, if the project has the same file: it was renamed, moved or copied."""
        same = self._known.get(self._name_of.get(sha256, ""))
        if same is None or same.sha256 != sha256 or self._is_outdated(same):
            return None
        with suppress(ReadError, DocumentNotFound):  # it is then read, which says what is wrong with it
            if detect(source.name, source.data) == same.format:
                return self._store.put_copy(self._key, source, same, updated_at, of_folder=self._of_folder)
        return None

    def _stored(self, source: Source, extracted: Extracted, updated_at: datetime) -> Document:
        if hidden := extracted.pages_with_hidden_text:
            logger.warning("%s: text that nobody can see was left out on page %s", source.name, page_list(hidden))
        passages = split(extracted, self._key.document_id(source.name), source.name)
        return self._store.put(self._key, source, extracted, passages, updated_at, of_folder=self._of_folder)

    def _kept(self, report: DocumentReport) -> DocumentReport:
        """The report on what could not be read; an older version stays and is described."""
        known = self._known.get(report.name)
        return DocumentReport.of(known, report.status, report.error) if known else report


def _status(document: Document, complete: Status) -> Status:
    return complete if document.embedded == document.passages else "searchable"


def _failed(name: str, problem: Problem) -> DocumentReport:
    return DocumentReport(name, "failed", error=problem)


def _two_of(name: str) -> Problem:
    return Problem(
        "DUPLICATE_NAME",
        f"{name}: another document of this name was given before it, and a name stands for one document. "
        "Rename one of them, or give the folder above both.",
    )


def _older_version(name: str) -> Problem:
    return Problem(
        "OLDER_VERSION",
        f"{name}: another version was sent after this file was written, and stays. Change the file, or remove "
        "the document that was sent.",
    )


def _not_agreed(name: str) -> Problem:
    return Problem(
        "DOCUMENT_IS_THERE",
        f"{name}: there is a document of this name with other content, which stays until its user agrees to lose it.",
    )
