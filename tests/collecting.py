"""Whether garbage is collected."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collecting(*, is_on: bool) -> Generator[None]:
    """As it is in the block."""
    was_on = gc.isenabled()
    gc.enable() if is_on else gc.disable()
    try:
        yield
    finally:
        gc.enable() if was_on else gc.disable()
