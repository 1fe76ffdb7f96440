"""Where a new node goes: its scene, what leads to it, and what it leads to."""

import re
from dataclasses import dataclass

from agent.local.desk import Desk
from agent.local.node_request import NodeRequest
from agent.local.phrase import Phrase
from agent.local.references import References
from agent.local.slots import describe_slot, output_slot
from agent.local.steps import NotDone, Steps
from agent.local.story import Connection, Node, Story

_NODES = re.compile(r"^\s*(?:the\s+)?nodes\s+", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Placement:
    """The place of a node that is about to be made.

    Attributes:
        scene_id: The scene it goes into.
        origin: The node that leads to it, with the slot.
        target: The node that it leads to.
        replaced: The connection that it comes in between.
    """

    scene_id: int
    origin: tuple[int, int] | None = None
    target: int | None = None
    replaced: Connection | None = None

    def make_room(self, desk: Desk) -> Steps[None]:
        """Removes the connection that it comes in between, before it is made: the user may have to be asked first."""
        if self.replaced is not None:
            yield from desk.call("delete_connection", _as_arguments(self.replaced))

    def wire(self, desk: Desk, node_id: int) -> Steps[str]:
        """Makes the connections; ends with the part of the sentence that tells of them."""
        told: list[str] = []
        if self.origin is not None:
            yield from desk.connect(*self.origin, node_id)
            told.append(f"after {_describe_origin(desk.story(), *self.origin)}")
        if self.target is not None:
            story = desk.story()
            start = desk.exit_of(node_id)
            slot = output_slot(story, story.nodes[start], None, None)
            yield from desk.connect(start, slot, self.target)
            told.append(f"before {story.describe(self.target)}")
        return "".join(f", {part}" for part in told) or _standing_alone(desk.story().nodes[node_id])


def read_placement(request: NodeRequest, references: References) -> Placement:
    """Resolves the place before anything is made.

    Raises:
        NotDone: A node or slot is unknown, ambiguous or taken, or the nodes are in different scenes.
    """
    given = request.modifiers
    if (between := given.get("between")) and not (request.type == "interaction" and request.text is None):
        return _between(between, request, references)
    origin = references.origin(given["after"]) if "after" in given else None
    target = references.node(given["before"]) if "before" in given else None
    scene_id = _scene(request, references, origin, target)
    start = None
    if origin is not None:
        slot = output_slot(references.story, origin, given.get("slot"), given.get("branch"))
        start = (origin.id, slot)
        _refuse_entry(request.type)
    _refuse_target(references.story, target)
    return Placement(scene_id, start, None if target is None else target.id)


def _between(words: Phrase, request: NodeRequest, references: References) -> Placement:
    ends = words.part(_NODES.sub("", words.masked)).split(_AND)
    if len(ends) != 2:
        raise NotDone(f"“between {words.text}” needs two nodes, such as “between 12 and 15”.")
    origin, target = references.origin(ends[0]), references.node(ends[1])
    links = [link for link in references.story.leaving(origin.id) if link.to_id == target.id]
    if not links:
        raise NotDone(f"Node {origin.id} does not lead to node {target.id}, so nothing can go between them.")
    _refuse_entry(request.type)
    return Placement(origin.scene_id, (origin.id, links[0].from_slot), target.id, links[0])


def _scene(request: NodeRequest, references: References, *near: Node | None) -> int:
    scenes = {node.scene_id for node in near if node is not None}
    if (words := request.modifiers.get("scene")) and not (request.type == "jump" and request.content.is_empty):
        scenes.add(references.scene(words).id)
    if len(scenes) > 1:
        raise NotDone("Connections stay within one scene, and these are in different scenes. Use a jump to go there.")
    return scenes.pop() if scenes else references.open_scene.id


def _refuse_entry(kind: str) -> None:
    if kind in ("entry", "frame"):
        raise NotDone(f"Nothing can lead to {'an entry' if kind == 'entry' else 'a frame'}: it has no input.")


def _refuse_target(story: Story, target: Node | None) -> None:
    if target is not None and not target.takes_input:
        raise NotDone(f"Nothing can lead to {story.describe(target.id)}: {target.type} nodes have no input.")


def _describe_origin(story: Story, node_id: int, slot: int) -> str:
    return story.describe(node_id) + describe_slot(story.nodes[node_id], slot)


def _standing_alone(node: Node) -> str:
    return "; nothing leads to it yet" if node.takes_input else ""


def _as_arguments(link: Connection) -> dict[str, int]:
    return {"from": link.from_id, "from_slot": link.from_slot, "to": link.to_id, "to_slot": link.to_slot}
