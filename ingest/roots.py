"""Which folders may be linked to a project."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from corpora import CorpusError
from ingest.folder import is_left_out


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
        roots: Only these folders and what is below them; None: any folder.
    """

    data_dir: Path
    roots: tuple[Path, ...] | None = ()

    def admit(self, path: str) -> Path:
        """The folder by its real path; raises `FolderNotAllowed` or `FolderUnusable`."""
        given = Path(path)
        if not given.is_absolute():
            raise FolderUnusable(f"{path!r} is not an absolute path; name the folder from its root on.")
        folder = given.resolve()
        # First of all: whoever may not link a folder is not told either whether it is there.
        self.require_allowed(folder)
        self._require_folder(folder)
        self.require_apart(folder)
        return folder

    def require_apart(self, folder: Path) -> None:
        """Raise `FolderUnusable` if Fletcher's own files would be among the documents."""
        real, data_dir = folder.resolve(), self.data_dir.resolve()
        if real.is_relative_to(data_dir) or _reaches(real, data_dir):
            raise FolderUnusable(
                f"{folder} holds Fletcher's own files, or is among them (the data directory {data_dir}); take a "
                "folder that has only your documents."
            )

    def require_allowed(self, folder: Path) -> None:
        """Raise `FolderNotAllowed` unless the operator lets this folder be read; a link counts as where it leads."""
        if self.roots is None:
            return
        real = folder.resolve()
        if not any(real.is_relative_to(root.resolve()) for root in self.roots):
            raise FolderNotAllowed(
                f"{folder} may not be linked: it is not below one of the folders in FLETCHER_FOLDERS. "
                "Whoever runs the server can add it there."
            )

    def _require_folder(self, folder: Path) -> None:
        if not folder.exists():
            raise FolderUnusable(f"{folder}: there is no such folder; check the path.")
        if not folder.is_dir():
            raise FolderUnusable(f"{folder} is a file; link the folder that it is in.")
        try:
            with os.scandir(folder):
                pass
        except OSError as error:
            raise FolderUnusable(
                f"{folder} cannot be read ({error.strerror}); give permission to the user that Fletcher runs as."
            ) from error


def _reaches(folder: Path, data_dir: Path) -> bool:
    """Whether a scan of the folder would come upon the data directory."""
    if not data_dir.is_relative_to(folder):
        return False
    return not any(is_left_out(part) for part in data_dir.relative_to(folder).parts)
