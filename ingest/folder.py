"""Files and folders on the disk as documents to add."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Literal, NamedTuple

from corpora import InvalidName, NotAFile, listed, printable
from ingest.plain_file import OutsideFolder, leads_out, open_plain_file
from ingest.readers import SUFFIXES, is_told_at_a_glance
from ingest.readers.named import named_readers
from ingest.source import MAX_DOCUMENT_BYTES, Refusal, Source, Unread, document_name, known_as, too_large

MOST_ENTRIES = 20_000
"""The files and folders of a folder that somebody else has the server read: each is kept in memory."""

MOST_CHARACTERS = 5_000_000
"""Of the paths of all of these: a path may have four thousand of them."""
MOST_DEEP = 100
"""The folders that one path leads through: each file's path is kept in memory, and a walk recurses."""

_MAY_GROW_TO = 2**18  # bytes, from whatever it has

TOO_DEEP = f"its path has more than {MOST_DEEP} folders, and none so deep is read; move it further up."

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


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str  # as the catalog has it, or as it can be shown
    folder: Path
    below: str  # its path in the folder
    refusal: Refusal | None = None
    stamp: Stamp | None = None  # where it is known, the file is read as it was then or not at all
    inside: Path | None = None  # the real path of the folder that it must not lead out of

    @property
    def size(self) -> int:
        return (self.stamp or _stamp(self.folder / self.below)).size


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
    def unread(self) -> tuple[Unread | Refusal, ...]:
        """The same, each to be read when there is room for it."""
        return tuple(entry.refusal or _unread(entry) for entry in self._entries)

    @property
    def names(self) -> frozenset[str]:
        """The names of its documents as the catalog has them, also of those that cannot be read."""
        return frozenset(entry.name for entry in self._entries)

    @property
    def readable(self) -> tuple[str, ...]:
        """The names of those that will be read."""
        return tuple(entry.name for entry in self._entries if entry.refusal is None)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it that could be read, as in the place of a drive that was taken out."""
        return not self.readable


class ScanError(Exception):
    """A given path that cannot be scanned: nothing of it is known, so nothing of it may count as gone."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def scan(paths: str | Path | Iterable[str | Path], inside: Path | None = None) -> Scan:
    """The documents of files and folders, recursively, hidden ones left out; raises `ScanError`.

    A document is named by its path relative to the given folder, a file that was given itself by its file
    name. In a folder, a file of an unknown kind becomes a `skipped` refusal; given itself, it will fail.

    With `inside`, the real path of a folder, no file is read that is not below it when it is opened, and a folder
    has no more than `MOST_ENTRIES`.
    """
    given = [paths] if isinstance(paths, str | Path) else paths
    return Scan(entry for path in given for entry in _found(Path(path), inside))


@dataclass(frozen=True)
class Look:
    """What a folder held at one moment, or whether a file was there, unread; `folders` are all of its folders.

    Everything is named by its path below `folder`, with `/` between the parts: of paths as long as they may be, a
    folder has twenty thousand. No file is read that is not below `inside`, the real path of a folder.
    """

    folder: Path
    inside: Path | None = None
    stamps: Mapping[str, Stamp] = field(default_factory=dict[str, Stamp])
    folders: Mapping[str, Identity] = field(default_factory=dict[str, Identity])
    unreadable: Mapping[str, OSError] = field(default_factory=dict[str, OSError])
    was_named: bool = False  # the file itself

    @property
    def unknown(self) -> tuple[str, ...]:
        """How the names of those documents begin of which nothing can be known."""
        return tuple(f"{known_as(below)}/" for below in self.unreadable)

    def scan(
        self, below: Collection[str], moving: Collection[str] = (), is_wanted: Callable[[], bool] = lambda: True
    ) -> Scan:
        """These of its files; those that are `moving` are refused. A file that has changed since the look is, too.

        Once it is not wanted any more, the rest is left out.
        """
        chosen = (each for each in self.stamps if each in below or each in moving)
        entries = [self._entry(each, each in moving) for each in takewhile(lambda _: is_wanted(), chosen)]
        return Scan(sorted(entries, key=lambda e: e.name))

    def _entry(self, below: str, is_moving: bool) -> _Entry:
        if below in self.unreadable:
            return _unreadable_folder(self.folder, below, self.unreadable[below])
        if is_moving:
            name = known_as(below)
            return _Entry(name, self.folder, below, _changing(name))
        entry = _entry(self.folder, below, self.inside, was_named=self.was_named)
        return replace(entry, stamp=self.stamps[below])


