"""What of a story can be named in a form: by its id, and shown by what a reader knows it by."""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any

from propcache import cached_property

from arrow_project import Character, Scene, Story, Variable, parse, shorten
from workbench.frame.bounded import LONGEST_NAME, MOST_CHOICES, MOST_NODES
from workbench.story.open_story import BLANK

Choices = Mapping[Any, str]
_NOTHING = Story(parse(BLANK))


class Resources:
    """The choices of a story.

    Args:
        story: The one that is open.
        scene_id: The scene that is shown. Nodes are those of it, but for where a jump leads.
        leaving: The node of whose outputs one can be chosen; None for none.
        selected: The node whose outputs come first where one of any node can be chosen.
    """

    def __init__(self, story: Story, scene_id: int, leaving: int | None = None, selected: int | None = None) -> None:
        self.story = story
        self._scene_id = scene_id
        self._selected = selected
        self._leaving = story.nodes.get(leaving) if leaving is not None else None

    def follow(self, later: "Resources") -> None:
        """The choices are those of the story as it is later; that of before is not held any more."""
        self.story, self._leaving = later.story, later._leaving
        self.__dict__.pop("free_outputs", None)

    def forget(self) -> None:
        """Nothing is chosen any more from a story that may not be there any more."""
        self.follow(Resources(_NOTHING, self._scene_id))

    def named_by(self, argument: str) -> Choices | None:
        """The choices for an argument of that name; None where it names nothing, or one of too many."""
        story = self.story
        match argument:
            case "node_id" | "from_node_id" | "to_node_id" | "from" | "to":
                return self._nodes(self._in_scene)
            case "target":
                return self._nodes(story.nodes)
            case "scene_id":
                return _named(story.scenes)
            case "macro":
                return _named({key: scene for key, scene in story.scenes.items() if scene.is_macro})
            case "variable" | "variable_id":
                return _named(story.variables)
            case "character":
                named = _named(story.characters)
                return None if named is None else {-1: "nobody", **named}
            case "character_id":
                return _named(story.characters)
            case "from_slot" if self._leaving is not None and len(self._leaving.outputs) <= MOST_CHOICES:
                node = self._leaving
                return {
                    slot: shorten(node.output_name(slot), LONGEST_NAME) or "its output"
                    for slot in range(len(node.outputs))
                }
            case "connect_from":
                return self.free_outputs
            case _:
                return None

    @cached_property
    def free_outputs(self) -> Choices:
        """The first of the scene from which nothing leads on, each as (node, slot); those of the selected node lead."""
        nodes, selected = self.story.nodes, self._selected
        leads = [selected] if selected in nodes and nodes[selected].scene_id == self._scene_id else []
        node_ids = (key for key in dict.fromkeys([*leads, *self._in_scene[:MOST_NODES]]) if key in nodes)
        free = ((key, slot) for key in node_ids for slot in self.story.free_outputs(key, MOST_CHOICES))
        return {(node_id, slot): self.story.describe_way(node_id, slot) for node_id, slot in islice(free, MOST_CHOICES)}

    @property
    def _in_scene(self) -> Sequence[int]:
        """By id, also nodes that are not there."""
        scene = self.story.scenes.get(self._scene_id)
        return scene.node_ids if scene else ()

    def _nodes(self, node_ids: Collection[int]) -> Choices | None:
        if len(node_ids) > MOST_CHOICES:
            return None
        return {key: self.story.describe(key) for key in node_ids if key in self.story.nodes}


def _named(resources: Mapping[int, Scene | Variable | Character]) -> Choices | None:
    if len(resources) > MOST_CHOICES:
        return None
    return {key: f"{key} {shorten(one.name, LONGEST_NAME)}" for key, one in resources.items()}
