"""Connections without a network, an app that answers them, and what is sent over them."""

import asyncio
import struct
from asyncio.transports import Transport
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

from starlette.types import Receive, Scope, Send

from server.limits.room import Room, Sender

TEXT, BINARY, CONTINUED, PING, PONG = 1, 2, 0, 9, 10
OPENING = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
MUCH = 256_000  # bytes, as the event loop hands them over at once
MIB = 2**20
AT_ONCE = 2048  # bytes, after which it is looked at how many there were in them


class Line(Transport):
    """A connection without a network: `sent` is what the server wrote, and all that it will once it `is_ended`.

    So many bytes of it are `unread`.
    """

    def __init__(self, address: str = "") -> None:
        super().__init__({"peername": (address, 1)})
        self.protocol: Any = None
        self.is_read, self.is_ended, self.is_closed = True, False, False
        self.sent = b""
        self.unread = 0

    def get_protocol(self) -> Any:
        return self.protocol

    def set_protocol(self, protocol: Any) -> None:
        self.protocol = protocol

    def comes(self, data: bytes) -> None:
        assert self.is_read, "what has come before is to be taken apart first"
        self.protocol.data_received(data)

    def write(self, data: Any) -> None:
        self.sent += bytes(data)

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_reading(self) -> None:
        self.is_read = True

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            if not self.unread:
                self._lose()

    def abort(self) -> None:
        if self.unread or not self.is_closed:
            self.is_closed, self.unread = True, 0
            self._lose()

    def _lose(self) -> None:
        asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.is_ended = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_write_buffer_size(self) -> int:
        return self.unread


class App:
    """Answers every request before its body is there; lets every socket in and keeps what it says."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.ended: list[int] = []
        self.bodies: list[int] = []
        self.reads_bodies = self.refuses_sockets = False
        self.answers = ""  # to each message
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.room = Room(4 * MIB)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if client := dict(scope["headers"]).get(b"x-client"):
            scope["state"]["workspace"] = client.decode()
        if scope["path"] != "/at-once":
            await self.may_answer.wait()
        if scope["type"] == "http":
            if self.reads_bodies:
                self.bodies.append(await self._length(receive))
            await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body"})
            return
        await receive()
        await send({"type": "websocket.accept"})
        if self.refuses_sockets:
            await receive()
            await self.may_answer.wait()
            await send({"type": "websocket.close", "code": 1008, "reason": "No token"})
            return
        scope["state"]["take_long_messages"](partial(Sender, self.room, "a workspace"))
        while (message := await receive())["type"] != "websocket.disconnect":
            self.messages.append(message.get("text") or message.get("bytes"))
            await self.may_answer.wait()
            if self.answers:
                await send({"type": "websocket.send", "text": self.answers})
        self.ended.append(message["code"])

    async def _length(self, receive: Receive) -> int:
        length, is_whole = 0, False
        while not is_whole:
            message = await receive()
            length += len(message["body"])
            is_whole = not message["more_body"]
        return length


async def turns(number: int) -> None:
    """So many turns of the event loop."""
    for _ in range(number):
        await asyncio.sleep(0)


async def turns_until(is_so: Callable[[], object]) -> None:
    for _ in range(10_000):
        if is_so():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came to that")


async def open_socket(connect: Callable[[], Line]) -> Line:
    line = connect()
    line.comes(OPENING)
    await turns_until(lambda: b"101 Switching Protocols" in line.sent)
    line.sent = b""
    return line


def frame(opcode: int, data: bytes = b"", *, is_last: bool = True) -> bytes:
    length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xff" + struct.pack("!Q", len(data))
    return bytes([is_last << 7 | opcode]) + length + b"\0\0\0\0" + data


async def taken_in_turns(count: Callable[[], int], all_: int) -> list[int]:
    """How many more they are after each turn of the event loop, until they are all."""
    counts = [count()]
    while counts[-1] < all_ and len(counts) < 10_000:
        await asyncio.sleep(0)
        counts.append(count())
    assert counts[-1] == all_
    return [after - before for before, after in pairwise(counts)]