def look_at(file: Path) -> Look:
    """Whether a file is there, and how; raises `ScanError` where its folder is not."""
    try:
        folders = {"": _identity(file.parent)}
        stamps = {file.name: _stamp(file)} if file.is_file() else {}
    except OSError as error:
        raise _not_there(file.parent) from error
    return Look(file.parent, None, stamps, folders, was_named=True)


def look_into(folder: Path, inside: Path, most: int | None = None) -> Look:
    """What a folder holds now, of which only what is below the real path `inside` is read.

    Raises:
        ScanError: It is not there, leads elsewhere, cannot be read, or has more than `most` files and folders.
    """
    try:
        is_there = folder.is_dir()
    except OSError as error:  # of the folder that it is in, or of a drive that does not answer
        raise _unreadable(folder, error) from error
    if not is_there or not _leads_to(folder, inside):  # nobody is told what is where a link leads now
        raise _not_there(folder)
    tree = _Tree(folder, inside, most)
    stamps = {below: _stamp(tree.path(below)) for below in tree.files} | dict.fromkeys(tree.unreadable, _UNREADABLE)
    try:
        folders = {below: _identity(folder / below) for below in tree.folders}
    except OSError as error:  # it went while it was looked at
        raise _not_there(folder) from error
    if not _leads_to(folder, inside):
        raise _not_there(folder)
    return Look(folder, inside, stamps, folders, tree.unreadable)


def _leads_to(folder: Path, real: Path) -> bool:
    try:
        return Path(os.path.realpath(folder)) == real
    except OSError:  # one takes the place of the other just now
        return False


def _not_there(folder: Path) -> ScanError:
    return ScanError(
        "FOLDER_MISSING", f"{printable(str(folder))}: the folder is not there; it was moved, or its drive taken out."
    )


def _too_many(folder: Path, most: int) -> ScanError:
    return ScanError(
        "FOLDER_TOO_LARGE",
        f"{printable(str(folder))}: it has more than {most:,} files and folders, or their paths have more than "
        f"{MOST_CHARACTERS:,} characters, and no more are read of one. Name the folder in it that has the documents.",
    )


def _stamp(path: Path | str) -> Stamp:
    try:
        return _stamp_of(os.stat(path))  # noqa: PTH116  (a `Path` of each file would take as long as all else)
    except OSError:  # gone by now, or a link to nothing
        return _NO_FILE


def _stamp_of(status: os.stat_result) -> Stamp:
    return Stamp(status.st_mtime_ns, status.st_size, status.st_mode)


def _identity(folder: Path) -> Identity:
    status = folder.stat()
    return status.st_dev, status.st_ino


def _found(path: Path, inside: Path | None) -> list[_Entry]:
    if not is_there(path):
        message = f"{printable(str(path))}: there is no such file or folder; check the path."
        raise ScanError("FILE_NOT_FOUND", message)
    if path.is_dir():
        # By name, not as the disk has them: the same folder gives the same report everywhere.
        return sorted(_in_folder(path, inside), key=lambda entry: entry.name)
    return [_entry(path.parent, path.name, inside, was_named=True)]


def _in_folder(root: Path, inside: Path | None) -> Iterator[_Entry]:
    most = MOST_ENTRIES if inside else None
    inside = inside or Path(os.path.realpath(root))
    tree = _Tree(root, inside, most)
    for below in tree.files:
        yield _entry(root, below, inside)
    for below, error in tree.unreadable.items():
        yield _unreadable_folder(root, below, error)


