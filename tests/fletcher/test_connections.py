"""What one connection sends is taken apart some at a time, and what nobody waits for is little."""

import asyncio
import struct
from asyncio.transports import Transport
from collections.abc import AsyncIterator, Callable
from functools import partial
from itertools import pairwise
from sys import getsizeof
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from fletcher.connections.config import Config
from fletcher.connections.reader import Waits
from server.limits.room import Room, Sender

TEXT, BINARY, CONTINUED, PING, PONG = 1, 2, 0, 9, 10
OPENING = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
POST = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
KNOWN = b"POST /at-once HTTP/1.1\r\nX-Client: one\r\nContent-Length: %d\r\n\r\n"
SMALL_CHUNKS = b"1\r\nx\r\n" * 5000
MUCH = 256_000  # bytes, as the event loop hands them over at once
MIB = 2**20
TOO_MANY = 1000
AT_ONCE = 2048  # bytes, after which it is looked at how many there were in them


class Line(Transport):
    """A connection without a network: `sent` is what the server wrote, and all that it will once it `is_ended`."""

    def __init__(self) -> None:
        super().__init__()
        self.protocol: Any = None
        self.is_read, self.is_ended, self.is_closed = True, False, False
        self.sent = b""

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
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)

    abort = close

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.is_ended = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0


