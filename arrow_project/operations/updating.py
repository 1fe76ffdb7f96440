"""Operations that change nodes and their place in the map, or remove them."""

from typing import cast

from arrow_project.document import Document
from arrow_project.errors import ErrorCode, OperationError
from arrow_project.names import unique
from arrow_project.node_types import NodeType
from arrow_project.node_types.flow import ranges, shares
from arrow_project.node_types.kinds import mismatch, own_text
from arrow_project.operations.connecting import connect, cut, disconnect, isolate, remove, said, triples
from arrow_project.operations.detaching import release
from arrow_project.operations.editing import Editing, arguments_record
from arrow_project.operations.function import NODE, SCENE, Function, function, schema
from arrow_project.operations.positions import explicit
from arrow_project.operations.restrictions import check_part, protect_entries
from arrow_project.values import Record


def _update_node(editing: Editing, arguments: Record) -> Record:
    node_id = editing.find("node", arguments["node_id"])
    name = _new_name(editing.document, node_id, arguments.get("name"))
    notes = arguments.get("notes")
    notes = None if notes is None else own_text("notes", notes)
    given = arguments_record("data", arguments.get("data"))
    data = _new_data(editing, node_id, given) if given else None
    result: Record = {"node_id": node_id}
    if data is not None:
        scene_id, node_type = editing.owner(node_id), cast("NodeType", editing.document.node_type(node_id))
        whole_data = {k: v for k, v in data.items() if v is not None}
        wiring = _weighted_wiring(editing, node_id, scene_id, given)
        cut(editing, node_id, scene_id, node_type.inputs(whole_data), node_type.outputs(whole_data))
        editing.mind.update_node(node_id, data=data, name=name, notes=notes)
        _wire(editing, scene_id, wiring)
    elif name is not None or notes is not None:
        editing.mind.update_node(node_id, name=name, notes=notes)
    if name is not None:
        result["name"] = name
    return result


def _new_name(document: Document, node_id: int, given: object) -> str | None:
    name = own_text("name", given) if given is not None else ""
    if not name or name == document.name("node", node_id):
        return None
    return unique(name, document.has_node)


def _new_data(editing: Editing, node_id: int, given: Record) -> Record:
    document = editing.document
    node_type = document.node_type(node_id)
    if node_type is None:
        name = document.nodes[node_id]["type"]
        raise OperationError(
            ErrorCode.INVALID_NODE_TYPE, f"Node {node_id} is of the unknown type {name!r}; Arrow 3.1 has none like it."
        )
    parts = node_type.lower_update(document.data(node_id), given, editing).parts
    first = parts[0]
    if len(parts) > 1 or first.type != node_type.name:
        raise mismatch(
            f"Node {node_id} is a {node_type.name} and stays one node of that type; what you ask for becomes "
            f"{' + '.join(part.type for part in parts)}. Insert it as a new node and connect it."
        )
    check_part(document, first, editing.owner(node_id), node_id)
    return first.data


def _weighted_wiring(editing: Editing, node_id: int, scene_id: int, given: Record) -> list[list[int]]:
    """Connections of a randomizer whose connected paths get weights: each path's slots lead to its target."""
    document = editing.document
    if document.nodes[node_id]["type"] != "randomizer" or not given.get("weights"):
        return []
    existing = {c[1]: c for c in document.outgoing(node_id, scene_id)}
    counts = shares(given["weights"])
    editing.remark(f"Slots of each path: {ranges(counts)}.")
    if not existing or len(counts) != document.outputs(node_id):
        return []
    for connection in existing.values():
        remove(editing, scene_id, connection)
    paths = enumerate(ranges(counts))
    return [[node_id, slot, *existing[path][2:]] for path, slots in paths if path in existing for slot in slots]


def _wire(editing: Editing, scene_id: int, wiring: list[list[int]]) -> None:
    for connection in wiring:
        editing.mind.update_node_map(connection[0], scene_id, push=[connection])
        editing.remark(f"Connected {said(editing.document, connection)}.")


