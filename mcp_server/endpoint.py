"""`/mcp`: the protocol as streamable HTTP, behind the same rules as everything else."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from anyio import create_task_group, sleep_forever
from anyio.abc import TaskGroup, TaskStatus
from fastapi import FastAPI
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from mcp_server.protocol import Protocol
from mcp_server.story_files import StoryFile, StoryFiles
from server import Services

PATH = "/mcp"

_MOST_SESSIONS = 200  # of one workspace; half an hour after the last request one ends


def serve_mcp(app: FastAPI, services: Services, open_file: Callable[[Path], StoryFile]) -> None:
    """Lets the app answer at `PATH`.

    Args:
        app: As `server.create_app` makes it, not started yet.
        services: The parts of its server.
        open_file: The story file at a path of this machine.
    """
    logging.getLogger("mcp").setLevel(logging.WARNING)  # below that, it tells the ids that sessions are used with
    endpoint = _Endpoint(Protocol(services, StoryFiles(open_file)).server())
    without = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with without(app), endpoint.running():
            yield

    app.router.lifespan_context = lifespan
    app.router.routes.append(Route(PATH, endpoint))


class _Endpoint:
    """Hands requests to the SDK: each workspace has sessions of its own, and so many that it keeps nobody else out."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server
        self._managers: dict[str, StreamableHTTPSessionManager] = {}
        self._beginning = asyncio.Lock()
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Answers while the block runs."""
        async with create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        manager = await self._manager(scope["state"]["workspace"])
        await manager.handle_request(scope, receive, send)

    async def _manager(self, workspace: str) -> StreamableHTTPSessionManager:
        async with self._beginning:
            if workspace not in self._managers:
                assert self._tasks is not None
                manager = StreamableHTTPSessionManager(self._server, max_sessions=_MOST_SESSIONS)
                await self._tasks.start(_run, manager)
                self._managers[workspace] = manager
            return self._managers[workspace]


async def _run(manager: StreamableHTTPSessionManager, *, task_status: TaskStatus[None]) -> None:
    async with manager.run():
        task_status.started()
        await sleep_forever()
