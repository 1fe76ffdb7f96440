"""Invariants 27 to 34: connections."""

from arrow_project.checking.findings import Findings, found
from arrow_project.checking.survey import Seen, Survey
from arrow_project.values import Connection, Record, Table, is_connection, sequence, shown

_NO_EXIT, _NO_ENTRANCE = ("jump", "frame"), ("entry", "frame")


def graph(survey: Survey) -> Findings:
    """Every connection by itself, then those that share an exit."""
    for scene_id, scene in survey.project.scenes.items():
        for node_id, entry in scene["map"].items():
            if "io" in entry:
                yield from _outgoing(survey, scene["map"], node_id, entry, f"scene {scene_id}, node {node_id}")


def _outgoing(survey: Survey, scene_map: Table, node_id: int, entry: Record, place: str) -> Findings:
    if not isinstance(entry["io"], list):
        yield found(27, place, "io must be an array of connections.")
        return
    taken: set[int] = set()
    source = survey.nodes.get(node_id)
    sound = source is not None and source.outgoing is entry["io"]
    for item in sequence(entry["io"]):
        if not sound and not is_connection(item):
            yield found(27, place, f"{shown(item)} must be [from_id, from_slot, to_id, to_slot], four whole numbers.")
        elif item[0] != node_id:
            yield found(28, place, f"{item} begins at another node; it belongs into the map entry of {item[0]}.")
        else:
            if problem := _problem(survey, scene_map, item):
                yield found(problem[0], place, f"{item}: {problem[1]}.")
            elif item[1] in taken:
                yield found(33, place, f"Slot {item[1]} has more than one connection; only the last is played.")
            else:
                taken.add(item[1])


def _problem(survey: Survey, scene_map: Table, connection: Connection) -> tuple[int, str] | None:
    from_id, from_slot, to_id, to_slot = connection
    if to_id not in scene_map:
        # a node in no scene at all breaks rule 22
        lost = to_id in survey.nodes and survey.nodes[to_id].home is None
        return None if lost else (29, f"node {to_id} is not in this scene; use a jump")
    if to_id == from_id:
        return 34, "it leads from the node to itself"
    source, target = survey.nodes.get(from_id), survey.nodes.get(to_id)
    if source is None or target is None or (0 <= from_slot < source.outputs and 0 <= to_slot < target.inputs):
        return None
    if source.node["type"] in _NO_EXIT or target.node["type"] in _NO_ENTRANCE:
        return 32, "nothing leaves a jump or frame, nothing enters an entry or frame"
    return _slot_problem(source, from_slot, target, to_slot)


def _slot_problem(source: Seen, from_slot: int, target: Seen, to_slot: int) -> tuple[int, str] | None:
    if not source.is_count_broken and not 0 <= from_slot < source.outputs:
        return 30, f"the {source.node['type']} has {source.outputs} output slots"
    if not target.is_count_broken and not 0 <= to_slot < target.inputs:
        return 31, f"the {target.node['type']} has {target.inputs} input slots"
    return None
