"""Commands that make, change and delete nodes."""

from typing import Any

from agent.local.desk import Desk
from agent.local.expressions import read_update
from agent.local.names import join
from agent.local.node_request import NodeRequest, read_node_request
from agent.local.nodetypes import NODE_TYPE, node_type
from agent.local.phrase import QUOTED
from agent.local.placement import Placement, read_placement
from agent.local.presets import build_preset, read_branches
from agent.local.references import References
from agent.local.rule import ADD, CHANGE, COLON, DELETE, FORCE, NOTE, THE, TO, Words, rule
from agent.local.steps import NotDone, Steps

_ARTICLES = r"(?:(?:an?|the|another|one|new|some) )*"


def _add(desk: Desk, words: Words) -> Steps[str]:
    request = read_node_request(node_type(words["type"].masked), words["rest"])
    return (yield from _create(desk, request))


def _create(desk: Desk, request: NodeRequest) -> Steps[str]:
    references = desk.references()
    preset = build_preset(request, references)
    placement = read_placement(request, references)
    branches = read_branches(request, references)
    arguments: dict[str, Any] = {"type": request.type, "preset": preset, "scene_id": placement.scene_id}
    if name := _name(request, references):
        arguments["name"] = name
    if notes := request.modifiers.get("notes"):
        arguments["notes"] = notes.text
    yield from placement.make_room(desk)
    node_id = yield from desk.create_node(arguments)
    return (yield from _wire(desk, node_id, placement, branches))


def _wire(desk: Desk, node_id: int, placement: Placement, branches: list[tuple[int, int]]) -> Steps[str]:
    made = f"Created {desk.story().describe(node_id)}"
    try:
        told = yield from placement.wire(desk, node_id)
        for slot, target in branches:
            yield from desk.connect(node_id, slot, target)
            told += f", slot {slot} before {desk.story().describe(target)}"
    except NotDone as problem:
        return f"{made}, but could not connect it: {problem}"
    return f"{made}{told}."


def _name(request: NodeRequest, references: References) -> str:
    words = request.modifiers.get("name")
    if words is None or request.type in ("marker", "macro_use"):
        return ""
    taken = [node for node in references.story.nodes.values() if node.name == words.text]
    if taken:
        raise NotDone(f"There is already a node named “{words.text}”: {references.story.describe(taken[0].id)}.")
    return words.text


def _say(desk: Desk, words: Words) -> Steps[str]:
    """`make Elena say "Goodbye" after 12`."""
    request = read_node_request("monolog", words["rest"].part(f" saying {words['rest'].masked}"))
    request.modifiers["who"] = words["who"]
    return (yield from _create(desk, request))


def _update_variable_by_node(desk: Desk, words: Words) -> Steps[str]:
    """`set gold to 10` and its like: a node that does so when the story passes it."""
    request = read_node_request("variable_update", words["all"])
    if read_update(request.body, desk.references()) is None:
        raise NotDone(f"“{words['all'].text}” is no change of a variable.")
    return (yield from _create(desk, request))


def _delete(desk: Desk, words: Words) -> Steps[str]:
    references = desk.references()
    nodes = references.nodes(words["node"])
    force = "force" in words
    told = join([references.story.describe(node.id) for node in nodes])
    for node in nodes:
        yield from desk.call("delete_node", {"node_id": node.id, "force": force})
    return f"Deleted {told}."


def _rename(desk: Desk, words: Words) -> Steps[str]:
    references = desk.references()
    node, name = references.node(words["node"]), words["name"].text
    yield from desk.call("update_node", {"node_id": node.id, "name": name})
    return f"Renamed node {node.id} from “{node.name}” to “{name}”."


def _note(desk: Desk, words: Words) -> Steps[str]:
    references = desk.references()
    node = references.node(words["node"])
    notes = words["text"].text if "replace" in words or not node.notes else f"{node.notes}\n{words['text'].text}"
    yield from desk.call("update_node", {"node_id": node.id, "notes": notes})
    return f"Noted on {references.story.describe(node.id)}: {words['text'].text}"


_NODE_OF = r"(?:nodes? (?:of (?:the )?type )?)?"
_NUMBERS = r"(?:#?\d+(?:\s*,\s*(?:and )?| and )?)+"
_UPDATE = (
    rf"set .+?{TO}.+|add (?:[+-]?\d+|{QUOTED}) to .+|(?:subtract|take) \d+ from .+"
    r"|(?:increase|raise|increment|decrease|lower|reduce|decrement) .+|(?:multiply|divide) .+? (?:by|with) .+"
)

RULES = (
    rule(rf"{ADD} {_ARTICLES}{_NODE_OF}(?P<type>{NODE_TYPE})(?: nodes?)?(?P<rest>(?:[\s:,(].*)?)", _add),
    rule(r"(?:make|have|let) (?P<who>.+?) say(?:ing)?(?P<rest>\W.+)", _say),
    rule(rf"(?P<who>(?!wh)[^\s:]+(?: [^\s:]+)?) says?(?P<rest>\s*:.+| {QUOTED}.*)", _say, loose=True),
    rule(rf"{DELETE} {THE}nodes? (?P<node>.+?){FORCE}", _delete),
    rule(rf"{DELETE} (?P<node>{_NUMBERS}|(?:the )?(?:selected|last|selection).*?){FORCE}", _delete),
    rule(r"rename (?:the )?node (?P<node>.+?) (?:to|as|into) (?P<name>.+)", _rename),
    rule(rf"{ADD} {THE}note (?P<text>{QUOTED}) (?:to|on|at) {THE}(?:node )?(?P<node>.+)", _note),
    rule(rf"{CHANGE} {THE}(?P<replace>notes?) (?:of|on) {THE}(?:node )?(?P<node>.+?){COLON}(?P<text>.+)", _note),
    rule(rf"{NOTE} {THE}(?:node )?(?P<node>[^:]+?){COLON}(?P<text>.+)", _note),
)
"""The commands on nodes, the more special first."""

LAST_RULES = (rule(rf"(?P<all>{_UPDATE})", _update_variable_by_node, loose=True),)
"""What only a command that is nothing else can mean."""
