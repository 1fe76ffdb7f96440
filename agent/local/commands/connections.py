"""Commands that connect nodes, disconnect them, and say where a scene or the project begins."""

import re
from itertools import pairwise

from agent.local.desk import Desk
from agent.local.phrase import QUOTED, Phrase
from agent.local.references import References
from agent.local.rule import DELETE, THE, Words, rule
from agent.local.slots import describe_slot, output_slot
from agent.local.steps import NotDone, Steps
from agent.local.story import Connection, Node

_ARROW = r"\s*(?:->|→|=>)\s*"
_BETWEEN = re.compile(_ARROW)
_OUTPUT = re.compile(
    r"(?P<node>.+?)[\s,(]+(?:(?:(?:from|on|at)\s+)?(?:its\s+)?(?:output\s+)?slot\s+(?P<slot>\d+)"
    r"|(?:from|on|under|for)\s+(?:its\s+|the\s+)?(?:(?:choice|option|action|line|path|branch|answer|output)\s+)?(?P<branch>.+?))\)?",
    re.IGNORECASE | re.DOTALL,
)
_BRANCH_OF = re.compile(
    r"(?:the\s+)?(?:(?:(?:choice|option|action|line|branch|answer|output)\s+(?P<branch>.+?)|slot\s+(?P<slot>\d+)"
    rf"|(?P<quoted>{QUOTED}))\s+of\s+(?P<node>.+))",
    re.IGNORECASE | re.DOTALL,
)
_INPUT = re.compile(
    r"(?P<node>.+?)\s+(?:(?:in|into|to|at)\s+)?(?:its\s+)?(?:input\s+)(?:slot\s+)?(?P<slot>\d+)", re.IGNORECASE
)


def _connect(desk: Desk, words: Words) -> Steps[str]:
    """`connect 12 to 15 (from slot 1 / on true / on choice "Accept")`, or a chain `connect 12 -> 15 -> 18`."""
    told: list[str] = []
    stops = words["from"].split(_BETWEEN) + words["to"].split(_BETWEEN)
    for origin, target in pairwise(stops):
        told.append((yield from _connect_two(desk, origin, target)))
    return " ".join(told)


def _connect_two(desk: Desk, origin: Phrase, target: Phrase) -> Steps[str]:
    references = desk.references()
    target, slot, branch = _take_output(target)
    origin, own_slot, own_branch = _take_output(origin)
    target, to_slot = _take_input(target)
    start, end = references.origin(origin), references.node(target)
    _refuse(references, start, end)
    from_slot = output_slot(references.story, start, own_slot or slot, own_branch or branch)
    yield from desk.connect(start.id, from_slot, end.id, to_slot)
    describe = references.story.describe
    return f"Connected {describe(start.id)}{describe_slot(start, from_slot)} to {describe(end.id)}."


def _refuse(references: References, start: Node, end: Node) -> None:
    if start.id == end.id:
        raise NotDone(f"Node {start.id} cannot lead to itself.")
    if not end.takes_input:
        raise NotDone(f"Nothing can lead to {references.story.describe(end.id)}: {end.type} nodes have no input.")
    if start.scene_id != end.scene_id:
        raise NotDone(
            f"Nodes {start.id} and {end.id} are in different scenes. "
            f"Use a jump: “add a jump to {end.id} after {start.id}”."
        )


def _take_output(words: Phrase) -> tuple[Phrase, Phrase | None, Phrase | None]:
    """The node's words, and the slot or branch that is named with them."""
    found = words.match(_BRANCH_OF) or words.match(_OUTPUT)
    if found is None:
        return words, None, None
    return found["node"], found.get("slot"), found.get("branch") or found.get("quoted")


def _take_input(words: Phrase) -> tuple[Phrase, int]:
    found = words.match(_INPUT)
    return (found["node"], int(found["slot"].masked)) if found else (words, 0)


