"""The dialect `spec`: the user's protocol specification, literally. Text arrives in whole parts."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from agent import Asked, Citation, Cited, Event, Failed, TextFinished
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
                yield from self.say(_sources(citations))
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
        arguments.pop("connect_from", None)
        arguments.pop("position", None)  # the client places nodes itself
        if function == "create_insert_node":
            arguments["scene_id"] = applied.result["scene_id"]  # which need not be the one that is open
        call = Call(function, arguments)
        connection = applied.result.get("connection")
        if function != "create_insert_node" or connection is None:
            return (call,)
        return call, Call("create_connection", _connection(*connection))

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


def _sources(citations: Sequence[Citation]) -> str:
    """`Sources: [1] [3] bible.pdf, page 4; [2] quests.md`: each place once."""
    numbers: dict[str, list[str]] = {}
    for citation in citations:
        numbers.setdefault(citation.place, []).append(f"[{citation.number}]")
    return "Sources: " + "; ".join(f"{' '.join(cited)} {place}" for place, cited in numbers.items())


def split(text: str, max_bytes: int) -> Iterator[str]:
    """Pieces of `text` whose JSON form, escaped to ASCII, has at most `max_bytes` (14 or more) bytes each."""
    room = max_bytes - 2  # the quotes; a character takes one byte to twelve
    start = 0
    while start < len(text) or start == 0:
        piece = text[start : start + room]
        while (size := len(json.dumps(piece))) > max_bytes:
            piece = piece[: max(1, len(piece) * room // size)]
        yield piece
        start += max(1, len(piece))


def _connection(from_node_id: int, from_slot: int, to_node_id: int, to_slot: int) -> dict[str, Any]:
    return {
        "from_node_id": from_node_id,
        "to_node_id": to_node_id,
        "from_slot": from_slot,
        "to_slot": to_slot,
    }
