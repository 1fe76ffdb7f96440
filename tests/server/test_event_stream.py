"""What is told while it happens, and a caller who hangs up: a turn ends then, whenever that is, an upload goes on."""

import asyncio
import gc
import json
from collections import defaultdict
from collections.abc import MutableMapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect

from agent import TextChunk
from corpora import ProjectKey
from ingest import Progress
from server.closing import ServerClosing
from server.http.connected import HungUp
from server.http.corpus_routes import add_documents
from server.http.event_stream import Told, streamed
from server.http.turn_routes import TurnBody, run_turn
from server.limits.pace import Pace
from server.limits.turn_room import NoRoomForTurn, TurnRoom
from server.services import Services


async def _hung_up_between_the_first_event_and_the_answer(app: FastAPI, spec_version: str) -> None:
    """Older servers say it by a message, newer ones by an error."""
    asked = 0

    async def receive() -> dict[str, Any]:
        nonlocal asked
        asked += 1
        if asked == 1:  # whoever waits for the first event
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        if spec_version == "2.4":
            raise OSError(f"There is nobody to send {message['type']} to.")
        await asyncio.Event().wait()

    scope = {"type": "http", "asgi": {"version": "3.0", "spec_version": spec_version}, "http_version": "1.1"}
    scope |= {"method": "GET", "path": "/", "query_string": b"", "headers": []}
    with suppress(ClientDisconnect):
        await app(scope, receive, send)


@pytest.mark.parametrize("spec_version", ["2.3", "2.4"])
def test_a_caller_who_hangs_up_before_the_answer_begins_stops_the_turn(spec_version: str) -> None:
    app, cancelled = FastAPI(), list[bool]()

    async def run(told: Told) -> dict[str, Any]:
        await told.tell(TextChunk("I add "))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return {}

    async def answer(request: Request) -> Response:
        return await streamed(request, run)

    app.add_api_route("/", answer, response_model=None)

    async def hang_up() -> None:
        await _hung_up_between_the_first_event_and_the_answer(app, spec_version)
        assert cancelled == [True]

    asyncio.run(hang_up())


def test_what_goes_on_after_its_caller_has_hung_up_keeps_nothing_of_what_it_tells() -> None:
    app, queues = FastAPI(), list[Told]()

    async def run(told: Told) -> dict[str, Any]:
        queues.append(told)
        await told.tell(TextChunk("I read "))
        while queues[0].is_heard:  # noqa: ASYNC110 - nobody sets an event
            await asyncio.sleep(0)
        for _ in range(100):
            await told.tell(TextChunk("on"))
        return {}

    async def answer(request: Request) -> Response:
        return await streamed(request, run, to_its_end=True)

    app.add_api_route("/", answer, response_model=None)
    asyncio.run(_hung_up_between_the_first_event_and_the_answer(app, "2.4"))
    assert queues[0].qsize() <= 1, "its end"


async def test_an_upload_whose_caller_has_hung_up_is_nobodys_error_when_the_server_ends() -> None:
    begun, ends, unasked = asyncio.Event(), asyncio.Event(), list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unasked.append(context))

    async def add(*_: object, **__: object) -> None:
        begun.set()
        await ends.wait()
        raise ServerClosing

    body = json.dumps({"documents": [{"name": "a.md", "text": "Elena."}]}).encode()
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> dict[str, Any]:
        if (message := next(messages, None)) is not None:
            return message
        await begun.wait()
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"accept", b"text/event-stream")]}
    services = cast("Services", SimpleNamespace(intake=SimpleNamespace(add=add), paces=defaultdict[str, Pace](Pace)))
    adding = asyncio.create_task(add_documents(Request(scope, receive), ProjectKey("local", "1"), services))
    await begun.wait()
    for _ in range(50):
        await asyncio.sleep(0)
    assert not adding.done(), "it goes on, and counts until then"
    ends.set()
    with pytest.raises(HungUp):
        await adding
    del adding
    gc.collect()
    assert unasked == []


async def test_how_far_very_many_documents_are_is_told_in_turn_with_others_and_not_kept_for_who_is_slow() -> None:
    turns, is_over = 0, False

    async def others() -> None:
        nonlocal turns
        while not is_over:
            turns += 1
            await asyncio.sleep(0)

    async def run(told: Told) -> dict[str, Any]:
        for number in range(5_000):
            await told.tell(Progress("a.md", "reading", number, 5_000))
        return {}

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    other = asyncio.ensure_future(others())
    stream = await streamed(Request({"type": "http"}, receive), run)
    lines = [cast("bytes", line) async for line in stream.body_iterator]
    is_over = True
    await other
    assert 900 < len(lines) < 1_100
    assert lines[-1].startswith(b"event: answer")
    assert turns > len(lines) / 2


async def test_a_story_counts_until_all_that_was_told_of_its_turn_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answered(*arguments: Any, **_: Any) -> dict[str, Any]:
        for text in ("I add ", "gold."):
            await arguments[4](TextChunk(text))
        return {"arrow_content": "{}"}

    monkeypatch.setattr("server.http.turn_routes._answered", answered)
    room, begins, is_read, sent = TurnRoom(most=2**20), asyncio.Event(), asyncio.Event(), list[bytes]()
    services = cast("Services", SimpleNamespace(turn_room=room, catalog=None))

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message.get("body", b""))
        begins.set()
        await is_read.wait()

    scope = {"type": "http", "asgi": {"spec_version": "2.4"}, "headers": [(b"accept", b"text/event-stream")]}
    body = TurnBody(arrow_content="x" * 90_000)
    answer = await run_turn(Request(scope, receive), body, ProjectKey("local", "1"), services)
    sending = asyncio.create_task(answer(scope, receive, send))
    await begins.wait()
    for _ in range(50):
        await asyncio.sleep(0)
    with pytest.raises(NoRoomForTurn), room.at_work("local", 90_000):
        pass
    is_read.set()
    await sending
    with room.at_work("local", 90_000):
        pass
    assert sent[-2].startswith(b"event: answer")
