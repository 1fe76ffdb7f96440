"""One call of `Ingestor.add`: each source is refused, known, changed or new."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from corpora import Document, InvalidName, ProjectKey
from ingest.extracted import Extracted, ReadError
from ingest.report import DocumentReport, Phase, Problem, Progress, ProgressListener, Status
from ingest.shelf import Shelf
from ingest.source import Refusal, Source, document_name
from ingest.split import split

Read = Callable[[str, bytes], Extracted]


class Addition:
    """Takes sources one by one and says what became of each; `before` is what the project had."""

    def __init__(
        self,
        key: ProjectKey,
        before: Sequence[Document],
        shelf: Shelf,
        read: Read,
        progress: ProgressListener,
    ) -> None:
        self._key = key
        self._known = {document.name: document for document in before}
        self._shelf = shelf
        self._read = read
        self._progress = progress
        self._given: dict[str, str] = {}
        self._refused_folders: list[str] = []
        self.wrote = False

    def take(self, entry: Source | Refusal, done: int, total: int) -> DocumentReport:
        """Bring one document into the corpus, or say why not; never raises for what is wrong with it."""
        try:
            name = document_name(entry.name)
        except InvalidName as error:
            report = _failed(_printable(entry.name), Problem(error.code, error.message))
        else:
            if isinstance(entry, Refusal):
                report = self._refused(entry, name)
            else:
                report = self._taken(Source(name, entry.data), done, total)
        phase: Phase = "searchable" if report.status == "searchable" else "done"
        self._progress(Progress(report.name, phase, done + 1, total))
        return report

    def missing(self) -> Iterator[Document]:
        """The documents that no source named, and that do not lie in a folder that was refused."""
        return (
            document
            for name, document in self._known.items()
            if name not in self._given and not name.startswith(tuple(self._refused_folders))
        )

    def _refused(self, entry: Refusal, name: str) -> DocumentReport:
        # What lies in the folder is not gone from it, even if it cannot be read today.
        self._given[name] = ""
        self._refused_folders.append(f"{name}/")
        return self._kept(name, Problem(entry.code, entry.message), entry.status)

    def _taken(self, source: Source, done: int, total: int) -> DocumentReport:
        sha256 = hashlib.sha256(source.data).hexdigest()
        if self._given.setdefault(source.name, sha256) != sha256:
            return _failed(source.name, _two_of(source.name))
        known = self._known.get(source.name)
        if known is not None and known.sha256 == sha256:
            self._shelf.restore_original(source.data)
            return DocumentReport.of(known, _status(known, "unchanged"))
        self._progress(Progress(source.name, "reading", done, total))
        try:
            document = self._stored(source)
        except ReadError as error:
            return self._kept(source.name, Problem(error.code, error.message), "failed")
        self.wrote = True
        self._known[source.name] = document
        return DocumentReport.of(document, _status(document, "updated" if known else "indexed"))

    def _stored(self, source: Source) -> Document:
        extracted = self._read(source.name, source.data)
        passages = split(extracted, self._key.document_id(source.name), source.name)
        return self._shelf.put(self._key, source, extracted, passages)

    def _kept(self, name: str, problem: Problem, status: Literal["skipped", "failed"]) -> DocumentReport:
        """The report on what could not be read; an older version stays and is described."""
        known = self._known.get(name)
        return DocumentReport.of(known, status, problem) if known else DocumentReport(name, status, error=problem)


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


def _printable(name: str) -> str:
    """A name that broke the rules, as it can be shown and written."""
    return name.encode("utf-8", "backslashreplace").decode()