def _disconnect(desk: Desk, words: Words) -> Steps[str]:
    references = desk.references()
    story = references.story
    first, slot, branch = _take_output(words["from"])
    origin = references.node(first)
    if "to" not in words:
        links = story.leaving(origin.id)
    else:
        target, other_slot, other_branch = _take_output(words["to"])
        slot, branch = slot or other_slot, branch or other_branch
        end = references.node(target).id
        links = [link for link in story.leaving(origin.id) if link.to_id == end] or [
            link for link in story.leaving(end) if link.to_id == origin.id
        ]
    links = [link for link in links if _is_meant(link, origin, slot, branch)]
    if not links:
        raise NotDone(f"There is no such connection: {_where(references, origin)}")
    for link in links:
        yield from _remove(desk, link)
    return "Disconnected " + ", ".join(f"{link.from_id} from {link.to_id}" for link in links) + "."


def _is_meant(link: Connection, origin: Node, slot: Phrase | None, branch: Phrase | None) -> bool:
    if slot is not None:
        return link.from_slot == int(slot.masked)
    if branch is None or link.from_id != origin.id:
        return branch is None
    name = origin.outputs[link.from_slot] if link.from_slot < len(origin.outputs) else ""
    return branch.text.casefold() in name.casefold()


def _remove(desk: Desk, link: Connection) -> Steps[None]:
    arguments = {"from": link.from_id, "from_slot": link.from_slot, "to": link.to_id, "to_slot": link.to_slot}
    yield from desk.call("delete_connection", arguments)


def _where(references: References, node: Node) -> str:
    leaving = [str(link.to_id) for link in references.story.leaving(node.id)]
    return f"node {node.id} leads to {', '.join(leaving)}." if leaving else f"node {node.id} leads nowhere."


def _set_entry(desk: Desk, words: Words) -> Steps[str]:
    references = desk.references()
    node = references.node(words["node"])
    whose = words.get("whose") or words.get("owner")
    if whose is not None and whose.masked.casefold() != "scene":
        yield from desk.call("set_project_entry", {"node_id": node.id})
        return f"The project now begins at {references.story.describe(node.id)}."
    yield from desk.call("set_scene_entry", {"node_id": node.id})
    scene = references.story.scenes[node.scene_id]
    return f"The scene “{scene.name}” now begins at {references.story.describe(node.id)}."


_WHOLE = r"project|story|game|scene"
_ENTRY = (
    rf"(?:the )?(?:(?P<whose>{_WHOLE})(?:['’]?s)? )?(?:entry|start)(?: point| node)?"
    rf"(?: of (?:the |this )?(?P<owner>{_WHOLE}))?"
)

RULES = (
    rule(r"(?:disconnect|unlink|detach) (?P<from>.+?)(?: (?:from|and|to) (?P<to>.+))?", _disconnect),
    rule(
        rf"{DELETE} {THE}(?:connection|link)s? (?:from|between) (?P<from>.+?) (?:to|and) (?P<to>.+)",
        _disconnect,
    ),
    rule(rf"{DELETE} {THE}(?:connection|link) (?P<from>.+?)(?: to |{_ARROW})(?P<to>.+)", _disconnect),
    rule(rf"(?:connect|link|wire|join) (?P<from>.+?)(?: (?:to|with|into) |{_ARROW})(?P<to>.+)", _connect, loose=True),
    rule(r"(?:connect|link) (?P<to>.+?) from (?P<from>.+)", _connect, loose=True),
    rule(rf"(?:make|set|use) (?P<node>.+?) (?:as |to be |to |into )?{_ENTRY}", _set_entry),
    rule(
        rf"(?:make|let|start|begin) {THE}(?P<whose>{_WHOLE}) (?:(?:start|begin) )?(?:at|with|from) (?P<node>.+)",
        _set_entry,
    ),
    rule(rf"(?:set|change|move) {_ENTRY} (?:to|=) (?P<node>.+)", _set_entry),
)
"""The commands on connections and entries."""
