"""The normalised content of an .arrow file, its journal, and the questions everyone asks about it."""

from collections.abc import Callable
from typing import Any

from arrow_project.arrivals import Arrivals
from arrow_project.garbage import no_collection
from arrow_project.homes import Homes
from arrow_project.journal import Journal
from arrow_project.names import exposed
from arrow_project.node_types import NODE_TYPES, NodeType
from arrow_project.operation import Finding
from arrow_project.usage import UsageIndex
from arrow_project.values import (
    Connection,
    Record,
    Table,
    connections,
    copied,
    distinct,
    integer,
    is_id,
    record,
    sequence,
    text,
)


class ProjectData:
    """What an .arrow file holds. Changes go through ``journal`` (see ``Mind``), reading goes anywhere."""

    def __init__(self, raw: Record, findings: list[Finding]) -> None:
        self.raw = raw
        self.findings = findings
        self.journal = Journal()
        resources: dict[str, Any] = raw["resources"]
        self.nodes: Table = resources["nodes"]
        self.scenes: Table = resources["scenes"]
        self.variables: Table = resources["variables"]
        self.characters: Table = resources["characters"]
        self.usage = UsageIndex(self.nodes, self.variables, self.characters, self.journal)
        self.homes = Homes(self.scenes, self.journal)
        self.arrivals = Arrivals(self.scenes, self.journal)
        # Not written: who works (as Arrow does when nothing else is remembered, the first listed author), and by how
        # many bytes renames have made the texts longer. A table: what undoes an edit must not know the project, which
        # only the garbage collector would free then.
        self.working = {"author": next(iter(self.authors)), "grown": 0}
        self.expected_ids: tuple[int, ...] = ()  # what is drawn next, where an editor has said so

    def copy(self) -> "ProjectData":
        """An independent copy without history."""
        with no_collection():
            data = ProjectData(copied(self.raw), list(self.findings))
        data.working |= self.working
        return data

    @property
    def active_author(self) -> int:
        """Who works, and gives ids."""
        return self.working["author"]

    @active_author.setter
    def active_author(self, author: int) -> None:
        self.working["author"] = author

    @property
    def entry(self) -> int:
        """The node where the story begins."""
        return self.raw["entry"]

    @property
    def authors(self) -> dict[int, list[Any]]:
        """Author id to ``[info, seed, ...]``."""
        return self.raw["meta"]["authors"]

    def table(self, kind: str) -> Table:
        """The set that a kind of resource lives in."""
        return {
            "node": self.nodes, "scene": self.scenes, "macro": self.scenes,
            "variable": self.variables, "character": self.characters,
        }[kind]  # fmt: skip

    def resource(self, resource_id: object) -> Record | None:
        """The resource with this id, in whatever set it is."""
        for table in (self.variables, self.characters, self.nodes, self.scenes):
            if is_id(resource_id) and resource_id in table:
                return table[resource_id]
        return None

    def is_used(self, resource_id: int) -> bool:
        """Whether any set has this id."""
        in_story = resource_id in self.nodes or resource_id in self.scenes
        return in_story or resource_id in self.variables or resource_id in self.characters

    def owner(self, node_id: int) -> int | None:
        """The scene whose map has the node."""
        return self.homes.of(node_id)

    def scene_map(self, scene_id: int) -> Table:
        """Node id to map entry."""
        return self.scenes[scene_id]["map"]

    def is_macro(self, scene_id: int) -> bool:
        """Whether the scene is a macro."""
        return self.scenes[scene_id].get("macro") is True

    def node_type(self, node_id: int) -> NodeType | None:
        """The entry of the node type table, if the type is known."""
        name = self.nodes[node_id]["type"]
        return NODE_TYPES.get(name) if isinstance(name, str) else None

    def data(self, node_id: int) -> Record:
        """The node's native data."""
        return self.nodes[node_id]["data"]

    def inputs(self, node_id: int) -> int:
        """How many input slots the node has; none of an unknown type."""
        node_type = self.node_type(node_id)
        return node_type.inputs(self.data(node_id)) if node_type else 0

    def outputs(self, node_id: int) -> int:
        """How many output slots the node has; none of an unknown type."""
        node_type = self.node_type(node_id)
        return node_type.outputs(self.data(node_id)) if node_type else 0

    def outgoing(self, node_id: int, scene_id: int) -> list[Connection]:
        """Connections that leave the node."""
        return connections(self.scene_map(scene_id).get(node_id, {}))

    def incoming(self, node_id: int, scene_id: int) -> list[Connection]:
        """Connections from other entries of the map that reach the node."""
        return [connection for _, connection in self.incoming_by_entry(node_id, scene_id)]

    def incoming_by_entry(self, node_id: int, scene_id: int) -> list[tuple[int, Connection]]:
        """The same, each with the node in whose entry it lies; if it leaves from another, Arrow does not play it."""
        others = [key for key in self.arrivals.of(node_id, scene_id) if key != node_id]
        return [(key, c) for key in others for c in self.outgoing(key, scene_id) if c[2] == node_id]

    def name(self, kind: str, resource_id: int) -> str:
        """The resource's name; empty if there is none."""
        return text(self.table(kind).get(resource_id, {}).get("name"))

    def by_name(self, kind: str) -> dict[str, int]:
        """Names of a set, each with the first resource that has it."""
        found: dict[str, int] = {}
        for key, resource in self.table(kind).items():
            found.setdefault(text(resource["name"]), key)
        return found

    def variable_type(self, variable_id: int) -> str:
        """num, str or bool; empty for what is no variable."""
        return text(self.variables.get(variable_id, {}).get("type"))

    def derived_references(self, node: Record, by_name: Callable[[str], dict[str, int]]) -> list[int]:
        """What the node's data uses, in the order in which Arrow lists it; only what exists.

        `by_name` is that of the project, which asks it for many nodes.
        """
        node_type = NODE_TYPES.get(text(node["type"]))
        if node_type is None:
            return [r for r in sequence(node.get("ref")) if is_id(r)]
        data = record(node["data"])
        texts = node_type.exposing(data)
        if not texts:
            return self.references(node_type, data, [])
        variables, characters = exposed(texts)
        by_variable, by_character = by_name("variable"), by_name("character")
        known = [by_variable[name] for name in variables if name in by_variable]
        known += [by_character[name] for name in characters if name in by_character]
        return self.references(node_type, data, known)

    def references(self, node_type: NodeType, data: Record, spoken: list[int]) -> list[int]:
        """The same, given what the texts expose: variables, then characters."""
        named = node_type.references(data)
        if named:
            named = [r for r in named if self.is_used(r)]
        if not spoken:
            return named
        return distinct(spoken + named if node_type.exposures_first else named + spoken)

    def has_node(self, name: str) -> bool:
        """Whether a node has the name."""
        return self.usage.has_name(name)

    def scene_names(self) -> set[str]:
        """The names of scenes and macros."""
        return {text(scene["name"]) for scene in self.scenes.values()}

    def offset(self, entry: Record) -> tuple[int, int]:
        """A map entry's position."""
        x, y = [*sequence(entry.get("offset")), 0, 0][:2]
        return integer(x, 0), integer(y, 0)

    def seed_of(self, author: int) -> int:
        """The author's next seed."""
        return integer(self.authors[author][1], 0)
