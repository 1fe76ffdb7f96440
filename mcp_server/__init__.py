"""The Model Context Protocol: what Fletcher has read and can do, for an assistant that the user has already."""

from mcp_server.endpoint import PATH, serve_mcp
from mcp_server.story_files import StoryFileError, UndoableFile

__all__ = ["PATH", "StoryFileError", "UndoableFile", "serve_mcp"]
