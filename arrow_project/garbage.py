"""Building a story without the collector of garbage looking through what there is of it again and again."""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock


class _Collector:
    """Is on while nobody needs it to be off; each of several threads may."""

    def __init__(self) -> None:
        self._changing = Lock()
        self._off_for = 0
        self._was_on = False

    def need_off(self) -> None:
        with self._changing:
            if not self._off_for:
                self._was_on = gc.isenabled()
                gc.disable()
            self._off_for += 1

    def need_off_no_more(self) -> None:
        with self._changing:
            self._off_for -= 1
            if not self._off_for and self._was_on:
                gc.enable()


_collector = _Collector()


@contextmanager
def no_collection() -> Generator[None]:
    """Within it no garbage is collected, in any thread; for work that makes many objects and no garbage.

    Otherwise every few large stories have all stories of the process looked through, while every thread stands still.
    """
    _collector.need_off()
    try:
        yield
    finally:
        _collector.need_off_no_more()
