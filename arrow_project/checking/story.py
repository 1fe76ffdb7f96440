"""Warnings: rule 64, and what a story editor would look at."""

from collections.abc import Iterator

from arrow_project.checking.findings import Findings, found
from arrow_project.checking.survey import Seen, Survey
from arrow_project.node_types.comparing import VARIABLE
from arrow_project.values import Record, integer, is_id, shown

_SPEAKING = ("dialog", "monolog")
_COMPARING = ("condition", "variable_update")
_WRITING = ("variable_update", "generator", "user_input")
# where a story may end: something was shown, or a place is marked for another program
_ENDINGS = frozenset({"content", "dialog", "monolog", "interaction", "marker", "frame"})
_CHOICES = ("interaction", "dialog")
# a single line may be the last; a single action is a choice all the same
_UNSAID = {"interaction": 0, "dialog": 1}
_ASKING = ("condition", "tag_pass")
_BRANCHING = (*_ASKING, "randomizer")


def story(survey: Survey) -> Findings:
    """All warnings that are no rule about a single resource."""
    yield from _first_node(survey)
    yield from _unreachable(survey)
    for seen in survey.nodes.values():
        # the end of a macro is where the calling scene goes on
        if seen.node_type is not None and seen.home is not None and not survey.project.is_macro(seen.home):
            yield from _end(seen)
    yield from _variables(survey)
    yield from _characters(survey)
    yield from _exposures(survey)


def _first_node(survey: Survey) -> Findings:
    first = survey.nodes[survey.project.entry]
    if first.node["type"] in ("content", "monolog") and first.data.get("clear") is True:
        yield found(64, first.place, "clear on the very first played node throws in the HTML runtime; leave it out.")


def reachable(survey: Survey) -> set[int]:
    """Every node that play can come to from the project's entry."""
    found_nodes: set[int] = set()
    open_nodes = [survey.project.entry]
    while open_nodes:
        node_id = open_nodes.pop()
        seen = survey.nodes.get(node_id)
        if seen is not None and node_id not in found_nodes:
            found_nodes.add(node_id)
            open_nodes += [c[2] for c in seen.outgoing]
            if seen.node["type"] in ("jump", "macro_use"):
                open_nodes.append(_elsewhere(survey, seen))
    return found_nodes


def _elsewhere(survey: Survey, seen: Seen) -> int:
    if seen.node["type"] == "jump":
        return integer(seen.data.get("target"))
    macro = survey.project.scenes.get(integer(seen.data.get("macro")), {})
    return integer(macro.get("entry"))


def _unreachable(survey: Survey) -> Findings:
    reached = reachable(survey)
    for node_id, seen in survey.nodes.items():
        if node_id not in reached and seen.home is not None and seen.node["type"] != "frame":
            yield found("unreachable", seen.place, "Nothing leads here from where the project begins.")


def _end(seen: Seen) -> Findings:
    type_name = seen.node["type"]
    if type_name == "jump":
        if integer(seen.data.get("target")) < 0:
            yield found("dead-end", seen.place, "The jump has no target.")
    elif not seen.outgoing and type_name not in _ENDINGS:
        yield found("dead-end", seen.place, f"The story stops at this {type_name}; connect it.")
    elif type_name in _BRANCHING and seen.outputs > len(seen.outgoing):
        taken = {c[1] for c in seen.outgoing}
        for slot in range(seen.outputs):
            if slot not in taken:
                way = ("false", "true")[slot] if type_name in _ASKING else f"way {slot}"
                yield found("branch-leads-nowhere", seen.place, f"The {way} of this {type_name} leads nowhere.")
    elif type_name in _CHOICES and seen.outputs > max(_UNSAID[type_name], len(seen.outgoing)):
        taken = {c[1] for c in seen.outgoing}
        for slot in range(seen.outputs):
            if slot not in taken:
                yield found("choice-leads-nowhere", seen.place, f"Choice {slot} of this {type_name} leads nowhere.")


def _variables(survey: Survey) -> Findings:
    read, written = _traffic(survey)
    for key, variable in survey.project.variables.items():
        place = f"variable {key}"
        if key not in read:
            yield found("never-read", place, f"Nothing asks for or shows {shown(variable['name'])}.")
        if key not in written:
            yield found("never-written", place, f"Nothing changes {shown(variable['name'])}.")


def _traffic(survey: Survey) -> tuple[set[int], set[int]]:
    """Variables that are read, and those that are written."""
    read: set[int] = set()
    written: set[int] = set()
    for seen in survey.nodes.values():
        type_name = seen.node["type"]
        if seen.exposed:
            read.update(seen.exposed)
        if type_name in _COMPARING:
            read.update(_asked(type_name, seen.data))
        if type_name in _WRITING:
            written.add(integer(seen.data.get("variable")))
    return read, written


def _asked(type_name: str, data: Record) -> Iterator[int]:
    if type_name == "condition":
        yield integer(data.get("variable"))
    match data.get("with"):
        case [mode, other] if mode == VARIABLE and is_id(other):
            yield other
        case _:
            pass


def _characters(survey: Survey) -> Findings:
    spoken = {integer(s.data.get("character")) for s in survey.nodes.values() if s.node["type"] in _SPEAKING}
    for key, character in survey.project.characters.items():
        if key not in spoken:
            yield found("no-lines", f"character {key}", f"{shown(character['name'])} says nothing.")


def _exposures(survey: Survey) -> Findings:
    for seen in survey.nodes.values():
        for exposure in dict.fromkeys(seen.unknown):
            message = f"The text exposes {exposure}, and there is nothing of that name; players see the braces."
            yield found("unknown-exposure", seen.place, message)
