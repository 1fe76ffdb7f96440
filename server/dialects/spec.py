"""The dialect `spec`: the user's protocol specification, literally. Text arrives in whole parts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent import Event, TextFinished, Usage
from arrow_project import NativeCall, Operation, OperationResult
from server.dialects.dialect import Call, Dialect, EndReason, Frame, View
from server.dialects.wording import text_frames, words_of

# Arguments that only say where the node goes, or that become calls of their own.
_OWN_CALLS = ("connect_from", "position", "offset")
# Operations whose connections the client must be asked for one by one.
_WIRING = ("create_insert_node", "quick_insert_node", "node_connection_replacement", "update_node")
# Fields of nodes that a model may call by another name than the spec: for any type, and for one.
_SPEC_NAMES = {"character_id": "character", "variable_id": "variable"}
_SPEC_NAMES_OF_TYPE = {("content", "text"): "content", ("interaction", "options"): "actions"}


class SpecDialect(Dialect):
    """Says everything as `status`, `chat_response`, `function_call` and `end`."""

    rolls_back = True

    def turn_started(self, _turn_id: str, /) -> Iterator[Frame]:
        """`status` processing."""
        yield {"type": "status", "data": {"status": "processing"}}

    def event(self, event: Event) -> Iterator[Frame]:
        """Finished texts, questions, sources, suggestions and errors, all as chat text."""
        words = event.text if isinstance(event, TextFinished) else words_of(event)
        if words:
            yield from self.say(words)

    def turn_ended(self, _reason: EndReason, _usage: Usage, /) -> Iterator[Frame]:
        """`status` ready, then `end`: clients wait for one or the other."""
        yield {"type": "status", "data": {"status": "ready"}}
        yield {"type": "end"}

    def calls(self, applied: OperationResult, view: View) -> tuple[Call, ...]:
        """The spec's own functions: what becomes several nodes is created one by one, then connected."""
        function = applied.operation.function
        if function not in _WIRING:
            return (Call(function, dict(applied.operation.arguments), _created(applied)),)
        lowered: list[Call] = []
        for call in applied.calls:
            match call.function:
                case "create_insert_node":
                    lowered.append(_insertion(call, applied, view))
                case "update_node_map":
                    lowered += _connections(call, view)
                case "create_variable":  # a sum of dice is thrown into one of its own
                    lowered.append(Call(call.function, dict(call.arguments), call.created))
                case "update_node" if not any(step.function == function for step in lowered):
                    lowered.append(_update(applied, view))
                case _:
                    pass
        return tuple(lowered)

    def done(self, _applied: OperationResult, calls: Sequence[Call], count: int, /) -> tuple[Operation, ...] | None:
        """The spec's functions are the operations themselves."""
        return tuple(Operation(call.function, call.arguments) for call in calls[:count])

    @property
    def takes_batches(self) -> bool:
        """Whether it has declared `batch`."""
        return "batch" in self.client.capabilities

    def batch(self, request_id: str, calls: Sequence[Call], /) -> Frame | None:
        """`function_call_batch`, for a client that declared it.

        There `last_created` names what was just made, also as the `connect_from` of what is made next.
        """
        if not self.takes_batches:
            return None
        functions: list[dict[str, Any]] = []
        before: int | None = None
        last_created: int | None = None
        for call in calls:
            if before is not None and _leads_on(call, before, last_created) and "type" in functions[-1]["arguments"]:
                functions[-1]["arguments"]["connect_from"] = {
                    "node_id": "last_created",
                    "slot": call.arguments["from_slot"],
                }
                continue
            arguments = {name: _word(name, value, last_created) for name, value in call.arguments.items()}
            functions.append({"function": call.function, "arguments": arguments})
            if call.created:
                before, last_created = last_created, call.created[-1]
        return {"type": "function_call_batch", "data": {"request_id": request_id, "functions": functions}}

    def say(self, text: str) -> Iterator[Frame]:
        """`chat_response`, split where a frame would be too long."""
        return text_frames(lambda piece: {"type": "chat_response", "message": piece}, text, self.client.max_frame_bytes)


def _created(applied: OperationResult) -> tuple[int, ...]:
    return next((call.created for call in applied.calls if call.created), ())


def _insertion(call: NativeCall, applied: OperationResult, view: View) -> Call:
    """A node in the words of the request; where that was stored as other nodes, in the words of what is stored."""
    node_id, first = call.created[0], applied.created[0]
    arguments = dict(applied.operation.arguments)
    type_name = call.arguments["type"]
    if len(applied.created) > 1 or arguments.get("type") != type_name:
        arguments |= {"type": type_name, "preset": view.project.simplified(node_id)}
    if node_id != first:
        arguments = {name: value for name, value in arguments.items() if name not in ("name", "notes")}
    arguments["scene_id"] = call.arguments["scene_id"]  # which need not be the one that is open
    if isinstance(arguments.get("preset"), dict):
        arguments["preset"] = _in_spec_names(type_name, arguments["preset"])
    left_out = (*_OWN_CALLS, "connection")
    return Call(
        "create_insert_node",
        {name: value for name, value in arguments.items() if name not in left_out},
        call.created,
    )


def _update(applied: OperationResult, view: View) -> Call:
    arguments = dict(applied.operation.arguments)
    if isinstance(arguments.get("data"), dict):
        type_name = view.project.data.nodes[arguments["node_id"]]["type"]
        arguments["data"] = _in_spec_names(type_name, arguments["data"])
    return Call(applied.operation.function, arguments)


def _in_spec_names(type_name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        _SPEC_NAMES_OF_TYPE.get((type_name, name), _SPEC_NAMES.get(name, name)): value for name, value in data.items()
    }


def _connections(call: NativeCall, view: View) -> Iterator[Call]:
    io = call.arguments["modifications"].get("io", {})
    for connection in io.get("pop", ()):
        from_id, from_slot, to_id, to_slot = view.project.said(connection)
        yield Call("delete_connection", {"from": from_id, "from_slot": from_slot, "to": to_id, "to_slot": to_slot})
    for connection in io.get("push", ()):
        from_id, from_slot, to_id, to_slot = view.project.said(connection)
        yield Call(
            "create_connection",
            {"from_node_id": from_id, "to_node_id": to_id, "from_slot": from_slot, "to_slot": to_slot},
        )


def _leads_on(call: Call, from_id: int, to_id: int | None) -> bool:
    """Whether a call connects one node with the next."""
    ends = {"from_node_id": from_id, "to_node_id": to_id, "to_slot": 0}
    return call.function == "create_connection" and call.arguments | ends == call.arguments


def _word(name: str, value: Any, last_created: int | None) -> Any:
    return "last_created" if value == last_created and name in ("from_node_id", "to_node_id") else value
