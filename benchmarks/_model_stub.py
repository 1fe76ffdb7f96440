"""A stub of two providers' APIs that answers at once: five calls for whoever asks, then a sentence.

Anthropic's, streaming, as Fletcher asks it; OpenAI's chat completions, as the Arrow-AI fork's server does.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

from starlette.types import Receive, Scope, Send

CALLS = 5
_WHO = re.compile(rb"I am client (\d+)\.")
_HEADERS = {True: (b"content-type", b"text/event-stream"), False: (b"content-type", b"application/json")}


class ModelStub:
    """The ASGI application.

    Args:
        node_id: The node that every call renames.

    Attributes:
        node_id: The same, for requests from now on.
        pause_s: How long it waits before each event of a stream, in seconds.
        under_way: How many requests are being answered.
    """

    def __init__(self, node_id: int) -> None:
        self.node_id = node_id
        self.pause_s = 0.0
        self.under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            return
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = bool(message.get("more_body", False))
        is_stream = scope["path"].endswith("/messages")
        parts = self._anthropic(body) if is_stream else self._openai(body)
        self.under_way += 1
        try:
            await send({"type": "http.response.start", "status": 200, "headers": [_HEADERS[is_stream]]})
            for part in [*parts] if self.pause_s else ["".join(parts)]:
                await self._pause(receive)
                await send({"type": "http.response.body", "body": part.encode(), "more_body": True})
            await send({"type": "http.response.body"})
        except ConnectionResetError:
            return  # whoever asked has left
        finally:
            self.under_way -= 1

    async def _pause(self, receive: Receive) -> None:
        """Waits, and notices when whoever asked hangs up."""
        if not self.pause_s:
            return
        try:
            message = await asyncio.wait_for(receive(), self.pause_s)
        except TimeoutError:
            return
        if message["type"] == "http.disconnect":
            raise ConnectionResetError

    def _rename(self, body: bytes, number: int) -> dict[str, Any]:
        found = _WHO.search(body)
        assert found is not None, "a request without the client's message"
        return {"node_id": self.node_id, "name": name_for(int(found[1]), number)}

    def _anthropic(self, body: bytes) -> Iterator[str]:
        number = body.count(b'"tool_result"')
        usage = {"input_tokens": 100, "output_tokens": 1}
        head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5"}
        yield _event(
            "message_start", message=head | {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        )
        if number < CALLS:
            block = {"type": "tool_use", "id": f"toolu_{number}", "name": "update_node", "input": {}}
            yield _event("content_block_start", index=0, content_block=block)
            arguments = json.dumps(self._rename(body, number))
            for piece in (arguments[:10], arguments[10:]):
                yield _event("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": piece})
        else:
            yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
            yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": "Done."})
        yield _event("content_block_stop", index=0)
        reason = "tool_use" if number < CALLS else "end_turn"
        yield _event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": 9})
        yield _event("message_stop")

    def _openai(self, body: bytes) -> Iterator[str]:
        request = json.loads(body)
        number = sum(message["role"] == "tool" for message in request["messages"])
        message: dict[str, Any] = {"role": "assistant", "content": "Done.", "refusal": None}
        if "response_format" in request:  # whether the message is simple or complex
            message["content"] = json.dumps({"complexity": "SIMPLE", "reasoning": "One thing is asked for."})
        elif number < CALLS:
            function = {"name": "update_node", "arguments": json.dumps(self._rename(body, number))}
            call = {"id": f"call_{number}", "type": "function", "function": function}
            message |= {"content": None, "tool_calls": [call]}
        reason = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        usage = {"prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 109}
        head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": request["model"]}
        yield json.dumps(head | {"choices": [choice], "usage": usage})


def name_for(who: int, number: int) -> str:
    """What call `number` of client `who` renames the node to: nobody else's call says it."""
    return f"client_{who}_call_{number}"


def _event(kind: str, **data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"
