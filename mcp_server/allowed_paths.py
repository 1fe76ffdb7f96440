"""Which paths of the server's machine an assistant may name."""

import os
from pathlib import Path

from corpora import is_printable, printable
from ingest import FolderRoots, is_named_below, is_there
from mcp_server.caller import Caller
from mcp_server.tool import ToolError


class AllowedPaths:
    """The folders of the caller's workspace in FLETCHER_FOLDERS, and that of the story it was started for."""

    def __init__(self, roots: FolderRoots, caller: Caller) -> None:
        self._roots = roots
        started_in = (caller.file.parent,) if caller.file is not None else ()
        given = (*started_in, *roots.roots.get(caller.workspace, ()))
        self._folders = tuple(dict.fromkeys(Path(os.path.realpath(folder)) for folder in given))
        self._named = (*given, *self._folders)
        self._workspace = caller.workspace

    def admit(self, given: str) -> tuple[Path, Path]:
        """The real path, and the allowed folder that it is in; a relative one is looked for in each.

        Raises:
            ToolError: It is not below an allowed folder, by its real path, or nothing is there.
        """
        if not self._folders:
            raise ToolError(
                "PATH_NOT_ALLOWED",
                "No folder of the server's machine may be read here. Whoever runs it can start 'fletcher mcp' with "
                f"--file STORY.arrow, or name folders in FLETCHER_FOLDERS={self._workspace}=PATH.",
            )
        if not given or not is_printable(given):
            raise ToolError("PATH_NOT_ALLOWED", f"{printable(given)!r} is no path that can be shown; give another.")
        for folder in self._folders:
            named = folder / given  # an absolute one stands for itself
            if not is_named_below(named, self._named):
                continue
            real = Path(os.path.realpath(named))
            if real.is_relative_to(folder) and not self._roots.is_ours(real) and is_there(real):
                return real, folder
        folders = ", ".join(str(folder) for folder in self._folders)
        # The same words whether it is there or not: that is not for everybody who may name it.
        raise ToolError(
            "PATH_NOT_ALLOWED",
            f"{printable(given)} is not there, or not below a folder that may be read. Those are: {folders}.",
        )
