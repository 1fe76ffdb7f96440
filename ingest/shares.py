"""Whose turn it is: places that workspaces share, so that none of them waits for all that another has to do."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from time import monotonic


@dataclass(eq=False)
class Place:
    """What was asked for; `granted` is done once it is there."""

    workspace: str
    due: float
    granted: Future[None] = field(default_factory=Future[None])


class Shares:
    """Hands out `places`, to a workspace at most `each` at a time; safe to use from several threads.

    The workspace that has the fewest is next, and of those the one that has waited longest since it was. The last
    places, `spare` of them, go to workspaces that have none: so many newcomers need not wait for what others have
    begun, however much those have to do.

    Of one workspace, small work goes first, but not for ever: what takes a minute lets pass what comes within that
    minute.
    """

    def __init__(self, places: int, each: int, spare: int = 1) -> None:
        self._free = places
        self._spare = spare
        self._each = each
        self._lock = threading.Lock()
        self._waiting: list[Place] = []
        self._held: Counter[str] = Counter()
        self._served: dict[str, int] = {}
        self._count = count()

    def ask(self, workspace: str, seconds: float = 0.0) -> Place:
        """A place for work that will likely take so many seconds; whoever asks must give it back, granted or not."""
        place = Place(workspace, monotonic() + seconds)
        place.granted.set_running_or_notify_cancel()  # it is given back, not cancelled
        with self._lock:
            self._waiting.append(place)
            self._grant()
        return place

    def give_back(self, place: Place) -> None:
        """The work is done, or is not wanted any more."""
        with self._lock:
            if place in self._waiting:
                self._waiting.remove(place)
            else:
                self._free += 1
                self._held[place.workspace] -= 1
            self._grant()

    def is_wanted(self) -> bool:
        """Whether anybody waits for a place."""
        with self._lock:
            return bool(self._waiting)

    def _grant(self) -> None:
        while allowed := [place for place in self._waiting if self._may_have_one(place.workspace)]:
            place = min(allowed, key=self._order)
            self._waiting.remove(place)
            self._free -= 1
            self._held[place.workspace] += 1
            self._served[place.workspace] = next(self._count)
            place.granted.set_result(None)

    def _may_have_one(self, workspace: str) -> bool:
        held = self._held[workspace]
        return self._free > 0 and (held == 0 or (held < self._each and self._free > self._spare))

    def _order(self, place: Place) -> tuple[int, int, float]:
        return self._held[place.workspace], self._served.get(place.workspace, -1), place.due
