"""One node, seen from outside: a line of the outline, or all of it in the terms of the operations."""

import copy
import heapq
from collections.abc import Iterator
from itertools import islice
from typing import Any

from arrow_project.node_types import NODE_TYPES
from arrow_project.operations.connecting import native_slot, said
from arrow_project.outlining import line
from arrow_project.phrases import exits, simplified
from arrow_project.project import ArrowProject
from arrow_project.values import Record, text


def node_line(project: ArrowProject, node_id: int) -> str:
    """A node that exists as the outline shows it: id, type, name, what it says, where it goes on."""
    data = project.data
    return line(data, node_id, data.owner(node_id))


def node_lines(project: ArrowProject, scene_id: int) -> Iterator[str]:
    """The nodes of a scene that exists, in the order of its map, a line each."""
    data = project.data
    return (line(data, n, scene_id) for n in data.scene_map(scene_id) if n in data.nodes)


def node_details(project: ArrowProject, node_id: int, most: int | None = None) -> Record:
    """All of a node that exists: ``data`` as operations take it, and its connections with the slots that they count.

    ``goes_to`` has an entry for each output slot: what it means, and the node it leads to or null. Of it and of
    ``comes_from`` there are the first `most` entries; ``left_out`` has how many more there would be, where there are.
    """
    data = project.data
    node, owner = data.nodes[node_id], data.owner(node_id)
    details: Record = {
        "node_id": node_id,
        "type": text(node["type"]),
        "name": text(node["name"]),
        "scene_id": owner,
        "data": copy.deepcopy(node_data(project, node_id)),
    }
    if node.get("notes"):
        details["notes"] = text(node["notes"])
    if owner is None:
        return details
    if data.scene_map(owner)[node_id].get("skip") is True:
        details["skip"] = True
    incoming, outputs = data.incoming(node_id, owner), data.outputs(node_id)
    details["comes_from"] = [{"node_id": c[0], "slot": said(data, c)[1]} for c in incoming[:most]]
    targets = {native_slot(data, node_id, c[1]): c[2] for c in data.outgoing(node_id, owner)}
    meanings = exits(data, node_id)
    stale = sorted(slot for slot in targets if not 0 <= slot < outputs)
    details["goes_to"] = [
        {
            "slot": slot,
            "means": (meanings[slot] if 0 <= slot < len(meanings) else "") or "continue",
            "node_id": targets.get(slot),
        }
        for slot in islice(heapq.merge(range(outputs), stale), most)
    ]
    totals = {"comes_from": len(incoming), "goes_to": outputs + len(stale)}
    left_out = {key: total - len(details[key]) for key, total in totals.items() if total > len(details[key])}
    if left_out:
        details["left_out"] = left_out
    return details


def node_data(project: ArrowProject, node_id: int) -> Record:
    """The data of a node that exists, as operations take it; parts of it are the project's own, not to be changed."""
    return simplified(project.data, node_id)


def node_data_schema(type_name: str) -> dict[str, Any] | None:
    """JSON schema of the data that a type of node has; None for a type that Arrow does not know."""
    node_type = NODE_TYPES.get(type_name)
    return node_type.schema() if node_type else None