def _delete_node(editing: Editing, arguments: Record) -> Record:
    node_id = editing.find("node", arguments["node_id"])
    document = editing.document
    scene_id = document.owner(node_id)
    protect_entries(document, node_id)
    users = [n for n in document.usage.users("node", node_id) if n != node_id]
    release(editing, "node", node_id, force=arguments.get("force") is True, users=users)
    if scene_id is not None:
        isolate(editing, node_id, scene_id)
        _drop_own(editing, node_id, scene_id)
    editing.mind.delete_node(node_id, scene_id)
    return {"removed_id": node_id}


def _drop_own(editing: Editing, node_id: int, scene_id: int) -> None:
    for connection in editing.document.outgoing(node_id, scene_id):
        editing.remark(f"Removed the connection {said(editing.document, connection)}.")


def _update_node_map(editing: Editing, arguments: Record) -> Record:
    node_id = editing.find("node", arguments["node_id"])
    scene_id = editing.owner(node_id)
    modifications = arguments_record("modifications", arguments.get("modifications"))
    unknown = set(modifications) - {"io", "skip", "offset", "id"}
    if unknown:
        raise mismatch(f'"modifications" has no {sorted(unknown)[0]!r}; possible: io (push, pop), skip, offset.')
    io = arguments_record("io", modifications.get("io"))
    for ends in triples(editing, "pop", io.get("pop")):
        disconnect(editing, *ends)
    pushed = [connect(editing, *ends) for ends in triples(editing, "push", io.get("push"))]
    skip = _skip(modifications.get("skip"))
    offset = modifications.get("offset")
    if skip is not None or offset is not None:
        position = _offset_given(offset) if offset is not None else None
        editing.mind.update_node_map(node_id, scene_id, skip=skip, offset=position)
    return {"node_id": node_id, "connections": pushed}


def _skip(value: object) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise mismatch(f'"skip" must be true or false, not {value!r}.')
    return value


def _offset_given(value: object) -> list[int]:
    return explicit(cast("list[object]", value) if isinstance(value, list) else [])


FUNCTIONS: tuple[Function, ...] = (
    function(
        "update_node",
        _update_node,
        "Change a node's name, data or notes. Of data only what changes; arrays are replaced whole. Data as in "
        "create_insert_node; a node's type cannot change.",
        schema(
            {
                "node_id": NODE,
                "name": {"type": "string"},
                "data": {"type": "object", "description": "fields to change, as in create_insert_node's preset"},
                "notes": {"type": "string", "description": "empty removes them"},
            },
            "node_id",
        ),
        aliases={"preset": "data"},
    ),
    function(
        "delete_node",
        _delete_node,
        "Remove a node and its connections. Refused for entries, and for targets of jumps unless force is true.",
        schema(
            {
                "node_id": NODE,
                "force": {"type": "boolean", "default": False, "description": "jumps to it lose their target"},
            },
            "node_id",
        ),
        destructive=True,
        aliases={"forced": "force"},
        asks_for_users=True,
    ),
    function(
        "update_node_map",
        _update_node_map,
        "Change several connections at once, or a node's skip mark and position. Slots as in create_connection.",
        schema(
            {
                "node_id": NODE,
                "scene_id": SCENE,
                "modifications": {
                    "type": "object",
                    "properties": {
                        "io": {
                            "type": "object",
                            "properties": {
                                "push": {"type": "array", "items": {"type": "array", "items": {}}},
                                "pop": {"type": "array", "items": {"type": "array", "items": {}}},
                            },
                            "description": "each [from_id, from_slot, to_id, to_slot]; pop comes first",
                        },
                        "skip": {"type": "boolean", "description": "play passes by without the node's effect"},
                        "offset": {"type": "array", "items": {"type": "integer"}, "description": "[x, y]"},
                    },
                },
            },
            "node_id",
            "modifications",
        ),
        aliases={"modification": "modifications"},
        destructive=True,
    ),
)
