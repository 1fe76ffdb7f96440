"""An HTTP stub of Anthropic's Messages API: it streams scripted answers in the provider's own event format."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route


@dataclass(frozen=True)
class Text:
    """A text block; each piece is streamed as one delta."""

    pieces: Sequence[str]


@dataclass(frozen=True)
class ToolUse:
    """A tool_use block; its input is streamed as partial JSON."""

    name: str
    input: dict[str, Any]


@dataclass(frozen=True)
class HttpError:
    """An answer with an error status instead of a stream."""

    status: int
    kind: str
    message: str


@dataclass(frozen=True)
class Hang:
    """The stream opens and never says anything."""


Answer = Sequence[Text | ToolUse] | HttpError | Hang
# An answer may depend on the request that it answers.
Script = Sequence[Answer | Callable[[dict[str, Any]], Answer]]


@dataclass
class MessagesApi:
    """Answers request n with `script[n]`, and keeps every request's body.

    `hanging` is set once a `Hang` has begun, `hung_up` once its client has left.
    """

    script: Script
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    hanging: threading.Event = field(default_factory=threading.Event)
    hung_up: threading.Event = field(default_factory=threading.Event)

    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(routes=[Route("/v1/messages", self._answer, methods=["POST"])])

    async def _answer(self, request: Request) -> Response:
        body: dict[str, Any] = await request.json()
        self.requests.append(body)
        scripted = self.script[len(self.requests) - 1]
        answer = scripted(body) if callable(scripted) else scripted
        if isinstance(answer, HttpError):
            error = {"type": "error", "error": {"type": answer.kind, "message": answer.message}}
            return JSONResponse(error, status_code=answer.status)
        return StreamingResponse(self._stream(answer), media_type="text/event-stream")

    async def _stream(self, answer: Sequence[Text | ToolUse] | Hang) -> AsyncIterator[str]:
        usage = {"input_tokens": 100, "output_tokens": 1}
        message = {
            "id": f"msg_{len(self.requests)}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        yield _event("message_start", {"message": message})
        if isinstance(answer, Hang):
            self.hanging.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.hung_up.set()
        else:
            for index, block in enumerate(answer):
                for event in _block_events(index, block):
                    yield event
            reason = "tool_use" if any(isinstance(block, ToolUse) for block in answer) else "end_turn"
            delta = {"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 20}}
            yield _event("message_delta", delta)
            yield _event("message_stop", {})


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
        text = json.dumps(block.input)
        half = len(text) // 2
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in (text[:half], text[half:])]
    return [
        _event("content_block_start", {"index": index, "content_block": start}),
        *(_event("content_block_delta", {"index": index, "delta": delta}) for delta in deltas),
        _event("content_block_stop", {"index": index}),
    ]


def _event(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"
