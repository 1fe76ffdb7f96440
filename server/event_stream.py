"""A turn over HTTP while it happens, as server-sent events."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

from fastapi import Request
from starlette.responses import StreamingResponse

from agent import Event, EventSink, OperationFinished, TextChunk, TextFinished
from server.connected import while_connected
from server.dependencies import RequestError

EVENT_STREAM = "text/event-stream"

_Run = Callable[[EventSink], Awaitable[dict[str, Any]]]


async def streamed(request: Request, run: _Run) -> StreamingResponse:
    """The events of what `run` tells, and its answer as the last one; whoever hangs up cancels it.

    Raises:
        RequestError: The turn was refused before anything happened.
        TooManyTurns: The same.
    """
    told = asyncio.Queue[Event | None]()
    turn = asyncio.ensure_future(run(told.put))
    turn.add_done_callback(lambda _: told.put_nowait(None))
    try:
        first = await while_connected(request, told.get())
    except BaseException:
        turn.cancel()
        raise
    if first is None:
        await turn
    return StreamingResponse(_events(first, told, turn), media_type=EVENT_STREAM)


async def _events(
    event: Event | None, told: asyncio.Queue[Event | None], turn: asyncio.Future[dict[str, Any]]
) -> AsyncGenerator[str]:
    try:
        while event is not None:
            if (said := _said(event)) is not None:
                yield said
            event = await told.get()
        yield _line("answer", turn.result())
    except RequestError as error:
        yield _line("error", {"error": {"code": error.code, "message": str(error)}})
    finally:
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)


def _said(event: Event) -> str | None:
    match event:
        case TextChunk(text=text):
            return _line("text", {"text": text})
        case TextFinished(text=text):
            return _line("text_end", {"text": text})
        case OperationFinished():
            return _line("operation", operation_entry(event))
        case _:
            return None


def operation_entry(operation: OperationFinished) -> dict[str, Any]:
    """One operation as an answer lists it."""
    failure = operation.failure
    return {
        "function": operation.function,
        "arguments": dict(operation.arguments),
        "success": operation.success,
        "result": operation.result,
        "error": failure.as_dict() if failure else None,
    }


def _line(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
