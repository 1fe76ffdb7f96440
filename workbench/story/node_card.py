"""One node of the story: what it says, what leads there, and where it goes."""

from collections.abc import Callable
from functools import partial

from nicegui import ui

from arrow_project import Node, Story, shorten
from workbench.frame.bounded import LONGEST_NAME, beginning, draw_first


def draw_node(story: Story, node: Node, choose: Callable[[int], object]) -> None:
    """The node, with buttons for those around it."""
    speaker = story.speaker(node)
    kind = f"{node.type} by {shorten(speaker, LONGEST_NAME)}" if speaker else node.type
    ui.label(f"Node {node.id}: {kind}").classes("title").props('role="heading" aria-level="2"')
    name, scene = (shorten(one, LONGEST_NAME) for one in (node.name, story.scenes[node.scene_id].name))
    ui.label(f"Named “{name}”, in scene “{scene}”").classes("hint")
    draw_first(node.texts, lambda text: ui.label(beginning(text)).classes("passage"))
    if node.notes:
        ui.label(f"Notes: {beginning(node.notes)}").classes("remark")
    ui.label("What leads here").classes("part")
    ways = [(link.from_id, story.describe_way(link.from_id, link.from_slot)) for link in story.leading_to(node.id)]
    _draw_ways(ways, "Nothing: it is where a scene begins, or cannot be reached.", choose)
    ui.label("Where it goes").classes("part")
    ways = [(link.to_id, story.describe_way(node.id, link.from_slot, link.to_id)) for link in story.leaving(node.id)]
    direct = {to for to, _ in ways}
    ways += [(to, story.describe(to)) for to in story.followers(node.id) if to not in direct]
    _draw_ways(ways, "Nowhere: the story ends here.", choose)


def _draw_ways(ways: list[tuple[int, str]], nowhere: str, choose: Callable[[int], object]) -> None:
    if not ways:
        ui.label(nowhere).classes("hint")

    def draw(way: tuple[int, str]) -> None:
        node_id, said = way
        ui.button(said, on_click=partial(choose, node_id)).props("flat no-caps dense align=left").classes("entry")

    draw_first(ways, draw)
