"""What could be done next: functions that can be executed as they stand, taken from the story and the documents."""

import re
from collections.abc import Iterator, Sequence

from agent.duplicates import find_duplicate, fold
from agent.events import Suggestion
from agent.loose_ends import unreached
from agent.request import TurnContext
from agent.tools import READING_TOOLS
from agent.undo import UNDO
from arrow_project import ArrowProject, Operation, OperationError, Selection
from retrieval import CitedPassage

_MOST = 3
_CONTINUITY = "check_continuity"
_CHOICES = {"interaction": "actions", "dialog": "lines"}
_NO_OUTPUT = ("jump", "frame")
_SHOWN = 40

_PEOPLE = re.compile(r"\b(?:characters?|people|persons|cast|npcs?|figures)\b", re.IGNORECASE)
_SPEAKER = re.compile(r"^[ \t>*-]*\**(?P<name>[^\W\d_a-z][\w’'-]*(?: [^\W\d_a-z][\w’'-]*){0,2})\**:\s+\S", re.MULTILINE)
# Labels of a document, which look like speakers in a script.
_NO_NAMES = frozenset({
    "act", "age", "author", "background", "beat", "chapter", "character", "characters", "choice", "choices",
    "condition", "date", "description", "direction", "directions", "effect", "ending", "example", "exit", "exits",
    "exterior", "goal", "interior", "items", "location", "mood", "motif", "name", "names", "note", "notes",
    "object", "objects", "option", "options", "page", "person", "picture", "place", "places", "props", "role",
    "rule", "rules", "scene", "scenes", "setting", "sound", "source", "stage", "summary", "tags", "theme", "time",
    "title", "todo", "tone", "variable", "variables", "version", "voice", "warning", "weather",
})  # fmt: skip
_LONGEST_NAME = 40


def suggest(context: TurnContext, created: Sequence[int], *, changed: bool) -> tuple[Suggestion, ...]:
    """Up to three things to do next, each of which would succeed now.

    Args:
        context: The turn that ends.
        created: The nodes that it has made.
        changed: Whether it has changed the story.
    """
    project = context.project
    if project is None:
        return ()
    structure = _structure(project, context, created)
    found = [Suggestion("Undo what was just done", UNDO, {})] if changed else []
    found += _first(structure, project, context)
    if changed and context.documents and _CONTINUITY in READING_TOOLS:
        found += _continuity(project, context)
    found += _first(_people(project, context.passages), project, context)
    if len(found) < _MOST:
        found += _first(structure, project, context)
    return tuple(found[:_MOST])


def _first(candidates: Iterator[Suggestion], project: ArrowProject, context: TurnContext) -> list[Suggestion]:
    """The first that would succeed."""
    selection = Selection(context.scene_id, context.selected_node_ids)
    for suggestion in candidates:
        operation = Operation(suggestion.function, suggestion.params)
        if find_duplicate(project, operation) is None and _succeeds(project, operation, selection):
            return [suggestion]
    return []


def _succeeds(project: ArrowProject, operation: Operation, selection: Selection) -> bool:
    checkpoint = project.checkpoint()
    try:
        project.apply(operation, selection)
    except OperationError:
        return False
    project.rollback(checkpoint)
    return True


# --- the story ------------------------------------------------------------------------------------------------------


def _structure(project: ArrowProject, context: TurnContext, created: Sequence[int]) -> Iterator[Suggestion]:
    """Loose ends: of what was just made, then of the open scene."""
    document = project.document
    scene_id = open_scene(project, context)
    here = list(document.scene_map(scene_id)) if scene_id is not None else []
    loose = unreached(project, [*created, *here])
    for node_id in loose:
        owner = document.owner(node_id)
        if owner is not None:
            yield from _connect(project, owner, node_id)
    for node_id in (key for key in dict.fromkeys([*created, *here]) if key in document.nodes):
        yield from _open_choices(project, node_id)


