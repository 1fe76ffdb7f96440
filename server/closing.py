"""What is asked of a server that ends."""

import asyncio

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from corpora import CorpusError


class ServerClosing(CorpusError):
    """The server ends, and what it was asked for is not done; asked for again, only the rest is."""

    code = "SERVER_CLOSING"

    def __init__(self, message: str = "The server ends before this is done; send it again once it is back.") -> None:
        super().__init__(message)


class ClosingMiddleware:
    """Answers 503 to requests that are given up, as where a store hangs while the server ends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on; nobody but a server that ends cancels one."""
        has_begun = False

        async def answer(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, answer)
        except asyncio.CancelledError:
            if has_begun or scope["type"] != "http":
                raise
            error = ServerClosing()
            refusal = JSONResponse({"error": {"code": error.code, "message": error.message}}, 503)
            await refusal(scope, receive, send)
