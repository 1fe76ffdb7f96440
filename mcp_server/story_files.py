"""Story files on the server's disk, as an assistant may name them."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Protocol
from unicodedata import normalize
from weakref import WeakValueDictionary

_FILES, _TURNS = 1_000, 100  # whose assistants are remembered


class _Made(NamedTuple):
    """A turn of an assistant's: when it was written, what, and the id of what is kept from before it."""

    written_at: int
    sha256: bytes
    kept: str


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

    def as_kept(self, before: bytes, after: bytes) -> bytes:
        """What an undo has led to from `before`: the bytes of then where they are kept, else `after`.

        It computes, and looks at nothing where the file is.
        """
        ...

    def go_back(self, before: bytes, after: bytes) -> None:
        """Writes that.

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
        self._made = OrderedDict[Path, list[_Made]]()

    def lock(self, path: Path) -> asyncio.Lock:
        """Held by whoever changes the file."""
        return self._locks.setdefault(path, asyncio.Lock())

    def note_made(self, path: Path, after: bytes, kept: str, *, follows: bool) -> None:
        """An assistant's turn has written `after`; the turn before it was one too, if it `follows` that.

        `kept` is the id of what is kept from before it.
        """
        turns = self._made.pop(path, []) if follows else []
        self._made[path] = [*turns, _Made(*_version(path, after), kept)][-_TURNS:]
        if len(self._made) > _FILES:
            self._made.popitem(last=False)

    def last_made(self, path: Path, now: bytes) -> str:
        """The last turn that has written the file, by what is kept from before it; empty if it was no assistant's."""
        turns = self._made.get(path, [])
        return turns[-1].kept if turns and turns[-1][:2] == _version(path, now) else ""

    def note_taken_back(self, path: Path, now: bytes) -> None:
        """The last turn was taken back; what is in the file now may be what an assistant's turn before it had made."""
        turns = self._made.pop(path, [])[:-1]
        written_at, sha256_now = _version(path, now)
        if turns and turns[-1].sha256 == sha256_now:
            self._made[path] = [*turns[:-1], turns[-1]._replace(written_at=written_at)]


def one_spelling(path: Path) -> str:
    """The same for every spelling that a file system may take for this path, as those of Windows and macOS do."""
    return normalize("NFKC", str(path).casefold())


def _version(path: Path, content: bytes) -> tuple[int, bytes]:
    """Two turns of the user may lead back to the same content, and to another time of writing."""
    with suppress(OSError):  # it is gone
        return path.stat().st_mtime_ns, sha256(content).digest()
    return 0, b""
