"""Whose turn it is: places that workspaces share, so that none of them waits for all that another has to do."""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from time import monotonic

_BEAT_S = 0.5
_LONG_S = 1.0
_MOST_REMEMBERED = 10_000  # who was served last; strangers are of any number of networks


@dataclass(eq=False)
class Place:
    """What was asked for; `granted` is done once it is there."""

    workspace: str
    due: tuple[float, int]  # when, and as which: no two of a workspace are due together
    is_short: bool  # it will likely take no more than a second
    granted: Future[None] = field(default_factory=Future[None])
    is_further: bool = False


class Shares:
    """Hands out `places`, to a workspace at most `each` at a time; safe to use from several threads.

    The workspace that has the fewest is next, and of those the one that has waited longest since it was. The last
    places, `spare` of them, go to workspaces that have none: so many newcomers need not wait for what others have
    begun, however much those have to do.

    Of one workspace, small work goes first, but not for ever: what takes a minute lets pass what comes within that
    minute.

    Once all places have been held for a second, `further` ones are there for workspaces that have none, and what they
    want to do will likely take no more than that.
    """

    def __init__(self, places: int, each: int, spare: int = 1, further: int = 0) -> None:
        self._free = places
        self._further = further  # that are free
        self._full_since = 0.0
        self._spare = spare
        self._each = each
        self._lock = threading.Lock()
        self._waiting: dict[str, list[Place]] = {}  # of each workspace that waits, by when they are due
        self._held: Counter[str] = Counter()
        self._served: dict[str, int] = {}
        self._count = count()

    def ask(self, workspace: str, seconds: float = 0.0) -> Place:
        """A place for work that will likely take so many seconds; whoever asks must give it back, granted or not."""
        place = Place(workspace, (monotonic() + seconds, next(self._count)), seconds <= _LONG_S)
        place.granted.set_running_or_notify_cancel()  # it is given back, not cancelled
        with self._lock:
            insort(self._waiting.setdefault(workspace, []), place, key=_due)
            self._grant()
        return place

    def look(self) -> None:
        """Grants what is due by now: nobody else does so while all that is held goes on."""
        with self._lock:
            self._grant()

    def give_back(self, place: Place) -> None:
        """The work is done, or is not wanted any more."""
        with self._lock:
            if place.granted.done():
                # A further one that comes back leaves the others to whoever is next, however long that takes.
                if place.is_further:
                    self._further += 1
                else:
                    self._free += 1
                self._held[place.workspace] -= 1
                if not self._held[place.workspace]:
                    del self._held[place.workspace]
            else:
                self._take_out(place)
            self._grant()

    @contextmanager
    def taken(self, workspace: str, beat: Callable[[], None], seconds: float = 0.0) -> Generator[None]:
        """Have a place while the block runs; `beat` is called twice a second before, and what it raises gives up."""
        place = self.ask(workspace, seconds)
        try:
            while not wait([place.granted], timeout=_BEAT_S).done:
                beat()
                self.look()
            yield
        finally:
            self.give_back(place)

    @property
    def waiting(self) -> int:
        """How many wait for a place."""
        with self._lock:
            return sum(map(len, self._waiting.values()))

    def is_wanted(self) -> bool:
        """Whether anybody waits for a place."""
        return self.waiting > 0

    def _grant(self) -> None:
        while allowed := [places[0] for places in self._waiting.values() if self._may_be_granted(places[0])]:
            place = min(allowed, key=self._order)
            self._take_out(place)
            if self._free:
                self._free -= 1
                self._full_since = monotonic()
            else:
                self._further -= 1
                place.is_further = True
            self._held[place.workspace] += 1
            self._served.pop(place.workspace, None)
            self._served[place.workspace] = next(self._count)
            if len(self._served) > _MOST_REMEMBERED:
                del self._served[next(iter(self._served))]
            place.granted.set_result(None)

    def _take_out(self, place: Place) -> None:
        places = self._waiting[place.workspace]
        del places[bisect_left(places, place.due, key=_due)]
        if not places:
            del self._waiting[place.workspace]

    def _may_be_granted(self, place: Place) -> bool:
        held = self._held[place.workspace]
        if not self._free:
            is_due = monotonic() - self._full_since >= _LONG_S
            return place.is_short and held == 0 and self._further > 0 and is_due
        return held == 0 or (held < self._each and self._free > self._spare)

    def _order(self, place: Place) -> tuple[int, int, tuple[float, int]]:
        return self._held[place.workspace], self._served.get(place.workspace, -1), place.due


def _due(place: Place) -> tuple[float, int]:
    return place.due
