"""Stories below the folders that `FLETCHER_FOLDERS` names: picked, read, and written back where they came from."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from corpora import FileChanged, HeldFile
from ingest import is_too_deep
from server import RequestError, Services
from workbench.story.open_story import OpenStory, digest

_MOST = 500
_SUFFIX = ".arrow"


class StoryFolders:
    """The story files that a workspace may open, which are looked for only in threads: a drive may hang.

    Args:
        services: Know the folders and the limits.
        workspace: Whose they are.
    """

    def __init__(self, services: Services, workspace: str) -> None:
        self._roots = services.roots.roots.get(workspace, ())
        self._is_ours = services.roots.is_ours
        self._most_bytes = services.limits.message_bytes

    @property
    def has_folders(self) -> bool:
        """Whether any were named for the workspace."""
        return bool(self._roots)

    def found(self) -> list[Path]:
        """Those that there are, without hidden folders; of very many the first."""
        return sorted(islice((path for root in self._roots for path in self._stories(root.resolve())), _MOST))

    def read(self, file: Path) -> tuple[Path, bytes]:
        """The real path of a file, and what is in it.

        Raises:
            RequestError: It is not below the folders, or cannot be read.
        """
        real = file.resolve()  # what a link leads to is written back, and the link stays
        with self._held(real) as held:
            return real, self._bytes(real, held)

    def write(self, story: OpenStory) -> OpenStory:
        """Writes the story back, unless somebody else has written the file meanwhile.

        Raises:
            RequestError: It was changed, or cannot be written; the file is as it was.
        """
        if story.file is None:
            raise RequestError(409, "CONFLICT", f"{story.name} was not picked on the server; download it instead.")
        data = story.text.encode()
        with self._held(story.file) as held:
            before = self._bytes(story.file, held)
            try:
                if digest(before) != story.sha256:
                    raise FileChanged
                held.replace(before, data)
            except FileChanged as error:
                problem = f"{story.file} was changed since it was opened; download this one, or open the file again."
                raise RequestError(409, "CONFLICT", problem) from error
            except OSError as error:
                problem = f"{story.file} cannot be written ({error.strerror or error}); download the story instead."
                raise RequestError(503, "STORAGE_ERROR", problem) from error
        return story.written(digest(data))

    def _held(self, file: Path) -> HeldFile:
        """A file that is named by its real path: a link that leads out of the folders is none of theirs."""
        is_below = any(file.is_relative_to(root.resolve()) for root in self._roots)
        if file.suffix != _SUFFIX or not is_below or self._is_ours(file):
            raise RequestError(403, "FORBIDDEN", f"{file} is not below a folder that FLETCHER_FOLDERS names.")
        try:
            return HeldFile(file)  # a link may have come into its way
        except OSError as error:
            raise _unreadable(file, error) from error

    def _bytes(self, file: Path, held: HeldFile) -> bytes:
        try:
            opened, _ = held.open()  # a pipe would never end
            with opened:
                data = opened.read(self._most_bytes + 1)
        except OSError as error:
            raise _unreadable(file, error) from error
        if len(data) > self._most_bytes:
            raise RequestError(413, "PAYLOAD_TOO_LARGE", f"{file} has more than {self._most_bytes} bytes.")
        return data

    def _stories(self, root: Path) -> Iterator[Path]:
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(name for name in _shown(folders) if self._is_looked_into(Path(folder, name)))
            yield from (Path(folder, name) for name in sorted(_shown(files)) if name.endswith(_SUFFIX))

    def _is_looked_into(self, folder: Path) -> bool:
        return not is_too_deep(folder) and not self._is_ours(folder)


def _unreadable(file: Path, error: OSError) -> RequestError:
    return RequestError(404, "NOT_FOUND", f"{file} cannot be read ({error.strerror or error}).")


def _shown(names: Iterable[str]) -> list[str]:
    return [name for name in names if not name.startswith(".")]
