"""`/mcp`: the protocol as streamable HTTP, behind the same rules as everything else."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from mcp_server.protocol import Protocol
from mcp_server.story_files import StoryFile, StoryFiles
from server import Services

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
    manager = StreamableHTTPSessionManager(
        Protocol(services, StoryFiles(open_file)).server(), max_sessions=_MOST_SESSIONS
    )
    without = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with without(app), manager.run():
            yield

    app.router.lifespan_context = lifespan
    app.router.routes.append(Route(PATH, _Endpoint(manager)))


class _Endpoint:
    """Hands requests to the SDK, each as of its workspace: a session is used by the workspace that has begun it."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        workspace: str = scope["state"]["workspace"]
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=workspace, scopes=[]))
        await self._manager.handle_request(scope, receive, send)
