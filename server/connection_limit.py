"""How many sockets may be open at once; those beyond are told so and closed."""

from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from server.metrics import Metrics

TRY_AGAIN_LATER = 1013


class ConnectionLimitMiddleware:
    """Accepts a socket beyond `max_connections` only to close it with 1013, which every client can read."""

    def __init__(self, app: ASGIApp, max_connections: int, metrics: Metrics) -> None:
        self._app = app
        self._max_connections = max_connections
        self._metrics = metrics
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Counts the socket while it is open."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
        elif self._open >= self._max_connections:
            self._metrics.refusals.labels("connections").inc()
            await self._refuse(WebSocket(scope, receive, send))
        else:
            self._open += 1
            self._metrics.connections.set(self._open)
            try:
                await self._app(scope, receive, send)
            finally:
                self._open -= 1
                self._metrics.connections.set(self._open)

    async def _refuse(self, websocket: WebSocket) -> None:
        await websocket.accept()
        # A close frame has room for 123 bytes of reason.
        await websocket.close(TRY_AGAIN_LATER, f"{self._max_connections} clients are connected; try again later.")
