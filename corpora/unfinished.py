"""Files that are being written, to take another's place once they are whole; and what killed writers left of them."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

UNFINISHED = ".unfinished-"
_NAME = re.compile(re.escape(UNFINISHED) + "[0-9a-f]{16}")
_NEW: int = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_TRIES = 3


def begin(path: Path, folder: int | None) -> tuple[Path, int]:
    """A new file beside another, its owner's alone, and its descriptor: until that is closed, `sweep` leaves the file.

    Args:
        path: The other.
        folder: The descriptor of the folder that a relative path starts at.
    """
    for _ in range(_TRIES):
        temporary = path.with_name(f"{UNFINISHED}{secrets.token_hex(8)}")
        handle = os.open(temporary, _NEW, 0o600, dir_fd=folder)
        if _is_held(handle, temporary, folder):
            return temporary, handle
        os.close(handle)
    raise OSError(errno.EAGAIN, "what is being written is deleted by another program")


def sweep(folder: int) -> None:
    """Delete what writers that were killed left in a folder, where its system has locks that tell them from the living.

    Args:
        folder: Its descriptor.
    """
    if sys.platform == "win32":
        return
    with suppress(OSError):
        for name in filter(_NAME.fullmatch, os.listdir(folder)):
            with suppress(OSError):  # it is being written, or another user's, or gone, or no file at all
                _delete_if_left(name, folder)


def _is_held(handle: int, temporary: Path, folder: int | None) -> bool:
    """Not if somebody has swept the file away since it was made."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.stat(temporary, dir_fd=folder, follow_symlinks=False)
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError:  # a file system without locks, which nobody sweeps
        return True
    return True


def _delete_if_left(name: str, folder: int) -> None:
    if sys.platform == "win32":
        return
    handle = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        status = os.fstat(handle)
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name, dir_fd=folder)
    finally:
        os.close(handle)
