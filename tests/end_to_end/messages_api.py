"""An HTTP stub of Anthropic's Messages API: it streams scripted answers in the provider's own event format."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send


@dataclass(frozen=True)
class Text:
    """A text block; each piece is streamed as one delta."""

    pieces: Sequence[str]


@dataclass(frozen=True)
class ToolUse:
    """A tool_use block; its input is streamed as partial JSON. `raw` replaces it with a text that need not be JSON."""

    name: str
    input: dict[str, Any]
    raw: str | None = None


@dataclass(frozen=True)
class HttpError:
    """An answer with an error status instead of a stream."""

    status: int
    kind: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Reset:
    """The connection is closed without an answer."""


@dataclass(frozen=True)
class Cut:
    """A stream that ends early: in the middle of its last block, or after it (`whole`), but before the end is said.

    `properly`: the HTTP response itself is complete, as when a proxy gives up.
    """

    blocks: Sequence[Text | ToolUse]
    properly: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Stopped:
    """A whole answer with another reason for its end than usual, in the provider's words."""

    blocks: Sequence[Text | ToolUse]
    reason: str


@dataclass(frozen=True)
class StreamError:
    """The stream opens, says these blocks, and then an error."""

    kind: str
    message: str
    blocks: Sequence[Text | ToolUse] = ()


@dataclass(frozen=True)
class Hang:
    """From here on the stream says nothing and stays open: alone, or after the blocks before it."""


Answer = Sequence[Text | ToolUse | Hang] | HttpError | Hang | Reset | Cut | Stopped | StreamError
# An answer may depend on the request that it answers.
Script = Sequence[Answer | Callable[[dict[str, Any]], Answer]]


class _NoAnswer(Response):
    """Closes the connection instead.

    An exception would not do: Starlette answers it with 500 on a connection that is kept, and uvicorn closes that a
    moment later, perhaps while the client sends its next request on it.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        cast("Any", receive).__self__.transport.abort()  # uvicorn's cycle of request and response
        while (await receive())["type"] != "http.disconnect":
            pass


@dataclass
class MessagesApi:
    """Answers request n with `script[n]`, and keeps every request's body, parsed and as it came.

    `hanging` is set once a `Hang` has begun, `hung_up` once its client has left.
    """

    _torn: ClassVar[int] = 2  # how many events of its last block a stream lacks that breaks off
    script: Script
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    bodies: list[bytes] = field(default_factory=list[bytes])
    hanging: threading.Event = field(default_factory=threading.Event)
    hung_up: threading.Event = field(default_factory=threading.Event)

    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(routes=[Route("/v1/messages", self._answer, methods=["POST"])])

    async def _answer(self, request: Request) -> Response:
        self.bodies.append(await request.body())
        body: dict[str, Any] = await request.json()
        self.requests.append(body)
        scripted = self.script[len(self.requests) - 1]
        answer = scripted(body) if callable(scripted) else scripted
        if isinstance(answer, HttpError):
            return JSONResponse(self._error(answer), status_code=answer.status, headers=dict(answer.headers))
        if isinstance(answer, Reset):
            return _NoAnswer()
        return StreamingResponse(self._stream(answer), media_type="text/event-stream")

    def _error(self, error: HttpError) -> dict[str, Any]:
        return {"type": "error", "error": {"type": error.kind, "message": error.message}}

    async def _hang(self) -> None:
        self.hanging.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.hung_up.set()

    async def _stream(
        self, answer: Sequence[Text | ToolUse | Hang] | Hang | Cut | Stopped | StreamError
    ) -> AsyncIterator[str]:
        for event in self._head():
            yield event
        said = [answer] if isinstance(answer, Hang) else answer if isinstance(answer, Sequence) else answer.blocks
        blocks = [block for block in said if not isinstance(block, Hang)]
        for index, block in enumerate(said):
            if isinstance(block, Hang):
                await self._hang()
                return
            events = self._block(index, block)
            is_torn = isinstance(answer, Cut) and not answer.whole and index == len(said) - 1
            for event in events[: -self._torn] if is_torn else events:
                yield event
        match answer:
            case Cut(properly=True):
                return
            case Cut():
                raise ConnectionResetError
            case StreamError(kind=kind, message=message):
                events = [self._stream_error(kind, message)]
            case Stopped(reason=reason):
                events = self._tail(blocks, reason)
            case _:
                events = self._tail(blocks, None)
        for event in events:
            yield event

    def _head(self) -> list[str]:
        """What opens a stream."""
        message = {
            "id": f"msg_{len(self.requests)}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 1},
        }
        return [_event("message_start", {"message": message})]

    def _block(self, index: int, block: Text | ToolUse) -> list[str]:
        return _block_events(index, block)

    def _stream_error(self, kind: str, message: str) -> str:
        return _event("error", {"error": {"type": kind, "message": message}})

    def _tail(self, blocks: Sequence[Text | ToolUse], reason: str | None) -> list[str]:
        """What ends a whole answer, by itself or for a reason in the provider's words."""
        usual = "tool_use" if any(isinstance(block, ToolUse) for block in blocks) else "end_turn"
        delta = {"delta": {"stop_reason": reason or usual, "stop_sequence": None}, "usage": {"output_tokens": 20}}
        return [_event("message_delta", delta), _event("message_stop", {})]


def _block_events(index: int, block: Text | ToolUse) -> list[str]:
    if isinstance(block, Text):
        start: dict[str, Any] = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in block.pieces]
    else:
        start = {
            "type": "tool_use",
            "id": f"toolu_{index}_{abs(hash(json.dumps(block.input)))}",
            "name": block.name,
            "input": {},
        }
        text = json.dumps(block.input) if block.raw is None else block.raw
        half = len(text) // 2
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in (text[:half], text[half:])]
    return [
        _event("content_block_start", {"index": index, "content_block": start}),
        *(_event("content_block_delta", {"index": index, "delta": delta}) for delta in deltas),
        _event("content_block_stop", {"index": index}),
    ]


def _event(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"
