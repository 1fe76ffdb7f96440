"""Connections, with slots as the tools count them."""

from itertools import islice
from typing import Any, cast

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.node_types.kinds import mismatch, whole
from arrow_project.operations.editing import Editing
from arrow_project.operations.function import Function, function, schema
from arrow_project.project_data import ProjectData
from arrow_project.values import Connection, Record, sequence, text

_NODE: Record = {"type": ["integer", "string"]}
_CONNECTION: Record = {
    "type": "array",
    "items": {"type": ["integer", "string"]},
    "description": "[from_id, from_slot, to_id, to_slot]",
}


# A check of each costs what there are: with thousands one operation would hold up everybody for seconds.
_MOST_CONNECTIONS = 1_000
_MOST_FREE = 50  # slots that are named


def native_slot(project: ProjectData, node_id: int, slot: int) -> int:
    """Arrow's number of an output slot as the tools count it, and back: it is its own inverse."""
    node_type = project.node_type(node_id)
    return 1 - slot if node_type is not None and node_type.reversed and slot in (0, 1) else slot


def said(project: ProjectData, connection: Connection) -> Connection:
    """A native connection as the tools say it."""
    from_id, from_slot, to_id, to_slot = connection
    if from_id not in project.nodes:
        return list(connection)
    return [from_id, native_slot(project, from_id, from_slot), to_id, to_slot]


def free_slots(project: ProjectData, node_id: int, scene_id: int) -> list[int]:
    """The first output slots of a node, as the tools count them, that lead nowhere yet."""
    taken = {c[1] for c in project.outgoing(node_id, scene_id)}
    free = (slot for slot in range(project.outputs(node_id)) if slot not in taken)
    return sorted(native_slot(project, node_id, slot) for slot in islice(free, _MOST_FREE))


def connect(editing: Editing, from_id: int, from_slot: int, to_id: int, to_slot: int) -> Connection:
    """Connect two nodes of one scene; the connection as the tools say it.

    Raises:
        OperationError: INVALID_CONNECTION, with what would be possible.
    """
    project = editing.project
    scene_id = _common_scene(editing, from_id, to_id)
    _check_slots(editing, from_id, from_slot, to_id, to_slot)
    connection = [from_id, native_slot(project, from_id, from_slot), to_id, to_slot]
    _check_free(project, scene_id, connection)
    editing.mind.update_node_map(from_id, scene_id, push=[connection])
    return [from_id, from_slot, to_id, to_slot]


def _refused(message: str, **details: Any) -> OperationError:
    return OperationError(ErrorCode.INVALID_CONNECTION, message, details)


def _common_scene(editing: Editing, from_id: int, to_id: int) -> int:
    if from_id == to_id:
        raise _refused(f"Node {from_id} cannot be connected with itself; use a jump to another node.")
    scene_id, other = editing.owner(from_id), editing.owner(to_id)
    if scene_id != other:
        raise _refused(
            f"Node {from_id} is in scene {scene_id} and node {to_id} in scene {other}; connections stay inside a "
            f'scene. Insert a jump: {{"type": "jump", "preset": {{"target": {{"type": "node", "id": {to_id}}}}}}}.'
        )
    return scene_id


def _check_slots(editing: Editing, from_id: int, from_slot: int, to_id: int, to_slot: int) -> None:
    project = editing.project
    outputs, inputs = project.outputs(from_id), project.inputs(to_id)
    if not 0 <= from_slot < outputs:
        free = free_slots(project, from_id, editing.owner(from_id))
        raise _refused(
            f"{_called(project, from_id)} has no output slot {from_slot}: it has {_count(outputs)}. {_free_hint(free)}",
            free_slots=free,
        )
    if not 0 <= to_slot < inputs:
        raise _refused(
            f"{_called(project, to_id)} has no input slot {to_slot}: it has {_count(inputs)}."
            + (" Nothing can lead into it." if not inputs else "")
        )