def _connect(project: ArrowProject, scene_id: int, node_id: int) -> Iterator[Suggestion]:
    """From the nearest node before it that leads nowhere and that it does not lead to itself."""
    document = project.document
    order = list(document.scene_map(scene_id))
    behind = _reachable(project, scene_id, node_id)
    place = order.index(node_id)
    for key in [*reversed(order[:place]), *order[place + 1 :]]:
        node = document.nodes.get(key)
        if node is None or key in behind or node["type"] in _NO_OUTPUT or document.outgoing(key, scene_id):
            continue
        params = {"from_node_id": key, "to_node_id": node_id, "from_slot": 0, "to_slot": 0}
        yield Suggestion(f"Connect node {key} to node {node_id}, which nothing leads to", "create_connection", params)
        return


def _reachable(project: ArrowProject, scene_id: int, node_id: int) -> set[int]:
    document = project.document
    found: set[int] = set()
    open_nodes = [node_id]
    while open_nodes:
        key = open_nodes.pop()
        if key not in found:
            found.add(key)
            open_nodes += [way[2] for way in document.outgoing(key, scene_id)]
    return found


def _open_choices(project: ArrowProject, node_id: int) -> Iterator[Suggestion]:
    document = project.document
    node, scene_id = document.nodes[node_id], document.owner(node_id)
    field = _CHOICES.get(str(node["type"]))
    options = node["data"].get(field, []) if field else []
    if scene_id is None or len(options) < 2:
        return
    taken = {way[1] for way in document.outgoing(node_id, scene_id)}
    for slot, option in enumerate(options):
        if slot not in taken:
            params = {"type": "content", "scene_id": scene_id, "connect_from": {"node_id": node_id, "slot": slot}}
            yield Suggestion(f"Add what follows “{_short(str(option))}” (node {node_id})", "create_insert_node", params)


def open_scene(project: ArrowProject, context: TurnContext) -> int | None:
    """The scene that is open; the one where the project begins when that is not known."""
    document = project.document
    return context.scene_id if context.scene_id in document.scenes else document.owner(document.entry)


# --- the documents --------------------------------------------------------------------------------------------------


def _continuity(project: ArrowProject, context: TurnContext) -> list[Suggestion]:
    scene_id = open_scene(project, context)
    if scene_id is None:
        return []
    label = f"Check scene {project.document.name('scene', scene_id)} against the documents"
    return [Suggestion(label, _CONTINUITY, {"scene_id": scene_id})]


def _people(project: ArrowProject, passages: Sequence[CitedPassage]) -> Iterator[Suggestion]:
    """Who is named in the passages of this turn, and not in the project."""
    known = {fold(str(character["name"])) for character in project.document.characters.values()}
    known |= {name.split(" ")[0] for name in known if name}
    for name, passage in _named(passages).items():
        folded = fold(name)
        if folded not in known and folded.split(" ")[0] not in known:
            place = passage.passage.place
            yield Suggestion(f"Create the character {name} ({place})", "create_character", {"name": name})


def _named(passages: Sequence[CitedPassage]) -> dict[str, CitedPassage]:
    """Names under headings about people, and whoever speaks twice or more, each with where it was first seen."""
    found: dict[str, CitedPassage] = {}
    speaks: dict[str, int] = {}
    for cited in passages:
        *above, last = [*cited.passage.heading] or [""]
        if any(_PEOPLE.search(heading) for heading in above) and len(last) <= _LONGEST_NAME and last[:1].isupper():
            found.setdefault(last.strip(), cited)
        for speaker in _SPEAKER.finditer(cited.passage.text):
            name = speaker["name"].title() if speaker["name"].isupper() else speaker["name"]
            speaks[name] = speaks.get(name, 0) + 1
            if speaks[name] > 1 and fold(name) not in _NO_NAMES:
                found.setdefault(name, cited)
    return found


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
