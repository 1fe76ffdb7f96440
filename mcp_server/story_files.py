"""Story files on the server's disk, as an assistant may name them."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary


class StoryFileError(Exception):
    """A story file could not be written or taken back; the message says why."""


class UndoableFile(Protocol):
    """One file, and what is kept of it for an undo."""

    def write(self, before: bytes, after: bytes) -> None:
        """Writes what a turn has made of `before`, and keeps that.

        Raises:
            StoryFileError: The file is not `before` any more.
        """
        ...

    def go_back(self, before: bytes, after: bytes) -> None:
        """Writes what an undo has led to: the bytes of then where they are kept, else `after`.

        Raises:
            StoryFileError: The file is not `before` any more.
        """
        ...


class StoryFiles:
    """The files of a server, each changed by one at a time.

    Args:
        open_file: The file at a path.
    """

    def __init__(self, open_file: Callable[[Path], UndoableFile]) -> None:
        self.open = open_file
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    def lock(self, path: Path) -> asyncio.Lock:
        """Held by whoever changes the file."""
        return self._locks.setdefault(path, asyncio.Lock())
