"""Files that are there whole or not at all: ours, which only their owner can read, and users' own."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

UNFINISHED = ".unfinished-"


def private_folder(folder: Path) -> None:
    """Make a folder, or one that is there already, its owner's alone; those above it are left as they are."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    close_to_others(folder)


def close_to_others(path: Path) -> None:
    """Take all rights of others on a file or folder away, if it is there and ours."""
    with suppress(FileNotFoundError, PermissionError):  # the mode of what is another user's is that user's to choose
        mode = path.stat().st_mode
        if mode & 0o077:
            path.chmod(mode & 0o700)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is its owner's alone in place of another, safe on the disk when this returns.

    Raises:
        OSError: It cannot be written; what was there is as it was, and nothing else is left.
    """
    _put(path, data, 0o600)


def replace_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a user's file as `write_whole` does, with the rights that it has.

    Args:
        path: No link, as it would be replaced, too.
        data: What will be in it.
        mode: Those of a file that is not there yet.

    Raises:
        OSError: As `write_whole`.
    """
    _put(path, data, stat.S_IMODE(path.stat().st_mode) if path.exists() else mode)


def _put(path: Path, data: bytes, mode: int) -> None:
    # mkstemp makes it readable for us alone.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=UNFINISHED)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode != 0o600:
            Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where the system lets one open a folder for that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
