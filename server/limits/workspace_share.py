"""What a request may have of the server: its workspace's share, and no more."""

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from agent import working_in
from server.access.rules import client_network
from server.services import Services

_HEALTH = "/healthz"


class WorkspaceShareMiddleware:
    """Lets the requests of each workspace in one after the other, and to that workspace's threads.

    Stands behind the `AccessMiddleware`; requests without a workspace count as of one, in which each address has its
    turn. `/healthz` has rounds of its own: whoever asks it gives a server up that does not answer soon.
    """

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self._app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on in its turn; a socket, whose workspace is not known yet, at once."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        workspace: str = scope.get("state", {}).get("workspace", "")
        if workspace:
            await self._services.rounds.wait(workspace)
        else:
            kind = _HEALTH if scope["path"] == _HEALTH else "/"
            await self._services.rounds.wait(kind, client_network(HTTPConnection(scope)))
        with working_in(self._services.threads_of(workspace)):
            await self._app(scope, receive, send)
