"""The original files, each kept once under the hash of its content."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from corpora.errors import OriginalNotFound, StorageError

_SHA256 = re.compile(r"[0-9a-f]{64}")
_UNFINISHED = ".unfinished-"


class OriginalStore(Protocol):
    """Keeps original files by their hash: `Originals` in a folder, `StoredOriginals` in a database."""

    def put(self, data: bytes) -> str:
        """Keep the bytes, whole or not at all; returns their SHA-256 in hex."""
        ...

    def get(self, sha256: str) -> bytes:
        """The bytes of that hash; raises `OriginalNotFound`."""
        ...

    def delete_unreferenced(self, referenced: Collection[str]) -> int:
        """Delete all files but those of these hashes, while nothing is added; returns how many."""
        ...


class Originals:
    """A folder of files named by their SHA-256, as `ab/abcdef…`; a file is there whole or not at all."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    def put(self, data: bytes) -> str:
        """Keep the bytes, safe on the disk when this returns; returns their SHA-256 in hex.

        Raises `StorageError`.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.path(sha256)
        if not path.exists():
            try:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                _write_whole(path, data)
            except OSError as error:
                raise StorageError(
                    f"The original file {path} cannot be written ({error.strerror}): make room, or give permission."
                ) from error
        return sha256

    def get(self, sha256: str) -> bytes:
        """The bytes of that hash; raises `OriginalNotFound`."""
        try:
            return self.path(sha256).read_bytes()
        except FileNotFoundError as error:
            raise OriginalNotFound(
                f"The original file {sha256} is missing in {self._folder}: ingest its document again."
            ) from error

    def path(self, sha256: str) -> Path:
        """Where the file of that hash is, or would be."""
        if not _SHA256.fullmatch(sha256):
            raise OriginalNotFound(f"{sha256!r} is not the SHA-256 of an original file: it has 64 hex digits.")
        return self._folder / sha256[:2] / sha256

    def delete_unreferenced(self, referenced: Collection[str]) -> int:
        """Delete all files but those of these hashes, and what a killed process left; returns how many.

        Nothing may be added meanwhile: what is not yet in the catalog would be deleted.
        """
        gone = [path for path in self._folder.glob("??/*") if path.name not in referenced]
        for path in gone:
            path.unlink()
        return len(gone)


def _write_whole(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_UNFINISHED)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
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
