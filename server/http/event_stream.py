"""What takes long over HTTP while it happens, as server-sent events: a turn, documents that are taken in."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from fastapi import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from agent import Event, OperationFinished, TextChunk, TextFinished, in_thread
from corpora import CorpusError
from ingest import Progress
from server.ended_task import let_go
from server.http.connected import while_connected
from server.http.dependencies import RequestError
from server.http.refusals import status_of
from server.json_text import write_long

EVENT_STREAM = "text/event-stream"
_MOST_WAITING = 1_000  # events

_Event = Event | Progress


class Told(asyncio.Queue[_Event | None]):
    """What is told and not sent yet; None at the end. How far something is is not told to who reads too slowly.

    Once it is sent it is a task done: who has told all, and takes room until it is read, waits with ``join``.
    """

    is_heard = True

    async def tell(self, event: _Event) -> None:
        """Takes an event, unless the caller has hung up: documents may be taken in for hours after that."""
        if self.is_heard and not (isinstance(event, Progress) and self.qsize() > _MOST_WAITING):
            self.put_nowait(event)


async def streamed(
    request: Request, run: Callable[[Told], Awaitable[dict[str, Any]]], *, to_its_end: bool = False
) -> StreamingResponse:
    """The events of what `run` tells, and its answer as the last one.

    Whoever hangs up cancels it; what is done `to_its_end` all the same counts as a request until then.

    Raises:
        RequestError: It was refused before anything happened.
        TooManyTurns: The same.
        CorpusError: The same.
    """
    told = Told()
    turn = asyncio.ensure_future(run(told))
    turn.add_done_callback(let_go)
    turn.add_done_callback(lambda _: told.put_nowait(None))
    try:
        first = await while_connected(request, told.get())
    except BaseException:
        await _ended(told, turn, to_its_end)
        raise
    if first is None:
        await turn
    return _EventStream(_events(first, told, turn), partial(_ended, told, turn, to_its_end))


async def _ended(told: Told, turn: asyncio.Future[dict[str, Any]], to_its_end: bool) -> None:
    told.is_heard = False
    if not to_its_end:
        turn.cancel()
    await asyncio.wait([turn])


class _EventStream(StreamingResponse):
    """Ends the work with the answer: one whose caller has hung up before it began asks for no event at all."""

    def __init__(self, events: AsyncGenerator[bytes], end: Callable[[], Awaitable[None]]) -> None:
        super().__init__(events, media_type=EVENT_STREAM)
        self._end = end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._end()


async def _events(event: _Event | None, told: Told, turn: asyncio.Future[dict[str, Any]]) -> AsyncGenerator[bytes]:
    try:
        while event is not None:
            # An operation may have a text as long as a story is.
            said = _said(event) if isinstance(event, TextChunk | Progress) else await in_thread(_said, event)
            if said is not None:
                yield said
                await asyncio.sleep(0)  # a client that reads quickly never makes it wait
            told.task_done()
            event = await told.get()
        yield await in_thread(_line, "answer", turn.result())  # with a story, however long
    except (RequestError, CorpusError) as error:
        error.__traceback__ = None  # or it refers to this place, which refers to the turn, which keeps it
        yield _line("error", {"error": {"code": error.code, "message": str(error)}, "status": status_of(error.code)})


def _said(event: _Event) -> bytes | None:
    match event:
        case Progress():
            return _line("progress", asdict(event))
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


def _line(name: str, data: dict[str, Any]) -> bytes:
    # In ASCII a story would be six times as long. But many readers of events take these for ends of lines.
    written = write_long(data).replace("\x85", r"\u0085").replace("\u2028", r"\u2028").replace("\u2029", r"\u2029")
    return f"event: {name}\ndata: {written}\n\n".encode(errors="replace")
