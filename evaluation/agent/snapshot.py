"""A project as checkers compare it: bookkeeping left out, slots as the protocol counts them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arrow_project import ArrowProject

Link = tuple[int, int, int, int]
"""From a node's output slot to a node's input slot."""

# Arrow has False in slot 0 of these; the protocol counts true first.
_TRUE_FIRST = frozenset({"condition", "tag_pass"})


@dataclass(frozen=True)
class NodeState:
    """A node; `data` as Arrow keeps it."""

    type: str
    name: str
    notes: str
    scene: int
    data: Mapping[str, Any]

    @property
    def speaker(self) -> int | None:
        """The character it belongs to; None where it has none."""
        return self.data.get("character")

    @property
    def texts(self) -> tuple[str, ...]:
        """What is read or heard in it."""
        fields = ("title", "content", "monolog", "lines", "actions", "prompt", "plaque", "label")
        values = [self.data.get(field) for field in fields]
        return tuple(str(text) for value in values if value for text in (value if isinstance(value, list) else [value]))


@dataclass(frozen=True)
class Snapshot:
    """A project at one moment: every set by id, and the connections."""

    title: str
    entry: int
    nodes: Mapping[int, NodeState]
    links: frozenset[Link]
    scenes: Mapping[int, Mapping[str, Any]]
    variables: Mapping[int, Mapping[str, Any]]
    characters: Mapping[int, Mapping[str, Any]]

    def named(self, kind: str, name: str) -> list[int]:
        """The ids of what has the name, apart from case; `kind` is `scenes`, `variables` or `characters`."""
        table: Mapping[int, Mapping[str, Any]] = getattr(self, kind)
        return [key for key, value in table.items() if str(value["name"]).casefold() == name.casefold()]

    def nodes_of(self, scene: int) -> dict[int, NodeState]:
        """The nodes of a scene."""
        return {key: node for key, node in self.nodes.items() if node.scene == scene}

    def reached_from(self, node: int) -> set[int]:
        """Every node that connections and jumps lead to from `node`, itself included."""
        jumps = {(key, 0, state.data.get("target", -1), 0) for key, state in self.nodes.items() if state.type == "jump"}
        ways = self.links | jumps
        found, new = {node}, {node}
        while new:
            new = {to for origin, _, to, _ in ways if origin in new} - found
            found |= new
        return found


def snapshot(project: ArrowProject) -> Snapshot:
    """The project as it is now."""
    document = project.document
    nodes: dict[int, NodeState] = {}
    links: set[Link] = set()
    for scene_id, scene in document.scenes.items():
        for key in scene["map"]:
            node = document.nodes[key]
            nodes[key] = NodeState(node["type"], node["name"], node.get("notes", ""), scene_id, dict(node["data"]))
    for scene in document.scenes.values():
        for place in scene["map"].values():
            for origin, slot, to, entered in place.get("io", ()):
                flipped = origin in nodes and nodes[origin].type in _TRUE_FIRST
                links.add((origin, 1 - slot if flipped else slot, to, entered))
    return Snapshot(
        title=project.title,
        entry=project.entry,
        nodes=nodes,
        links=frozenset(links),
        scenes={
            key: {
                "name": scene["name"],
                "entry": scene["entry"],
                "macro": scene.get("macro") is True,
                "notes": scene.get("notes", ""),
            }
            for key, scene in document.scenes.items()
        },
        variables={key: _without_use(value) for key, value in document.variables.items()},
        characters={key: {"tags": {}} | _without_use(value) for key, value in document.characters.items()},
    )


def _without_use(resource: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in resource.items() if name != "use"}
