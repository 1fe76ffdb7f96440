"""What a socket sends is taken apart some at a time, and takes room until it is answered."""

import struct
import tracemalloc
from collections.abc import Callable
from functools import partial
from sys import getsizeof
from typing import Any

import pytest

from fletcher.connections.reader import Waits
from server.limits.room import Room, Sender
from tests.collecting import collecting
from tests.fletcher.line import (
    AT_ONCE,
    BINARY,
    CONTINUED,
    MIB,
    MUCH,
    OPENING,
    PING,
    PONG,
    TEXT,
    App,
    Line,
    frame,
    open_socket,
    taken_in_turns,
    turns,
    turns_until,
)

TOO_MANY = 1000


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
    await turns_until(lambda: line.is_read)
    line.comes(frame(PONG) * 2 * TOO_MANY)
    await turns_until(lambda: line.is_closed)
    app.may_answer.set()
    await turns(5)
    assert line.sent == b""
    assert not caplog.records


async def test_what_comes_before_a_client_is_known_is_of_one_connection_a_turn(
    app: App, connect: Callable[[], Line]
) -> None:
    app.may_answer.clear()
    lines = [connect() for _ in range(20)]
    for line in lines:
        line.comes(OPENING)
    await turns_until(lambda: all(line.is_read for line in lines))
    for line in lines:
        line.comes(frame(PONG) * 300)
    taken = await taken_in_turns(lambda: sum(bool(line.protocol._small_frames) for line in lines), 20)
    assert max(taken) == 1


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


async def test_of_a_client_who_is_refused_nothing_is_kept_that_comes_behind(
    app: App, connect: Callable[[], Line]
) -> None:
    app.refuses_sockets = True
    line = await open_socket(connect)
    app.may_answer.clear()
    head = frame(TEXT, b"x" * (7 * MIB))[: 64 * 2**10]
    line.comes(frame(TEXT, b"hello") + head)
    await turns(20)
    app.may_answer.set()
    await turns_until(lambda: line.is_ended)
    assert b"\x03\xf0No token" in line.sent
    for _ in range(50):
        line.comes(b"x" * 64 * 2**10)
        assert line.is_read, "so that the client reads why"
    await turns(20)
    assert len(line.protocol.conn.reader.buffer) <= len(head)
    assert not line.protocol._incoming.rest


