"""Bodies that are too long or too slow are refused while they arrive."""

import asyncio

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.services import Limits

# Each so many bytes give a sender another second.
_BYTES_PER_SECOND = 1000


class BodyLimitMiddleware:
    """Refuses a body that is too long (413), or whose sender makes us wait too long (408).

    Raised where the route reads its body, so the app's own handlers answer.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Counts the body's bytes and the time they take on their way in."""
        if scope["type"] == "http":
            receive = _Body(scope, receive, self._limits).receive
        await self._app(scope, receive, send)


class _Body:
    def __init__(self, scope: Scope, receive: Receive, limits: Limits) -> None:
        self._receive = receive
        limited_by = [(limits.upload_bytes, "FLETCHER_MAX_UPLOAD_BYTES")]
        if not scope["path"].endswith("/corpus"):
            limited_by.append((limits.message_bytes, "FLETCHER_MAX_MESSAGE_BYTES"))
        self._most, self._setting = min(limited_by)
        self._left = self._most
        self._patience_s = self._left_s = limits.body_wait_s
        length = Headers(scope=scope).get("content-length", "")
        self._is_announced_too_long = length.isdecimal() and int(length) > self._most
        self._is_whole = False

    async def receive(self) -> Message:
        if self._is_whole:  # what is waited for now is that the client leaves
            return await self._receive()
        if self._is_announced_too_long:
            raise self._too_long()
        message = await self._next()
        self._is_whole = not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._too_long()
        return message

    async def _next(self) -> Message:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            async with asyncio.timeout(self._left_s):
                message = await self._receive()
        except TimeoutError as error:
            problem = f"The body came slower than {_BYTES_PER_SECOND} bytes per second; send it again, or less of it."
            raise HTTPException(408, problem, {"Connection": "close"}) from error
        earned_s = len(message.get("body", b"")) / _BYTES_PER_SECOND
        self._left_s = min(self._patience_s, self._left_s - (loop.time() - begun) + earned_s)
        return message

    def _too_long(self) -> HTTPException:
        return HTTPException(
            413, f"The request has more than {self._most} bytes; send less at once, or raise {self._setting}."
        )
