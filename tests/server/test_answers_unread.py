"""Answers that nobody reads take the room of their own workspace, and are not copied before somebody does."""

import asyncio
import json
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from server import Limits
from server.limits import room
from server.limits.body_limit import BodyLimitMiddleware
from server.limits.places import Places
from server.limits.room import Room
from tests.collecting import collecting

MIB = 2**20
LONG = b"x" * (3 * MIB)


class Caller:
    """One request without a body, whose answer is read when the test says so."""

    def __init__(self, app: BodyLimitMiddleware, workspace: str) -> None:
        self._app = app
        self._workspace = workspace
        self._reads = asyncio.Event()
        self.handed_over = asyncio.Event()
        self.messages: list[Message] = []

    async def ask(self) -> None:
        scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "state": {"workspace": self._workspace}}
        await self._app(scope, self._receive, self._send)

    def read(self) -> None:
        self._reads.set()

    @property
    def status(self) -> int:
        return self.messages[0]["status"]

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages)

    async def _receive(self) -> Message:
        await asyncio.Event().wait()  # it stays
        raise AssertionError

    async def _send(self, message: Message) -> None:
        self.messages.append(message)
        if message.get("body"):
            self.handed_over.set()
            await self._reads.wait()


def answering(response: Response, most: int = 8 * MIB) -> tuple[BodyLimitMiddleware, Room]:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await response(scope, receive, send)

    under_way = Room(most)
    return BodyLimitMiddleware(app, Limits(), under_way, Room(most), Places(1, 1)), under_way


def in_a_loop(test: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    def run() -> None:
        async def whole() -> None:
            await test()

        asyncio.run(whole())

    run.__name__ = test.__name__
    return run


async def unread(app: BodyLimitMiddleware, workspace: str) -> tuple[Caller, asyncio.Task[None]]:
    """Somebody who has asked, and reads nothing of the answer that is there."""
    caller = Caller(app, workspace)
    asking = asyncio.create_task(caller.ask())
    await caller.handed_over.wait()
    return caller, asking


@in_a_loop
async def test_a_long_answer_is_handed_over_in_pieces_as_it_is_read() -> None:
    app, _ = answering(Response(LONG))
    caller, asking = await unread(app, "ada")
    assert 0 < len(caller.body) < len(LONG) / 8
    caller.read()
    await asking
    assert (caller.status, caller.body) == (200, LONG)
    assert [message.get("more_body") for message in caller.messages[-2:]] == [True, False]


@in_a_loop
async def test_whoever_reads_nothing_gets_no_more_long_answers_and_others_do() -> None:
    app, _ = answering(Response(LONG))
    first, asking = await unread(app, "ada")
    again, other = Caller(app, "ada"), Caller(app, "bo")
    again.read()
    other.read()
    await again.ask()
    await other.ask()
    assert (again.status, json.loads(again.body)["error"]["code"]) == (503, "TOO_BUSY")
    assert dict(again.messages[0]["headers"])[b"retry-after"]
    assert (other.status, other.body) == (200, LONG)
    first.read()
    await asking
    assert first.body == LONG
    once_more = Caller(app, "ada")
    once_more.read()
    await once_more.ask()
    assert once_more.body == LONG


def test_whoever_reads_slowly_gives_way_where_others_lack_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_WAIT_S", 0)

    async def both() -> None:
        app, _ = answering(Response(LONG))
        slow, asking = await unread(app, "ada")
        again = Caller(app, "ada")
        again.read()
        await again.ask()
        assert again.body == LONG
        await asking
        assert len(slow.body) < len(LONG)
        assert slow.messages[-1]["more_body"] is True, "its connection is cut"

    asyncio.run(both())


@in_a_loop
async def test_what_is_streamed_from_the_disk_takes_no_room() -> None:
    async def pieces() -> AsyncGenerator[bytes]:
        for _ in range(48):
            yield b"x" * 65536

    app, _ = answering(StreamingResponse(pieces(), headers={"content-length": str(48 * 65536)}), most=MIB)
    caller = Caller(app, "ada")
    caller.read()
    await caller.ask()
    assert (caller.status, len(caller.body)) == (200, 48 * 65536)


@in_a_loop
async def test_what_has_begun_and_finds_no_room_is_broken_off() -> None:
    async def events() -> AsyncGenerator[bytes]:
        yield b"begun"
        yield LONG

    app, room_of_all = answering(StreamingResponse(events()))
    room_of_all.for_answers.add("ada", 5 * MIB)
    caller = Caller(app, "ada")
    caller.read()
    await caller.ask()
    assert (caller.status, caller.body) == (200, b"begun")
    assert caller.messages[-1]["more_body"] is True, "its connection is cut"


class Kept(bytearray):
    """An answer, of which is known whether it is there."""


@in_a_loop
async def test_an_answer_that_is_broken_off_is_kept_by_nothing() -> None:
    """An error of one of several tasks refers to itself, and to the frames that had the answer."""
    made = list[weakref.ref[Kept]]()

    async def pieces() -> AsyncGenerator[bytes]:
        answer = Kept(LONG)
        made.append(weakref.ref(answer))
        yield b"begun"
        yield bytes(answer)

    async def events(scope: Scope, receive: Receive, send: Send) -> None:
        await StreamingResponse(pieces())(scope, receive, send)

    app, under_way = answering(Response(LONG))
    first, asking = await unread(app, "ada")
    caller = Caller(BodyLimitMiddleware(events, Limits(), under_way, Room(8 * MIB), Places(1, 1)), "ada")
    caller.read()
    with collecting(is_on=False):
        await caller.ask()
        assert caller.body == b"begun", "the rest has found no room"
        for _ in range(5):  # the loop closes what has not come to its end
            await asyncio.sleep(0)
        assert made[0]() is None
    first.read()
    await asking
