"""One story as a reader sees it: nodes by their words, what each output means, what follows, what names what."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from propcache import cached_property

from arrow_project.operations.connecting import said
from arrow_project.phrases import phrase
from arrow_project.project import ArrowProject
from arrow_project.project_data import ProjectData
from arrow_project.values import integer, is_id, is_within, record, sequence, text

TEXT_FIELDS = ("title", "content", "monolog", "lines", "actions", "prompt", "plaque", "label", "reason")
"""The fields of a node's data that a player or a writer reads, in the order in which they are read; see `texts_of`."""

_NAMED_OUTPUTS = {"dialog": "lines", "interaction": "actions", "tag_match": "patterns"}
_TRUE_AND_FALSE = frozenset({"condition", "tag_pass"})
_LONGEST_PHRASE = 200  # in characters
_LINES, _LONGEST_DATA = 20, 10_000  # of a node, in which a few words are looked for that tell what it is
_READ = 20  # times the characters of what is left of a text: there may be blanks between words


def texts_of(data: Mapping[str, Any], most: int | None = None) -> tuple[str, ...]:
    """Everything in a node's data that is read; ids and settings are not. Of a list only the first `most` count."""
    values = (data.get(field) for field in TEXT_FIELDS)
    found = (one for value in values for one in (sequence(value)[:most] if isinstance(value, list) else [value]))
    return tuple(one for one in found if isinstance(one, str) and one)


