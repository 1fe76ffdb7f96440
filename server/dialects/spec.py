"""The dialect `spec`: the user's protocol specification, literally. Text arrives in whole parts."""

import json
from collections.abc import Iterator
from typing import Any

from agent import Asked, Cited, Event, Failed, TextFinished
from arrow_project import OperationResult
from server.dialects.dialect import Call, Frame

# Godot's WebSocketPeer takes 65,535 bytes unless told otherwise, and a longer frame breaks the connection silently.
MAX_FRAME_BYTES = 60_000


class SpecDialect:
    """Says everything as `status`, `chat_response`, `function_call` and `end`."""

    def turn_started(self) -> Iterator[Frame]:
        """`status` processing."""
        yield {"type": "status", "data": {"status": "processing"}}

    def event(self, event: Event) -> Iterator[Frame]:
        """Finished texts, questions, sources and errors, all as chat text."""
        match event:
            case TextFinished(text=text) | Asked(text=text):
                yield from self.say(text)
            case Cited(citations=citations):
                yield from self.say("Sources: " + "; ".join(str(citation) for citation in citations))
            case Failed(failure=failure):
                yield from self.say(f"{failure.code}: {failure.message}")
            case _:
                pass

    def turn_ended(self) -> Iterator[Frame]:
        """`status` ready, then `end`: clients wait for one or the other."""
        yield {"type": "status", "data": {"status": "ready"}}
        yield {"type": "end"}

    def calls(self, applied: OperationResult) -> tuple[Call, ...]:
        """The spec's own functions; a node that is born connected is created first, then connected."""
        function = applied.operation.function
        arguments = {key: value for key, value in applied.operation.arguments.items() if value is not None}
        source = arguments.pop("connect_from", None)
        arguments.pop("position", None)  # the client places nodes itself
        create = Call(function, arguments)
        if source is None or not applied.created:
            return (create,)
        return create, Call("create_connection", _connection(source, applied.created[0]))

    def function_call(self, request_id: str, call: Call) -> Frame:
        """`function_call`, flat."""
        return {
            "type": "function_call",
            "request_id": request_id,
            "function": call.function,
            "arguments": call.arguments,
        }

    def say(self, text: str) -> Iterator[Frame]:
        """`chat_response`, split where a frame would be too long."""
        for piece in split(text, MAX_FRAME_BYTES - 200):
            yield {"type": "chat_response", "message": piece}


def split(text: str, max_bytes: int) -> Iterator[str]:
    """Pieces of `text` whose JSON form, escaped to ASCII, has at most `max_bytes` bytes each."""
    while len(json.dumps(text)) > max_bytes:
        length = (max_bytes - 2) // 12  # a character outside the basic plane becomes twelve bytes
        while length < len(text) and len(json.dumps(text[: length * 2])) <= max_bytes:
            length *= 2
        yield text[:length]
        text = text[length:]
    yield text


def _connection(source: Any, to_node_id: int) -> dict[str, Any]:
    return {
        "from_node_id": source["node_id"],
        "to_node_id": to_node_id,
        "from_slot": source.get("slot", 0),
        "to_slot": 0,
    }
