"""The original files, each kept once under the hash of its content."""

from __future__ import annotations

import hashlib
import logging
import re
import threading
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from corpora.errors import OriginalNotFound, StorageError
from corpora.files import private_folder, write_whole
from corpora.manifest import Manifest
from corpora.trouble import Trouble
from corpora.unfinished import UNFINISHED

logger = logging.getLogger(__name__)

_SHA256 = re.compile(r"[0-9a-f]{64}")
_OF_FOLDER = 2  # of these digits


class OriginalStore(Protocol):
    """Keeps original files by their hash: `Originals` in a folder, `StoredOriginals` in a database."""

    @property
    def manifest(self) -> Manifest | None:
        """Which documents they are; None where the catalog's own database has them, which is lost with it."""
        ...

    def put(self, data: bytes) -> str:
        """Keep the bytes, whole or not at all; returns their SHA-256 in hex."""
        ...

    def get(self, sha256: str) -> bytes:
        """The bytes of that hash; raises `OriginalNotFound`."""
        ...

    def has(self, sha256: str) -> bool:
        """Whether the bytes of that hash are kept."""
        ...

    def delete(self, hashes: Iterable[str]) -> set[str]:
        """Delete the files of these hashes, where there are such; none of them may be added meanwhile.

        Returns those that cannot be deleted.
        """
        ...

    def hashes(self) -> set[str]:
        """The hashes of all that is kept."""
        ...


class Originals:
    """A folder of files named by their SHA-256, as `ab/abcdef…`; a file is there whole or not at all."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        self.manifest = Manifest(self._folder / "documents")
        self._trouble = Trouble(logger)
        # What is being written looks like what a killed process left; of each folder by itself, as that takes seconds.
        self._changing = defaultdict[str, threading.Lock](threading.Lock)

    def put(self, data: bytes) -> str:
        """Keep the bytes, safe on the disk when this returns; returns their SHA-256 in hex.

        Raises `StorageError`.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.path(sha256)
        if not _is_whole(path, len(data), sha256):
            try:
                with self._changing[path.parent.name]:
                    private_folder(self._folder)
                    private_folder(path.parent)
                    write_whole(path, data)
            except OSError as error:
                self._trouble.say(f"put: {error.strerror}", "%s cannot be written: %s", path, error)
                raise StorageError(
                    f"The original file {sha256} cannot be written ({error.strerror}): make room, or give permission."
                ) from error
        return sha256

    def get(self, sha256: str) -> bytes:
        """The bytes of that hash; raises `OriginalNotFound`, or `StorageError` where these cannot be read any more."""
        path = self.path(sha256)
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise OriginalNotFound(f"The original file {sha256} is missing: ingest its document again.") from error
        except OSError as error:
            self._trouble.say(f"get: {error.strerror}", "%s cannot be read: %s", path, error)
            raise StorageError(
                f"The original file {sha256} cannot be read ({error.strerror}): give permission, or ingest its "
                "document again if the disk is damaged."
            ) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            self._trouble.say("get: damaged", "%s is damaged: it has other bytes than it was given", path)
            raise StorageError(f"The original file {sha256} is damaged: ingest its document again.")
        return data

    def has(self, sha256: str) -> bool:
        """Whether the bytes of that hash are kept, as far as the disk can say."""
        try:
            return self.path(sha256).exists()
        except OSError:
            return False

    def path(self, sha256: str) -> Path:
        """Where the file of that hash is, or would be."""
        if not _SHA256.fullmatch(sha256):
            raise OriginalNotFound(f"{sha256!r} is not the SHA-256 of an original file: it has 64 hex digits.")
        return self._folder / sha256[:_OF_FOLDER] / sha256

    def delete(self, hashes: Iterable[str]) -> set[str]:
        """Delete the files of these hashes, and what a process that was killed while it wrote them left.

        Those stay whose documents the manifest awaits. None of them may be added meanwhile. Returns those that cannot
        be deleted, which the log tells: whoever is served has done nothing wrong.
        """
        stay = set[str]()
        folders = set[Path]()
        for path in map(self.path, set(hashes) - self.manifest.awaited):
            folders.add(path.parent)
            if not self._is_gone(path):
                stay.add(path.name)
        for folder in folders:
            changing = self._changing[folder.name]
            if not changing.acquire(blocking=False):  # another one is being written there, which takes seconds
                continue
            try:
                with suppress(OSError):  # what is left stays, and takes room
                    for left in folder.glob(f"{UNFINISHED}*"):
                        self._is_gone(left)
            finally:
                changing.release()
        return stay

    def _is_gone(self, path: Path) -> bool:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            self._trouble.say(f"delete: {error.strerror}", "an original file cannot be deleted: %s", error)
            return False
        return True

    def hashes(self) -> set[str]:
        """The hashes of all files but those of a folder that cannot be listed, which the log tells.

        Raises `StorageError` where the folder of all cannot be listed.
        """
        try:
            folders = [*self._folder.iterdir()]
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise StorageError(f"The originals in {self._folder} cannot be listed: {error.strerror}.") from error
        hashes = set[str]()
        for folder in folders:
            if len(folder.name) == _OF_FOLDER:
                hashes |= {path.name for path in self._listed(folder) if _SHA256.fullmatch(path.name)}
        return hashes

    def _listed(self, folder: Path) -> list[Path]:
        try:
            return [*folder.iterdir()]
        except OSError as error:
            logger.warning("the originals in %s cannot be listed: %s", folder, error.strerror)
            return []


def _is_whole(path: Path, size: int, sha256: str) -> bool:
    """Whether the bytes are there, which a damaged disk may have changed."""
    try:
        if path.stat().st_size != size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False
