"""The dialect `arrow-ai`: the chat client of the existing fork of Arrow, as its source and its behaviour are."""

import json
from collections.abc import Iterator

from agent import Event, Usage
from arrow_project import OperationResult
from server.dialects.dialect import Call, CannotExecute, Client, EndReason, Frame, View
from server.dialects.lowering import NativeDialect, native_calls
from server.dialects.wording import Transcript, text_frames


class ArrowAIDialect(NativeDialect):
    """Flat messages; text streams as `text_chunk`; functions are those of the fork's dispatcher, with native data."""

    rolls_back = False
    longest_sent = 65_535

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._transcript = Transcript()

    def turn_started(self, turn_id: str, /) -> Iterator[Frame]:
        """`operation_start`, whose id starts the client's state machine."""
        self._transcript = Transcript()
        yield {"type": "operation_start", "request_id": turn_id}

    def event(self, event: Event) -> Iterator[Frame]:
        """Everything that is said is one streamed text: the client keeps one message per turn in its history."""
        return self._stream(self._transcript.told(event))

    def turn_ended(self, _reason: EndReason, _usage: Usage, /) -> Iterator[Frame]:
        """`end`, which returns the client to idle."""
        yield {"type": "end"}

    def calls(self, applied: OperationResult, view: View) -> tuple[Call, ...]:
        """The dispatcher's functions with native data, native slots and integers.

        Raises:
            CannotExecute: It would have to remove a connection that it holds in integers.
        """
        calls = native_calls(applied, view, self.client)
        if not any(_pops(call) for call in calls):
            return calls
        return tuple(_removing(calls, applied, view))

    def say(self, text: str) -> Iterator[Frame]:
        """`chat_response`, which the client shows as a block of its own."""
        return text_frames(lambda piece: {"type": "chat_response", "message": piece}, text, self.client.max_frame_bytes)

    def _stream(self, text: str) -> Iterator[Frame]:
        return text_frames(lambda piece: {"type": "text_chunk", "text": piece}, text, self.client.max_frame_bytes)


# The client reads every number of a message as a fraction, and to Godot [1, 0, 2, 0] and [1.0, 0.0, 2.0, 0.0] are
# different arrays. So it removes only connections that it was given in messages, and answers success for the others.


def _pops(call: Call) -> list[list[int]]:
    return call.arguments.get("modifications", {}).get("io", {}).get("pop", [])


def _removing(calls: tuple[Call, ...], applied: OperationResult, view: View) -> Iterator[Call]:
    """The calls without connections that the canvas removes by itself together with their node."""
    removable = _given_in_messages(view.content)
    left: list[Call] = []
    for call in calls:
        stuck = [c for c in _pops(call) if removable is not None and tuple(c) not in removable]
        if not stuck:
            yield call
            continue
        if applied.operation.function != "delete_node" or view.scene_id != call.arguments["scene_id"]:
            raise CannotExecute(_stuck(stuck[0], applied, call, view))
        left.append(Call(call.function, call.arguments | {"modifications": {}}))
    # The canvas is cleaned after the answer, so only the answer to a call that does nothing reports it.
    yield from left[:1]


def _stuck(connection: list[int], applied: OperationResult, call: Call, view: View) -> str:
    from_id, from_slot, to_id, to_slot = view.project.said(connection)
    why = f"This editor cannot remove the connection {[from_id, from_slot, to_id, to_slot]} through its chat"
    if applied.operation.function == "delete_node":
        return f"{why} while scene {call.arguments['scene_id']} is not open. Ask the user to open that scene first."
    return (
        f"{why}: it was in the file when the project was opened. Nothing was changed. Ask the user to remove it by "
        "hand in the graph; after that the rest can be done."
    )


def _given_in_messages(content: str | None) -> set[tuple[int, ...]] | None:
    """Connections that the client holds in fractions; None where it has not shown its project."""
    if content is None:
        return None
    try:
        # In Python, where other threads have their turn: in a long story there are very many of both.
        read = json.loads(content, object_hook=lambda record: record, parse_float=lambda digits: float(digits))
        scenes = read["resources"]["scenes"].values()
        connections = [c for scene in scenes for entry in scene["map"].values() for c in entry.get("io", ())]
        return {tuple(map(int, c)) for c in connections if all(isinstance(end, float) for end in c)}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
