"""Who works in which collection: any number at a time, or one who makes or drops it."""

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager


class CollectionsInUse:
    """Turns of threads in collections, by name; whoever waits to be alone comes before those who come later."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = Counter[str]()
        self._alone: set[str] = set()

    @contextmanager
    def shared(self, name: str) -> Generator[None]:
        """Work in a collection, beside others who do."""
        with self._changed:
            self._changed.wait_for(lambda: name not in self._alone)
            self._inside[name] += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= Counter({name: 1})  # which keeps none that is 0
                self._changed.notify_all()

    @contextmanager
    def alone(self, name: str) -> Generator[None]:
        """Make or drop a collection, with nobody in it."""
        with self._changed:
            self._changed.wait_for(lambda: name not in self._alone)
            self._alone.add(name)
        try:
            with self._changed:
                self._changed.wait_for(lambda: not self._inside[name])
            yield
        finally:
            with self._changed:
                self._alone.remove(name)
                self._changed.notify_all()
