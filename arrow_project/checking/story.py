"""Warnings: rule 64, and what a story editor would look at."""

from collections.abc import Iterator

from arrow_project.checking.findings import Findings, found, node_place
from arrow_project.document import Document
from arrow_project.names import exposed_characters, exposed_variables
from arrow_project.node_types.comparing import VARIABLE
from arrow_project.operations.connecting import free_slots
from arrow_project.values import Record, integer, is_id, text

_SPEAKING = ("dialog", "monolog")
_WRITING = ("variable_update", "generator", "user_input")
# where a story may end: something was shown, or a place is marked for another program
_ENDINGS = frozenset({"content", "dialog", "monolog", "interaction", "marker", "frame"})
_CHOICES = ("interaction", "dialog")


def story(document: Document) -> Findings:
    """All warnings that are no rule about a single resource."""
    yield from _first_node(document)
    yield from _unreachable(document)
    yield from _ends(document)
    yield from _variables(document)
    yield from _characters(document)
    yield from _exposures(document)


def _first_node(document: Document) -> Findings:
    first = document.nodes[document.entry]
    if first["type"] in ("content", "monolog") and document.data(document.entry).get("clear") is True:
        message = "clear on the very first played node throws in the HTML runtime; leave it out there."
        yield found(64, node_place(document, document.entry), message)


def reachable(document: Document) -> set[int]:
    """Every node that play can come to from the project's entry."""
    homes = {node_id: key for key, scene in document.scenes.items() for node_id in scene["map"]}
    seen: set[int] = set()
    open_nodes = [document.entry]
    while open_nodes:
        node_id = open_nodes.pop()
        if node_id in seen or node_id not in document.nodes:
            continue
        seen.add(node_id)
        if node_id in homes:
            open_nodes += [c[2] for c in document.outgoing(node_id, homes[node_id])]
        open_nodes += _elsewhere(document, node_id)
    return seen


def _elsewhere(document: Document, node_id: int) -> list[int]:
    data, type_name = document.data(node_id), document.nodes[node_id]["type"]
    if type_name == "jump":
        return [integer(data.get("target"))]
    macro = data.get("macro")
    if type_name == "macro_use" and is_id(macro) and macro in document.scenes:
        return [integer(document.scenes[macro]["entry"])]
    return []


def _unreachable(document: Document) -> Findings:
    reached = reachable(document)
    for scene_id, scene in document.scenes.items():
        for node_id in scene["map"]:
            node = document.nodes.get(node_id)
            if node is not None and node_id not in reached and node["type"] != "frame":
                message = "Nothing leads here from where the project begins."
                yield found("unreachable", f"scene {scene_id}, node {node_id}", message)


def _ends(document: Document) -> Findings:
    for scene_id, scene in document.scenes.items():
        # the end of a macro is where the calling scene goes on
        if document.is_macro(scene_id):
            continue
        for node_id in scene["map"]:
            if document.nodes.get(node_id) is not None and document.node_type(node_id) is not None:
                yield from _end(document, scene_id, node_id)


def _end(document: Document, scene_id: int, node_id: int) -> Findings:
    type_name = document.nodes[node_id]["type"]
    place = f"scene {scene_id}, node {node_id}"
    data = document.data(node_id)
    if type_name == "jump":
        if integer(data.get("target")) < 0:
            yield found("dead-end", place, "The jump has no target.")
    elif not document.outgoing(node_id, scene_id) and type_name not in _ENDINGS:
        yield found("dead-end", place, f"The story stops at this {type_name}; connect it.")
    elif type_name in _CHOICES and document.outputs(node_id) > 1:
        for slot in free_slots(document, node_id, scene_id):
            yield found("choice-leads-nowhere", place, f"Choice {slot} of this {type_name} leads nowhere.")


def _variables(document: Document) -> Findings:
    read, written = _variable_traffic(document)
    for key, variable in document.variables.items():
        place = f"variable {key}"
        if key not in read and text(variable["name"]) not in read:
            yield found("never-read", place, f"Nothing asks for or shows {variable['name']}.")
        if key not in written:
            yield found("never-written", place, f"Nothing changes {variable['name']}.")


def _variable_traffic(document: Document) -> tuple[set[int | str], set[int]]:
    """Ids and names that are read, ids that are written."""
    read: set[int | str] = set()
    written: set[int] = set()
    for node_id, node in document.nodes.items():
        node_type = document.node_type(node_id)
        if node_type is None:
            continue
        data = document.data(node_id)
        read.update(_asked(text(node["type"]), data))
        if node["type"] in _WRITING:
            written.add(integer(data.get("variable")))
        for said in node_type.texts(data):
            read.update(exposed_variables(said))
    return read, written


def _asked(type_name: str, data: Record) -> Iterator[int]:
    if type_name == "condition":
        yield integer(data.get("variable"))
    match data.get("with"):
        case [mode, other] if mode == VARIABLE and is_id(other):
            yield other
        case _:
            pass


def _characters(document: Document) -> Findings:
    speakers = {document.data(n).get("character") for n, node in document.nodes.items() if node["type"] in _SPEAKING}
    for key, character in document.characters.items():
        if key not in speakers:
            yield found("no-lines", f"character {key}", f"{character['name']} says nothing.")


def _exposures(document: Document) -> Findings:
    variables, characters = document.by_name("variable"), document.by_name("character")
    for node_id in document.nodes:
        node_type = document.node_type(node_id)
        if node_type is None:
            continue
        for said in node_type.texts(document.data(node_id)):
            unknown = [f"{{{name}}}" for name in exposed_variables(said) if name not in variables]
            unknown += [f"{{{name}.…}}" for name in exposed_characters(said) if name not in characters]
            for exposure in dict.fromkeys(unknown):
                message = f"The text exposes {exposure}, and there is nothing of that name; players see the braces."
                yield found("unknown-exposure", node_place(document, node_id), message)
