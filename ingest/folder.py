"""Files and folders on the disk as documents to add."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ingest.readers import SUFFIXES, told_by_content
from ingest.source import Refusal, Source

_HIDDEN = (".", "~$")  # ~$: what an open Word leaves beside a document


@dataclass(frozen=True)
class _Entry:
    name: str
    path: Path
    refusal: Refusal | None = None


class Scan(Collection["Source | Refusal"]):
    """What a scan found, in the order of names; each file is read when its turn comes."""

    def __init__(self, entries: Iterable[_Entry]) -> None:
        self._entries = tuple(entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Source | Refusal]:
        return (entry.refusal or _read(entry) for entry in self._entries)

    def __contains__(self, item: object) -> bool:
        return any(item == entry for entry in self)


class ScanError(Exception):
    """A given path that cannot be scanned: nothing of it is known, so nothing of it may count as gone."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def scan(paths: str | Path | Iterable[str | Path]) -> Scan:
    """The documents of files and folders, recursively, hidden ones left out; raises `ScanError`.

    A document is named by its path relative to the given folder, a file that was given itself by its file
    name. In a folder, a file of an unknown kind becomes a `skipped` refusal; given itself, it will fail.
    """
    given = [paths] if isinstance(paths, str | Path) else paths
    return Scan(entry for path in given for entry in _found(Path(path)))


def _found(path: Path) -> list[_Entry]:
    if not path.exists():
        raise ScanError("FILE_NOT_FOUND", f"{path}: there is no such file or folder; check the path.")
    if path.is_dir():
        # By name, not as the disk has them: the same folder gives the same report everywhere.
        return sorted(_in_folder(path), key=lambda entry: entry.name)
    return [_Entry(path.name, path, None if path.is_file() else _not_a_file(path.name, "failed"))]


def _in_folder(root: Path) -> Iterator[_Entry]:
    inside = root.resolve()
    unreadable: list[OSError] = []
    for folder, folders, files in os.walk(root, onerror=unreadable.append):
        here = Path(folder)
        links = [name for name in folders if (here / name).is_symlink()]
        folders[:] = [name for name in folders if not name.startswith(_HIDDEN) and name not in links]
        for name in (*files, *links):
            if not name.startswith(_HIDDEN):
                yield _entry(root, inside, here / name)
    for error in unreadable:
        yield _unreadable_folder(root, error)


def _entry(root: Path, inside: Path, path: Path) -> _Entry:
    name = path.relative_to(root).as_posix()
    refusal = None
    if not path.is_file():
        refusal = _not_a_file(name, "skipped")
    elif not path.resolve().is_relative_to(inside):
        message = f"{name}: it is a link to a file outside the folder; copy the file into the folder."
        refusal = Refusal(name, "skipped", "OUTSIDE_FOLDER", message)
    elif path.suffix.lower() not in SUFFIXES and not _is_known(path):
        message = f"{name}: files of this kind are not read; known are {', '.join(SUFFIXES)}."
        refusal = Refusal(name, "skipped", "UNKNOWN_FORMAT", message)
    return _Entry(name, path, refusal)


def _is_known(path: Path) -> bool:
    """Whether a file is a document all the same, such as a Rich Text file that is called `.doc`."""
    try:
        with path.open("rb") as file:
            return told_by_content(file) is not None
    except OSError:
        return False


def _not_a_file(name: str, status: Literal["skipped", "failed"]) -> Refusal:
    message = f"{name}: it is not a file, or a link to nothing or to a folder; name the file or folder itself."
    return Refusal(name, status, "NOT_A_FILE", message)


def _unreadable_folder(root: Path, error: OSError) -> _Entry:
    path = Path(error.filename)
    message = f"{path}: the folder cannot be read ({error.strerror}); change its permissions."
    if path == root:
        raise ScanError("UNREADABLE", message) from error
    name = path.relative_to(root).as_posix()
    return _Entry(name, path, Refusal(name, "failed", "UNREADABLE", message))


def _read(entry: _Entry) -> Source | Refusal:
    try:
        return Source(entry.name, entry.path.read_bytes())
    except OSError as error:
        message = f"{entry.name}: the file cannot be read ({error.strerror}); check that it is there and readable."
        return Refusal(entry.name, "failed", "UNREADABLE", message)
