"""How many threads use a database server at the same time."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from corpora.errors import CatalogBusy

_PATIENCE_S = 60.0


class ThreadPlaces:
    """A place for each thread that has a connection; who needs another one meanwhile never waits for it.

    Whoever has a place therefore ends without any other's, however many wait.
    """

    def __init__(self, places: int) -> None:
        self._free = threading.BoundedSemaphore(places)
        self._of_thread = threading.local()

    @contextmanager
    def taken(self) -> Generator[None]:
        """Have a place while the block runs; raises `CatalogBusy` where none gets free for a minute."""
        if getattr(self._of_thread, "has_one", False):
            yield
            return
        if not self._free.acquire(timeout=_PATIENCE_S):
            raise CatalogBusy("Too many requests wait for the catalog: try again later.")
        self._of_thread.has_one = True
        try:
            yield
        finally:
            self._of_thread.has_one = False
            self._free.release()