async def test_who_is_in_the_midst_of_a_message_is_there(app: App, connect: Callable[[], Line]) -> None:
    """It cannot answer a ping before its message is whole, which may take minutes."""
    line = await open_socket(connect)
    message = frame(TEXT, b"x" * MIB)
    for start in range(0, len(message) - 1, MIB // 4):
        line.protocol.send_keepalive_ping()
        line.comes(message[start : start + MIB // 4])
        await turns_until(lambda: line.is_read)
        line.protocol.keepalive_timeout()
        assert not line.protocol.close_sent
    line.protocol.keepalive_timeout()
    assert line.protocol.close_sent


async def test_a_message_has_its_room_until_the_app_is_done_with_it_whether_or_not_its_client_is_there(
    app: App, connect: Callable[[], Line]
) -> None:
    line = await open_socket(connect)
    app.may_answer.clear()
    line.comes(frame(TEXT, b"x" * MIB))
    await turns_until(lambda: app.messages)
    line.close()
    await turns(20)
    assert counted(app) > MIB
    app.may_answer.set()
    await turns_until(lambda: app.ended)
    await turns(5)
    assert not counted(app)


@pytest.mark.parametrize("is_slow", [False, True])
async def test_so_it_has_where_its_client_must_leave_for_want_of_room(
    app: App, connect: Callable[[], Line], monkeypatch: pytest.MonkeyPatch, *, is_slow: bool
) -> None:
    app.room = Room(8 * MIB)  # half of it is a workspace's
    one, other = [await open_socket(connect) for _ in range(2)]
    app.may_answer.clear()
    one.comes(frame(TEXT, b"x" * (MIB + MIB // 2)))
    await turns_until(lambda: app.messages)
    next_one = frame(TEXT, b"y" * (3 * MIB))
    for line, size in ((one, MIB // 4), (other, MIB + MIB // 4)):
        line.comes(next_one[:size])
        await turns_until(lambda line=line: line.is_read)
    monkeypatch.setattr(Sender, "is_slow", is_slow)
    more = other if is_slow else one
    more.comes(next_one[size : size + MIB + MIB // 4])
    await turns_until(lambda: one.is_ended)
    assert counted(app) > MIB + MIB // 2
    assert not one.protocol.conn.reader.buffer
    app.may_answer.set()
    await turns_until(lambda: app.ended)
    await turns(5)
    other.close()
    await turns(20)
    assert not counted(app)


async def test_what_the_app_is_done_with_has_no_room_although_the_next_message_is_there(
    app: App, connect: Callable[[], Line]
) -> None:
    class Taken(list[str]):
        def append(self, message: str) -> None:
            super().append(message)
            app.may_answer.clear()

    app.messages = Taken()
    line = await open_socket(connect)
    message = frame(TEXT, b"x" * MIB)
    line.comes(message)
    await turns_until(lambda: app.messages)
    for number in range(2, 7):
        line.comes(message)
        await turns_until(line.protocol.queue.qsize)
        app.may_answer.set()
        await turns_until(lambda number=number: len(app.messages) == number)
    assert counted(app) < 2 * MIB


async def test_whoever_is_told_that_a_client_has_gone_has_none_of_its_messages(
    app: App, connect: Callable[[], Line]
) -> None:
    """And may have much to do then: of what was taken in for it."""
    left = list[int]()

    class Ends(list[int]):
        def append(self, code: int) -> None:
            left.append(counted(app))
            super().append(code)

    app.ended = Ends()
    line = await open_socket(connect)
    app.may_answer.clear()
    line.comes(frame(TEXT, b"x" * MIB))
    await turns_until(lambda: app.messages)
    line.close()
    await turns(5)
    app.may_answer.set()
    await turns_until(lambda: app.ended)
    assert left == [0]


@pytest.mark.parametrize("frames", ["reserved", "reserved after a whole message", "long ping"])
async def test_nothing_is_kept_of_a_frame_that_is_none(app: App, connect: Callable[[], Line], frames: str) -> None:
    """Not even until garbage is collected, which is seldom; what is wrong is found once all of it is here."""
    app.room = Room(64 * MIB)
    long = b"x" * (4 * MIB)
    head = struct.pack("!BBQ4x", 0x80 | (PING if "ping" in frames else TEXT), 0xFF, len(long))
    data = {
        "reserved": bytes([0xC0 | TEXT]) + head[1:] + long,
        "reserved after a whole message": frame(TEXT, long)
        + frame(PING)
        + bytes([0xC0 | TEXT])
        + frame(TEXT, b"x")[1:],
        "long ping": head + long,
    }[frames]
    with collecting(is_on=False):
        tracemalloc.start()
        try:
            for _ in range(3):
                line = await open_socket(connect)
                for start in range(0, len(data), MUCH):
                    await turns_until(lambda line=line: line.is_read or line.is_ended)
                    line.protocol.data_received(data[start : start + MUCH])
                await turns_until(lambda line=line: line.is_ended)
                line.close()
                await turns(20)
            app.messages.clear()
            kept, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert kept < 6 * MIB


async def test_what_has_come_before_a_client_was_refused_is_not_kept(app: App, connect: Callable[[], Line]) -> None:
    """Not even until garbage is collected, which is seldom."""
    app.refuses_sockets = True
    line = await open_socket(connect)
    app.may_answer.clear()
    line.comes(frame(TEXT, b"hello"))
    await turns_until(lambda: line.is_read)
    line.comes(frame(TEXT, b"x" * 50_000))
    await turns(20)
    assert line.protocol.queue.qsize() == 1
    app.may_answer.set()
    await turns_until(lambda: line.is_ended)
    await turns(5)
    assert not line.protocol.queue.qsize()


async def test_nothing_takes_room_once_the_app_has_ended(app: App, connect: Callable[[], Line]) -> None:
    """As it does in the midst of a message: of a hello with a wrong token behind a right one."""
    line = await open_socket(connect)

    async def ends(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        line.protocol.app_state["take_long_messages"](partial(Sender, app.room, "a workspace"))
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": "No token"})

    line.close()
    line = connect()
    line.protocol.config.loaded_app = line.protocol.app = ends
    line.comes(OPENING)
    await turns_until(lambda: b"101 Switching Protocols" in line.sent)
    for _ in range(2):
        line.comes(frame(TEXT, b"x" * 100_000))
        await turns(20)
    await turns_until(lambda: line.is_ended)
    line.close()
    await turns(20)
    assert not counted(app)


async def test_what_a_client_has_not_read_takes_room(app: App, connect: Callable[[], Line]) -> None:
    app.room = Room(4 * MIB)
    app.answers = "x" * 100_000
    lines = [await open_socket(connect) for _ in range(3)]
    for line in lines:
        line.unread = MIB + 1000
        line.comes(frame(TEXT, b"?"))
        await turns_until(lambda line=line: line.is_ended or b"x" * 100_000 in line.sent)
    assert [line.is_ended for line in lines] == [False, True, True], "half of the room is a workspace's"
    assert b"You did not read what was sent to you." in lines[1].sent
    lines[0].unread = 0
    lines[0].protocol.pause_writing()
    lines[0].protocol.resume_writing()
    assert not app.room.for_answers._bytes.total()  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("end", ["close", "unanswered ping"])
async def test_a_client_that_has_ended_is_not_waited_for_until_it_has_read_all(
    app: App, connect: Callable[[], Line], end: str
) -> None:
    line = await open_socket(connect)
    line.unread = MIB
    line.protocol.config.waits = Waits(farewell_s=0)
    if end == "close":
        line.comes(frame(8, b"\x03\xe8"))
    else:
        line.protocol.send_keepalive_ping()
        line.protocol.keepalive_timeout()
    await turns_until(lambda: line.is_closed and not line.unread)


def counted(app: App) -> int:
    """Bytes that take room."""
    return app.room._bytes.total() + app.room.for_short._bytes.total()  # pyright: ignore[reportPrivateUsage]
