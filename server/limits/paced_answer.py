"""Answers are handed over as they are read, and count until they are."""

import asyncio
import json

from starlette.datastructures import Headers
from starlette.types import Message, Send

from server.limits.room import TINY, Sender

# The next piece is handed over once this one is on its way.
_PIECE = 256 * 2**10
_RETRY_AFTER_S = b"5"
_NO_ROOM = (
    "There is no room for so long an answer, as answers to earlier requests are still being read. If they are yours, "
    "read them; then send it again."
)


class GaveWay(Exception):
    """Others lacked the room of an answer that was read slowly, or what had begun found none."""


class PacedAnswer:
    """Hands an answer over in pieces, so that what nobody has read yet is counted, and no more is copied.

    Args:
        send: The connection's.
        sender: Of the request. What came with it has its room already; the answer to a short one may find none.
    """

    def __init__(self, send: Send, sender: Sender) -> None:
        self._send = send
        self._sender = sender
        self._head: Message | None = None
        self._is_refused = False
        self._limit = asyncio.timeout(None)

    async def send(self, message: Message) -> None:
        """Passes it on, or 503 instead of a long answer without room.

        Raises:
            GaveWay: It was read slowly, or has begun and is longer than there is room for.
        """
        if message["type"] == "http.response.start" and _length(message) > TINY:
            self._head = message  # what it is the head of, and whether that has room, is not known yet
        elif not self._is_refused:
            await self._send_body(message, message.get("body", b""))

    async def _send_body(self, message: Message, body: bytes) -> None:
        with self._sender.room_to_answer(len(body), self._give_way) as answer:
            if answer is None:
                await self._refuse()
                return
            try:
                async with asyncio.timeout(None) as self._limit:
                    if self._head is not None:
                        head, self._head = self._head, None
                        await self._send(head)
                    await self._send_in_pieces(message, body, answer)
            except TimeoutError as error:
                if not self._limit.expired():
                    raise
                raise GaveWay from error

    async def _send_in_pieces(self, message: Message, body: bytes, answer: Sender) -> None:
        if len(body) <= _PIECE:
            await self._send(message)
            return
        for start in range(0, len(body), _PIECE):
            end = start + _PIECE
            more = end < len(body) or message.get("more_body", False)
            await self._send({**message, "body": body[start:end], "more_body": more})
            answer.reads(end)

    async def _refuse(self) -> None:
        if self._head is None:  # its status was said
            raise GaveWay
        self._is_refused = True
        body = json.dumps({"error": {"code": "TOO_BUSY", "message": _NO_ROOM}}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"retry-after", _RETRY_AFTER_S),
        ]
        await self._send({"type": "http.response.start", "status": 503, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    def _give_way(self) -> None:
        self._limit.reschedule(asyncio.get_running_loop().time())


def _length(head: Message) -> int:
    length = Headers(raw=head.get("headers", [])).get("content-length", "")
    return int(length) if length.isdecimal() else 0
