"""Waiting for what happens in another process, or in a thread that gives no sign of it."""

import time
from collections.abc import Callable

_PAUSE_S = 0.05
_HANGS_AFTER_S = 300.0


def eventually(condition: Callable[[], object]) -> None:
    """Returns once it is so, and leaves the processor to those who are waited for; fails if it never comes to be."""
    give_up_at = time.monotonic() + _HANGS_AFTER_S
    while not condition():
        assert time.monotonic() < give_up_at, "it never came to be"
        time.sleep(_PAUSE_S)
