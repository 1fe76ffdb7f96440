"""Pictures of pages, kept: each is drawn once, however many ask for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass
from sys import getsizeof
from time import monotonic
from typing import NamedTuple, Protocol

from corpora import Document, ProjectKey
from retrieval.errors import PageNotDrawn

_MOST_BYTES = 64 * 2**20
_OF_A_VIEW = 2**10  # bytes, with the reason why it cannot be drawn
_FAILURE_S = 300.0  # a page that cannot be drawn is tried again after so long


class PagePainter(Protocol):
    """Draws pages apart from this process: a document may be made to take all the time and memory there is."""

    def draw(
        self,
        key: ProjectKey,
        document: Document,
        read: Callable[[], bytes],
        number: int,
        marked: str,
        most_bytes: int | None = None,
    ) -> bytes:
        """Page `number` (from 1) of a document as PNG, the words of `marked` highlighted.

        Where that has more than `most_bytes`, it is a JPEG, and smaller. `read` gives the document's file, which may be
        large: it is called when it is the page's turn. Raises `PageNotDrawn`.
        """
        ...


class View(NamedTuple):
    """A page with what is marked on it, and how long its picture may be; the same view is the same picture."""

    key: ProjectKey
    sha256: str
    number: int
    marked: str
    most_bytes: int | None = None


class _Failure(NamedTuple):
    """Why a page cannot be drawn; the error itself would keep the frames that raised it, and those the document."""

    code: str
    message: str


@dataclass(frozen=True)
class _Kept:
    picture: Future[bytes | _Failure]
    since: float

    def is_good(self, now: float) -> bool:
        is_failure = self.picture.done() and isinstance(self.picture.result(), _Failure)
        return not is_failure or now - self.since < _FAILURE_S

    def size(self, view: View) -> int:
        drawn = self.picture.result() if self.picture.done() else None
        return _OF_A_VIEW + getsizeof(view.marked) + (len(drawn) if isinstance(drawn, bytes) else 0)


class PagePictures:
    """The pictures that were asked for last, of all projects; safe to use from several threads.

    Whoever asks must know that the document is there: what is kept is forgotten later than a document goes.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[View, _Kept] = OrderedDict()

    def get(self, view: View, draw: Callable[[], bytes]) -> bytes:
        """The picture; `draw` is called unless it is known, or is being drawn. Raises what `draw` does.

        That a page cannot be drawn is known for five minutes.
        """
        with self._lock:
            kept = self._kept.get(view)
            is_known = kept is not None and kept.is_good(monotonic())
            if kept is None or not is_known:
                kept = self._kept[view] = _Kept(Future(), monotonic())
            self._kept.move_to_end(view)
        if not is_known:
            self._draw(view, kept.picture, draw)
        drawn = kept.picture.result()
        if isinstance(drawn, _Failure):
            raise PageNotDrawn(*drawn)
        return drawn

    def documents(self, key: ProjectKey) -> set[str]:
        """The SHA-256 of those documents of the project that pictures are kept of."""
        with self._lock:
            return {view.sha256 for view in self._kept if view.key == key}

    def keep_only(self, key: ProjectKey, sha256s: Collection[str]) -> None:
        """Forget the pictures of the project's other documents."""
        with self._lock:
            for view in [view for view in self._kept if view.key == key and view.sha256 not in sha256s]:
                del self._kept[view]

    def _draw(self, view: View, picture: Future[bytes | _Failure], draw: Callable[[], bytes]) -> None:
        try:
            picture.set_result(draw())
        except PageNotDrawn as error:
            picture.set_result(_Failure(error.code, str(error)))
        except BaseException as error:  # of which the page knows nothing
            with self._lock:
                self._kept.pop(view, None)
            picture.set_exception(error)
            raise
        with self._lock:
            self._shrink()

    def _shrink(self) -> None:
        total = sum(kept.size(view) for view, kept in self._kept.items())
        while total > self._most_bytes:
            view, kept = self._kept.popitem(last=False)
            total -= kept.size(view)
