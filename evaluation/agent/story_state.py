"""The state of a story as checks compare it: bookkeeping left out, slots as the protocol counts them."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from arrow_project import ArrowProject, Node, Story

Link = tuple[int, int, int, int]
"""From a node's output slot to a node's input slot."""


@dataclass(frozen=True)
class StoryState:
    """A story at one moment: its resources by id, and the connections."""

    title: str
    entry: int
    nodes: Mapping[int, Node]
    links: frozenset[Link]
    scenes: Mapping[int, Mapping[str, Any]]
    variables: Mapping[int, Mapping[str, Any]]
    characters: Mapping[int, Mapping[str, Any]]

    def named(self, kind: str, name: str) -> list[int]:
        """The ids of what has the name, apart from case; `kind` is `scenes`, `variables` or `characters`."""
        table: Mapping[int, Mapping[str, Any]] = getattr(self, kind)
        return [key for key, value in table.items() if str(value["name"]).casefold() == name.casefold()]

    def nodes_of(self, scene: int) -> dict[int, Node]:
        """The nodes of a scene."""
        return {key: node for key, node in self.nodes.items() if node.scene_id == scene}

    def reached_from(self, node: int) -> set[int]:
        """Every node that connections and jumps lead to from `node`, itself included."""
        jumps = {(key, 0, state.data.get("target", -1), 0) for key, state in self.nodes.items() if state.type == "jump"}
        ways = self.links | jumps
        found, new = {node}, {node}
        while new:
            new = {to for origin, _, to, _ in ways if origin in new} - found
            found |= new
        return found


def story_state(project: ArrowProject) -> StoryState:
    """The story as it is now."""
    story = Story(project)
    return StoryState(
        title=story.title,
        entry=story.entry,
        # a copy: the outputs and inputs follow from data, and data must not follow the project
        nodes={key: replace(node, data=copy.deepcopy(dict(node.data))) for key, node in story.nodes.items()},
        links=frozenset((link.from_id, link.from_slot, link.to_id, link.to_slot) for link in story.links),
        scenes={
            key: {"name": scene.name, "entry": scene.entry, "macro": scene.is_macro, "notes": scene.notes}
            for key, scene in story.scenes.items()
        },
        variables={key: _without_use(value) for key, value in project.data.variables.items()},
        characters={key: {"tags": {}} | _without_use(value) for key, value in project.data.characters.items()},
    )


def _without_use(resource: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in resource.items() if name != "use"}
