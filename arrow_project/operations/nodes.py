"""Operations on nodes: insert, update, remove, their place in the map."""

from typing import Any, cast

from arrow_project.document import Document
from arrow_project.errors import ErrorCode, OperationError
from arrow_project.layout import place
from arrow_project.names import near, unique
from arrow_project.node_types import NODE_TYPES, Blueprint, NodeType, Part
from arrow_project.node_types.flow import shares
from arrow_project.node_types.kinds import mismatch, own_text, whole
from arrow_project.operations.connecting import (
    connect,
    cut,
    disconnect,
    free_slots,
    isolate,
    native_slot,
    remove,
    said,
    triples,
)  # fmt: skip
from arrow_project.operations.detaching import release
from arrow_project.operations.editing import Editing, arguments_record, listed
from arrow_project.operations.function import Function, function, schema
from arrow_project.values import Record, text

_POSITIONS = ("auto", "below_previous", "right_of_previous")
_NODE: Record = {
    "type": ["integer", "string"],
    "description": "id, or last_created, selected, first_selected, last_selected, current_entry, project_entry",
}
_SCENE: Record = {"type": ["integer", "string"], "description": "id; default: the open scene"}


def node_type_named(name: object) -> NodeType:
    """The entry of the type table.

    Raises:
        OperationError: INVALID_NODE_TYPE, with near types.
    """
    node_type = NODE_TYPES.get(name) if isinstance(name, str) else None
    if node_type is None:
        guess = near(str(name), NODE_TYPES) or list(NODE_TYPES)
        message = f"There is no node type {name!r}. Possible: {', '.join(guess)}."
        raise OperationError(ErrorCode.INVALID_NODE_TYPE, message)
    return node_type


def _create_insert_node(editing: Editing, arguments: Record) -> Record:
    node_type = node_type_named(arguments["type"])
    anchor, source = _source(editing, arguments.get("connect_from"))
    scene_id = _scene_of(editing, arguments.get("scene_id"), anchor)
    blueprint = node_type.lower(arguments_record("preset", arguments.get("preset")), editing)
    for part in blueprint.parts:
        _check_part(editing, part, scene_id)
    position = arguments.get("position", arguments.get("offset", "auto"))
    ids = _build(editing, blueprint, scene_id, position, anchor, arguments)
    result = _described(editing, ids, blueprint, scene_id)
    if source is not None:
        result["connection"] = connect(editing, *source, ids[0], 0)
    return result | _shares_of(node_type, arguments)


def _source(editing: Editing, given: object) -> tuple[int | None, tuple[int, int] | None]:
    """The node to connect from and the slot; the first free one if none is named."""
    if given is None:
        return None, None
    source = cast("Record", given) if isinstance(given, dict) else {"node_id": given}
    node_id = editing.find("node", source.get("node_id"))
    slot = source.get("slot", source.get("from_slot"))
    if slot is not None:
        return node_id, (node_id, whole("slot", slot))
    free = free_slots(editing.document, node_id, editing.owner(node_id))
    return node_id, (node_id, free[0] if free else 0)


def _scene_of(editing: Editing, given: object, anchor: int | None) -> int:
    if given is not None and given != -1:
        return editing.find("scene", given)
    return editing.owner(anchor) if anchor is not None else editing.scene_id


def _check_part(editing: Editing, part: Part, scene_id: int, node_id: int | None = None) -> None:
    """What Arrow's canvas and inspectors forbid."""
    if part.type == "macro_use":
        _check_macro(editing.document, part.data["macro"], scene_id)
    if part.type == "jump" and node_id is not None:
        _check_jump(editing.document, node_id, part.data["target"])


def _check_macro(document: Document, macro: int, scene_id: int) -> None:
    if macro == scene_id:
        raise OperationError(
            ErrorCode.CIRCULAR_REFERENCE, f"Macro {macro} cannot use itself; that would never end. Use a jump."
        )
    if document.is_macro(scene_id):
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"Scene {scene_id} is a macro, and Arrow allows no macro_use in macros: it would not return. "
            "Use the macros one after the other in the calling scene.",
        )


def _check_jump(document: Document, node_id: int, target: int) -> None:
    if target == node_id:
        raise OperationError(ErrorCode.CIRCULAR_REFERENCE, f"Jump {node_id} cannot jump to itself; name another node.")
    other = document.nodes.get(target, {})
    if other.get("type") == "jump" and document.data(target).get("target") == node_id:
        raise OperationError(
            ErrorCode.CIRCULAR_REFERENCE,
            f"Jump {target} jumps to {node_id}, so a jump back would never end; name another node.",
        )


