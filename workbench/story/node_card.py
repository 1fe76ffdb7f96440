"""One node of the story: what it says, what leads there, and where it goes."""

from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from arrow_project import Link, Node, Story, shorten, texts_of
from workbench.frame.bounded import (
    LONGEST_CARD,
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_ELEMENTS,
    MOST_WAYS,
    beginning,
    draw_first,
)


def draw_node(story: Story, node: Node, choose: Callable[[int], object]) -> None:
    """The node, with buttons for those around it."""
    speaker = story.speaker(node)
    kind = f"{node.type} by {shorten(speaker, LONGEST_NAME)}" if speaker else node.type
    ui.label(f"Node {node.id}: {kind}").classes("title").props('role="heading" aria-level="2"')
    name, scene = (shorten(one, LONGEST_NAME) for one in (node.name, story.scenes[node.scene_id].name))
    ui.label(f"Named “{name}”, in scene “{scene}”").classes("hint")
    room = LONGEST_CARD
    for at, text in enumerate(texts_of(node.data, MOST_ELEMENTS + 1)):
        if at == MOST_ELEMENTS or not room:
            ui.label("More are not shown.").classes("hint")
            break
        ui.label(beginning(text, min(LONGEST_TEXT, room))).classes("passage")
        room = max(room - len(text), 0)
    if node.notes:
        ui.label(f"Notes: {beginning(node.notes)}").classes("remark")
    ui.label("What leads here").classes("part")
    into, out = story.leading_to(node.id), story.leaving(node.id)
    nowhere = "Nothing: it is where a scene begins, or cannot be reached."
    _draw_ways(into, nowhere, lambda way: (way.from_id, story.describe_way(way.from_id, way.from_slot)), choose)
    ui.label("Where it goes").classes("part")
    target = story.follows_without(node.id)
    if target is not None and len(out) <= MOST_WAYS and all(target != way.to_id for way in out):
        out = [*out, Link(node.id, 0, target, 0)]
    nowhere = "Nowhere: the story ends here."
    _draw_ways(out, nowhere, lambda way: (way.to_id, story.describe_way(node.id, way.from_slot, way.to_id)), choose)


def _draw_ways(
    ways: Sequence[Link], nowhere: str, tell: Callable[[Link], tuple[int, str]], choose: Callable[[int], object]
) -> None:
    if not ways:
        ui.label(nowhere).classes("hint")

    def draw(way: Link) -> None:
        node_id, said = tell(way)
        ui.button(said, on_click=partial(choose, node_id)).props("flat no-caps dense align=left").classes("entry")

    draw_first(ways, draw, most=MOST_WAYS)
