"""Draws pages of documents in child processes, with the limits of those that read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Self

from corpora import Document, ProjectKey
from ingest.extracted import ReadError
from ingest.reader_pool import ReaderPool
from ingest.reader_process import Limits, Work, as_it_is
from ingest.readers import PageListener
from ingest.source import BYTES_PER_S, LARGE

# Somebody looks at the screen meanwhile, and a page of a book takes a tenth of a second.
LIMITS = Limits(wall_s=30, cpu_s=15)
_WHY = {
    "TIMEOUT": "drawing it takes longer than {0.cpu_s} seconds of computing, or {0.wall_s:g} by the clock",
    "OUT_OF_MEMORY": "drawing it needs more memory than is allowed",
}


class Painter:
    """The `PagePainter` that is used: one page at a time for a workspace, in children that read no documents.

    Large documents, which are in memory meanwhile, have children of their own: three at most. A document that is read
    for minutes does not keep a page waiting. Nothing is started before the first page is drawn.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or LIMITS
        self._pool = ReaderPool(workers=1, limits=self._limits)
        self._pool_of_large = ReaderPool(workers=1, limits=self._limits)

    def draw(
        self,
        key: ProjectKey,
        document: Document,
        read: Callable[[], bytes],
        number: int,
        marked: str,
        most_bytes: int | None = None,
    ) -> bytes:
        """Page `number` (from 1) as PNG, the words of `marked` highlighted; `read` gives the file when it is its turn.

        Where that has more than `most_bytes`, it is a JPEG, and smaller.

        Raises:
            PageNotDrawn: with the code of the `ReadError` that it would be if the document were read.
        """
        from retrieval import PageNotDrawn  # not above: children that read documents would load it, too

        def prepare() -> Work[bytes]:
            return partial(_draw, as_it_is(read()), document.format, number, marked, most_bytes)

        pool = self._pool if document.size <= LARGE else self._pool_of_large
        try:
            seconds = document.size / BYTES_PER_S
            return pool.run(document.name, prepare, workspace=key.workspace, seconds=seconds)
        except ReadError as error:
            why = _WHY.get(error.code, "it is damaged there, or drawing it was stopped").format(self._limits)
            raise PageNotDrawn(
                error.code,
                f"Page {number} of {document.name!r} is not shown: {why}. Read its text, or open the file itself.",
            ) from error

    def close(self) -> None:
        """End the children; a page that is being drawn is not."""
        self._pool.close()
        self._pool_of_large.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _draw(
    data: bytes, file_type: str, number: int, marked: str, most_bytes: int | None, progress: PageListener
) -> bytes:
    """Runs in the child; only there is the library that draws imported."""
    from retrieval.page_picture import page_picture

    del progress
    try:
        return page_picture(data, file_type, number, marked, most_bytes)
    except Exception as error:
        # MuPDF reports failed allocations as an ordinary error of its own.
        if "alloc" in str(error):
            raise MemoryError from error
        raise ReadError("CORRUPT", f"page {number} is damaged ({type(error).__name__})") from error