class _Tree:
    """All files and folders below a folder by their paths in it, but for hidden and unfinished ones.

    A link to a folder is as a file, and so is a folder that is too deep. `real` is the path of the folder without
    links: nothing is listed behind one that comes into its way meanwhile.
    """

    def __init__(self, root: Path, real: Path, most: int | None) -> None:
        self._root = str(root).rstrip(os.sep) + os.sep
        self.files: list[str] = []
        self.folders: list[str] = []
        self.unreadable: dict[str, OSError] = {}
        characters, waiting = 0, [""]
        while waiting:
            here = waiting.pop()
            within_depth = len(root.parts) + (here.count("/") + 1 if here else 0) < MOST_DEEP
            files, folders = list[str](), list[str]()
            try:
                # Not `os.walk`, which has all of a folder in memory before anybody can say that it is too much.
                with listed(real / here) as entries:
                    for entry in entries:
                        if is_left_out(entry.name):
                            continue
                        below = _in(here, entry.name)
                        try:
                            is_folder = within_depth and entry.is_dir(follow_symlinks=False)
                            (folders if is_folder else files).append(below)
                        except OSError as error:  # it is listed, and what it is is not said
                            self.unreadable[below] = error
                        characters += len(self._root) + len(here) + len(entry.name)
                        known = sum(map(len, (self.files, self.folders, self.unreadable, waiting, files, folders)))
                        if most is not None and (known >= most or characters > MOST_CHARACTERS):
                            raise _too_many(root, most)
            except OSError as error:
                if not here:
                    raise _unreadable(root, error) from error
                self.unreadable[here] = error
                continue
            self.folders.append(here)
            self.files += files
            waiting += folders

    def path(self, below: str) -> str:
        """The whole path of what has this one in the folder."""
        return self._root + below


def _in(folder: str, name: str) -> str:
    """The path of a file in a folder; kept once, however many looks at it there are, and projects that have it."""
    return sys.intern(f"{folder}/{name}" if folder else name)


def is_left_out(name: str) -> bool:
    """Whether a file or folder of this name in a folder is none of its documents: hidden, or not complete."""
    return name.startswith(_HIDDEN) or name.lower().endswith(_UNFINISHED)


def is_named_as_document(name: str) -> bool:
    """Whether files of this name are read, by its suffix."""
    return Path(name).suffix.lower() in _suffixes()


def _suffixes() -> tuple[str, ...]:
    return (*SUFFIXES, *named_readers())


