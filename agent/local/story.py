"""The open project as the planner reads it: names, texts and connections, with the slots of the protocol."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arrow_project import ArrowProject

# In Arrow slot 0 of these is False; the protocol, and with it every tool, counts true first.
_TRUE_FIRST = frozenset({"condition", "tag_pass"})
_WITHOUT_OUTPUT = frozenset({"jump", "frame"})
_WITHOUT_INPUT = frozenset({"entry", "frame"})
_TEXT_FIELDS = ("title", "content", "monolog", "lines", "actions", "prompt", "plaque", "label", "reason")

_SIGNS = {
    "eq": "==",
    "nq": "!=",
    "gt": ">",
    "gte": ">=",
    "ls": "<",
    "lse": "<=",
    "set": "=",
    "add": "+=",
    "sub": "-=",
    "mul": "*=",
    "div": "/=",
}


@dataclass(frozen=True)
class Node:
    """A node, its data as Arrow keeps it."""

    id: int
    type: str
    name: str
    data: Mapping[str, Any]
    notes: str
    scene_id: int

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything in it that a player or a writer reads."""
        found: list[Any] = []
        for field in _TEXT_FIELDS:
            value: Any = self.data.get(field)
            found += value if isinstance(value, list) else [value]
        return tuple(text for text in found if isinstance(text, str) and text)

    @property
    def outputs(self) -> tuple[str, ...]:
        """A name for each output slot, in the protocol's order; an empty name where the number says enough."""
        if self.type in _WITHOUT_OUTPUT:
            return ()
        if self.type in _TRUE_FIRST:
            return ("true", "false")
        if self.type in ("randomizer", "sequencer"):
            return ("",) * int(self.data.get("slots", 2))
        field = {"dialog": "lines", "interaction": "actions", "tag_match": "patterns"}.get(self.type)
        return tuple(str(text) for text in self.data.get(field, ())) if field else ("",)

    @property
    def takes_input(self) -> bool:
        """Whether a connection can lead to it."""
        return self.type not in _WITHOUT_INPUT


@dataclass(frozen=True)
class Connection:
    """From an output slot to an input slot; slots as the protocol counts them."""

    from_id: int
    from_slot: int
    to_id: int
    to_slot: int


@dataclass(frozen=True)
class Scene:
    """A scene or macro."""

    id: int
    name: str
    entry: int
    is_macro: bool
    node_ids: tuple[int, ...]


@dataclass(frozen=True)
class Variable:
    """A variable: `num`, `str` or `bool`."""

    id: int
    name: str
    type: str
    initial: Any
    used_by: tuple[int, ...]


@dataclass(frozen=True)
class Character:
    """A character with its tags."""

    id: int
    name: str
    color: str
    tags: Mapping[str, str]
    used_by: tuple[int, ...]


class Story:
    """A project as it is when its parts are first asked for; made anew after a change."""

    def __init__(self, project: ArrowProject) -> None:
        self._document = project.document
        self.title = project.title
        self.entry = project.entry

    @cached_property
    def scenes(self) -> dict[int, Scene]:
        """By id."""
        return {key: _scene(key, value) for key, value in self._document.scenes.items()}

    @cached_property
    def nodes(self) -> dict[int, Node]:
        """By id."""
        owners = {node: scene.id for scene in self.scenes.values() for node in scene.node_ids}
        found = self._document.nodes.items()
        return {key: _node(key, value, owners[key]) for key, value in found if key in owners}

    @cached_property
    def variables(self) -> dict[int, Variable]:
        """By id."""
        return {key: _variable(key, value) for key, value in self._document.variables.items()}

    @cached_property
    def characters(self) -> dict[int, Character]:
        """By id."""
        return {key: _character(key, value) for key, value in self._document.characters.items()}

    @cached_property
    def connections(self) -> tuple[Connection, ...]:
        """Of all scenes."""
        places = (place for scene in self._document.scenes.values() for place in scene["map"].values())
        return tuple(self._connection(link) for place in places for link in place.get("io", ()))

    def leaving(self, node_id: int) -> list[Connection]:
        """The connections out of a node, by slot."""
        return sorted((link for link in self.connections if link.from_id == node_id), key=lambda link: link.from_slot)

    def arriving(self, node_id: int) -> list[Connection]:
        """The connections into a node."""
        return [link for link in self.connections if link.to_id == node_id]

    def scene_of_entry(self) -> int | None:
        """The scene in which the project begins."""
        node = self.nodes.get(self.entry)
        return None if node is None else node.scene_id

    def nodes_of(self, scene_id: int) -> list[Node]:
        """The nodes of a scene."""
        scene = self.scenes.get(scene_id)
        return [self.nodes[node] for node in scene.node_ids if node in self.nodes] if scene else []

    def speaker(self, node: Node) -> str:
        """The name of the character that a node belongs to; empty without one."""
        character = self.characters.get(node.data.get("character", -1))
        return character.name if character else ""

    def describe(self, node_id: int) -> str:
        """A node in a few words, such as `12 (dialog by Elena: "Hello there")`."""
        node = self.nodes.get(node_id)
        if node is None:
            return f"node {node_id}"
        speaker = self.speaker(node)
        kind = f"{node.type} by {speaker}" if speaker else node.type
        text = f'"{shorten(node.texts[0])}"' if node.texts else self._detail(node)
        return f"{node_id} ({kind}: {text})" if text else f"{node_id} ({kind})"

    def _detail(self, node: Node) -> str:
        """What a node without texts does, such as `gold add 5`."""
        if node.type in ("condition", "variable_update"):
            mode, value = (*node.data.get("with", ()), None, None)[:2]
            sign = _SIGNS.get(str(node.data.get("operator")), str(node.data.get("operator")))
            return f"{self._name(node.data.get('variable'))} {sign} {self._name(value) if mode == 1 else value}"
        if node.type == "jump":
            return f"to {node.data.get('target')}"
        if node.type in ("macro_use", "generator", "user_input"):
            return self._name(node.data.get("macro", node.data.get("variable")))
        return ""

    def _name(self, resource_id: Any) -> str:
        named = self.variables.get(resource_id) or self.scenes.get(resource_id)
        return named.name if named else "?"

    def _connection(self, link: list[int]) -> Connection:
        origin = self.nodes.get(link[0])
        slot = 1 - link[1] if origin is not None and origin.type in _TRUE_FIRST else link[1]
        return Connection(link[0], slot, link[2], link[3])


def shorten(text: str, limit: int = 50) -> str:
    """The beginning of a text, on one line."""
    words = " ".join(text.split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"


def _scene(key: int, value: Mapping[str, Any]) -> Scene:
    return Scene(key, value["name"], value["entry"], value.get("macro") is True, tuple(value["map"]))


def _variable(key: int, value: Mapping[str, Any]) -> Variable:
    return Variable(key, value["name"], value["type"], value["init"], tuple(value.get("use", ())))


def _character(key: int, value: Mapping[str, Any]) -> Character:
    return Character(key, value["name"], value["color"], value.get("tags") or {}, tuple(value.get("use", ())))


def _node(key: int, value: Mapping[str, Any], scene_id: int) -> Node:
    return Node(key, value["type"], value["name"], value["data"], value.get("notes", ""), scene_id)
