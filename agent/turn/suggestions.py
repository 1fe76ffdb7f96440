"""What could be done next: functions that can be executed as they stand, taken from the story and the documents."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from agent.editing.editor import OperationRefused
from agent.editing.validation import apply_checked
from agent.turn.events import Suggestion
from agent.turn.request import TurnContext
from agent.turn.undo import UNDO
from arrow_project import ArrowProject, Operation, Scene, Selection, Story, fold, shorten
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
    story = Story(project)
    scene = story.open_scene(context.scene_id)
    structure = _structure(story, scene, created)
    found = [Suggestion("Undo what was just done", UNDO, {})] if changed else []
    found += _first(structure, project, context)
    if changed and context.documents and scene:
        label = f"Check scene {shorten(scene.name, _SHOWN)} against the documents"
        found.append(Suggestion(label, _CONTINUITY, {"scene_id": scene.id}))
    found += _first(_people(story, context.passages), project, context)
    if len(found) < _MOST:
        found += _first(structure, project, context)
    return tuple(found[:_MOST])


def _first(candidates: Iterator[Suggestion], project: ArrowProject, context: TurnContext) -> list[Suggestion]:
    """The first that would succeed."""
    selection = Selection(context.scene_id, context.selected_node_ids)
    for suggestion in candidates:
        checkpoint = project.checkpoint()
        try:
            apply_checked(project, Operation(suggestion.function, suggestion.params), selection)
        except OperationRefused:
            continue
        project.rollback(checkpoint)
        return [suggestion]
    return []


# --- the story ------------------------------------------------------------------------------------------------------


def _structure(story: Story, scene: Scene | None, created: Sequence[int]) -> Iterator[Suggestion]:
    """Loose ends: of what was just made, then of the open scene."""
    here = scene.node_ids if scene else ()
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
            label = f"Connect node {key} to node {node_id}, which nothing leads to"
            yield Suggestion(label, "create_connection", params)
            return


def _open_choices(story: Story, node_id: int) -> Iterator[Suggestion]:
    node = story.nodes[node_id]
    if node.type not in _CHOICES or len(node.outputs) < 2:
        return
    for slot in story.free_outputs(node_id):
        params = {"type": "content", "scene_id": node.scene_id, "connect_from": {"node_id": node_id, "slot": slot}}
        label = f"Add what follows “{shorten(node.outputs[slot], _SHOWN)}” (node {node_id})"
        yield Suggestion(label, "create_insert_node", params)


# --- the documents --------------------------------------------------------------------------------------------------


def _people(story: Story, passages: Sequence[CitedPassage]) -> Iterator[Suggestion]:
    """Who speaks in a dialogue among the passages of this turn, and is not in the project."""
    known = {fold(character.name) for character in story.characters.values()}
    known |= {name.partition(" ")[0] for name in known if name}
    for cited in passages:
        for name in speakers(cited.passage.text) if cited.passage.kind == "dialogue" else ():
            if not {fold(name), fold(name).partition(" ")[0]} & known:
                label = f"Create the character {name} ({cited.passage.place})"
                yield Suggestion(label, "create_character", {"name": name})
