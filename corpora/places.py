"""How many threads use a database at the same time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager

from corpora.errors import CatalogBusy

_PATIENCE_S = 60.0


class ThreadPlaces:
    """A place for each thread that has a connection; who needs another one meanwhile never waits for it.

    Whoever has a place therefore ends without any other's, however many wait. Who came first has the next one, also
    before the thread that gives it back and comes again at once.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._lock = threading.Lock()
        self._of_thread = threading.local()
        self.waiting: deque[threading.Event] = deque()

    @contextmanager
    def taken(self) -> Generator[None]:
        """Have a place while the block runs; raises `CatalogBusy` where none gets free for a minute."""
        if getattr(self._of_thread, "has_one", False):
            yield
            return
        self._take()
        self._of_thread.has_one = True
        try:
            yield
        finally:
            self._of_thread.has_one = False
            self._give_back()

    def _take(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = threading.Event()
            self.waiting.append(turn)
        if turn.wait(_PATIENCE_S):
            return
        with self._lock:
            if not turn.is_set():
                self.waiting.remove(turn)
                raise CatalogBusy("Too many requests wait for the catalog: try again later.")

    def _give_back(self) -> None:
        with self._lock:
            if self.waiting:
                self.waiting.popleft().set()
            else:
                self._free += 1
