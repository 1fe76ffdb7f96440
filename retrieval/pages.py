"""The pages of a document, and which of them a request means."""

from __future__ import annotations

from corpora import Document
from retrieval.errors import NoPages, PageNotFound


def require_page(document: Document, number: int) -> None:
    """Raise `NoPages` or `PageNotFound` unless the document has the page of that number (from 1)."""
    if document.pages is None:
        raise NoPages(
            f"{document.name!r} has no pages: documents in the format {document.format!r} have none. "
            "Ask for the whole document."
        )
    if not 1 <= number <= document.pages:
        raise PageNotFound(
            f"{document.name!r} has no page {number}: its pages are numbered from 1 to {document.pages}."
        )


def wanted(document: Document, page_from: int | None, page_to: int | None) -> range | None:
    """The numbers of the pages from one to another, both included; None for the whole document.

    `page_from` alone means that page only. A `page_to` behind the last page means the last page.
    """
    if page_from is None and page_to is None:
        return None
    first = 1 if page_from is None else page_from
    last = first if page_to is None else page_to
    require_page(document, first)
    if last < first:
        raise PageNotFound(f"Pages {first} to {last} of {document.name!r}: the first must not be behind the last.")
    return range(first, min(last, document.pages or first) + 1)
