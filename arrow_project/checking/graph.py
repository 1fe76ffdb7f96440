"""Invariants 27 to 34: connections."""

from arrow_project.checking.findings import Findings, found
from arrow_project.document import Document
from arrow_project.values import Connection, Record, Table, is_connection, sequence

_NO_EXIT, _NO_ENTRANCE = ("jump", "frame"), ("entry", "frame")


def graph(document: Document) -> Findings:
    """Every connection by itself, then those that share an exit."""
    for scene_id, scene in document.scenes.items():
        for node_id, entry in scene["map"].items():
            if "io" in entry:
                yield from _outgoing(document, scene["map"], node_id, entry, f"scene {scene_id}, node {node_id}")


def _outgoing(document: Document, scene_map: Table, node_id: int, entry: Record, place: str) -> Findings:
    if not isinstance(entry["io"], list):
        yield found(27, place, "io must be an array of connections.")
        return
    taken: set[int] = set()
    for item in sequence(entry["io"]):
        if not is_connection(item):
            yield found(27, place, f"{item!r} must be [from_id, from_slot, to_id, to_slot], four whole numbers.")
        elif item[0] != node_id:
            yield found(28, place, f"{item} begins at another node; it belongs into the map entry of {item[0]}.")
        else:
            yield from _connection(document, scene_map, item, place)
            if item[1] in taken:
                yield found(33, place, f"Slot {item[1]} has more than one connection; only the last is played.")
            taken.add(item[1])


def _connection(document: Document, scene_map: Table, connection: Connection, place: str) -> Findings:
    from_id, _, to_id, _ = connection
    if to_id not in scene_map:
        yield found(29, place, f"{connection} leads to node {to_id}, which is not in this scene; use a jump.")
    elif to_id == from_id:
        yield found(34, place, f"{connection} leads from the node to itself.")
    elif from_id in document.nodes and to_id in document.nodes:
        yield from _slots(document, connection, place)


def _slots(document: Document, connection: Connection, place: str) -> Findings:
    from_id, from_slot, to_id, to_slot = connection
    from_type, to_type = document.nodes[from_id]["type"], document.nodes[to_id]["type"]
    if from_type in _NO_EXIT or to_type in _NO_ENTRANCE:
        yield found(32, place, f"{connection}: nothing leaves a jump or frame, nothing enters an entry or frame.")
        return
    outputs, inputs = document.outputs(from_id), document.inputs(to_id)
    if document.node_type(from_id) is not None and not 0 <= from_slot < outputs:
        yield found(30, place, f"{connection}: the {from_type} has only {outputs} output slots.")
    if document.node_type(to_id) is not None and not 0 <= to_slot < inputs:
        yield found(31, place, f"{connection}: the {to_type} has only {inputs} input slots.")
