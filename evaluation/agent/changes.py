"""The check that most tasks have: exactly these changes to the document, and no other."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from arrow_project import Node
from evaluation.agent.story_state import StoryState
from evaluation.agent.task import Check, TaskRun

Ref = int | str
"""A node by its id, or a new one by the name that the task gives it; `NAME.entry` is a new scene's entry."""
Fields = Mapping[str, Any]
"""Field to value; a value may be a function that says whether what is there will do."""


@dataclass(frozen=True)
class NewNode:
    """A new node: its types (any of them will do), its data as far as the task says it, and its scene."""

    types: tuple[str, ...]
    data: Fields = field(default_factory=dict[str, Any])
    scene: Ref | None = None
    name: str | None = None
    fits: Callable[[Node], bool] | None = None


def node(kind: str, *, scene: Ref | None = None, name: str | None = None, **data: Any) -> NewNode:
    """A node of one type with such data; `with_` stands for the field `with`."""
    return NewNode((kind,), {field.removesuffix("_"): value for field, value in data.items()}, scene, name)


def speech(character: Ref, text: str, *, scene: Ref | None = None) -> NewNode:
    """Somebody says something: as a dialog of one line, or as a monolog."""

    def fits(state: Node) -> bool:
        words = state.data.get("monolog") if state.type == "monolog" else "\0".join(state.data.get("lines", ()))
        return same(words, text) and (isinstance(character, str) or state.speaker_id == character)

    data = {} if isinstance(character, int) else {"character": character}
    return NewNode(("dialog", "monolog"), data, scene, fits=fits)


@dataclass(frozen=True)
class ExpectedChanges:
    """What is to be different afterwards; everything that is not named here must be as it was.

    Attributes:
        nodes: New nodes.
        links: New connections: node, output slot, node; they end in its first input.
        gone: Nodes that are removed; their connections go with them.
        unlinked: Connections that are removed, likewise.
        changed: Fields of nodes: of their data, or `name` or `notes`.
        scenes: New scenes; each has an entry of its own.
        characters: New characters.
        variables: New variables.
        altered: Fields of scenes, characters and variables, by id.
        removed: Ids of removed scenes (with their nodes), characters and variables.
        entry: Where the project begins.
    """

    nodes: Mapping[str, NewNode] = field(default_factory=dict[str, NewNode])
    links: Set[tuple[Ref, int, Ref]] = frozenset()
    gone: Set[int] = frozenset()
    unlinked: Set[tuple[int, int, int]] = frozenset()
    changed: Mapping[int, Fields] = field(default_factory=dict[int, Fields])
    scenes: Mapping[str, Fields] = field(default_factory=dict[str, Fields])
    characters: Mapping[str, Fields] = field(default_factory=dict[str, Fields])
    variables: Mapping[str, Fields] = field(default_factory=dict[str, Fields])
    altered: Mapping[int, Fields] = field(default_factory=dict[int, Fields])
    removed: Set[int] = frozenset()
    entry: Ref | None = None


def exactly(**expected: Any) -> Check:
    """The document has changed so and not otherwise; the arguments are those of `ExpectedChanges`."""
    changes = ExpectedChanges(**expected)
    return lambda conversation: problems(changes, conversation.before, conversation.after)


def unchanged(conversation: TaskRun) -> Iterator[str]:
    """The document is as it was."""
    yield from problems(ExpectedChanges(), conversation.before, conversation.after)


def same(found: Any, wanted: Any) -> bool:
    """Whether a value will do; texts count without white space, quotation marks around them or a last full stop."""
    if callable(wanted):
        return bool(wanted(found))
    if isinstance(wanted, str) and isinstance(found, str):
        return _plain(found) == _plain(wanted)
    if isinstance(wanted, list | tuple) and isinstance(found, list | tuple):
        return len(found) == len(wanted) and all(same(*pair) for pair in zip(found, wanted, strict=True))
    if isinstance(wanted, bool) or isinstance(found, bool):
        return found is wanted
    return found == wanted


def problems(expected: ExpectedChanges, before: StoryState, after: StoryState) -> Iterator[str]:
    """One sentence for everything that differs from what is expected."""
    names: dict[str, int] = {}
    for kind in ("scenes", "characters", "variables"):
        yield from _resources(kind, expected, before, after, names)
    yield from _old_nodes(expected, before, after)
    entries = {scene["entry"] for key, scene in after.scenes.items() if key not in before.scenes}
    new = [key for key in after.nodes if key not in before.nodes and key not in entries]
    if len(new) != len(expected.nodes):
        told = ", ".join(f"{key} ({after.nodes[key].type})" for key in new) or "none"
        yield f"expected {len(expected.nodes)} new nodes, found {told}"
        return
    yield from min(_assignments(expected, before, after, new, names), key=len)


