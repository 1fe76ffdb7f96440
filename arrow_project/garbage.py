"""Building a story without the collector of garbage looking through what there is of it again and again."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Generator[None]:
    """Within it no garbage is collected, in any thread; for work that makes many objects and no garbage.

    Otherwise every few large stories have all stories of the process looked through, while every thread stands still.
    """
    was_enabled = gc.isenabled()  # where another thread has turned it off, that thread turns it on again
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