class App:
    """Answers every request before its body is there; lets every socket in and keeps what it says."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.ended: list[int] = []
        self.bodies: list[int] = []
        self.reads_bodies = False
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
        scope["state"]["take_long_messages"](partial(Sender, self.room, "a workspace"))
        while (message := await receive())["type"] != "websocket.disconnect":
            self.messages.append(message.get("text") or message.get("bytes"))
            await self.may_answer.wait()
        self.ended.append(message["code"])

    async def _length(self, receive: Receive) -> int:
        length, is_whole = 0, False
        while not is_whole:
            message = await receive()
            length += len(message["body"])
            is_whole = not message["more_body"]
        return length


@pytest.fixture
def app() -> App:
    return App()


@pytest.fixture
async def connect(app: App) -> AsyncIterator[Callable[[], Line]]:
    """Connects to a server without a network."""
    config = Config(app, Waits(), log_config=None, log_level="warning", access_log=False, ws_max_size=8 * MIB)
    config.load()
    state = ServerState()
    lines: list[Line] = []

    def new_line() -> Line:
        line = Line()
        lines.append(line)
        line.set_protocol(config.http_protocol_class(config=config, server_state=state, app_state={}))  # type: ignore[call-arg]
        line.protocol.connection_made(line)
        return line

    yield new_line
    for line in lines:
        line.close()
    await turns(5)


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


@pytest.mark.parametrize("opcode", [PING, PONG])
async def test_of_frames_that_say_nothing_few_are_taken_in_a_turn_and_1000_in_all(
    app: App, connect: Callable[[], Line], opcode: int
) -> None:
    line = await open_socket(connect)
    line.comes(frame(opcode) * (MUCH // 6))
    assert not line.is_closed, "some of them are taken, and the others wait"
    assert not line.is_read
    await turns_until(lambda: line.is_ended)
    assert line.sent.count(b"\x8a\0") <= TOO_MANY + AT_ONCE // 6
    assert b"\x03\xf0More than 1,000 pings" in line.sent  # 1008 and why
    await turns_until(lambda: app.ended == [1008])


async def test_so_many_are_taken_again_once_the_client_was_asked_whether_it_is_there(
    connect: Callable[[], Line],
) -> None:
    line = await open_socket(connect)
    for _ in range(3):
        line.comes(frame(PING) * TOO_MANY)
        await turns_until(lambda: line.is_read)
        line.protocol.send_keepalive_ping()
    assert not line.is_closed


async def test_frames_before_a_socket_is_open_close_it_without_a_trace(
    app: App, connect: Callable[[], Line], caplog: pytest.LogCaptureFixture
) -> None:
    app.may_answer.clear()
    line = connect()
    line.comes(OPENING)
    line.comes(frame(PONG) * 2 * TOO_MANY)
    await turns_until(lambda: line.is_closed)
    app.may_answer.set()
    await turns(5)
    assert line.sent == b""
    assert not caplog.records


async def test_in_a_turn_some_frames_of_one_connection_are_taken(connect: Callable[[], Line]) -> None:
    lines = [await open_socket(connect), await open_socket(connect)]
    parts, size = 900, 64
    for line in lines:
        line.comes(frame(TEXT, is_last=False) + frame(CONTINUED, b"x" * size, is_last=False) * parts)
    taken = await taken_in_turns(lambda: sum(line.protocol.conn.current_size for line in lines) // size, 2 * parts)
    assert max(taken) <= 50 + AT_ONCE // size
    assert all(line.is_read for line in lines)


@pytest.mark.parametrize(("opcode", "whole"), [(TEXT, "ab" * 900), (BINARY, b"ab" * 900)])
async def test_the_parts_of_a_message_are_joined_as_they_come(
    app: App, connect: Callable[[], Line], opcode: int, whole: str | bytes
) -> None:
    line = await open_socket(connect)
    line.comes(frame(opcode, b"ab", is_last=False) + frame(CONTINUED, b"ab", is_last=False) * 898)
    await turns_until(lambda: line.is_read)
    assert sum(map(getsizeof, line.protocol.frames)) < 2 * len(whole)
    line.comes(frame(CONTINUED, b"ab"))
    await turns_until(lambda: app.messages)
    assert app.messages == [whole]


async def test_whoever_sends_a_message_in_very_small_parts_is_told_to_send_it_whole(
    app: App, connect: Callable[[], Line]
) -> None:
    line = await open_socket(connect)
    line.comes(frame(TEXT, b"{", is_last=False) + frame(CONTINUED, is_last=False) * 2 * TOO_MANY)
    await turns_until(lambda: line.is_ended)
    assert b"send each message whole" in line.sent


async def test_what_a_client_goes_on_to_send_before_it_has_read_why_it_must_leave_is_thrown_away(
    app: App, connect: Callable[[], Line], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fletcher.connections.socket._MOST_THROWN_AWAY", 2 * MUCH)
    line = await open_socket(connect)
    line.comes(b"\x81\xff" + struct.pack("!Q", 9 * MIB) + b"\0\0\0\0")
    await turns_until(lambda: app.ended == [1009])
    for _ in range(2):
        line.comes(b"x" * MUCH)
        assert line.is_read
        assert line.is_ended
        assert not line.is_closed
    line.comes(b"x")
    assert line.is_closed, "it may not go on for ever"


async def test_many_messages_that_come_together_are_all_read_and_so_is_what_comes_then(
    app: App, connect: Callable[[], Line]
) -> None:
    line = await open_socket(connect)
    line.comes(b"".join(frame(TEXT, b"%d" % number) for number in range(5000)))
    await turns_until(lambda: len(app.messages) == 5000)
    assert app.messages == [str(number) for number in range(5000)]
    line.comes(frame(TEXT, b"the last"))
    await turns_until(lambda: app.messages[-1] == "the last")


async def test_a_message_takes_room_until_it_is_answered(app: App, connect: Callable[[], Line]) -> None:
    lines = [await open_socket(connect) for _ in range(3)]
    app.may_answer.clear()
    long = frame(TEXT, b"x" * 3 * MIB)
    lines[0].comes(long)
    await turns_until(lambda: app.messages)
    lines[1].comes(long)
    await turns_until(lambda: lines[1].is_ended)
    assert b"\x03\xf5The server is taking in as much" in lines[1].sent  # 1013 and why
    app.may_answer.set()
    await turns(5)
    lines[2].comes(long)
    await turns_until(lambda: len(app.messages) == 2)
    assert not lines[0].is_closed


async def test_a_message_takes_the_room_that_its_text_takes_in_memory(app: App, connect: Callable[[], Line]) -> None:
    lines = [await open_socket(connect) for _ in range(2)]
    app.may_answer.clear()
    long = frame(TEXT, "\N{CAT}".encode() + b"x" * (MIB - 4))
    lines[0].comes(long)
    await turns_until(lambda: app.messages)
    assert getsizeof(app.messages[0]) > 3 * MIB
    lines[1].comes(long)
    await turns_until(lambda: lines[1].is_ended)
    assert not lines[0].is_ended


@pytest.mark.parametrize("half", [0, 2 * MIB])
async def test_what_a_message_took_is_free_once_its_client_is_gone(
    app: App, connect: Callable[[], Line], half: int
) -> None:
    line = await open_socket(connect)
    long = frame(TEXT, b"x" * 3 * MIB)
    line.comes(long + long[:half])
    await turns_until(lambda: line.is_read)
    line.close()
    await turns(10)
    assert app.room.suffices("another", 1)
    assert not app.room.senders


UPGRADE = OPENING.removesuffix(b"\r\n")


@pytest.mark.parametrize(
    "head",
    [
        UPGRADE + b"Content-Length: 5\r\n\r\n",
        UPGRADE + b"Content-Length: 5\r\n\r\nhello",
        UPGRADE + b"Transfer-Encoding: chunked\r\n\r\n",
        UPGRADE + b"X-A: " + b"x" * 20_000 + b"\r\n\r\n",
        UPGRADE + b"X-A: x\r\n" * 150 + b"\r\n",
        OPENING.replace(b"/", b"/" + b"x" * 20_000, 1),
        OPENING.replace(b"GET", b"POST", 1),
    ],
    ids=["length", "body", "chunks", "field", "fields", "address", "method"],
)
async def test_what_opens_no_socket_is_refused_at_once(
    connect: Callable[[], Line], head: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    line = connect()
    line.comes(head)
    line.protocol.shutdown()  # a server that ends at this moment does so in order
    await turns_until(lambda: line.is_closed)
    assert line.sent.startswith(b"HTTP/1.1 4")
    assert not caplog.records


async def test_a_connection_is_no_socket_before_all_is_answered(app: App, connect: Callable[[], Line]) -> None:
    app.may_answer.clear()
    line = connect()
    line.comes((POST + b"Content-Length: 0\r\n\r\n") * 3 + OPENING)
    assert line.is_closed
    assert b"once all that you asked before is answered" in line.sent
    assert b"101 Switching" not in line.sent


async def test_of_what_comes_after_its_answer_1000_small_chunks_are_passed_over(connect: Callable[[], Line]) -> None:
    line = connect()
    line.comes(CHUNKED)
    await turns_until(lambda: line.sent)
    line.comes(b"1\r\nx\r\n" * (MUCH // 6))
    assert not line.is_closed, "some of them are taken, and the others wait"
    assert not line.is_read
    await turns_until(lambda: line.is_closed)
    assert line.sent.count(b"HTTP/1.1") == 1


async def test_the_rest_of_a_request_that_is_answered_already_may_come_in_chunks_of_a_size(
    connect: Callable[[], Line],
) -> None:
    line = connect()
    line.comes(CHUNKED)
    await turns_until(lambda: line.sent)
    for _ in range(10):
        line.comes(b"400\r\n" + b"x" * 1024 + b"\r\n" + (b"1f4\r\n" + b"x" * 500 + b"\r\n") * 200)
        await turns_until(lambda: line.is_read)
    line.comes(b"0\r\n\r\n" + POST + b"Content-Length: 0\r\n\r\n")
    await turns_until(lambda: line.sent.count(b"HTTP/1.1 401") == 2)


@pytest.mark.parametrize("size", [1, 7, 4096, 100_000])
async def test_a_body_is_read_whole_whatever_its_chunks_are(app: App, connect: Callable[[], Line], size: int) -> None:
    app.reads_bodies = True
    line = connect()
    chunks = min(5000, 1_000_000 // size)
    body = CHUNKED + (b"%x\r\n%s\r\n" % (size, b"x" * size)) * chunks + b"0\r\n\r\n"
    for start in range(0, len(body), MUCH):
        await turns_until(lambda: line.is_read)
        line.comes(body[start : start + MUCH])
    await turns_until(lambda: line.sent)
    assert app.bodies == [size * chunks]
    line.comes(POST + b"Content-Length: 3\r\n\r\nabc")
    await turns_until(lambda: app.bodies[1:])


async def test_in_a_turn_some_chunks_of_a_body_are_taken(app: App, connect: Callable[[], Line]) -> None:
    app.may_answer.clear()
    line = connect()
    line.comes(CHUNKED + b"1\r\nx\r\n" * 5000)
    taken = await taken_in_turns(lambda: len(line.protocol.cycle.body), 5000)
    assert max(taken) <= 50 + AT_ONCE // 6


async def many_send(connect: Callable[[], Line], whose: bytes = b"") -> list[Line]:
    """Connections of which much waits to be taken apart; the app lets none of them in yet."""
    lines = [connect() for _ in range(50)]
    for line in lines:
        line.comes(CHUNKED[:-2] + whose + b"\r\n")
    await turns(5)
    for line in lines:
        line.comes(SMALL_CHUNKS)
    return lines


def sent_by(lines: list[Line]) -> int:
    """How many chunks of theirs are taken by now."""
    return sum(len(line.protocol.cycle.body) for line in lines)


@pytest.mark.parametrize("whose", [b"", b"X-Client: another\r\n"], ids=["strangers", "another client"])
async def test_a_client_waits_for_one_connection_of_others_at_a_time_however_many_they_are(
    app: App, connect: Callable[[], Line], whose: bytes
) -> None:
    app.may_answer.clear()
    app.reads_bodies = True
    theirs = await many_send(connect, whose)
    known = connect()
    known.comes(KNOWN % (10 * MUCH))
    for _ in range(10):
        await turns_until(lambda: known.is_read)
        known.comes(b"x" * MUCH)
    await turns_until(lambda: known.sent)
    assert app.bodies == [10 * MUCH]
    assert sent_by(theirs) < 50 * 5000 / 4, "most of what the many have sent still waits"


async def test_so_does_the_message_of_a_socket(app: App, connect: Callable[[], Line]) -> None:
    socket = await open_socket(connect)
    app.may_answer.clear()
    strangers = await many_send(connect)
    socket.comes(frame(TEXT, b"x" * 3 * MIB))
    await turns_until(lambda: app.messages)
    assert sent_by(strangers) < 50 * 5000 / 4


async def test_who_is_known_only_now_waits_no_longer_with_strangers(app: App, connect: Callable[[], Line]) -> None:
    app.may_answer.clear()
    app.reads_bodies = True
    strangers = await many_send(connect)
    before = sent_by(strangers)
    known = connect()
    known.comes(KNOWN % (2 * MUCH) + b"x" * 2 * MUCH)
    await turns_until(lambda: known.sent)
    had_a_turn = (sent_by(strangers) - before) / (AT_ONCE // 6)
    assert had_a_turn < 25, "half of the strangers have not had one"
