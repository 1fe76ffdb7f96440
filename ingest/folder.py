"""Files and folders on the disk as documents to add."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from ingest.readers import SUFFIXES, told_by_content
from ingest.source import MAX_DOCUMENT_BYTES, Refusal, Source, known_as, too_large

_HIDDEN = (".", "~$")  # ~$: what an open Word leaves beside a document
# What a program still writes: a save or a download that is renamed when it is complete, and an editor's backup.
_UNFINISHED = (".tmp", ".crdownload", ".part", ".partial", ".download", "~")


class Stamp(NamedTuple):
    """What is different once a file was written, or may be read at last."""

    mtime_ns: int
    size: int
    mode: int


Identity = tuple[int, int]  # device and inode
_NO_FILE = Stamp(0, 0, 0)
_UNREADABLE = Stamp(0, 0, -1)


@dataclass(frozen=True)
class _Entry:
    name: str
    path: Path
    refusal: Refusal | None = None
    stamp: Stamp | None = None  # where it is known, the file is read as it was then or not at all


class Scan(Collection["Source | Refusal"]):
    """What a scan found, in the order of names; each file is read when its turn comes."""

    def __init__(self, entries: Iterable[_Entry]) -> None:
        self._entries = tuple(entries)

    @classmethod
    def of(cls, scans: Iterable[Scan]) -> Scan:
        """Several scans as one."""
        return cls(entry for each in scans for entry in each._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Source | Refusal]:
        return (entry.refusal or _read(entry) for entry in self._entries)

    def __contains__(self, item: object) -> bool:
        return any(item == entry for entry in self)

    @property
    def names(self) -> frozenset[str]:
        """The names of its documents as the catalog has them, also of those that cannot be read."""
        return frozenset(known_as(entry.name) for entry in self._entries)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it that could be read, as in the place of a drive that was taken out."""
        return all(entry.refusal is not None for entry in self._entries)


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


@dataclass(frozen=True)
class Look:
    """What a file or folder held at one moment, by path and unread; `folders` are all of its folders."""

    root: Path
    stamps: Mapping[Path, Stamp] = field(default_factory=dict[Path, Stamp])
    folders: Mapping[Path, Identity] = field(default_factory=dict[Path, Identity])
    unreadable: Mapping[Path, OSError] = field(default_factory=dict[Path, OSError])

    def name(self, path: Path) -> str:
        """The document's name, as `scan` gives it."""
        return path.name if path == self.root else path.relative_to(self.root).as_posix()

    def scan(self, paths: Collection[Path], moving: Collection[Path] = ()) -> Scan:
        """These of its files; those that are `moving` are refused. A file that has changed since the look is, too."""
        inside = self.root.resolve()
        chosen = [path for path in self.stamps if path in paths or path in moving]
        return Scan(sorted((self._entry(inside, path, path in moving) for path in chosen), key=lambda e: e.name))

    def _entry(self, inside: Path, path: Path, is_moving: bool) -> _Entry:
        if path in self.unreadable:
            return _unreadable_folder(self.root, self.unreadable[path])
        name = self.name(path)
        if is_moving:
            return _Entry(name, path, _changing(name))
        entry = _Entry(name, path) if path == self.root else _entry(self.root, inside, path)
        return _Entry(name, path, entry.refusal, self.stamps[path])


def look_at(file: Path) -> Look:
    """Whether a file is there, and how; raises `ScanError` where its folder is not."""
    try:
        folders = {file.parent: _identity(file.parent)}
    except OSError as error:
        raise _not_there(file.parent) from error
    return Look(file, {file: _stamp(file)} if file.is_file() else {}, folders)


def look_into(folder: Path) -> Look:
    """What a folder holds now; raises `ScanError`."""
    if not folder.is_dir():
        raise _not_there(folder)
    tree = _Tree(folder)
    stamps = {path: _stamp(path) for path in tree.files} | dict.fromkeys(tree.unreadable, _UNREADABLE)
    try:
        folders = {each: _identity(each) for each in tree.folders}
    except OSError as error:  # it went while it was looked at
        raise _not_there(folder) from error
    return Look(folder, stamps, folders, tree.unreadable)


def _not_there(folder: Path) -> ScanError:
    return ScanError("FOLDER_MISSING", f"{folder}: the folder is not there; it was moved, or its drive taken out.")


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except OSError:  # gone by now, or a link to nothing
        return _NO_FILE
    return Stamp(status.st_mtime_ns, status.st_size, status.st_mode)


def _identity(folder: Path) -> Identity:
    status = folder.stat()
    return status.st_dev, status.st_ino


def _found(path: Path) -> list[_Entry]:
    if not path.exists():
        raise ScanError("FILE_NOT_FOUND", f"{path}: there is no such file or folder; check the path.")
    if path.is_dir():
        # By name, not as the disk has them: the same folder gives the same report everywhere.
        return sorted(_in_folder(path), key=lambda entry: entry.name)
    return [_Entry(path.name, path, None if path.is_file() else _not_a_file(path.name, "failed"))]


def _in_folder(root: Path) -> Iterator[_Entry]:
    inside = root.resolve()
    tree = _Tree(root)
    for path in tree.files:
        yield _entry(root, inside, path)
    for error in tree.unreadable.values():
        yield _unreadable_folder(root, error)


class _Tree:
    """All files and folders below a folder, but for hidden and unfinished ones; a link to a folder is as a file."""

    def __init__(self, root: Path) -> None:
        self.files: list[Path] = []
        self.folders: list[Path] = []
        self.unreadable: dict[Path, OSError] = {}

        def note(error: OSError) -> None:
            if Path(error.filename) == root:
                raise _unreadable(root, error) from error
            self.unreadable[Path(error.filename)] = error

        for folder, folders, files in os.walk(root, onerror=note):
            here = Path(folder)
            self.folders.append(here)
            links = [name for name in folders if (here / name).is_symlink()]
            folders[:] = [name for name in folders if not is_left_out(name) and name not in links]
            self.files += [here / name for name in (*files, *links) if not is_left_out(name)]


def is_left_out(name: str) -> bool:
    """Whether a file or folder of this name in a folder is none of its documents: hidden, or not complete."""
    return name.startswith(_HIDDEN) or name.lower().endswith(_UNFINISHED)


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


def _changing(name: str) -> Refusal:
    return Refusal(name, "skipped", "CHANGING", f"{name}: it is being written; it is read as soon as it is complete.")


def _unreadable_folder(root: Path, error: OSError) -> _Entry:
    path = Path(error.filename)
    name = path.relative_to(root).as_posix()
    return _Entry(name, path, Refusal(name, "failed", "UNREADABLE", _unreadable(path, error).message))


def _unreadable(folder: Path, error: OSError) -> ScanError:
    message = f"{folder}: the folder cannot be read ({error.strerror}); change its permissions."
    return ScanError("UNREADABLE", message)


def _read(entry: _Entry) -> Source | Refusal:
    try:
        with entry.path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            found = too_large(entry.name, size) or Source(entry.name, file.read(MAX_DOCUMENT_BYTES + 1))
    except OSError as error:
        message = f"{entry.name}: the file cannot be read ({error.strerror}); check that it is there and readable."
        found = Refusal(entry.name, "failed", "UNREADABLE", message)
    if entry.stamp is not None and _stamp(entry.path) != entry.stamp:
        return _changing(entry.name)
    return found
