"""Operations that insert nodes."""

from typing import Any, cast

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.layout import Layout
from arrow_project.names import near
from arrow_project.node_types import NODE_TYPES, Blueprint, NodeType
from arrow_project.node_types.flow import ranges, shares
from arrow_project.node_types.kinds import mismatch, only, own_name, own_text, whole
from arrow_project.operations.connecting import connect, free_slots
from arrow_project.operations.editing import Editing, arguments_record
from arrow_project.operations.function import NODE, SCENE, Function, function, schema
from arrow_project.operations.positions import POSITIONS, offset_for
from arrow_project.operations.restrictions import check_part
from arrow_project.values import Record, shown


def _node_type(name: object) -> NodeType:
    """The entry of the type table.

    Raises:
        OperationError: INVALID_NODE_TYPE, with near types.
    """
    node_type = NODE_TYPES.get(name) if isinstance(name, str) else None
    if node_type is None:
        guess = near(str(name), NODE_TYPES) or list(NODE_TYPES)
        message = f"There is no node type {shown(name)}. Possible: {', '.join(guess)}."
        raise OperationError(ErrorCode.INVALID_NODE_TYPE, message)
    return node_type


def _create_insert_node(editing: Editing, arguments: Record) -> Record:
    node_type = _node_type(arguments["type"])
    anchor, source = _source(editing, arguments.get("connect_from"))
    scene_id = _scene_of(editing, arguments.get("scene_id"), anchor)
    if anchor is None:
        arguments["scene_id"] = scene_id  # another one may be open when it is done again
    blueprint = node_type.lower(arguments_record("preset", arguments.get("preset")), editing)
    for part in blueprint.parts:
        check_part(editing.project, part, scene_id)
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
    only('"connect_from"', source, ("node_id", "slot", "from_slot"))
    node_id = editing.find("node", source.get("node_id"))
    slot = source.get("slot", source.get("from_slot"))
    if slot is not None:
        return node_id, (node_id, whole("slot", slot))
    free = free_slots(editing.project, node_id, editing.owner(node_id))
    return node_id, (node_id, free[0] if free else 0)


def _scene_of(editing: Editing, given: object, anchor: int | None) -> int:
    if given is not None and given != -1:
        return editing.find("scene", given)
    return editing.owner(anchor) if anchor is not None else editing.scene_id


def _build(
    editing: Editing, blueprint: Blueprint, scene_id: int, position: object, anchor: int | None, arguments: Record
) -> list[int]:
    """Insert the parts side by side and connect them among each other."""
    ids: list[int] = []
    name = own_name(arguments.get("name", ""))
    notes = own_text("notes", arguments.get("notes", ""))
    layout = Layout(editing.project, scene_id)
    for part in blueprint.parts:
        where = "right_of_previous" if ids else position
        offset = offset_for(editing, layout, part, scene_id, where, ids[-1] if ids else anchor)
        first = not ids
        node_id = editing.mind.create_insert_node(
            part.type, scene_id, offset, part.data, name if first else "", notes if first else ""
        )
        layout.add(node_id, (offset[0], offset[1]))
        ids.append(node_id)
        editing.created.append(node_id)
    for from_part, slot, to_part in blueprint.links:
        connection = [ids[from_part], slot, ids[to_part], 0]
        editing.mind.update_node_map(ids[from_part], scene_id, push=[connection])
    return ids


def _described(editing: Editing, ids: list[int], blueprint: Blueprint, scene_id: int) -> Record:
    project, node_id = editing.project, ids[0]
    result: Record = {
        "node_id": node_id,
        "type": blueprint.parts[0].type,
        "name": project.name("node", node_id),
        "scene_id": scene_id,
        "position": list(project.offset(project.scene_map(scene_id)[node_id])),
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
    return {"slots_of_path": ranges(shares(preset["weights"]))}


def _quick_insert_node(editing: Editing, arguments: Record) -> Record:
    node_type = _node_type(arguments["type"])
    connection = arguments.get("connection")
    insert: Record = {"type": node_type.name, "position": arguments.get("offset", "auto")}
    if connection is None:
        insert["scene_id"] = arguments.get("scene_id")
        result = _create_insert_node(editing, insert)
        arguments["scene_id"] = insert["scene_id"]
        return result
    match connection:
        case [other, slot, bool() as outgoing]:
            other_id = editing.find("node", other)
        case _:
            raise mismatch('"connection" must be [other node, its slot, true if it leads from there to the new node].')
    insert["scene_id"] = editing.owner(other_id)
    result = _create_insert_node(editing, insert)
    new_id = result["node_id"]
    ends = (other_id, whole("slot", slot), new_id, 0) if outgoing else (new_id, 0, other_id, whole("slot", slot))
    if editing.project.inputs(new_id) if outgoing else editing.project.outputs(new_id):
        result["connection"] = connect(editing, *ends)
    else:
        editing.remark(f"A {node_type.name} cannot be connected that way; it stands alone.")
    return result


def _description() -> str:
    """The data of every type, for the tool's schema."""
    lines = [f"- {t.name} {{{', '.join(t.schema()['properties'])}}}: {t.summary}" for t in NODE_TYPES.values()]
    return "The node's data, by type:\n" + "\n".join(lines)


def _data_schema() -> Record:
    properties: dict[str, Any] = {}
    for node_type in NODE_TYPES.values():
        for name, described in node_type.schema()["properties"].items():
            properties.setdefault(name, described)
    return {"type": "object", "description": _description(), "properties": properties}


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
                "scene_id": SCENE,
                "connect_from": {
                    "type": "object",
                    "description": "node and output slot that shall lead to the new node; without slot: the first free",
                    "properties": {"node_id": NODE, "slot": {"type": "integer"}},
                    "required": ["node_id"],
                },
                "position": {
                    "type": ["string", "array"],
                    "items": {"type": "integer"},
                    "description": f"{', '.join(POSITIONS)} or [x, y]",
                },
                "offset": {"type": "array", "items": {"type": "integer"}, "description": "the same as position [x, y]"},
                "notes": {"type": "string", "description": "a note for the writers"},
            },
            "type",
        ),
        aliases={"data": "preset", "node_type": "type"},
    ),
    function(
        "quick_insert_node",
        _quick_insert_node,
        "Insert a node with Arrow's defaults next to another one and connect them.",
        schema(
            {
                "type": {"type": "string", "enum": list(NODE_TYPES)},
                "offset": {"type": "array", "items": {"type": "integer"}},
                "scene_id": SCENE,
                "connection": {
                    "type": "array",
                    "items": {"type": ["integer", "string", "boolean"]},
                    "description": "[other node, its slot, true: other to new; false: new to other]",
                },
            },
            "type",
        ),
        aliases={"node_type": "type"},
    ),
)
