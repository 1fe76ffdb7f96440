"""The data directory, and which one process owns it."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from corpora.errors import DirectoryBusy, StorageError
from corpora.files import close_to_others, write_whole
from corpora.originals import Originals

if TYPE_CHECKING:
    from sqlalchemy import URL

_WAIT_FOR_A_SHORT_COMMAND_S = 60.0
# Long enough to sit out a process that only looks whether the lock is held.
_WAIT_FOR_A_GLANCE_S = 0.2
_POLL_S = 0.02
_KEPT = ("catalog", "originals", "chroma", "stories")  # what the names of all begin with that others could read
_URL = re.compile(r"http://(?:\[([0-9a-f:.]+)\]|([0-9.]+|localhost)):[0-9]+")


@dataclass(frozen=True)
class Owner:
    """The process that owns a data directory; a long-running one answers at `url` to whom shows `key`."""

    pid: int
    url: str | None = None
    key: str | None = None


class DataDirectory:
    """Where Fletcher keeps everything: the catalog, the originals, the vectors, and the lock over them."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser().absolute()
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            for name in ("originals", "chroma"):  # an older Fletcher's
                close_to_others(self.path / name)
        except OSError as error:
            raise _unusable(self.path, error) from error

    @property
    def originals(self) -> Originals:
        """The store of original files."""
        return Originals(self.path / "originals")

    @property
    def catalog_url(self) -> URL:
        """The URL of the SQLite catalog."""
        from sqlalchemy import URL  # here, as a command that finds an owner opens no catalog

        return URL.create("sqlite", database=str(self.path / "catalog.sqlite3"))

    @property
    def chroma_path(self) -> Path:
        """The folder of Chroma's embedded client."""
        return self.path / "chroma"

    def owner(self) -> Owner | None:
        """Who owns the directory now; None if nobody does, whatever a killed process left behind.

        Raises `DirectoryBusy` if what the owner says is not believed, and `StorageError`.
        """
        lock = self._lock()
        if not self._acquired(lock, 0):
            return self._recorded_owner()
        try:
            self._forget_owner()
        finally:
            lock.release()
        return None

    def own(
        self, url: str | None = None, key: str | None = None, *, wait_s: float = _WAIT_FOR_A_SHORT_COMMAND_S
    ) -> Ownership:
        """Become the owner, until the `Ownership` is released (it is a context manager) or the process dies.

        With `url`, others are told to talk to us there, showing `key` (made up if None). If the owner
        is a short command, without url, this waits for up to `wait_s` seconds.

        Raises `DirectoryBusy` or `StorageError`, at once where another user's owner, or an address that is none of
        this machine's, would have to be believed, or what another user has laid there would have to be written to.
        """
        self._refuse_what_others_laid()
        lock = self._lock()
        give_up_at = time.monotonic() + wait_s
        while not self._acquired(lock, _WAIT_FOR_A_GLANCE_S):
            owner = self._recorded_owner()
            if (owner and owner.url) or time.monotonic() >= give_up_at:
                raise self._busy(owner)
        ownership = Ownership(lock, self.owner_file)
        try:
            self._forget_owner()
            ownership.announce(url, key)
        except BaseException:
            lock.release()
            raise
        return ownership

    def _refuse_what_others_laid(self) -> None:
        try:
            laid = _laid_by_others(self.path) if os.name == "posix" else None
        except OSError as error:
            raise _unusable(self.path, error) from error
        if laid is not None:
            raise StorageError(
                f"The data directory {self.path} can be written to by others, and {laid.name} in it belongs to another "
                "user, who could read all that is kept in it. Choose another directory with --data-dir, or make it "
                "yours."
            )

    def _forget_owner(self) -> None:
        try:
            self.owner_file.unlink(missing_ok=True)
        except OSError as error:
            raise _unusable(self.path, error) from error

    @property
    def owner_file(self) -> Path:
        """Where the owner says its address and its key, for this user alone."""
        return self.path / "owner.json"

    def _lock(self) -> FileLock:
        # Not bound to a thread: a server takes it in one and gives it back in another.
        return FileLock(self.path / "lock", mode=0o600, thread_local=False)

    def _acquired(self, lock: FileLock, wait_s: float) -> bool:
        try:
            lock.acquire(timeout=wait_s, poll_interval=_POLL_S)
        except Timeout:
            return False
        except OSError as error:
            raise _unusable(self.path, error) from error
        return True

    def _recorded_owner(self) -> Owner | None:
        try:
            # Not through a link: it could lead to a file that is ours, but not what an owner wrote.
            handle = os.open(self.owner_file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with os.fdopen(handle, "rb") as file:
                is_ours = _is_ours(handle)
                owner = Owner(**json.loads(file.read()))
        except (FileNotFoundError, ValueError, TypeError):
            return None  # it has not written its name yet, or another version of Fletcher did
        except OSError as error:
            raise _unusable(self.path, error) from error
        if owner.url and not is_ours:
            raise self._not_believed("it belongs to another user")
        if owner.url and not _is_on_this_machine(owner.url):
            raise self._not_believed("it names no address of this machine")
        return owner

    def _not_believed(self, reason: str) -> DirectoryBusy:
        """Whoever asks the owner sends documents and questions to the address in that file."""
        return DirectoryBusy(
            f"The data directory {self.path} belongs to another process, and {self.owner_file.name} in it is not "
            f"believed, because {reason}. Choose another directory with --data-dir.",
            None,
        )

    def _busy(self, owner: Owner | None) -> DirectoryBusy:
        who = f"process {owner.pid}" if owner else "another process"
        if owner and owner.url:
            remedy = f"It answers at {owner.url}: talk to it there, or stop it first."
        else:
            remedy = "Wait until it is done, or stop it, or choose another directory with --data-dir."
        return DirectoryBusy(
            f"The data directory {self.path} belongs to {who}; it has one owner at a time. {remedy}", owner
        )


def _laid_by_others(folder: Path) -> Path | None:
    """What has a name of ours, and belongs neither to us nor to whoever may do in the folder what they like."""
    status = folder.stat()
    if not status.st_mode & 0o022:
        return None
    trusted = {os.geteuid(), status.st_uid, 0}
    ours = (path for path in folder.iterdir() if path.name.startswith(_KEPT))
    return next((path for path in ours if path.lstat().st_uid not in trusted), None)


def _is_ours(handle: int) -> bool:
    """Whether this user wrote the open file; where files have no user id, whoever may write into the directory did."""
    return os.name != "posix" or os.fstat(handle).st_uid == os.geteuid()


def _is_on_this_machine(url: str) -> bool:
    """Whether a server here can have said so: one may be bound to another address than loopback's."""
    if (named := _URL.fullmatch(str(url))) is None:
        return False
    try:
        with socket.socket(socket.AF_INET6 if named[1] else socket.AF_INET) as bound:
            bound.bind((named[1] or named[2], 0))  # only an address of this machine can be bound to
    except OSError:
        return False
    return True


def _unusable(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"The data directory {path} cannot be used ({error.strerror}): make room, give permission, or choose another "
        "with --data-dir."
    )


class Ownership:
    """The right to open the files of a data directory; a context manager that gives it back."""

    def __init__(self, lock: FileLock, owner_file: Path) -> None:
        self._lock = lock
        self.owner_file = owner_file
        self.owner = Owner(os.getpid())

    def announce(self, url: str | None, key: str | None = None) -> Owner:
        """Tell others where to talk to us, once that is known; without a key, a random one is made up.

        Raises `StorageError`.
        """
        if url is not None and key is None:
            key = secrets.token_urlsafe(32)
        self.owner = Owner(os.getpid(), url, key)
        try:
            write_whole(self.owner_file, json.dumps(asdict(self.owner)).encode())
        except OSError as error:
            raise _unusable(self.owner_file.parent, error) from error
        return self.owner

    def release(self) -> None:
        """Give the directory back; a second time does nothing."""
        if self._lock.is_locked:
            self.owner_file.unlink(missing_ok=True)
            self._lock.release()

    def __enter__(self) -> Ownership:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