def _assignments(
    expected: ExpectedChanges, before: StoryState, after: StoryState, new: list[int], names: Mapping[str, int]
) -> Iterator[list[str]]:
    """What is wrong for each way to tell the new nodes apart."""
    for order in permutations(new):
        known = dict(names) | dict(zip(expected.nodes, order, strict=True))
        wrong = [
            f"no new node is as “{name}” must be: {wanted.types[0]} {_shown(wanted.data)}; node {known[name]} is "
            f"{after.nodes[known[name]].type} {_shown(after.nodes[known[name]].data)}"
            for name, wanted in expected.nodes.items()
            if not _fits(wanted, after.nodes[known[name]], known, known[name] in after.nodes)
        ]
        yield [*wrong, *_links(expected, before, after, known), *_entry(expected, before, after, known)]
        if not wrong:
            return


def _fits(wanted: NewNode, found: Node, known: Mapping[str, int], exists: bool) -> bool:
    if not exists or found.type not in wanted.types:
        return False
    if wanted.scene is not None and found.scene_id != _id(wanted.scene, known):
        return False
    if wanted.name is not None and found.name != wanted.name:
        return False
    data = {name: known.get(value, value) if isinstance(value, str) else value for name, value in wanted.data.items()}
    return all(same(found.data.get(name), value) for name, value in data.items()) and (
        wanted.fits is None or wanted.fits(found)
    )


def _links(expected: ExpectedChanges, before: StoryState, after: StoryState, known: Mapping[str, int]) -> Iterator[str]:
    wanted = {(_id(origin, known), slot, _id(to, known), 0) for origin, slot, to in expected.links}
    gone = {(*link, 0) for link in expected.unlinked}
    kept = {link for link in before.links - gone if link[0] in after.nodes and link[2] in after.nodes}
    for link in sorted((wanted | kept) - after.links):
        yield f"the connection {_way(link)} is missing"
    for link in sorted(after.links - wanted - kept):
        yield f"the connection {_way(link)} was not asked for"


def _entry(expected: ExpectedChanges, before: StoryState, after: StoryState, known: Mapping[str, int]) -> Iterator[str]:
    entry = before.entry if expected.entry is None else _id(expected.entry, known)
    if after.entry != entry:
        yield f"the project begins at {after.entry} instead of {entry}"


def _old_nodes(expected: ExpectedChanges, before: StoryState, after: StoryState) -> Iterator[str]:
    for key, was in before.nodes.items():
        gone = key in expected.gone or was.scene_id in expected.removed
        if gone != (key not in after.nodes):
            yield f"node {key} {'is still there' if gone else 'is gone'}"
        elif not gone:
            yield from _node_fields(key, was, after.nodes[key], expected.changed.get(key, {}))


def _node_fields(key: int, was: Node, now: Node, wanted: Fields) -> Iterator[str]:
    if was.type != now.type or was.scene_id != now.scene_id:
        yield f"node {key} has another type or scene"
    old, new = ({"name": state.name, "notes": state.notes} | dict(state.data) for state in (was, now))
    yield from _fields(f"node {key}", old, new, wanted)


def _resources(
    kind: str, expected: ExpectedChanges, before: StoryState, after: StoryState, names: dict[str, int]
) -> Iterator[str]:
    old: Mapping[int, Fields] = getattr(before, kind)
    new: Mapping[int, Fields] = getattr(after, kind)
    wanted: Mapping[str, Fields] = getattr(expected, kind)
    word = kind.rstrip("s")
    for key, value in old.items():
        if (key in expected.removed) != (key not in new):
            yield f"{word} {key} {'is gone' if key not in new else 'is still there'}"
        elif key in new:
            yield from _fields(f"{word} {key}", value, new[key], expected.altered.get(key, {}))
    left = {key: value for key, value in new.items() if key not in old}
    for name, fields in wanted.items():
        found = [key for key, value in left.items() if all(same(value.get(f), w) for f, w in fields.items())]
        if not found:
            yield f"there is no new {word} {_shown(fields)}; new are {[_shown(value) for value in left.values()]}"
            continue
        names[name] = found[0]
        if kind == "scenes":
            names[f"{name}.entry"] = left[found[0]]["entry"]
        del left[found[0]]
    for key, value in left.items():
        yield f"the {word} {key} {_shown(value)} was not asked for"


def _fields(thing: str, old: Fields, new: Fields, wanted: Fields) -> Iterator[str]:
    for name in dict.fromkeys((*old, *new, *wanted)):
        if name in wanted:
            if not same(new.get(name), wanted[name]):
                yield f"{thing}: {name} is {new.get(name)!r}"
        elif old.get(name) != new.get(name):
            yield f"{thing}: {name} was {old.get(name)!r} and is {new.get(name)!r}"


def _id(ref: Ref, known: Mapping[str, int]) -> int:
    return known.get(ref, -1) if isinstance(ref, str) else ref


def _plain(text: str) -> str:
    return " ".join(text.split()).strip("\"“”'‘’ ").removesuffix(".").replace("’", "'")


def _way(link: Iterable[int]) -> str:
    origin, slot, to, entered = link
    return f"{origin} (slot {slot}) -> {to}" + (f" (input {entered})" if entered else "")


def _shown(fields: Fields) -> str:
    return "{" + ", ".join(f"{k}: {'…' if callable(v) else v!r}" for k, v in fields.items()) + "}"
