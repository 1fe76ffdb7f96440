"""Operations that change nodes and their place in the map, or remove them."""

from itertools import groupby
from typing import cast

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.names import unique
from arrow_project.node_types import NodeType
from arrow_project.node_types.flow import ranges, shares
from arrow_project.node_types.kinds import mismatch, only, own_name, own_text
from arrow_project.operations.connecting import connect, cut, disconnect, few_outgoing, isolate, remove, said, triples
from arrow_project.operations.detaching import release
from arrow_project.operations.editing import Editing, arguments_record
from arrow_project.operations.function import NODE, SCENE, Function, function, schema
from arrow_project.operations.positions import explicit
from arrow_project.operations.restrictions import check_part, protect_entries
from arrow_project.project_data import ProjectData
from arrow_project.values import Connection, Record, shown


def _update_node(editing: Editing, arguments: Record) -> Record:
    node_id = editing.find("node", arguments["node_id"])
    name = _new_name(editing.project, node_id, arguments.get("name"))
    notes = arguments.get("notes")
    notes = None if notes is None else own_text("notes", notes)
    given = arguments_record("data", arguments.get("data"))
    data = _new_data(editing, node_id, given) if given else None
    result: Record = {"node_id": node_id}
    if data is not None:
        scene_id, node_type = editing.owner(node_id), cast("NodeType", editing.project.node_type(node_id))
        whole_data = {k: v for k, v in data.items() if v is not None}
        wiring = None
        if editing.project.nodes[node_id]["type"] == "randomizer" and given.get("weights"):
            counts = shares(given["weights"])
            wiring = _weighted_wiring(editing, node_id, scene_id, counts)
            result["slots_of_path"] = ranges(counts)
        if wiring is None:
            cut(editing, node_id, scene_id, node_type.inputs(whole_data), node_type.outputs(whole_data))
        else:
            _drop_wires(editing, node_id, scene_id, wiring)
        editing.mind.update_node(node_id, data=data, name=name, notes=notes)
        _wire(editing, node_id, scene_id, wiring or [])
    elif name is not None or notes is not None:
        editing.mind.update_node(node_id, name=name, notes=notes)
    if name is not None:
        result["name"] = name
    return result


def _new_name(project: ProjectData, node_id: int, given: object) -> str | None:
    name = own_name(given) if given is not None else ""
    if not name or name == project.name("node", node_id):
        return None
    return unique(name, project.has_node)


def _new_data(editing: Editing, node_id: int, given: Record) -> Record:
    project = editing.project
    node_type = project.node_type(node_id)
    if node_type is None:
        name = project.nodes[node_id]["type"]
        raise OperationError(
            ErrorCode.INVALID_NODE_TYPE,
            f"Node {node_id} is of the unknown type {shown(name)}; Arrow 3.1 has none like it.",
        )
    parts = node_type.lower_update(project.data(node_id), given, editing).parts
    first = parts[0]
    if len(parts) > 1 or first.type != node_type.name:
        raise mismatch(
            f"Node {node_id} is a {node_type.name} and stays one node of that type; what you ask for becomes "
            f"{' + '.join(part.type for part in parts)}. Insert it as a new node and connect it."
        )
    check_part(project, first, editing.owner(node_id), node_id)
    return first.data


def _weighted_wiring(editing: Editing, node_id: int, scene_id: int, counts: list[int]) -> list[Connection] | None:
    """All connections of a randomizer whose connected paths get weights: each path's slots lead to its target.

    Paths are slots that follow each other and lead to the same place. None if these are not as many as the weights.
    """
    project = editing.project
    existing = {c[1]: c[2:] for c in few_outgoing(project, node_id, scene_id)}
    editing.remark(f"Slots of each path: {ranges(counts)}.")
    if not existing:
        return None
    targets = [existing.get(slot) for slot in range(project.outputs(node_id))]
    paths = [target for target, _ in groupby(targets)]
    if len(counts) != len(paths):
        # paths that stand side by side may lead to the same place; without weights each slot is a path
        paths = targets
    if len(counts) != len(paths):
        editing.remark(
            f"There are {len(counts)} weights and the {len(targets)} slots lead to another number of places, "
            "so the connections stayed at their slots; connect the slots of each path anew."
        )
        return None
    wired = zip(paths, ranges(counts), strict=True)
    return [[node_id, slot, *target] for target, slots in wired if target is not None for slot in slots]


def _drop_wires(editing: Editing, node_id: int, scene_id: int, kept: list[Connection]) -> None:
    for connection in editing.project.outgoing(node_id, scene_id):
        if connection not in kept:
            remove(editing, scene_id, connection, node_id)


def _wire(editing: Editing, node_id: int, scene_id: int, wiring: list[Connection]) -> None:
    existing = editing.project.outgoing(node_id, scene_id)
    for connection in wiring:
        if connection not in existing:
            editing.mind.update_node_map(node_id, scene_id, push=[connection])
            editing.remark(f"Connected {said(editing.project, connection)}.")


def _delete_node(editing: Editing, arguments: Record) -> Record:
    node_id = editing.find("node", arguments["node_id"])
    project = editing.project
    scene_id = project.owner(node_id)
    protect_entries(project, node_id)
    users = [n for n in project.usage.users("node", node_id) if n != node_id]
    release(editing, "node", node_id, force=arguments.get("force") is True, users=users)
    if scene_id is not None:
        isolate(editing, node_id, scene_id)
        _drop_own(editing, node_id, scene_id)
    editing.mind.delete_node(node_id, scene_id)
    return {"removed_id": node_id}


def _drop_own(editing: Editing, node_id: int, scene_id: int) -> None:
    for connection in editing.project.outgoing(node_id, scene_id):
        editing.remark(f"Removed the connection {said(editing.project, connection)}.")


def _update_node_map(editing: Editing, arguments: Record) -> Record:
    node_id = editing.find("node", arguments["node_id"])
    scene_id = editing.owner(node_id)
    _check_scene(editing, arguments.get("scene_id"), node_id, scene_id)
    modifications = arguments_record("modifications", arguments.get("modifications"))
    only('"modifications"', modifications, ("io", "skip", "offset", "id"))
    io = only('"io"', arguments_record("io", modifications.get("io")), ("push", "pop"))
    for ends in triples(editing, "pop", io.get("pop")):
        disconnect(editing, *ends)
    push = triples(editing, "push", io.get("push"))
    for ends in push:
        if ends[0] != node_id:
            editing.remark(f"{list(ends)} begins at node {ends[0]} and was stored there, not at node {node_id}.")
    pushed = [connect(editing, *ends) for ends in push]
    skip = _skip(modifications.get("skip"))
    offset = modifications.get("offset")
    if skip is not None or offset is not None:
        position = _offset_given(offset) if offset is not None else None
        editing.mind.update_node_map(node_id, scene_id, skip=skip, offset=position)
    return {"node_id": node_id, "connections": pushed}


def _check_scene(editing: Editing, given: object, node_id: int, owner: int) -> None:
    if given is not None and given != -1 and (said_scene := editing.find("scene", given)) != owner:
        raise OperationError(
            ErrorCode.INVALID_SCENE_ID, f"Node {node_id} is in scene {owner}, not in scene {said_scene}."
        )


def _skip(value: object) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise mismatch(f'"skip" must be true or false, not {shown(value)}.')
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