def _build(
    editing: Editing, blueprint: Blueprint, scene_id: int, position: object, anchor: int | None, arguments: Record
) -> list[int]:
    """Insert the parts side by side and connect them among each other."""
    ids: list[int] = []
    name = own_text("name", arguments.get("name", ""))
    notes = own_text("notes", arguments.get("notes", ""))
    for part in blueprint.parts:
        where = "right_of_previous" if ids else position
        offset = _offset(editing, part, scene_id, where, ids[-1] if ids else anchor)
        first = not ids
        node_id = editing.mind.create_insert_node(
            part.type, scene_id, offset, part.data, name if first else "", notes if first else ""
        )
        ids.append(node_id)
        editing.created.append(node_id)
    for from_part, slot, to_part in blueprint.links:
        connection = [ids[from_part], slot, ids[to_part], 0]
        editing.mind.update_node_map(ids[from_part], scene_id, push=[connection])
    return ids


def _offset(editing: Editing, part: Part, scene_id: int, position: object, anchor: int | None) -> list[int]:
    if isinstance(position, dict):
        given = cast("Record", position)
        position = [given.get("x"), given.get("y")]
    if isinstance(position, list):
        return _explicit(cast("list[object]", position))
    if position not in _POSITIONS:
        raise _bad_position(position)
    if anchor is None or position != "auto":
        anchor = _previous(editing, scene_id) if anchor is None else anchor
    below = position == "below_previous"
    return list(place(editing.document, scene_id, part.type, part.data, anchor, below=below))


def _explicit(position: list[object]) -> list[int]:
    if len(position) != 2 or any(isinstance(c, bool) or not isinstance(c, int | float) for c in position):
        raise _bad_position(position)
    coordinates = [int(cast("float", c)) for c in position if abs(cast("float", c)) < 2**31]
    if len(coordinates) != 2:
        raise _bad_position(position)
    return coordinates


def _bad_position(position: object) -> OperationError:
    return OperationError(
        ErrorCode.INVALID_POSITION,
        f"{position!r} is no position; possible: {', '.join(_POSITIONS)}, or [x, y].",
    )


def _previous(editing: Editing, scene_id: int) -> int | None:
    """What the writer would call the previous node: last created, else last selected, in this scene."""
    selected = editing.selection.node_ids[-1:]
    candidates = [*editing.created[-1:], editing.selection.last_created, *selected]
    in_scene = editing.document.scene_map(scene_id)
    return next((n for n in candidates if n is not None and n in in_scene), None)


def _described(editing: Editing, ids: list[int], blueprint: Blueprint, scene_id: int) -> Record:
    document, node_id = editing.document, ids[0]
    result: Record = {
        "node_id": node_id,
        "type": blueprint.parts[0].type,
        "name": document.name("node", node_id),
        "scene_id": scene_id,
        "position": list(document.offset(document.scene_map(scene_id)[node_id])),
    }
    if len(ids) > 1:
        result |= {"last_node_id": ids[-1], "node_ids": ids}
    if blueprint.exits:
        exits = enumerate(blueprint.exits)
        result["paths"] = [{"path": path, "node_id": ids[part], "slot": slot} for path, (part, slot) in exits]
    return result


def _shares_of(node_type: NodeType, arguments: Record) -> Record:
    preset = arguments.get("preset") or {}
    if node_type.name != "randomizer" or not preset.get("weights"):
        return {}
    return {"slots_of_path": _ranges(shares(preset["weights"]))}


def _ranges(counts: list[int]) -> list[list[int]]:
    starts = [sum(counts[:i]) for i in range(len(counts))]
    return [list(range(start, start + count)) for start, count in zip(starts, counts, strict=True)]


def _quick_insert_node(editing: Editing, arguments: Record) -> Record:
    node_type = node_type_named(arguments["type"])
    connection = arguments.get("connection")
    insert: Record = {"type": node_type.name, "position": arguments.get("offset", "auto")}
    if connection is None:
        return _create_insert_node(editing, insert)
    match connection:
        case [other, slot, bool() as outgoing]:
            other_id = editing.find("node", other)
        case _:
            raise mismatch('"connection" must be [other node, its slot, true if it leads from there to the new node].')
    insert["scene_id"] = editing.owner(other_id)
    result = _create_insert_node(editing, insert)
    new_id = result["node_id"]
    ends = (other_id, whole("slot", slot), new_id, 0) if outgoing else (new_id, 0, other_id, whole("slot", slot))
    if editing.document.inputs(new_id) if outgoing else editing.document.outputs(new_id):
        result["connection"] = connect(editing, *ends)
    else:
        editing.remark(f"A {node_type.name} cannot be connected that way; it stands alone.")
    return result


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
    return unique(name, document.names("node"))


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
    _check_part(editing, first, editing.owner(node_id), node_id)
    return first.data


