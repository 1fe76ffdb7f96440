"""The command that an assistant of the user's own starts."""

import asyncio
import logging
from pathlib import Path
from typing import Annotated

import typer

from fletcher.log import log_as_server
from fletcher.options import DataDir, Workspace, key_of, settings_for
from fletcher.story_file import read_story


def mcp(
    project: Annotated[str | None, typer.Option(help="The project whose documents are meant")] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="STORY.arrow", help="The story that is meant; its folder may be read")
    ] = None,
    operations: Annotated[bool, typer.Option("--operations", help="Each operation as a tool of its own")] = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Let an assistant use Fletcher, over standard input and output (MCP)."""
    from fletcher.mcp import Bridge, Started
    from fletcher.standard_streams import own_standard_streams

    settings = settings_for(data_dir, workspace)
    if project is not None:
        key_of(workspace, project)
    if file is not None:
        read_story(file)
    started = Started(workspace, project, file.resolve() if file else None, operations=operations)
    log_as_server(logging.WARNING)  # it may be a server to others, whether or not the assistant reads what it says
    with own_standard_streams() as (read, write):
        asyncio.run(Bridge(settings, started, write).run(read))
