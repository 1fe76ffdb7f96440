"""One walk over a project: what all checks want to know about its nodes, found out once."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, cast

from arrow_project.checking.findings import GoOn, ids_of
from arrow_project.names import exposed
from arrow_project.node_types import NODE_TYPES, NodeType
from arrow_project.project_data import ProjectData
from arrow_project.values import Connection, Record, connections, is_connection, shortened

_FEW = 20


@dataclass(slots=True)
class Seen:
    """A node.

    Attributes:
        node_id: its id.
        node: the whole resource.
        data: its native data.
        node_type: its entry in the type table, if there is one.
        home: the scene whose map has it, if any.
        inputs, outputs: how many slots it has.
        outgoing: the well-formed connections of its map entry.
        references: ids of what its data uses, as its ref should say.
        exposed: ids of the variables and characters that its texts expose.
        unknown: what its texts expose although it does not exist, as written there.
        broken: fields of the data that a rule names; what follows from them is not judged.
    """

    node_id: int
    node: Record
    data: Record
    node_type: NodeType | None
    home: int | None
    inputs: int
    outputs: int
    outgoing: Sequence[Connection]
    references: Collection[int]
    exposed: Sequence[int]
    unknown: tuple[str, ...]
    broken: frozenset[str] = frozenset()

    @property
    def place(self) -> str:
        """The node and its scene, for a finding."""
        return f"node {self.node_id}" if self.home is None else f"scene {self.home}, node {self.node_id}"

    @property
    def is_referring_broken(self) -> bool:
        """Whether nobody can tell what the node refers to."""
        return self.node_type is not None and not self.broken.isdisjoint(self.node_type.referring)

    @property
    def is_count_broken(self) -> bool:
        """Whether nobody can tell how many slots it has."""
        return self.node_type is None or self.node_type.counted in self.broken


@dataclass(frozen=True)
class Survey:
    """A project and its nodes.

    Attributes:
        project: all of it.
        nodes: by id.
        ghosts: ids that a scene's map names and that are no nodes.
    """

    project: ProjectData
    nodes: dict[int, Seen]
    ghosts: set[int]


def survey(project: ProjectData, go_on: GoOn) -> Survey:
    """Look at every node once."""
    names = _Names(project.by_name("variable"), project.by_name("character"))
    nodes: dict[int, Seen] = {}
    ghosts: set[int] = set()
    for scene_id, scene in project.scenes.items():
        for node_id, entry in scene["map"].items():
            go_on()
            if node_id not in project.nodes:
                ghosts.add(node_id)
            elif node_id not in nodes:
                nodes[node_id] = _seen(project, node_id, scene_id, _outgoing(entry), names)
    for node_id in project.nodes.keys() - nodes.keys():
        nodes[node_id] = _seen(project, node_id, None, (), names)
    return Survey(project, nodes, ghosts)


@dataclass(frozen=True)
class _Names:
    """Ids by name."""

    variables: dict[str, int]
    characters: dict[str, int]

    def resolve(self, texts: list[str]) -> tuple[list[int], tuple[str, ...]]:
        """What the texts expose: ids of what exists, and what does not."""
        variables, characters = exposed(texts)
        known = [self.variables[name] for name in variables if name in self.variables]
        known += [self.characters[name] for name in characters if name in self.characters]
        if len(known) == len(variables) + len(characters):
            return known, ()
        unknown = [f"{{{shortened(name)}}}" for name in variables if name not in self.variables]
        unknown += [f"{{{shortened(name)}.…}}" for name in characters if name not in self.characters]
        return known, tuple(unknown)


def _seen(project: ProjectData, node_id: int, home: int | None, outgoing: Sequence[Connection], names: _Names) -> Seen:
    node = project.nodes[node_id]
    data: Record = node["data"]
    name = node["type"]
    node_type = NODE_TYPES.get(name) if isinstance(name, str) else None
    if node_type is None:
        return Seen(node_id, node, data, None, home, 0, 0, outgoing, tuple(ids_of(node.get("ref"))), (), ())
    texts = node_type.exposing(data)
    known, unknown = names.resolve(texts) if texts else ([], ())
    references: Collection[int] = project.references(node_type, data, known)
    if len(references) > _FEW:  # then it takes long to look for one
        references = dict.fromkeys(references).keys()
    slots = node_type.inputs(data), node_type.outputs(data)
    return Seen(node_id, node, data, node_type, home, *slots, outgoing, references, known, unknown)


def _outgoing(entry: Record) -> Sequence[Connection]:
    """The well-formed connections; the project's own array where all are, which is nearly everywhere."""
    stored = entry.get("io")
    if not isinstance(stored, list):
        return ()
    items = cast("list[Any]", stored)
    for item in items:
        if not is_connection(item):
            return connections(entry)
    return items
