"""What could be done next: functions that can be executed as they stand, taken from the story and the documents."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from agent.editing.duplicates import find_duplicate
from agent.turn.events import Suggestion
from agent.turn.request import TurnContext
from agent.turn.undo import UNDO
from arrow_project import ArrowProject, Operation, OperationError, Selection, Story, fold, shorten
from arrow_project.scripts import speakers
from retrieval import CitedPassage

_MOST = 3
_TRIED = 20  # loose ends, and open choices: each costs a look through the story
_CONTINUITY = "check_continuity"
_CHOICES = ("interaction", "dialog")
_SHOWN = 40


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
    if changed and context.documents:
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
    story, scene_id = Story(project), open_scene(project, context)
    here = [node.id for node in story.nodes_of(scene_id)] if scene_id is not None else []
    wanted = [key for key in dict.fromkeys([*created, *here]) if key in story.nodes]
    loose = {node.id for node in story.loose}
    for node_id in islice((key for key in wanted if key in loose), _TRIED):
        yield from _connect(story, node_id)
    yield from islice(chain.from_iterable(_open_choices(story, key) for key in wanted), _TRIED)


def _connect(story: Story, node_id: int) -> Iterator[Suggestion]:
    """From the nearest node before it that leads nowhere and that it does not lead to itself."""
    order = [node.id for node in story.nodes_of(story.nodes[node_id].scene_id)]
    behind, place = story.reached_from([node_id]), order.index(node_id)
    for key in [*reversed(order[:place]), *order[place + 1 :]]:
        if key not in behind and story.nodes[key].outputs and not story.leaving(key):
            params = {"from_node_id": key, "to_node_id": node_id, "from_slot": 0, "to_slot": 0}
            yield Suggestion(
                f"Connect node {key} to node {node_id}, which nothing leads to", "create_connection", params
            )
            return


def _open_choices(story: Story, node_id: int) -> Iterator[Suggestion]:
    node = story.nodes[node_id]
    if node.type not in _CHOICES or len(node.outputs) < 2:
        return
    for slot in story.free_outputs(node_id):
        params = {"type": "content", "scene_id": node.scene_id, "connect_from": {"node_id": node_id, "slot": slot}}
        label = f"Add what follows “{shorten(node.outputs[slot], _SHOWN)}” (node {node_id})"
        yield Suggestion(label, "create_insert_node", params)


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
    """Who speaks in a dialogue among the passages of this turn, and is not in the project."""
    known = {fold(str(character["name"])) for character in project.document.characters.values()}
    known |= {name.split(" ")[0] for name in known if name}
    for cited in passages:
        for name in speakers(cited.passage.text) if cited.passage.kind == "dialogue" else ():
            if not {fold(name), fold(name).split(" ")[0]} & known:
                yield Suggestion(
                    f"Create the character {name} ({cited.passage.place})", "create_character", {"name": name}
                )
