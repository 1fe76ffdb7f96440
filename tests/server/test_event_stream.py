"""A turn that is told while it happens ends with its caller, whenever that one hangs up."""

import asyncio
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any

import pytest
from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect

from agent import EventSink, TextChunk
from server.http.event_stream import streamed


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

    async def run(tell: EventSink) -> dict[str, Any]:
        await tell(TextChunk("I add "))
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
