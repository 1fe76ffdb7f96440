"""What an ingest says while it runs and when it is done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from corpora import Document

MAY_PASS = frozenset({"WORKSPACE_FULL", "OUT_OF_MEMORY", "READER_CRASHED", "READER_UNAVAILABLE", "UNREADABLE"})
"""Why a document failed that may be taken in later although it is the same."""

_MOST_NAMED = 100  # pages of a list in an answer: a list of documents has as many for each

Status = Literal["indexed", "searchable", "unchanged", "updated", "removed", "skipped", "failed"]
Phase = Literal["queued", "reading", "searchable", "embedding", "done"]


@dataclass(frozen=True)
class Progress:
    """How far it is: `done` of `total` documents; in phase `embedding`, of passages, and `document` is ''.

    In phase `reading`, `page` of `pages` is the page of the document that its reader has come to; both are 0
    before its first page, and for formats without pages.
    """

    document: str
    phase: Phase
    done: int
    total: int
    page: int = 0
    pages: int = 0


ProgressListener = Callable[[Progress], None]


@dataclass(frozen=True)
class Problem:
    """Why a document was skipped or failed."""

    code: str
    message: str


@dataclass(frozen=True)
class DocumentReport:
    """What became of one document; counts are those of the catalog, also where an older version was kept.

    `replaced`: another version of it was there, which is gone. On `pages_with_hidden_text` text was left out because
    nobody can see it; `pages_recognized` are pictures whose text was read by OCR. Its JSON has the first 100 of each,
    and in `more_pages` how many there are besides.
    """

    name: str
    status: Status
    id: str | None = None
    pages: int | None = None
    pages_without_text: Sequence[int] = ()
    passages: int = 0
    embedded: int = 0
    error: Problem | None = None
    pages_with_hidden_text: Sequence[int] = ()
    pages_recognized: Sequence[int] = ()
    replaced: bool = False

    @classmethod
    def of(cls, document: Document, status: Status, error: Problem | None = None) -> DocumentReport:
        """The report on a document that is, or was, in the catalog."""
        return cls(
            name=document.name,
            status=status,
            id=document.id,
            pages=document.pages,
            pages_without_text=document.pages_without_text,
            passages=document.passages,
            embedded=document.embedded,
            error=error,
            pages_with_hidden_text=document.pages_with_hidden_text,
            pages_recognized=document.pages_recognized,
        )

    @classmethod
    def listed(cls, document: Document) -> DocumentReport:
        """The entry of a list of what is in the corpus."""
        return cls.of(document, "indexed" if document.embedded == document.passages else "searchable")

    def as_dict(self) -> dict[str, Any]:
        """The entry of the report's JSON."""
        return {
            "name": self.name,
            "id": self.id,
            "status": self.status,
            "pages": self.pages,
            "pages_without_text": list(self.pages_without_text[:_MOST_NAMED]),
            "passages": self.passages,
            "embedded": self.embedded,
            "error": {"code": self.error.code, "message": self.error.message} if self.error else None,
        } | self._remarks()

    def _remarks(self) -> dict[str, Any]:
        """What there is to say about few documents only."""
        seldom = {"pages_with_hidden_text": self.pages_with_hidden_text, "pages_recognized": self.pages_recognized}
        every = {"pages_without_text": self.pages_without_text} | seldom
        more = {name: len(pages) - _MOST_NAMED for name, pages in every.items() if len(pages) > _MOST_NAMED}
        remarks: dict[str, Any] = {name: list(pages[:_MOST_NAMED]) for name, pages in seldom.items() if pages}
        remarks |= {"more_pages": more} if more else {}
        return remarks | ({"replaced": True} if self.replaced else {})


@dataclass(frozen=True)
class IngestReport:
    """What became of all documents of one ingest."""

    project: str
    documents: tuple[DocumentReport, ...]
    seconds: float

    @property
    def failed(self) -> tuple[DocumentReport, ...]:
        """Those that could not be read."""
        return tuple(document for document in self.documents if document.status == "failed")

    def as_dict(self) -> dict[str, Any]:
        """The report's JSON."""
        return {
            "project": self.project,
            "documents": [document.as_dict() for document in self.documents],
            "seconds": round(self.seconds, 3),
        }


def replaces_all(failures: Collection[str | None]) -> bool:
    """Whether documents with these codes, None for one that was taken in, may replace all that were there.

    Not where none was taken in, nor where there was no room for one beside what was there.
    """
    return not failures or (None in failures and "WORKSPACE_FULL" not in failures)


def counted(number: int, noun: str) -> str:
    """`1 passage`, `2 passages`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def page_list(pages: Sequence[int]) -> str:
    """`3, 5 to 9`: page numbers with runs joined."""
    runs: list[tuple[int, int]] = []
    for page in sorted(pages):
        if runs and page == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], page)
        else:
            runs.append((page, page))
    named = [str(first) if first == last else f"{first} to {last}" for first, last in runs[:_MOST_NAMED]]
    return ", ".join(named) + (f" and more, up to {runs[-1][1]}" if len(runs) > _MOST_NAMED else "")
