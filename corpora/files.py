"""Files that are there whole or not at all: ours, which only their owner can read, and users' own."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

from corpora.rights import Rights
from corpora.unfinished import begin, sweep

# Locked until it has its place; on Windows nobody sweeps, and what is open takes no other's place.
_STAYS_OPEN = sys.platform != "win32"


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
    put(path, data, Rights(0o600))


def replace_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a user's file as `write_whole` does, with its rights, and sweep its folder.

    Args:
        path: No link, as it would be replaced, too.
        data: What will be in it.
        mode: Those of a file that is not there yet.

    Raises:
        OSError: As `write_whole`.
    """
    put(path, data, Rights.of(path) if path.exists() else Rights(mode), sweeps=True)


def put(
    path: Path,
    data: bytes,
    rights: Rights,
    folder: int | None = None,
    taking_its_place: AbstractContextManager[None] | None = None,
    *,
    sweeps: bool = False,
) -> None:
    """Write a file whole with the rights that are given.

    Args:
        path: Where it is put.
        data: What will be in it.
        rights: Its rights.
        folder: The descriptor of the folder that a relative path starts at.
        taking_its_place: Entered for the instant in which the file, all written, takes the place of another.
        sweeps: What killed writers left in its folder is deleted then.

    Raises:
        OSError: As `write_whole`.
    """
    temporary, handle = begin(path, folder)
    try:
        with os.fdopen(handle, "wb", closefd=not _STAYS_OPEN) as file:
            file.write(data)
            file.flush()
            rights.give(file.fileno())
            os.fsync(file.fileno())
        with taking_its_place or nullcontext():
            os.replace(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        raise
    finally:
        if _STAYS_OPEN:
            os.close(handle)
    _settle(path.parent, folder, sweeps=sweeps)


def _settle(path: Path, folder: int | None, *, sweeps: bool) -> None:
    """Make a rename last through a power cut, where the system lets one open a folder for that."""
    if os.name != "posix":
        return
    try:
        handle = os.open(path, os.O_RDONLY, dir_fd=folder)
    except OSError:  # one that may be written to, and not listed
        return
    try:
        with suppress(OSError):  # the file has its place by now, and some drives know this of no folder
            os.fsync(handle)
        if sweeps:
            sweep(handle)
    finally:
        os.close(handle)
