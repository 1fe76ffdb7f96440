"""Bodies that are too long or too slow are refused while they arrive."""

import asyncio
import logging

from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.ended_task import free
from server.limits.paced_answer import GaveWay, PacedAnswer
from server.limits.places import Places
from server.limits.room import Room, Sender
from server.limits.text_width import TextWidth
from server.services import Limits

logger = logging.getLogger(__name__)

# Each so many bytes give a sender another second.
_BYTES_PER_SECOND = 1000
# What a part of a form takes beside its bytes, as a file that is open: most of it for one that is empty.
_PART = 4 * 2**10
_DIGITS = 20  # no limit has more
_RETRY_AFTER_S = 5
_NO_ROOM = "The server is taking in as much as it has room for; send it again in a few seconds."
_NO_FILE = (
    "The server may open no more files for what is over 1 MiB in a form; send fewer at once, or these again in a few "
    "seconds."
)
_GAVE_WAY = "Others needed the room of what came so slowly; send it again later."


class BodyLimitMiddleware:
    """Refuses a body that is too long (413), whose sender makes us wait too long (408), or for which no room is (503).

    Raised where the route reads its body, so the app's own handlers answer. A route that opens a file for a part of a
    form calls `take_file` of the request's state first, and one that reads JSON `weigh` with how many bytes its values
    take beside the body.

    Args:
        app: Who reads bodies.
        limits: Of one body.
        json_room: What those in memory have together.
        upload_room: What those on the disk have together.
        form_files: The files that are open for these.
    """

    def __init__(self, app: ASGIApp, limits: Limits, json_room: Room, upload_room: Room, form_files: Places) -> None:
        self._app = app
        self._limits = limits
        self._json_room = json_room
        self._upload_room = upload_room
        self._form_files = form_files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Counts the body's bytes and the time they take on their way in."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(scope, receive, self._limits, self._json_room, self._upload_room)
        files = _Files(self._form_files, body.sender.workspace)
        scope.setdefault("state", {}).update(take_file=files.take, weigh=body.weigh)
        try:
            await self._app(scope, body.receive, PacedAnswer(send, body.sender).send)
        except GaveWay as error:
            free(error)
            logger.info("%s: the answer was broken off, as those that are not read leave no room", scope["path"])
        finally:
            body.sender.free()
            files.close()


class _Body:
    def __init__(self, scope: Scope, receive: Receive, limits: Limits, json_room: Room, upload_room: Room) -> None:
        self._receive = receive
        kind = Headers(scope=scope).get("content-type", "")
        is_form = kind.startswith("multipart/form-data")
        self._parts = Parts(kind) if is_form else None
        # some encodings that Python knows take the square of a text
        self._is_of_another_encoding = "multipart" in kind.lower() and "charset" in kind.lower()
        takes_files = scope["path"].startswith("/projects/") and scope["path"].endswith("/corpus")
        # Files go to disk; whatever else is sent, and whatever it is called, is in memory as a whole.
        is_in_memory = not (takes_files and is_form)
        self._width = TextWidth() if is_in_memory else None
        limited_by = [(limits.upload_bytes, "send less at once, or raise FLETCHER_MAX_UPLOAD_BYTES")]
        if not takes_files:
            limited_by.append((limits.message_bytes, "send less at once, or raise FLETCHER_MAX_MESSAGE_BYTES"))
        elif is_in_memory:
            limited_by.append((limits.json_upload_bytes, "send larger documents as multipart `files`"))
        self._most, self._remedy = min(limited_by)
        self._left = self._most
        workspace: str = scope.get("state", {}).get("workspace", "")
        self.sender = Sender(json_room if is_in_memory else upload_room, workspace, self._give_way)
        self._gives_way = False
        self._waiting: asyncio.Timeout | None = None
        self._patience_s = self._left_s = limits.body_wait_s
        length = Headers(scope=scope).get("content-length", "")
        # Python makes no number of thousands of digits; of so many zeros none is needed.
        self._is_announced_too_long = length.isdecimal() and int(length.lstrip("0")[:_DIGITS] or 0) > self._most
        self._is_whole = False

    async def receive(self) -> Message:
        if self._is_whole:  # what is waited for now is that the client leaves
            return await self._receive()
        if self._is_announced_too_long:
            raise self._too_long()
        if self._is_of_another_encoding:
            raise HTTPException(422, "A form is UTF-8; leave `charset` out of its Content-Type.")
        message = await self._next()
        self._is_whole = not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._too_long()
        if not self.sender.has_room(self._most - self._left, beside=self._beside(message.get("body", b""))):
            raise _too_busy(_NO_ROOM)
        if self._is_whole:
            self.sender.is_whole()
        return message

    def weigh(self, values: int) -> None:
        if not self.sender.has_room(self._most - self._left, beside=self._beside(b"") + values):
            raise _too_busy(_NO_ROOM)
        self.sender.is_whole()

    def _beside(self, data: bytes) -> int:
        """How many bytes what has come takes in memory beside its own, now that `data` has."""
        beside = self._parts.take(data) if self._parts is not None else 0
        if self._width is not None:
            beside += (self._width.take(data) - 1) * (self._most - self._left)
        return beside

    def _give_way(self) -> None:
        self._gives_way = True
        if self._waiting is not None and not self._waiting.expired():
            self._waiting.reschedule(asyncio.get_running_loop().time())

    async def _next(self) -> Message:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            async with asyncio.timeout(self._left_s) as self._waiting:
                message = await self._receive()
        except TimeoutError as error:
            if self._gives_way:
                raise _too_busy(_GAVE_WAY) from error
            problem = f"The body came slower than {_BYTES_PER_SECOND} bytes per second; send it again, or less of it."
            raise HTTPException(408, problem, {"Connection": "close"}) from error
        finally:
            self._waiting = None
        if self._gives_way:
            raise _too_busy(_GAVE_WAY)
        earned_s = len(message.get("body", b"")) / _BYTES_PER_SECOND
        self._left_s = min(self._patience_s, self._left_s - (loop.time() - begun) + earned_s)
        return message

    def _too_long(self) -> HTTPException:
        return HTTPException(413, f"The request has more than {self._most} bytes; {self._remedy}.")


class _Files:
    def __init__(self, places: Places, workspace: str) -> None:
        self._places = places
        self._workspace = workspace
        self._taken = 0

    def take(self) -> None:
        if not self._places.take(self._workspace):
            raise _too_busy(_NO_FILE)
        self._taken += 1

    def close(self) -> None:
        for _ in range(self._taken):
            self._places.give_back(self._workspace)


class Parts:
    """Counts a form's parts on their way in."""

    def __init__(self, content_type: str) -> None:
        _, options = parse_options_header(content_type)
        self._mark = b"--" + options.get(b"boundary", b"")
        self._seen = b""
        self._parts = 0

    def take(self, data: bytes) -> int:
        """How many bytes all parts take beside their own, now that `data` has come."""
        came = self._seen + data
        self._parts += came.count(self._mark)
        self._seen = came[max(0, len(came) - len(self._mark) + 1) :]
        return self._parts * _PART


def _too_busy(problem: str) -> HTTPException:
    return HTTPException(503, problem, {"Retry-After": str(_RETRY_AFTER_S), "Connection": "close"})
