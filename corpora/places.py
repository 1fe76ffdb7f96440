"""How many threads use a database at the same time, and for whom."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from corpora.errors import CatalogBusy
from corpora.shares import Shares

_Result = TypeVar("_Result")

_PATIENCE_S = 60.0

_of_thread = threading.local()


def working_for(workspace: str, work: Callable[[], _Result]) -> _Result:
    """What `work` returns; what it needs of a database meanwhile is the workspace's share of it."""
    before = getattr(_of_thread, "workspace", "")
    _of_thread.workspace = workspace
    try:
        return work()
    finally:
        _of_thread.workspace = before


class ThreadPlaces:
    """A place for each thread that has a connection; who needs another one meanwhile never waits for it.

    Whoever has a place therefore ends without any other's, however many wait. Workspaces share the places, of which
    each has at most half; of one workspace, who came first has the next one, also before the thread that gives it back
    and comes again at once.
    """

    def __init__(self, places: int) -> None:
        self._shares = Shares(places, max(1, places // 2), spare=places // 6)
        self._of_thread = threading.local()

    @property
    def waiting(self) -> int:
        """How many threads wait for a place."""
        return self._shares.waiting

    @contextmanager
    def taken(self) -> Generator[None]:
        """Have a place while the block runs; raises `CatalogBusy` where none gets free for a minute."""
        if getattr(self._of_thread, "has_one", False):
            yield
            return
        place = self._shares.ask(getattr(_of_thread, "workspace", ""))
        try:
            try:
                place.granted.result(_PATIENCE_S)
            except TimeoutError as error:
                raise CatalogBusy("Too many requests wait for the catalog: try again later.") from error
            self._of_thread.has_one = True
            yield
        finally:
            self._of_thread.has_one = False
            self._shares.give_back(place)
