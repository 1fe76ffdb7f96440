"""A clock that is the test's, and what a watch has told."""

import threading
from collections.abc import Callable
from pathlib import Path

from ingest import Change, Refusal, Source, Watch

Do = Callable[[], object]


class Clock(threading.Event):
    """Time that passes only while the watch waits; `at` says what happens then. It stops when nothing more does."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self._events: list[tuple[float, Do]] = []
        self._last = 0.0

    def at(self, seconds: float, do: Do) -> None:
        """Have something happen so many seconds from now."""
        self._events = sorted([*self._events, (self.now + seconds, do)], key=lambda event: event[0])
        self._last = self.now + seconds

    def wait(self, timeout: float | None = None) -> bool:
        self.now += timeout or 0.0
        while self._events and self._events[0][0] <= self.now:
            self._events.pop(0)[1]()
        if not self._events and self.now > self._last + 30:
            self.set()
        return self.is_set()


def write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


def taken(watch: Watch) -> Change:
    change = watch.wait()
    assert change is not None
    watch.done(change)
    return change


def texts(change: Change) -> dict[str, str]:
    """What there is to read, and its text; each is read now."""
    return {entry.name: entry.data.decode() for entry in change.sources if isinstance(entry, Source)}


def refused(change: Change) -> dict[str, str]:
    return {entry.name: entry.code for entry in change.sources if isinstance(entry, Refusal)}


def assert_nothing_more(watch: Watch) -> None:
    assert watch.wait() is None