def is_too_deep(folder: Path) -> bool:
    """Whether what is in it is not read."""
    return len(folder.parts) > MOST_DEEP


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder, also for a name that no system has."""
    return os.path.exists(path)  # noqa: PTH110  (before Python 3.12, that of `Path` raises for one that is too long)


def is_file_itself(path: Path) -> bool:
    """Whether a file, or a link, also to nothing, has this name; raises `OSError` where that cannot be said."""
    try:
        return not stat.S_ISDIR(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError, PermissionError):  # of what may not be looked at is said elsewhere
        return False


def _entry(folder: Path, below: str, inside: Path | None, *, was_named: bool = False) -> _Entry:
    """The entry of one file; where it was named itself, it fails for what is skipped in a folder."""
    name = known_as(below)
    return _Entry(name, folder, below, _refusal(folder / below, name, below, inside, was_named), inside=inside)


def _refusal(path: Path, name: str, below: str, inside: Path | None, was_named: bool) -> Refusal | None:
    try:
        if not was_named and is_too_deep(path) and path.is_dir() and not path.is_symlink():
            return Refusal(name, "skipped", "TOO_DEEP", f"{name}: {TOO_DEEP}")
        if not path.is_file():
            return _not_a_file(name, "failed" if was_named else "skipped")
        real = Path(os.path.realpath(path))
    except OSError as error:
        return _unreadable_file(name, error)
    # What is hidden is no document under another name either: Fletcher's own files may be there.
    if inside is not None and leads_out(real, inside, is_left_out):
        return _outside(name)
    if not was_named and not is_named_as_document(path.name) and not _is_known(path, inside):
        message = f"{name}: files of this kind are not read; known are {', '.join(_suffixes())}."
        return Refusal(name, "skipped", "UNKNOWN_FORMAT", message)
    try:
        document_name(below)
    except InvalidName as error:
        return Refusal(name, "failed", error.code, error.message)
    return None


def _is_known(path: Path, inside: Path | None) -> bool:
    """Whether a file is a document all the same, such as a Rich Text file that is called `.doc`."""
    try:
        file, _ = open_plain_file(path, inside, is_left_out)
        with file:
            return is_told_at_a_glance(file)
    except OSError:
        return False


def _not_a_file(name: str, status: Literal["skipped", "failed"]) -> Refusal:
    message = f"{name}: it is not a file, or a link to nothing or to a folder; name the file or folder itself."
    return Refusal(name, status, "NOT_A_FILE", message)


def _outside(name: str) -> Refusal:
    message = f"{name}: it is a link to a file outside the folder, or to a hidden one; copy the file into the folder."
    return Refusal(name, "skipped", "OUTSIDE_FOLDER", message)


def _changing(name: str) -> Refusal:
    return Refusal(name, "skipped", "CHANGING", f"{name}: it is being written; it is read as soon as it is complete.")


def _unreadable_file(name: str, error: OSError) -> Refusal:
    message = f"{name}: the file cannot be read ({error.strerror}); check that it is there and readable."
    return Refusal(name, "failed", "UNREADABLE", message)


def _unreadable_folder(folder: Path, below: str, error: OSError) -> _Entry:
    name = known_as(below)
    refusal = Refusal(name, "failed", "UNREADABLE", _unreadable(folder / below, error).message)
    return _Entry(name, folder, below, refusal)


def _unreadable(folder: Path, error: OSError) -> ScanError:
    message = f"{printable(str(folder))}: the folder cannot be read ({error.strerror}); change its permissions."
    return ScanError("UNREADABLE", message)


def _unread(entry: _Entry) -> Unread:
    # Its place in memory is for as much as there is now; what is edited meanwhile becomes no other kind of file.
    most = min(max(2 * entry.size, _MAY_GROW_TO), MAX_DOCUMENT_BYTES)
    written_at = _written_at(entry.folder / entry.below)
    return Unread(entry.name, partial(_read, entry, most), size=entry.size, is_on_drive=True, written_at=written_at)


def _written_at(path: Path) -> datetime | None:
    """When a file was written, or moved or copied there: it may say of itself that it is older, or of tomorrow."""
    try:
        status = path.stat()
        came_at = max(status.st_mtime, status.st_ctime) if sys.platform == "win32" else status.st_ctime
        return datetime.fromtimestamp(came_at, UTC)
    except (OSError, OverflowError, ValueError):  # it is gone by now, or its time is none
        return None


def _read(entry: _Entry, most: int = MAX_DOCUMENT_BYTES) -> Source | Refusal:
    try:
        file, status = open_plain_file(entry.folder / entry.below, entry.inside, is_left_out)
        with file:
            if entry.stamp is not None and _stamp_of(status) != entry.stamp:
                return _changing(entry.name)
            if (refusal := too_large(entry.name, status.st_size)) is not None:
                return refusal
            data = file.read(most + 1)
            if len(data) > most:
                return _changing(entry.name)
            if entry.stamp is not None and _stamp_of(os.fstat(file.fileno())) != entry.stamp:
                return _changing(entry.name)
    except OutsideFolder:
        return _outside(entry.name)
    except NotAFile:
        return _not_a_file(entry.name, "skipped")
    except OSError as error:
        return _unreadable_file(entry.name, error)
    return Source(entry.name, data)
