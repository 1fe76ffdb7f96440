"""Operations as calls of Arrow's own functions, in the way that an editor which only half knows them executes well."""

from collections.abc import Sequence

from arrow_project import NativeCall, Operation, OperationResult
from server.dialects.dialect import Call, Client, Dialect, View

# What creates: which set it goes into, which argument names the new id, and what the creation itself needs to know.
_CREATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "create_scene": ("scene", ("is_macro",)),
    "create_variable": ("variable", ("type",)),
    "create_character": ("character", ()),
}


def native_calls(applied: OperationResult, view: View, client: Client) -> tuple[Call, ...]:
    """The calls in the words of the Arrow-AI dispatcher.

    It finds what it has just created by taking the largest id there is. Where another one is larger, creating and
    naming are two calls, so that nothing else is renamed.
    """
    lowered: list[Call] = []
    for call in applied.calls:
        if call.function == "create_insert_node":
            lowered.append(_insertion(call, view, client))
        elif call.function in _CREATIONS and _is_not_the_largest(call, view):
            lowered += separate(call)
        else:
            lowered.append(Call(call.function, dict(call.arguments), call.created))
    return tuple(lowered)


def _insertion(call: NativeCall, view: View, client: Client) -> Call:
    arguments = dict(call.arguments)
    if "offset" not in client.capabilities:
        del arguments["offset"]  # an array where the dispatcher wants a Vector2 is a script error: it never answers
    if not is_drawn(call, view):
        arguments["draw"] = False  # it would appear on the canvas of the open scene
    return Call(call.function, arguments, call.created)


def is_drawn(call: NativeCall, view: View) -> bool:
    """Whether the new node belongs on the canvas that the user sees."""
    return view.scene_id is None or call.arguments["scene_id"] == view.scene_id


def _is_not_the_largest(call: NativeCall, view: View) -> bool:
    kind, _ = _CREATIONS[call.function]
    return max(view.project.data.table(kind)) > call.created[0]


def separate(call: NativeCall) -> tuple[Call, Call]:
    """A creation as two calls: make it with Arrow's defaults, then say what it shall be."""
    kind, needed = _CREATIONS[call.function]
    making = {name: value for name, value in call.arguments.items() if name in needed}
    telling = {name: value for name, value in call.arguments.items() if name not in needed}
    return (
        Call(call.function, making, call.created),
        Call(f"update_{kind}", {f"{kind}_id": call.created[0]} | telling),
    )


class NativeDialect(Dialect):
    """A dialect whose calls are Arrow's own functions, which are no operations."""

    def done(self, applied: OperationResult, calls: Sequence[Call], count: int, /) -> tuple[Operation, ...] | None:
        """The operation without what is left of it, where that is an operation too."""
        operation = applied.operation
        left = {call.function for call in calls[count:]}
        if count != 1 or not calls[0].created:
            return None
        match operation.function:
            case "create_insert_node" if len(applied.created) == 1 and left == {"update_node_map"}:
                return (_without(operation, "connect_from"),)
            case "create_scene":  # it has the name that Arrow gives
                return (_without(operation, "name", "notes"),)
            case _:
                return None


def _without(operation: Operation, *names: str) -> Operation:
    return Operation(operation.function, {n: value for n, value in operation.arguments.items() if n not in names})