def _check_free(project: ProjectData, scene_id: int, connection: Connection) -> None:
    from_id, slot = connection[0], connection[1]
    taken = [c for c in few_outgoing(project, from_id, scene_id) if c[1] == slot]
    if not taken:
        return
    shown, free = said(project, taken[0]), free_slots(project, from_id, scene_id)
    raise _refused(
        f"Slot {shown[1]} of {_called(project, from_id)} leads to node {shown[2]} already and takes one connection. "
        f"{_free_hint(free)} Or first delete_connection "
        f'{{"from": {shown[0]}, "from_slot": {shown[1]}, "to": {shown[2]}, "to_slot": {shown[3]}}}.',
        free_slots=free,
        taken=shown,
    )


def _called(project: ProjectData, node_id: int) -> str:
    return f"node {node_id} ({text(project.nodes[node_id]['type'])})"


def _count(slots: int) -> str:
    return "none" if slots == 0 else ("only slot 0" if slots == 1 else f"slots 0 to {slots - 1}")


def _free_hint(free: list[int]) -> str:
    more = " and more" if len(free) == _MOST_FREE else ""
    return f"Free slots: {', '.join(str(slot) for slot in free)}{more}." if free else "It has no free slot."


def disconnect(editing: Editing, from_id: int, from_slot: int, to_id: int, to_slot: int) -> None:
    """Remove a connection.

    Raises:
        OperationError: INVALID_CONNECTION, there is none like that; names those there are.
    """
    project = editing.project
    scene_id = editing.owner(from_id)
    connection = [from_id, native_slot(project, from_id, from_slot), to_id, to_slot]
    existing = few_outgoing(project, from_id, scene_id)
    if connection not in existing:
        there = "; ".join(str(said(project, c)) for c in existing) or "none"
        raise _refused(
            f"There is no connection {[from_id, from_slot, to_id, to_slot]}. From node {from_id} there are: {there}."
        )
    editing.mind.update_node_map(from_id, scene_id, pop=[connection])


def cut(editing: Editing, node_id: int, scene_id: int, inputs: int, outputs: int) -> None:
    """Remove the connections of slots that a node is about to lose."""
    project = editing.project
    lost = [(node_id, c) for c in project.outgoing(node_id, scene_id) if c[1] >= outputs]
    lost += [(at, c) for at, c in project.incoming_by_entry(node_id, scene_id) if c[3] >= inputs]
    for at, connection in lost:
        remove(editing, scene_id, connection, at)


def isolate(editing: Editing, node_id: int, scene_id: int) -> None:
    """Remove every connection that leads to a node."""
    for at, connection in editing.project.incoming_by_entry(node_id, scene_id):
        remove(editing, scene_id, connection, at)


def remove(editing: Editing, scene_id: int, connection: Connection, at: int) -> None:
    """Remove a native connection from the map entry of a node, and say so.

    Raises:
        OperationError: INVALID_CONNECTION, there are too many.
    """
    _require_few(editing.project, at, scene_id)
    editing.remark(f"Removed the connection {said(editing.project, connection)}.")
    editing.mind.update_node_map(at, scene_id, pop=[connection])


def few_outgoing(project: ProjectData, node_id: int, scene_id: int) -> list[Connection]:
    """Connections that leave a node, of which some are about to be changed.

    Raises:
        OperationError: INVALID_CONNECTION, there are too many.
    """
    _require_few(project, node_id, scene_id)
    return project.outgoing(node_id, scene_id)


def _require_few(project: ProjectData, node_id: int, scene_id: int) -> None:
    count = len(sequence(project.scene_map(scene_id).get(node_id, {}).get("io")))
    if count > _MOST_CONNECTIONS:
        raise _refused(
            f"Node {node_id} has {count:,} connections; Fletcher changes those of nodes that have at most "
            f"{_MOST_CONNECTIONS:,}. Change them in Arrow."
        )


