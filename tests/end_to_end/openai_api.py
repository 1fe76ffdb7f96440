"""HTTP stubs of OpenAI's two APIs, in their own streaming formats, with the script of the Anthropic stub.

Chat Completions is what Ollama, vLLM and LM Studio speak, too.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Route

from tests.end_to_end.messages_api import HttpError, MessagesApi, Text, ToolUse

_USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
_RESPONSES_USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 120,
}


@dataclass
class ChatCompletionsApi(MessagesApi):
    """`/v1/chat/completions`."""

    path = "/v1/chat/completions"
    _torn = 1

    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(routes=[Route(self.path, self._answer, methods=["POST"])])

    def _error(self, error: HttpError) -> dict[str, Any]:
        return {"error": {"message": error.message, "type": error.kind, "code": error.kind, "param": None}}

    def _head(self) -> list[str]:
        return []

    def _block(self, index: int, block: Text | ToolUse) -> list[str]:
        return [self._delta(part) for part in _parts(index, block)]

    def _stream_error(self, kind: str, message: str) -> str:
        return _data({"error": {"message": message, "type": kind, "code": kind}})

    def _tail(self, blocks: Sequence[Text | ToolUse], reason: str | None) -> list[str]:
        usual = "tool_calls" if any(isinstance(block, ToolUse) for block in blocks) else "stop"
        counted = _data({**self._chunk(), "choices": [], "usage": _USAGE})
        return [self._delta({}, reason or usual), counted, "data: [DONE]\n\n"]

    def _delta(self, delta: dict[str, Any], reason: str | None = None) -> str:
        return _data({**self._chunk(), "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

    def _chunk(self) -> dict[str, Any]:
        return {"id": f"c{len(self.requests)}", "object": "chat.completion.chunk", "created": 1, "model": "gpt-stub"}


@dataclass
class ResponsesApi(ChatCompletionsApi):
    """`/v1/responses`."""

    path = "/v1/responses"
    _torn = 2

    def _head(self) -> list[str]:
        return [_event("response.created", {"response": self._response("in_progress", [])})]

    def _block(self, index: int, block: Text | ToolUse) -> list[str]:
        return self._item(index, block)[0]

    def _item(self, index: int, block: Text | ToolUse) -> tuple[list[str], dict[str, Any]]:
        return _item_events(index, f"{len(self.requests)}_{index}", block)

    def _stream_error(self, kind: str, message: str) -> str:
        return _event("error", {"code": kind, "message": message, "param": None})

    def _tail(self, blocks: Sequence[Text | ToolUse], reason: str | None) -> list[str]:
        items = [self._item(index, block)[1] for index, block in enumerate(blocks)]
        if reason is None:
            return [_event("response.completed", {"response": self._response("completed", items)})]
        response = self._response("incomplete", items) | {"incomplete_details": {"reason": reason}}
        return [_event("response.incomplete", {"response": response})]

    def _response(self, status: str, items: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": f"resp_{len(self.requests)}",
            "object": "response",
            "created_at": 1,
            "status": status,
            "model": "gpt-stub",
            "output": items,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": None if status == "in_progress" else _RESPONSES_USAGE,
            "incomplete_details": None,
            "error": None,
        }


def _parts(index: int, block: Text | ToolUse) -> list[dict[str, Any]]:
    if isinstance(block, Text):
        return [{"role": "assistant", "content": piece} for piece in block.pieces]
    text = json.dumps(block.input) if block.raw is None else block.raw
    half = len(text) // 2
    begun = {"index": index, "id": f"call_{index}", "type": "function"}
    return [
        {"tool_calls": [{**begun, "function": {"name": block.name, "arguments": text[:half]}}]},
        {"tool_calls": [{"index": index, "function": {"arguments": text[half:]}}]},
    ]


def _item_events(index: int, identity: str, block: Text | ToolUse) -> tuple[list[str], dict[str, Any]]:
    if isinstance(block, Text):
        said = "".join(block.pieces)
        part = {"type": "output_text", "text": said, "annotations": [], "logprobs": []}
        item: dict[str, Any] = {"type": "message", "id": f"msg_{identity}", "role": "assistant", "status": "completed"}
        place = {"item_id": item["id"], "output_index": index, "content_index": 0}
        deltas = [_event("response.output_text.delta", {**place, "delta": d, "logprobs": []}) for d in block.pieces]
        empty = item | {"content": [], "status": "in_progress"}
        item |= {"content": [part]}
        middle = [
            _event("response.content_part.added", {**place, "part": part | {"text": ""}}),
            *deltas,
            _event("response.output_text.done", {**place, "text": said, "logprobs": []}),
        ]
    else:
        text = json.dumps(block.input) if block.raw is None else block.raw
        item = {"type": "function_call", "id": f"fc_{identity}", "call_id": f"call_{identity}", "name": block.name}
        place = {"item_id": item["id"], "output_index": index}
        empty = item | {"arguments": "", "status": "in_progress"}
        item |= {"arguments": text, "status": "completed"}
        halves = (text[: len(text) // 2], text[len(text) // 2 :])
        middle = [
            *(_event("response.function_call_arguments.delta", {**place, "delta": half}) for half in halves),
            _event("response.function_call_arguments.done", {**place, "arguments": text, "name": block.name}),
        ]
    added = _event("response.output_item.added", {"output_index": index, "item": empty})
    done = _event("response.output_item.done", {"output_index": index, "item": item})
    return [added, *middle, done], item


def _event(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, 'sequence_number': 0, **data})}\n\n"


def _data(chunk: dict[str, Any]) -> str:
    return f"data: {json.dumps(chunk)}\n\n"
