"""A user's file in a folder that is held open: nothing put in its way meanwhile, a link or a pipe, is used."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, BinaryIO, Self

from corpora.files import put
from corpora.rights import Rights

if sys.platform != "win32":
    import fcntl
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from types import TracebackType

# A pipe or a device is opened without waiting for whoever is at its other end, and refused by what it is.
_NO_WAITING: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
_NO_LINK_ANYWHERE: int = getattr(os, "O_NOFOLLOW_ANY", 0)  # macOS
_FILE: int = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | _NO_WAITING | _NO_LINK
_WRITTEN: int = _FILE | os.O_WRONLY
# O_PATH, where there is one, needs no permission to list the folder, as opening by the whole path needs none.
_FOLDER: int = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_PATH", 0)
_CAN_HOLD = bool(_NO_LINK) and {os.open, os.rename, os.unlink} <= os.supports_dir_fd


_LOCK_S = 5  # whoever holds a folder needs it for an instant; another program may keep it
_LOCK_POLL_S = 0.01


class NotAFile(OSError):
    """A path leads to a folder, a pipe, a device or a socket."""


class FileChanged(OSError):
    """Something else is in a file than whoever writes it has read."""


class HeldFile:
    """A file of which its folder is held while the block runs: what is read and what is written is in that very folder.

    Where a system, as Windows, opens files by their whole path only, what is read must still be at its path afterwards.

    Args:
        real: Its path as it was looked at, in which no part is a link.

    Raises:
        OSError: The folder cannot be opened, or a link has come into its way.
    """

    def __init__(self, real: Path) -> None:
        self._real = real
        self._folder = _opened_folder(real.parent) if _CAN_HOLD else None
        self._within = real if self._folder is None else Path(real.name)

    def __enter__(self) -> Self:
        """The file itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Lets the folder go."""
        if self._folder is not None:
            os.close(self._folder)

    def open(self) -> tuple[BinaryIO, os.stat_result]:
        """The file, to be closed by the caller, and what is known of the very file that was opened.

        Raises:
            NotAFile: It is not a regular file.
            OSError: It cannot be opened, or a link has come into its way.
        """
        file = os.fdopen(self._opened(), "rb")
        try:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise NotAFile(f"{self._real} is not a regular file")
        except BaseException:
            file.close()
            raise
        return file, status

    def holds(self, data: bytes) -> bool:
        """Whether that is what is in it, of which no more is read than tells; raises as `open`."""
        file, _ = self.open()
        with file:
            return file.read(len(data) + 1) == data

    def replace(self, before: bytes, data: bytes) -> None:
        """Write it whole in place of `before`, with its rights, safe on the disk when this returns.

        What a writer that was killed has left beside it is deleted.

        Raises:
            FileChanged: Something else is in it, also if it came there while this one was being written.
            OSError: As `open`, or it cannot be written; what was there is as it was, and nothing else is left.
        """
        file, _ = self.open()
        with file:
            rights = Rights.of(file.fileno())
        os.close(os.open(self._within, _WRITTEN, dir_fd=self._folder))  # refused where it is protected from writing
        put(self._within, data, rights, self._folder, self._while_it_is(before), sweeps=True)

    @contextmanager
    def _while_it_is(self, before: bytes) -> Generator[None]:
        with self._folder_locked():
            if not self.holds(before):
                raise FileChanged(f"{self._real} has been changed meanwhile")
            yield

    @contextmanager
    def _folder_locked(self) -> Generator[None]:
        """Keeps other processes from putting a file there in the same instant, where the system has such locks."""
        if self._folder is None or sys.platform == "win32":
            yield
            return
        try:
            folder = os.open(".", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._folder)
        except OSError:  # a folder that may not be listed cannot be locked
            yield
            return
        try:
            _lock(folder, self._real)
            yield
        finally:
            os.close(folder)

    def _opened(self) -> int:
        opened = os.open(self._within, _FILE, dir_fd=self._folder)
        if self._folder is None:
            self._compare(opened)
        return opened

    def _compare(self, opened: int) -> None:
        try:
            is_same = os.path.samestat(os.fstat(opened), self._real.lstat())
            if not is_same or Path(os.path.realpath(self._real)) != self._real:
                raise OSError(None, "a link came into its way")
        except BaseException:
            os.close(opened)
            raise


@contextmanager
def listed(real: Path) -> Generator[Iterator[os.DirEntry[str]]]:
    """What is in that very folder, to be looked at while the block runs.

    Args:
        real: Its path as it was looked at, in which no part is a link.

    Raises:
        OSError: The folder cannot be listed, or a link has come into its way: where a system opens folders by their
            whole path only, this is known when the block ends.
    """
    if not _CAN_HOLD:
        with os.scandir(real) as entries:
            yield entries
        if Path(os.path.realpath(real)) != real:
            raise OSError(None, "a link came into its way")
        return
    held = _opened_folder(real)
    try:
        folder = os.open(".", os.O_RDONLY | os.O_CLOEXEC, dir_fd=held)
    finally:
        os.close(held)
    try:
        with os.scandir(folder) as entries:
            yield entries
    finally:
        os.close(folder)


def _lock(folder: int, real: Path) -> None:
    """Until the folder is closed; no wait without end, as anybody can hold a lock who can read the folder."""
    if sys.platform == "win32":
        return
    end = monotonic() + _LOCK_S
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if monotonic() > end:
                raise OSError(error.errno, f"{real.parent} is locked by another program") from error
        except OSError:  # a file system without locks
            return
        sleep(_LOCK_POLL_S)


def _opened_folder(real: Path) -> int:
    if _NO_LINK_ANYWHERE:
        return os.open(real, _FOLDER | _NO_LINK_ANYWHERE)
    folder = os.open(real.anchor, _FOLDER)
    for part in real.parts[1:]:
        try:
            within = os.open(part, _FOLDER | _NO_LINK, dir_fd=folder)
        finally:
            os.close(folder)
        folder = within
    return folder
