"""The stories that the examples in the user's documents are about."""

import json
from dataclasses import dataclass

from arrow_project import ArrowProject, check, parse
from arrow_project.node_types import NODE_TYPES
from tests.server.seeds import Value

NEXT_ID = 200


@dataclass(frozen=True)
class Story:
    """Which ids there are. Arrow gives an id once, and the examples use the same ones for different things."""

    scene: int = 5
    nodes: tuple[int, ...] = (12, 15, 16, 18, 42)
    types: tuple[tuple[int, str], ...] = ()
    characters: tuple[int, ...] = (3, 4)
    variables: tuple[tuple[int, str], ...] = ((7, "num"),)
    other_scene: int = 8
    other_nodes: tuple[int, ...] = (50, 51, 52, 53)
    is_macro: bool = False
    connections: tuple[tuple[int, int, int, int], ...] = ()

    def project(self) -> ArrowProject:
        """The story as a valid document."""
        scenes = {1: (self.scene, (1, *self.nodes)), self.other_nodes[0]: (self.other_scene, self.other_nodes)}
        placed = {
            str(scene): {
                "name": f"scene_{scene}",
                "entry": entry,
                "map": {str(node): self._entry(node, 200 * at) for at, node in enumerate(nodes)},
            }
            | ({"macro": True} if self.is_macro and scene == self.other_scene else {})
            for entry, (scene, nodes) in scenes.items()
        }
        raw: Value = {
            "title": "The Ancient Artifact",
            "entry": 1,
            "meta": {
                "chapter": 0,
                "authors": {"0": ["Ada", NEXT_ID]},
                "last_save": None,
                "editor": "3.1.0",
                "offline": True,
                "remote": {},
            },
            "resources": {
                "scenes": placed,
                "nodes": {str(node): self._node(node) for _, nodes in scenes.values() for node in nodes},
                "variables": {str(key): self._variable(key, type_) for key, type_ in self.variables},
                "characters": {str(key): {"name": f"character_{key}", "color": "ffffff"} for key in self.characters},
            },
        }
        project = parse(json.dumps(raw))
        assert not [finding for finding in check(project) if finding.severity == "error"]
        return project

    def _node(self, node: int) -> Value:
        kind = "entry" if node in (1, self.other_nodes[0]) else dict(self.types).get(node, "content")
        data = NODE_TYPES[kind].fresh()
        if kind == "interaction":
            data["actions"] = ["One", "Two", "Three"]
        return {"type": kind, "name": f"node_{node}", "data": data}

    def _entry(self, node: int, x: int) -> Value:
        io = [list(connection) for connection in self.connections if connection[0] == node]
        return {"offset": [x, 0]} | ({"io": io} if io else {})

    def _variable(self, key: int, type_: str) -> Value:
        return {"name": f"variable_{key}", "type": type_, "init": {"num": 1, "str": "", "bool": False}[type_]}


BRANCHING = Story(
    scene=100,
    nodes=(2, 4, 5, 8, 10, 11, 12, 15, 20, 21),
    types=((5, "interaction"), (8, "condition")),
    characters=(),
    other_scene=101,
)
CONNECTED = Story(connections=((12, 0, 15, 0),))
STORIES = {"create_connection": BRANCHING, "delete_connection": CONNECTED, "update_node_map": CONNECTED}
# The type that the variable of an example must have, by what it is used for.
VARIABLE_TYPES = {"random_bool": "bool", "text": "str"}


def story_for(data: Value) -> Story:
    """A story in which a node may have these data."""
    match data:
        case {"macro": macro}:
            return Story(nodes=(12, 42), other_scene=macro, is_macro=True)
        case {"target": {"type": "scene", "id": scene}}:
            return Story(nodes=(12,), other_scene=scene)
        case {"target": {"type": "marker", "id": marker}}:
            return Story(types=((marker, "marker"),))
        case {"variable": variable}:
            used = str(data.get("generator_type") or data.get("input_type"))
            other = next((inner for inner in data.values() if isinstance(inner, dict)), {})
            more = [other["value"]] if other.get("type") == "variable" else []
            types_ = [(variable, VARIABLE_TYPES.get(used, "num")), *((key, "num") for key in more)]
            return Story(variables=tuple(types_))
        case _:
            return Story()