def _ends(editing: Editing, arguments: Record) -> tuple[int, int, int, int]:
    from_id = arguments.get("from_node_id", arguments.get("from"))
    to_id = arguments.get("to_node_id", arguments.get("to"))
    return (
        editing.find("node", from_id),
        whole("from_slot", arguments.get("from_slot", 0)),
        editing.find("node", to_id),
        whole("to_slot", arguments.get("to_slot", 0)),
    )


def _create_connection(editing: Editing, arguments: Record) -> Record:
    connection = connect(editing, *_ends(editing, arguments))
    message = f"Connection created from node {connection[0]} to node {connection[2]}"
    return {"connection": connection, "message": message}


def _delete_connection(editing: Editing, arguments: Record) -> Record:
    ends = _ends(editing, arguments)
    disconnect(editing, *ends)
    return {"connection": list(ends)}


def triples(editing: Editing, name: str, value: object) -> list[tuple[int, int, int, int]]:
    """Connections given as arrays, resolved.

    Raises:
        OperationError: one of them is no array of four.
    """
    items = cast("list[Any]", value) if isinstance(value, list) else []
    if value is not None and (not isinstance(value, list) or any(not _is_four(item) for item in items)):
        raise mismatch(f'"{name}" must be an array of [from_id, from_slot, to_id, to_slot].')
    return [
        (editing.find("node", f), whole("from_slot", fs), editing.find("node", t), whole("to_slot", ts))
        for f, fs, t, ts in items
    ]


def _is_four(item: object) -> bool:
    return isinstance(item, list) and len(cast("list[Any]", item)) == 4


def _replace_connections(editing: Editing, arguments: Record) -> Record:
    table = _conversion(editing, arguments.get("table"))
    arguments["table"] = {str(old): new for old, new in table.items()}  # words may mean others when it is done again
    project, remake = editing.project, arguments.get("remake", True)
    made: list[Connection] = []
    for old_id, new_id in table.items():
        for connection in project.outgoing(old_id, editing.owner(old_id)):
            from_id, _, to_id, to_slot = connection
            if from_id in table and to_id in table and remake:
                slot = said(project, connection)[1]
                made.append(connect(editing, new_id, slot, table[to_id], to_slot))
    return {"connections": made}


def _conversion(editing: Editing, value: object) -> dict[int, int]:
    if not isinstance(value, dict) or not value:
        raise mismatch('"table" must be an object: id of an old node to id of the new one.')
    pairs = cast("dict[Any, Any]", value).items()
    return {editing.find("node", old): editing.find("node", new) for old, new in pairs}


FUNCTIONS: tuple[Function, ...] = (
    function(
        "create_connection",
        _create_connection,
        "Let the story go on from one node to another of the same scene. from_slot says which exit: of dialog, "
        "interaction, randomizer the i-th; of condition and tag_pass 0 = true, 1 = false; otherwise 0. An exit leads "
        "to one node only: an exit that is taken is refused, delete_connection first.",
        schema(
            {
                "from_node_id": _NODE | {"description": "id, or a word such as last_created"},
                "to_node_id": _NODE,
                "from_slot": {"type": "integer", "default": 0},
                "to_slot": {"type": "integer", "default": 0, "description": "only a hub has more than input 0"},
            },
            "from_node_id",
            "to_node_id",
        ),
        aliases={"from": "from_node_id", "to": "to_node_id"},
    ),
    function(
        "delete_connection",
        _delete_connection,
        "Remove the connection between two nodes.",
        schema(
            {"from": _NODE, "from_slot": {"type": "integer"}, "to": _NODE, "to_slot": {"type": "integer"}},
            "from",
            "to",
        ),
        destructive=True,
        aliases={"from_node_id": "from", "to_node_id": "to"},
    ),
    function(
        "node_connection_replacement",
        _replace_connections,
        "After copying nodes: give the new nodes the connections that the old ones have among each other.",
        schema(
            {
                "table": {"type": "object", "description": "id of an old node: id of the new one"},
                "remake": {"type": "boolean", "default": True},
            },
            "table",
        ),
        aliases={"conversation_table": "table", "remake_lost_connections": "remake"},
    ),
)
