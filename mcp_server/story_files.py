"""Story files on the server's disk, as an assistant may name them."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Protocol
from unicodedata import normalize
from weakref import WeakValueDictionary

_REMEMBERED = 10_000


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
        self._made = OrderedDict[tuple[Path, bytes], None]()

    def lock(self, path: Path) -> asyncio.Lock:
        """Held by whoever changes the file."""
        return self._locks.setdefault(path, asyncio.Lock())

    def note_made(self, path: Path, after: bytes) -> None:
        """An assistant's turn has led to what is in the file now."""
        self._made[_version(path, after)] = None
        if len(self._made) > _REMEMBERED:
            self._made.popitem(last=False)

    def has_made(self, path: Path, now: bytes) -> bool:
        """Whether the last turn on a file, which has led to what is in it, was an assistant's of this server."""
        return _version(path, now) in self._made

    def note_taken_back(self, path: Path, before: bytes) -> None:
        """The turn that had led to `before` is taken back."""
        self._made.pop(_version(path, before), None)


def one_spelling(path: Path) -> str:
    """The same for every spelling that a file system may take for this path, as those of Windows and macOS do."""
    return normalize("NFKC", str(path).casefold())


def _version(path: Path, content: bytes) -> tuple[Path, bytes]:
    return path, sha256(content).digest()
