"""Which folders may be linked to a project."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from corpora import CorpusError, is_printable, printable
from ingest.folder import TOO_DEEP, is_left_out, is_there, is_too_deep

_LONGEST = 4096


class FolderNotAllowed(CorpusError):
    """The operator has not allowed this folder to be linked."""

    code = "FOLDER_NOT_ALLOWED"


class FolderUnusable(CorpusError):
    """A path that is no folder that could be read, or one that must not be."""

    code = "FOLDER_UNUSABLE"


@dataclass(frozen=True)
class FolderRoots:
    """The operator's rule.

    Attributes:
        data_dir: Where Fletcher keeps its own files.
        roots: Of each workspace, the only folders that may be linked with what is below them. Where there are none
            for any workspace, the owner of the data directory may link any folder, and nobody else one.
    """

    data_dir: Path
    roots: Mapping[str, tuple[Path, ...]] = field(default_factory=dict[str, tuple[Path, ...]])

    def admit(self, path: str, workspace: str, *, by_owner: bool) -> Path:
        """The folder by its real path; raises `FolderNotAllowed` or `FolderUnusable`, which name it as it was given.

        Where a link leads is not for everybody who may name it.
        """
        # First of all: whoever may not link a folder is not told either whether it is there.
        if not self.roots and not by_owner:
            raise FolderNotAllowed(
                "Folders of the server's machine are linked by whoever runs it: with 'fletcher link' there, or, after "
                f"FLETCHER_FOLDERS={workspace}=PATH has named a folder, by you below that one."
            )
        if len(path) > _LONGEST:
            raise FolderUnusable(f"The path has {len(path):,} characters, and no system has one of over {_LONGEST:,}.")
        if not is_printable(path) or not Path(path).is_absolute():
            raise FolderUnusable(
                f"{printable(path)} is not an absolute path that can be shown; name the folder from its root on, "
                "without control characters, characters that are not seen, or bytes that are not text."
            )
        own = self.roots.get(workspace, ())
        if self.roots and not is_named_below(path, (*own, *(root.resolve() for root in own))):
            raise _not_below(path, workspace)
        folder = Path(os.path.realpath(path))
        self.require_allowed(folder, workspace, path, by_owner=by_owner)
        _require_folder(folder, path)
        self.require_apart(folder, path)
        return folder

    def require_apart(self, folder: Path, given: str = "") -> None:
        """Raise `FolderUnusable` if Fletcher's own files would be among the documents."""
        if self.is_ours(real := Path(os.path.realpath(folder))) or _reaches(real, self.data_dir.resolve()):
            raise FolderUnusable(
                f"{given or folder} holds Fletcher's own files, or is among them (the data directory "
                f"{self.data_dir.resolve()}); take a folder that has only your documents."
            )

    def is_ours(self, path: Path) -> bool:
        """Whether a real path is that of Fletcher's own files, which are of all workspaces."""
        return path.is_relative_to(self.data_dir.resolve())

    def require_allowed(self, folder: Path, workspace: str, given: str = "", *, by_owner: bool) -> None:
        """Raise `FolderNotAllowed` unless the operator lets this folder, by its real path, be read for a workspace.

        `by_owner` says that the owner has linked it.
        """
        if not self.roots and not by_owner:
            raise FolderNotAllowed(
                f"{given or folder} is not read: it was linked without the owner's key, or before it was recorded who "
                "links, and FLETCHER_FOLDERS names no folders. Whoever runs the server can link it again: "
                f"fletcher link {shlex.quote(given or str(folder))}"
            )
        if Path(os.path.realpath(folder)) != folder:
            raise FolderNotAllowed(
                f"{given or folder} leads elsewhere by now, so it is not read any more; link it again."
            )
        own = self.roots.get(workspace, ())
        if self.roots and not any(folder.is_relative_to(root.resolve()) for root in own):
            raise _not_below(given or str(folder), workspace)


def is_named_below(path: str | Path, folders: Iterable[Path]) -> bool:
    """Whether a path says itself that it is below one of the folders.

    What is elsewhere is not even looked at: a drive may hang, and Windows would sign in to another machine.
    """
    named = Path(path)
    return ".." not in named.parts and any(map(named.is_relative_to, folders))


def _not_below(given: str, workspace: str) -> FolderNotAllowed:
    return FolderNotAllowed(
        f"{given} may not be linked: it is not below one of the folders of workspace {workspace!r} in "
        f"FLETCHER_FOLDERS. Whoever runs the server can add it there: {workspace}=PATH."
    )


def _reaches(folder: Path, data_dir: Path) -> bool:
    """Whether a scan of the folder would come upon the data directory."""
    if not data_dir.is_relative_to(folder):
        return False
    return not any(is_left_out(part) for part in data_dir.relative_to(folder).parts)


def _require_folder(folder: Path, given: str) -> None:
    if not is_there(folder):
        raise FolderUnusable(f"{given}: there is no such folder; check the path.")
    if not folder.is_dir():
        raise FolderUnusable(f"{given} is a file; link the folder that it is in.")
    if is_too_deep(folder):
        raise FolderUnusable(f"{given}: {TOO_DEEP}")
    try:
        with os.scandir(folder):
            pass
    except OSError as error:
        raise FolderUnusable(
            f"{given} cannot be read ({error.strerror}); give permission to the user that Fletcher runs as."
        ) from error