@dataclass(frozen=True, slots=True)
class Node:
    """A node; `data` as Arrow keeps it.

    Attributes:
        outputs: What each output slot means, slots as the tools count them: a line, a choice, `true` and `false`; an
            empty text where there is nothing to tell them by.
        inputs: How many input slots it has.
    """

    id: int
    type: str
    name: str
    notes: str
    scene_id: int
    data: Mapping[str, Any]
    outputs: tuple[str, ...]
    inputs: int

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything in it that a player or a writer reads."""
        return texts_of(self.data)

    @property
    def speaker_id(self) -> int | None:
        """The character that it belongs to; None where its type has none, -1 for nobody."""
        speaker = self.data.get("character")
        return speaker if speaker is None or is_id(speaker) else -1  # else it is one that Arrow could not look up

    def output_name(self, slot: int) -> str:
        """What tells an output from the others, such as `true` or `slot 1 “Go in”`; empty where there is only one."""
        if len(self.outputs) < 2:
            return ""
        means = self.outputs[slot] if slot < len(self.outputs) else ""
        return means if self.type in _TRUE_AND_FALSE else f"slot {slot}" + (f" “{shorten(means, 40)}”" if means else "")

    @property
    def direction(self) -> int:
        """Of what updates a number: 1 where it adds, -1 where it takes away, 0 where it may do either."""
        sign = {"add": 1, "sub": -1}.get(text(self.data.get("operator")), 0)
        match self.data.get("with"):
            case [0, int(value)] if value < 0:
                return -sign
            case _:
                return sign


@dataclass(frozen=True, order=True, slots=True)
class Link:
    """A connection: from an output slot to an input slot, as the tools count them."""

    from_id: int
    from_slot: int
    to_id: int
    to_slot: int


@dataclass(frozen=True)
class Scene:
    """A scene or macro; `node_ids` in the order of its map."""

    id: int
    name: str
    notes: str
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
    notes: str


@dataclass(frozen=True)
class Character:
    """A character with its tags; the color as six hexadecimal digits."""

    id: int
    name: str
    color: str
    tags: Mapping[str, str]
    notes: str


class Story:
    """A project as it is when its parts are first asked for; made anew after a change."""

    def __init__(self, project: ArrowProject) -> None:
        self._project: ProjectData = project.data
        self._described: dict[int, str] = {}  # very many ways may lead to one node, and lines without end stand in it
        self.title = project.title
        self.entry = project.entry

    @cached_property
    def scenes(self) -> dict[int, Scene]:
        """By id."""
        return {key: _scene(key, scene) for key, scene in self._project.scenes.items()}

    @cached_property
    def nodes(self) -> dict[int, Node]:
        """By id; those that a scene has."""
        nodes = self._project.nodes
        owners = {key: s.id for s in self.scenes.values() for key in s.node_ids if key in nodes}
        return {key: self._node(key, scene_id) for key, scene_id in owners.items()}

    @cached_property
    def variables(self) -> dict[int, Variable]:
        """By id."""
        found = self._project.variables.items()
        return {
            key: Variable(key, text(v["name"]), text(v["type"]), v["init"], text(v.get("notes"))) for key, v in found
        }

    @cached_property
    def characters(self) -> dict[int, Character]:
        """By id."""
        found = self._project.characters.items()
        return {
            key: Character(key, text(c["name"]), text(c["color"]), record(c.get("tags")), text(c.get("notes")))
            for key, c in found
        }

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The connections of all scenes, but for those to nodes that are not there."""
        scenes = self.scenes.values()
        stored = (way for s in scenes for key in s.node_ids for way in self._project.outgoing(key, s.id))
        links = (Link(*said(self._project, way)) for way in stored)
        return tuple(link for link in links if link.to_id in self.nodes)

    def leaving(self, node_id: int) -> list[Link]:
        """The connections out of a node, by slot."""
        return self._ways[0].get(node_id, [])

    def arriving(self, node_id: int) -> list[Link]:
        """The connections into a node."""
        return self._ways[1].get(node_id, [])

    def free_outputs(self, node_id: int, most: int | None = None) -> list[int]:
        """The output slots of a node from which nothing leads on; the first of them, if there are more than `most`."""
        return list(islice(self._free(node_id), most))

    def followers(self, node_id: int) -> list[int]:
        """The nodes that may come next: by connections, a jump, or a macro that is played."""
        target = self.follows_without(node_id)
        return [link.to_id for link in self.leaving(node_id)] + ([] if target is None else [target])

    def follows_without(self, node_id: int) -> int | None:
        """The node that may come next without a connection: by a jump, or a macro that is played."""
        node = self.nodes[node_id]
        macro = self.scenes.get(integer(node.data.get("macro"))) if node.type == "macro_use" else None
        target = macro.entry if macro else _target(node)
        return target if target in self.nodes else None

    def reached_from(self, start: Iterable[int]) -> set[int]:
        """Every node that may come after these, themselves included."""
        found: set[int] = set()
        waiting = [key for key in start if key in self.nodes]
        while waiting:
            key = waiting.pop()
            if key not in found:
                found.add(key)
                waiting += self.followers(key)
        return found

    @property
    def unreachable(self) -> list[Node]:
        """What is never played from the project's entry on; frames are not played at all."""
        reached = self.reached_from([self.entry])
        return [node for node in self.nodes.values() if node.id not in reached and node.type != "frame"]

    @property
    def loose(self) -> list[Node]:
        """What nothing leads to: no connection, no jump, no beginning of a scene."""
        reached = {self.entry, *(scene.entry for scene in self.scenes.values())}
        reached |= {link.to_id for link in self.links if link.from_id != link.to_id}
        reached |= {_target(node) for node in self.nodes.values()}
        return [node for node in self.nodes.values() if node.id not in reached and node.inputs]

    @property
    def dead_ends(self) -> list[Node]:
        """Nodes with an output from which nothing leads on."""
        return [node for node in self.nodes.values() if any(True for _ in self._free(node.id))]

    def users(self, resource: Variable | Character) -> list[Node]:
        """The nodes that name it: in a field, or between braces in a text."""
        kind = "variable" if isinstance(resource, Variable) else "character"
        return [self.nodes[key] for key in self._project.usage.users(kind, resource.id) if key in self.nodes]

    def changing(self, variable: Variable) -> list[Node]:
        """The nodes that give a variable another value."""
        types = ("variable_update", "generator", "user_input")
        users = self.users(variable)
        return [node for node in users if node.type in types and node.data.get("variable") == variable.id]

    def leading_to(self, node_id: int) -> list[Link]:
        """The connections into a node, and the jumps to it, each as a connection from its first output."""
        return self.arriving(node_id) + self._jumps.get(node_id, [])

    def scene_of_entry(self) -> int | None:
        """The scene in which the project begins."""
        node = self.nodes.get(self.entry)
        return None if node is None else node.scene_id

    def open_scene(self, scene_id: int | None) -> Scene | None:
        """The scene that is said to be open; where that is none of the story's, the one in which it begins."""
        wanted = scene_id if scene_id in self.scenes else self.scene_of_entry()
        return None if wanted is None else self.scenes.get(wanted)

    def nodes_of(self, scene_id: int) -> list[Node]:
        """The nodes of a scene, in the order of its map; none of a scene that is not there."""
        scene = self.scenes.get(scene_id)
        return [self.nodes[key] for key in scene.node_ids if key in self.nodes] if scene else []

    def speaker(self, node: Node) -> str:
        """The name of the character that a node belongs to; empty without one."""
        character = self.characters.get(node.speaker_id if node.speaker_id is not None else -1)
        return character.name if character else ""

    def describe_way(self, node_id: int, slot: int, to: int | None = None) -> str:
        """A node as `describe` has it, on one of its outputs where it has several; `to` instead of itself if given."""
        node = self.nodes.get(node_id)
        name = node.output_name(slot) if node else ""
        return self.describe(node_id if to is None else to) + (f" on {shorten(name)}" if name else "")

    def describe(self, node_id: int) -> str:
        """A node in a few words, such as `12 (dialog by Elena: "Hello there")`."""
        if node_id not in self._described:
            node = self.nodes.get(node_id)
            self._described[node_id] = self._words(node) if node else f"node {node_id}"
        return self._described[node_id]

    def _free(self, node_id: int) -> Iterator[int]:
        taken = {link.from_slot for link in self.leaving(node_id)}
        return (slot for slot in range(len(self.nodes[node_id].outputs)) if slot not in taken)

    def _words(self, node: Node) -> str:
        speaker, first = self.speaker(node), next(iter(texts_of(node.data, _LINES)), "")
        kind = shorten(node.type) + (f" by {shorten(speaker)}" if speaker else "")
        said = phrase(self._project, node.id, 50) if not first and is_within(node.data, _LONGEST_DATA) else ""
        words = f'"{shorten(first)}"' if first else shorten(said, _LONGEST_PHRASE)
        return f"{node.id} ({kind}: {words})" if words.strip('"') else f"{node.id} ({kind})"

    @cached_property
    def _jumps(self) -> dict[int, list[Link]]:
        found: dict[int, list[Link]] = {}
        for node in self.nodes.values():
            if (target := _target(node)) in self.nodes:
                found.setdefault(target, []).append(Link(node.id, 0, target, 0))
        return found

    @cached_property
    def _ways(self) -> tuple[dict[int, list[Link]], dict[int, list[Link]]]:
        leaving: dict[int, list[Link]] = {}
        arriving: dict[int, list[Link]] = {}
        for link in sorted(self.links):
            leaving.setdefault(link.from_id, []).append(link)
            arriving.setdefault(link.to_id, []).append(link)
        return leaving, arriving

    def _node(self, key: int, scene_id: int) -> Node:
        node, project = self._project.nodes[key], self._project
        data: Mapping[str, Any] = node["data"]
        kind = text(node["type"])
        outputs = _outputs(kind, data, project.outputs(key))
        return Node(
            key, kind, text(node["name"]), text(node.get("notes")), scene_id, data, outputs, project.inputs(key)
        )


def _target(node: Node) -> int:
    """Where a jump leads; -1 for nowhere, and of other nodes."""
    return integer(node.data.get("target")) if node.type == "jump" else -1


def _scene(key: int, scene: Mapping[str, Any]) -> Scene:
    is_macro = scene.get("macro") is True
    return Scene(
        key, text(scene["name"]), text(scene.get("notes")), integer(scene["entry"]), is_macro, (*scene["map"],)
    )


def _outputs(kind: str, data: Mapping[str, Any], count: int) -> tuple[str, ...]:
    if kind in _TRUE_AND_FALSE:
        return ("true", "false")
    if field := _NAMED_OUTPUTS.get(kind):
        return tuple(item for item in sequence(data.get(field)) if isinstance(item, str))
    return _unnamed(count)


@cache
def _unnamed(count: int) -> tuple[str, ...]:
    """The same for all nodes that have so many: a story may have very many nodes of a thousand."""
    return ("",) * count


def shorten(words: str, limit: int = 50) -> str:
    """The beginning of a text, on one line; at most `limit` characters."""
    line = " ".join(words[: _READ * limit].split())
    is_whole = len(words) <= _READ * limit and len(line) <= limit
    return line if is_whole else line[: limit - 1].rstrip() + "…"
