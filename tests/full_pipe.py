"""A pipe that takes nothing more, as of a program whose output nobody reads."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TextIO


@contextmanager
def full_pipe() -> Generator[TextIO]:
    """The end that is written to."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with suppress(BlockingIOError):
        while os.write(write, b"x"):
            pass
    os.set_blocking(write, True)
    with os.fdopen(write, "w") as full, os.fdopen(read):
        yield full