def _weighted_wiring(editing: Editing, node_id: int, scene_id: int, given: Record) -> list[list[int]]:
    """Connections of a randomizer whose connected paths get weights: each path's slots lead to its target."""
    document = editing.document
    if document.nodes[node_id]["type"] != "randomizer" or not given.get("weights"):
        return []
    existing = {c[1]: c for c in document.outgoing(node_id, scene_id)}
    counts = shares(given["weights"])
    editing.remark(f"Slots of each path: {_ranges(counts)}.")
    if not existing or len(counts) != document.outputs(node_id):
        return []
    for connection in existing.values():
        remove(editing, scene_id, connection)
    ranges = enumerate(_ranges(counts))
    return [[node_id, slot, *existing[path][2:]] for path, slots in ranges if path in existing for slot in slots]


def _wire(editing: Editing, scene_id: int, wiring: list[list[int]]) -> None:
    for connection in wiring:
        editing.mind.update_node_map(connection[0], scene_id, push=[connection])
        editing.remark(f"Connected {said(editing.document, connection)}.")


def _delete_node(editing: Editing, arguments: Record) -> Record:
    node_id = editing.find("node", arguments["node_id"])
    document = editing.document
    scene_id = document.owner(node_id)
    _protect_entries(document, node_id)
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


def _protect_entries(document: Document, node_id: int) -> None:
    if node_id == document.entry:
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"Node {node_id} is the project's entry: the story begins there. First set_project_entry to another node.",
        )
    scenes = [s for s, scene in document.scenes.items() if scene["entry"] == node_id]
    if scenes:
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"Node {node_id} is the entry of scene {listed(scenes)}. First set_scene_entry to another node of it.",
        )


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
    return _explicit(cast("list[object]", value) if isinstance(value, list) else [])


def preset_description() -> str:
    """The data of every type, for the tool's schema."""
    lines = [f"- {t.name} {{{', '.join(t.schema()['properties'])}}}: {t.summary}" for t in NODE_TYPES.values()]
    return "The node's data, by type:\n" + "\n".join(lines)


def _data_schema() -> Record:
    properties: dict[str, Any] = {}
    for node_type in NODE_TYPES.values():
        for name, described in node_type.schema()["properties"].items():
            properties.setdefault(name, described)
    return {"type": "object", "description": preset_description(), "properties": properties}


FUNCTIONS: tuple[Function, ...] = (
    function(
        "create_insert_node",
        _create_insert_node,
        "Insert a node. Without a connection it is never played: give connect_from, or create_connection later. The "
        "result begins with node_id; remarks say what was stored in another way than asked.",
        schema(
            {
                "type": {"type": "string", "enum": list(NODE_TYPES)},
                "name": {"type": "string", "description": "a short name; made up if left out"},
                "preset": _data_schema(),
                "scene_id": _SCENE,
                "connect_from": {
                    "type": "object",
                    "description": "node and output slot that shall lead to the new node; without slot: the first free",
                    "properties": {"node_id": _NODE, "slot": {"type": "integer"}},
                    "required": ["node_id"],
                },
                "position": {
                    "type": ["string", "array"],
                    "items": {"type": "integer"},
                    "description": f"{', '.join(_POSITIONS)} or [x, y]",
                },
                "offset": {"type": "array", "items": {"type": "integer"}, "description": "the same as position [x, y]"},
                "notes": {"type": "string", "description": "a note for the writers"},
            },
            "type",
        ),
        aliases={"data": "preset"},
    ),
    function(
        "quick_insert_node",
        _quick_insert_node,
        "Insert a node with Arrow's defaults next to another one and connect them.",
        schema(
            {
                "type": {"type": "string", "enum": list(NODE_TYPES)},
                "offset": {"type": "array", "items": {"type": "integer"}},
                "connection": {
                    "type": "array",
                    "items": {"type": ["integer", "string", "boolean"]},
                    "description": "[other node, its slot, true: other to new; false: new to other]",
                },
            },
            "type",
        ),
    ),
    function(
        "update_node",
        _update_node,
        "Change a node's name, data or notes. Of data only what changes; arrays are replaced whole. Data as in "
        "create_insert_node; a node's type cannot change.",
        schema(
            {
                "node_id": _NODE,
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
                "node_id": _NODE,
                "force": {"type": "boolean", "default": False, "description": "jumps to it lose their target"},
            },
            "node_id",
        ),
        destructive=True,
        aliases={"forced": "force"},
    ),
    function(
        "update_node_map",
        _update_node_map,
        "Change several connections at once, or a node's skip mark and position. Slots as in create_connection.",
        schema(
            {
                "node_id": _NODE,
                "scene_id": _SCENE,
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

__all__ = ["FUNCTIONS", "native_slot", "node_type_named", "text"]
