"""`/mcp`: the protocol as streamable HTTP, behind the same rules as everything else; loaded when it is first asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from mcp_server.story_files import StoryFile, StoryFiles
from server import Services

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"

_MOST_SESSIONS = 1_000


def serve_mcp(app: FastAPI, services: Services, open_file: Callable[[Path], StoryFile]) -> None:
    """Lets the app answer at `PATH`.

    Args:
        app: As `server.create_app` makes it, not started yet.
        services: The parts of its server.
        open_file: The story file at a path of this machine.
    """
    logging.getLogger("mcp").setLevel(logging.WARNING)  # below that, it tells the ids that sessions are used with
    endpoint = _Endpoint(services, StoryFiles(open_file))
    without = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with without(app):
            try:
                yield
            finally:
                await endpoint.close()

    app.router.lifespan_context = lifespan
    app.router.routes.append(Route(PATH, endpoint))


class _Endpoint:
    """Hands requests to the SDK, each as of its workspace: a session is used by the workspace that has begun it."""

    def __init__(self, services: Services, files: StoryFiles) -> None:
        self._services = services
        self._files = files
        self._manager: asyncio.Future[StreamableHTTPSessionManager] | None = None
        self._closing = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        manager = await self._loaded()
        from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
        from mcp.server.auth.provider import AccessToken

        workspace: str = scope["state"]["workspace"]
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=workspace, scopes=[]))
        await manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        """Ends the sessions."""
        self._closing.set()
        if self._running is not None:
            await self._running

    async def _loaded(self) -> StreamableHTTPSessionManager:
        if self._manager is None:
            self._manager = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._manager))
        return await asyncio.shield(self._manager)  # whoever asked first may hang up

    async def _run(self, made: asyncio.Future[StreamableHTTPSessionManager]) -> None:
        """In a task of its own: what the sessions run in has to be left by the task that has entered it."""
        try:
            # In a thread: it takes half a second, and most servers are never asked.
            await asyncio.to_thread(import_module, "mcp_server.protocol")
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

            from mcp_server.protocol import Protocol

            protocol = Protocol(self._services, self._files).server()
            manager = StreamableHTTPSessionManager(protocol, max_sessions=_MOST_SESSIONS)
            async with manager.run():
                made.set_result(manager)
                await self._closing.wait()
        except Exception as error:
            if made.done():
                raise
            made.set_exception(error)
