"""Bodies that are too long or too slow are refused while they arrive."""

import asyncio

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.room import Room
from server.services import Limits

# Each so many bytes give a sender another second.
_BYTES_PER_SECOND = 1000
# A body that is not longer finds room in any case.
_SMALL = 2**20
_RETRY_AFTER_S = 5


class BodyLimitMiddleware:
    """Refuses a body that is too long (413), whose sender makes us wait too long (408), or for which no room is (503).

    Raised where the route reads its body, so the app's own handlers answer.
    """

    def __init__(self, app: ASGIApp, limits: Limits, upload_room: Room) -> None:
        self._app = app
        self._limits = limits
        # Reading JSON takes several times its length, and that is kept until it is answered.
        self._json_room = Room(limits.json_bytes_under_way)
        self._upload_room = upload_room

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Counts the body's bytes and the time they take on their way in."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(scope, receive, self._limits, self._json_room, self._upload_room)
        try:
            await self._app(scope, body.receive, send)
        finally:
            body.free()


class _Body:
    def __init__(self, scope: Scope, receive: Receive, limits: Limits, json_room: Room, upload_room: Room) -> None:
        self._receive = receive
        is_form = Headers(scope=scope).get("content-type", "").startswith("multipart/form-data")
        takes_files = scope["path"].endswith("/corpus")
        # Files go to disk; whatever else is sent, and whatever it is called, is in memory as a whole.
        is_in_memory = not (takes_files and is_form)
        limited_by = [(limits.upload_bytes, "send less at once, or raise FLETCHER_MAX_UPLOAD_BYTES")]
        if not takes_files:
            limited_by.append((limits.message_bytes, "send less at once, or raise FLETCHER_MAX_MESSAGE_BYTES"))
        elif is_in_memory:
            limited_by.append((limits.json_upload_bytes, "send larger documents as multipart `files`"))
        self._most, self._remedy = min(limited_by)
        self._left = self._most
        self._room = json_room if is_in_memory else upload_room
        self._workspace: str = scope.get("state", {}).get("workspace", "")
        self._counted = 0
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
        self._find_room(self._most - self._left)
        return message

    def free(self) -> None:
        """The request is answered."""
        self._room.add(self._workspace, -self._counted)
        self._counted = 0

    def _find_room(self, size: int) -> None:
        if size <= _SMALL:
            return
        self._room.add(self._workspace, size - self._counted)
        self._counted = size
        if self._room.is_too_small(self._workspace, size):
            self.free()
            problem = "The server is taking in as much as it has room for; send it again in a few seconds."
            raise HTTPException(503, problem, {"Retry-After": str(_RETRY_AFTER_S), "Connection": "close"})

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
        return HTTPException(413, f"The request has more than {self._most} bytes; {self._remedy}.")
