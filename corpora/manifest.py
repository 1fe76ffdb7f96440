"""The manifest: which documents the originals are, beside them, so that a lost catalog can be made anew."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from corpora.errors import CorpusError, StorageError
from corpora.files import private_folder, write_whole
from corpora.records import ProjectKey
from corpora.trouble import Trouble

logger = logging.getLogger(__name__)

_ENTRY, _ASIDE = ".json", ".removing"


@dataclass(frozen=True, order=True)
class ManifestEntry:
    """One document: `sha256` is that of its original."""

    key: ProjectKey
    name: str
    sha256: str


class Manifest:
    """A folder with one small file for each document of each project.

    An entry is written after its document is in the catalog, and goes before it. Whatever a kill between the two
    leaves out, `settle` or the same call again puts right.

    An entry that goes is put aside until its document is gone: it comes back without room on the disk.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._awaited: dict[Path, str] = {}
        self._trouble = Trouble(logger)

    @property
    def is_there(self) -> bool:
        """Whether one was ever written: older Fletchers wrote none."""
        return self._folder.is_dir()

    def put(self, entry: ManifestEntry) -> None:
        """Write an entry in place of what had its name; raises `StorageError`."""
        path, line = self._path(entry.key, entry.name), _line(entry)
        self._awaited.pop(path, None)
        try:
            if not _holds(path, line):
                private_folder(self._folder)
                write_whole(path, line)
        except OSError as error:
            raise self._unusable(error) from error

    @contextmanager
    def removing(self, key: ProjectKey, name: str) -> Generator[None]:
        """Take an entry out, if there is one, for what is done meanwhile; if that fails, it is there again.

        Raises:
            StorageError: It cannot be taken out.
        """
        path = self._path(key, name)
        aside = path.with_suffix(_ASIDE)
        try:
            with suppress(FileNotFoundError):
                path.replace(aside)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            yield
        except BaseException:
            with suppress(OSError):  # what has failed is what matters
                aside.replace(path)
            raise
        with suppress(OSError):  # `settle` does it
            aside.unlink(missing_ok=True)

    def settle(self, known: Iterable[tuple[ManifestEntry, datetime]], is_kept: Callable[[str], bool]) -> None:
        """End what was killed: each document of the catalog has an entry, and one that was being removed is gone else.

        An entry that names another original stays if that is kept and the entry is newer than the document, or if the
        document's own is not kept: then the catalog is an older one that was put back. A copy or a clock may have made
        every entry newer.

        Args:
            known: The documents of the catalog, and when each was written.
            is_kept: Whether the original of a hash is there.

        Raises:
            StorageError: It cannot be written.
        """
        try:
            for entry, written_at in known:
                path = self._path(entry.key, entry.name)
                try:
                    its, is_older = _entry(path), path.stat().st_mtime < written_at.timestamp()
                except FileNotFoundError:
                    with suppress(OSError):  # it is written, which needs room
                        path.with_suffix(_ASIDE).replace(path)
                    self.put(entry)
                else:
                    is_of_use = its is not None and not is_older and is_kept(its.sha256)
                    if its != entry and not is_of_use and is_kept(entry.sha256):
                        self.put(entry)
            for aside in self._folder.glob(f"*{_ASIDE}"):
                aside.unlink(missing_ok=True)
        except OSError as error:
            raise self._unusable(error) from error

    def begin(self, entries: Iterable[ManifestEntry]) -> None:
        """Write the first entries, of a catalog that had no manifest before: all of them or none."""
        unfinished = Manifest(self._folder.with_name(f"{self._folder.name}.unfinished"))
        try:
            private_folder(unfinished._folder)
            for entry in entries:
                unfinished.put(entry)
            unfinished._folder.replace(self._folder)
        except OSError as error:
            raise self._unusable(error) from error

    def beyond(self, known: Collection[ManifestEntry]) -> list[ManifestEntry]:
        """The entries of other documents than these, by project and name."""
        return self._read(but={self._path(entry.key, entry.name) for entry in known})

    def await_documents(self, entries: Iterable[ManifestEntry]) -> None:
        """The catalog lacks the documents of these entries, and may get them again."""
        self._awaited = {self._path(entry.key, entry.name): entry.sha256 for entry in entries}

    @property
    def awaited(self) -> frozenset[str]:
        """The hashes of what the catalog lacked and has not got since."""
        return frozenset(self._awaited.copy().values())

    def entries(self) -> list[ManifestEntry]:
        """All entries, by project and name; what is no entry is left out."""
        return self._read()

    def written_at(self, entry: ManifestEntry) -> datetime | None:
        """When the document was written, as far as its entry tells; None where that is gone."""
        try:
            return datetime.fromtimestamp(self._path(entry.key, entry.name).stat().st_mtime, UTC)
        except FileNotFoundError:
            return None

    def _read(self, but: Collection[Path] = ()) -> list[ManifestEntry]:
        paths = (path for path in self._folder.glob(f"*{_ENTRY}") if path not in but)
        return sorted(entry for path in paths if (entry := _entry(path)))

    def _path(self, key: ProjectKey, name: str) -> Path:
        return self._folder / f"{key.document_id(name)}{_ENTRY}"

    def _unusable(self, error: OSError) -> StorageError:
        self._trouble.say(str(error.strerror), "the manifest %s cannot be written: %s", self._folder, error)
        name = f"{self._folder.parent.name}/{self._folder.name}"
        return StorageError(f"The manifest {name} cannot be written ({error.strerror}): make room, or give permission.")


def _line(entry: ManifestEntry) -> bytes:
    fields = {
        "workspace": entry.key.workspace,
        "project": entry.key.project_id,
        "name": entry.name,
        "sha256": entry.sha256,
    }
    return json.dumps(fields).encode() + b"\n"


def _holds(path: Path, line: bytes) -> bool:
    try:
        return path.read_bytes() == line
    except OSError:  # there is none, or it cannot be read, and is written anew
        return False


def _entry(path: Path) -> ManifestEntry | None:
    """None of what is none, or cannot be read; raises `FileNotFoundError`."""
    try:
        fields = json.loads(path.read_bytes())
        return ManifestEntry(ProjectKey(fields["workspace"], fields["project"]), fields["name"], fields["sha256"])
    except FileNotFoundError:
        raise
    except (OSError, ValueError, LookupError, TypeError, CorpusError):
        logger.warning("%s is no entry of a manifest and is left out", path)
        return None
