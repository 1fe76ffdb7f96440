"""Bodies over the limit are refused while they arrive, before they fill the memory."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimitMiddleware:
    """Refuses (413) a request whose body has more than `max_bytes` bytes."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Counts the body's bytes on their way in."""
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                # Raised where the route reads its body, so the app's own handlers answer it.
                raise HTTPException(
                    413,
                    f"The request has more than {self._max_bytes} bytes; send fewer documents at once, or raise "
                    "FLETCHER_MAX_UPLOAD_BYTES.",
                )
            return message

        await self._app(scope, counted if scope["type"] == "http" else receive, send)
