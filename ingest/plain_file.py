"""A file opened as what it was found to be: nothing put in its place meanwhile, a link or a pipe, is read instead."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

# A pipe or a device is opened without waiting for whoever is at its other end, and refused by what it is.
_NO_WAITING: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_FILE: int = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | _NO_WAITING
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
_NO_LINK_ANYWHERE: int = getattr(os, "O_NOFOLLOW_ANY", 0)  # macOS
# O_PATH, where there is one, needs no permission to list the folder, as opening by the whole path needs none.
_FOLDER: int = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_PATH", 0)


class OutsideFolder(OSError):
    """A path leads out of the folder that it was found in."""


class NotAFile(OSError):
    """A path leads to a folder, a pipe, a device or a socket."""


def open_plain_file(path: Path, inside: Path | None) -> tuple[BinaryIO, os.stat_result]:
    """The file, to be closed by the caller, and what is known of the very file that was opened.

    Args:
        path: A link is followed, once, to where it leads now.
        inside: The real path of the folder that it must not lead out of; None: anywhere.

    Raises:
        OutsideFolder: It leads out of it.
        NotAFile: It is not a regular file.
        OSError: It cannot be opened, or a link has come into its way since its path was looked at.
    """
    real = Path(os.path.realpath(path))
    if inside is not None and not real.is_relative_to(inside):
        raise OutsideFolder(f"{real} is not below {inside}")
    file = os.fdopen(_opened(real), "rb")
    try:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise NotAFile(f"{real} is not a regular file")
    except BaseException:
        file.close()
        raise
    return file, status


def _opened(real: Path) -> int:
    """The descriptor of a path in which no part is a link."""
    if _NO_LINK_ANYWHERE:
        return os.open(real, _FILE | _NO_LINK_ANYWHERE)
    if _NO_LINK and os.open in os.supports_dir_fd:
        return _opened_step_by_step(real)
    return _opened_and_compared(real)


def _opened_step_by_step(real: Path) -> int:
    folder = os.open(real.anchor, _FOLDER)
    try:
        for part in real.parts[1:-1]:
            within = os.open(part, _FOLDER | _NO_LINK, dir_fd=folder)
            os.close(folder)
            folder = within
        return os.open(real.name, _FILE | _NO_LINK, dir_fd=folder)
    finally:
        os.close(folder)


def _opened_and_compared(real: Path) -> int:
    """Where a path can only be opened as a whole, as on Windows: afterwards, it must still be the same."""
    opened = os.open(real, _FILE)
    try:
        is_same = os.path.samestat(os.fstat(opened), real.lstat())
        if not is_same or Path(os.path.realpath(real)) != real:
            raise OSError(None, "a link came into its way")
    except BaseException:
        os.close(opened)
        raise
    return opened
