"""The dialect `envelope`: every message inside `data`, and the names and arguments of Arrow's own Mind."""

from collections.abc import Callable, Iterator
from typing import Any

from agent import Event, Usage
from arrow_project import NativeCall, OperationResult
from server.dialects.dialect import Call, Client, EndReason, Frame, View
from server.dialects.lowering import NativeDialect, is_drawn, separate
from server.dialects.wording import Transcript, text_frames

Arguments = dict[str, Any]


class EnvelopeDialect(NativeDialect):
    """Text streams as `text_chunk`; functions are called by the names that Mind has for them."""

    rolls_back = True

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._transcript = Transcript()

    def turn_started(self, turn_id: str, /) -> Iterator[Frame]:
        """`operation_start`."""
        self._transcript = Transcript()
        yield {"type": "operation_start", "data": {"request_id": turn_id}}

    def event(self, event: Event) -> Iterator[Frame]:
        """Everything that is said is one streamed text."""
        return self._stream(self._transcript.told(event))

    def turn_ended(self, _reason: EndReason, _usage: Usage, /) -> Iterator[Frame]:
        """`operation_end`, then `end`: clients wait for one or the other."""
        self._transcript = Transcript()
        yield {"type": "operation_end", "data": {}}
        yield {"type": "end", "data": {}}

    def calls(self, applied: OperationResult, view: View) -> tuple[Call, ...]:
        """Mind's functions with all of their arguments; what is created gets its name in a second call."""
        return tuple(self._renamed(call, view) for native in applied.calls for call in self._steps(native, view))

    def function_call(self, request_id: str, call: Call) -> Frame:
        """`function_call`, with the function and its arguments under both names that clients have for them."""
        data = {
            "request_id": request_id,
            "function": call.function,
            "function_name": call.function,
            "arguments": call.arguments,
            "args": call.arguments,
        }
        return {"type": "function_call", "data": data}

    def say(self, text: str) -> Iterator[Frame]:
        """`text_chunk`, apart from what is streaming."""
        yield from self._stream(self._transcript.aside(text))

    def _stream(self, text: str) -> Iterator[Frame]:
        return text_frames(
            lambda piece: {"type": "text_chunk", "data": {"text": piece}}, text, self.client.max_frame_bytes
        )

    def _steps(self, native: NativeCall, view: View) -> tuple[Call, ...]:
        if native.function in ("create_scene", "create_variable", "create_character"):
            return separate(native)
        arguments = dict(native.arguments)
        if native.function == "create_insert_node":
            arguments |= {"draw": is_drawn(native, view), "name_prefix": ""}
            if "offset" not in self.client.capabilities:
                del arguments["offset"]  # the client places nodes itself
        return (Call(native.function, arguments, native.created),)

    def _renamed(self, call: Call, view: View) -> Call:
        name, arguments_of = _MINDS[call.function]
        return Call(name, arguments_of(call.arguments, view), call.created)


def _as_they_are(given: Arguments, _view: View) -> Arguments:
    return given


def _update_node(given: Arguments, _view: View) -> Arguments:
    return {"name": "", "data": {}, "notes": ""} | given | {"is_auto_update": False}


def _update_node_map(given: Arguments, _view: View) -> Arguments:
    return {"node_id": given["node_id"], "modification": given["modifications"], "scene_id": given["scene_id"]}


def _update_scene(given: Arguments, _view: View) -> Arguments:
    return {"name": "", "entry": -1, "notes": ""} | given


def _update_variable(given: Arguments, view: View) -> Arguments:
    variable = view.project.data.variables[given["variable_id"]]
    known = {"name": variable["name"], "type": variable["type"], "initial_value": variable["init"], "notes": ""}
    return known | given


def _update_character(given: Arguments, view: View) -> Arguments:
    character = view.project.data.characters[given["character_id"]]
    known = {"name": character["name"], "color": character["color"], "notes": ""}
    tags = {**(character.get("tags") or {}), **given.get("tags", {})}
    return known | given | {"tags": tags}


def _removal(given: Arguments, _view: View) -> Arguments:
    return {name: value for name, value in given.items() if name != "force"} | {"forced": given["force"]}


# What the fork's dispatcher calls it: what Mind calls it, and Mind's arguments.
_MINDS: dict[str, tuple[str, Callable[[Arguments, View], Arguments]]] = {
    "create_insert_node": ("create_insert_node", _as_they_are),
    "update_node": ("update_node", _update_node),
    "delete_node": ("remove_node", _removal),
    "update_node_map": ("update_node_map", _update_node_map),
    "create_scene": ("create_new_scene", _as_they_are),
    "update_scene": ("update_scene", _update_scene),
    "delete_scene": ("remove_scene", _removal),
    "set_scene_entry": ("update_scene_entry", _as_they_are),
    "set_project_entry": ("update_project_entry", _as_they_are),
    "create_variable": ("create_new_variable", _as_they_are),
    "update_variable": ("update_variable", _update_variable),
    "delete_variable": ("remove_variable", _removal),
    "create_character": ("create_new_character", _as_they_are),
    "update_character": ("update_character", _update_character),
    "delete_character": ("remove_character", _removal),
}
