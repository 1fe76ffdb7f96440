"""The application that each of our servers serves: the API with its socket, and the ways in beside it."""

from functools import partial
from pathlib import Path

from fastapi import FastAPI

from fletcher.errors import CommandError
from fletcher.settings import Settings
from fletcher.story_file import StoryFile, kept_stories
from mcp_server import StoryFileError, serve_mcp
from server import Access, Services, create_app


def build_app(settings: Settings, services: Services, access: Access, *, completes: bool = True) -> FastAPI:
    """`server.create_app` with everything that is not the server's own."""
    app = create_app(services, access, completes=completes)
    serve_mcp(app, services, partial(KeptStoryFile, folder=kept_stories(settings.data_dir)))
    return app


class KeptStoryFile:
    """A story file whose turns `fletcher undo` takes back as well."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._file = StoryFile(path, folder)

    def write(self, before: bytes, after: bytes) -> None:
        """See `mcp_server.StoryFile`."""
        try:
            self._file.write(before, after, by_assistant=True)
        except CommandError as error:
            raise StoryFileError(str(error)) from error

    def as_kept(self, before: bytes, after: bytes) -> bytes:
        """See `mcp_server.StoryFile`."""
        return self._file.as_kept(before, after)

    def go_back(self, before: bytes, after: bytes) -> None:
        """See `mcp_server.StoryFile`."""
        try:
            self._file.go_back(before, after)
        except CommandError as error:
            raise StoryFileError(str(error)) from error
