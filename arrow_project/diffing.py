"""What differs between two states of a project, for previews and reports."""

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from arrow_project.operations.connecting import said
from arrow_project.outlining import line
from arrow_project.phrases import as_json, quoted, simplified
from arrow_project.project import ArrowProject
from arrow_project.project_data import ProjectData
from arrow_project.values import Connection, Record, key_of, text

_LONGEST = 160
_MOST_SHOWN = 1_000_000  # characters: nobody reads as many, and an undo tells them at several places
_NOTHING = frozenset({"null", "false", '""', "-1", "[]", "{}"})  # what stands for a field that is not there
_BEFORE = 60  # characters of an excerpt in which nothing differs yet


@dataclass(frozen=True)
class Diff:
    """What differs between two states of a project.

    Attributes:
        lines: one readable line per change: ``+`` is new, ``-`` is gone, ``~`` has changed.
        more: how many changes there are besides, of more than a million characters.
    """

    lines: tuple[str, ...]
    more: int = 0

    @classmethod
    def of(cls, lines: Iterable[str]) -> "Diff":
        """The first of very many, without all of them in memory."""
        shown, room, more = list[str](), _MOST_SHOWN, 0
        for each in lines:
            if room <= 0:
                more += 1
                continue
            shown.append(each if len(each) <= room else f"{each[:room]}…")
            room -= len(each)
        return cls(tuple(shown), more)

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not self.lines

    @property
    def told(self) -> tuple[str, ...]:
        """The lines, and a last one of how many there are besides."""
        return (*self.lines, f"… and {self.more:,} more changes") if self.more else self.lines

    def __str__(self) -> str:
        """All that is told."""
        return "\n".join(self.told)


def diff(before: ArrowProject, after: ArrowProject) -> Diff:
    """What changed between two states. Bookkeeping that follows from it (use, ref, seeds) is left out."""
    return Diff.of(differences(before, after))


def differences(before: ArrowProject, after: ArrowProject) -> Iterator[str]:
    """The lines of a ``diff``, one after the other: a small story may have a million."""
    old, new = before.data, after.data
    yield from _project(old, new)
    yield from _scenes(old, new)
    for kind in ("variable", "character"):
        yield from _resources(kind, old, new)
    yield from _nodes(old, new)
    yield from _connections(old, new)


def lost_fields(before: ArrowProject, after: ArrowProject) -> Iterator[str]:
    """What a story has lost that no operation knows: fields of scenes, of nodes' data, and of places on a map."""
    old, new = before.data, after.data
    for key, scene in old.scenes.items():
        if key not in new.scenes:
            continue
        yield from _lost(f"scene {key}", scene, new.scenes[key])
        places = new.scenes[key]["map"]
        for node, place in scene["map"].items():
            if node in places:
                yield from _lost(f"node {node} on the map", place, places[node], but=("io", "skip"))
    for key, node in old.nodes.items():
        if key in new.nodes:
            yield from _lost(f"{_called(key, node)} data", node["data"], new.nodes[key]["data"])


def _lost(thing: str, before: Record, after: Record, but: Container[str] = ()) -> Iterator[str]:
    for field, value in before.items():
        if field not in after and field not in but and as_json(value) not in _NOTHING:
            yield f"~ {thing} {field}: {_change(value, None)}"


def _project(old: ProjectData, new: ProjectData) -> Iterator[str]:
    if old.raw["title"] != new.raw["title"]:
        yield f"~ title: {quoted(old.raw['title'])} -> {quoted(new.raw['title'])}"
    if old.entry != new.entry:
        yield f"~ the project begins at node {new.entry} (before: {old.entry})"


def _scenes(old: ProjectData, new: ProjectData) -> Iterator[str]:
    for key, scene in new.scenes.items():
        word = "macro" if new.is_macro(key) else "scene"
        if key not in old.scenes:
            yield f"+ {word} {key} {quoted(text(scene['name']))}, entry {scene['entry']}"
            continue
        before = old.scenes[key]
        for field in ("name", "entry", "macro"):
            if before.get(field) != scene.get(field):
                yield f"~ {word} {key} {field}: {_change(before.get(field), scene.get(field))}"
    for key, scene in old.scenes.items():
        if key not in new.scenes:
            yield f"- scene {key} {quoted(text(scene['name']))} with {len(scene['map'])} nodes"


def _resources(kind: str, old: ProjectData, new: ProjectData) -> Iterator[str]:
    before, after = old.table(kind), new.table(kind)
    for key, resource in after.items():
        own = {k: v for k, v in resource.items() if k not in ("use", "name")}
        if key not in before:
            yield f"+ {kind} {key} {quoted(text(resource['name']))} {_excerpt(as_json(own), 0)}"
        else:
            yield from _changes(f"{kind} {key}", before[key], resource)
    for key, resource in before.items():
        if key not in after:
            yield f"- {kind} {key} {quoted(text(resource['name']))}"


def _changes(thing: str, before: Record, after: Record) -> Iterator[str]:
    for field in dict.fromkeys([*before, *after]):
        if field not in ("use", "ref") and before.get(field) != after.get(field):
            yield f"~ {thing} {field}: {_change(before.get(field), after.get(field))}"


def _nodes(old: ProjectData, new: ProjectData) -> Iterator[str]:
    for key, node in new.nodes.items():
        if key not in old.nodes:
            yield f"+ node {line(new, key, None)} in scene {new.owner(key)}"
        elif node != old.nodes[key]:
            yield from _node_changes(key, old, new)
    for key in old.nodes:
        if key not in new.nodes:
            yield f"- node {line(old, key, None)} from scene {old.owner(key)}"


def _node_changes(key: int, old: ProjectData, new: ProjectData) -> Iterator[str]:
    before, after = old.nodes[key], new.nodes[key]
    thing = _called(key, after)
    without = {k: v for k, v in before.items() if k != "data"}
    yield from _changes(thing, without, {k: v for k, v in after.items() if k != "data"})
    if before["data"] != after["data"]:
        yield from _changes(thing, simplified(old, key), simplified(new, key))


def _called(key: int, node: Record) -> str:
    return f"node {key} ({_excerpt(text(node['type']), 0)})"


def _connections(old: ProjectData, new: ProjectData) -> Iterator[str]:
    before, after = _wiring(old), _wiring(new)
    for sign, there, elsewhere in (("+", after, before), ("-", before, after)):
        for key, connection in there.items():
            if key not in elsewhere:
                yield f"{sign} connection {_way(connection)}"
    yield from _skips(old, new)


def _skips(old: ProjectData, new: ProjectData) -> Iterator[str]:
    before = {key: entry for scene in old.scenes.values() for key, entry in scene["map"].items()}
    for scene in new.scenes.values():
        for key, entry in scene["map"].items():
            if key not in before:
                continue
            if before[key].get("skip") != entry.get("skip"):
                yield f"~ node {key} is {'now skipped' if entry.get('skip') else 'no longer skipped'}"
            if before[key]["offset"] != entry["offset"]:
                yield f"~ node {key} moved to {entry['offset']}"


def _wiring(project: ProjectData) -> dict[str, Connection]:
    every = (
        said(project, connection)
        for scene_id, scene in project.scenes.items()
        for key in scene["map"]
        for connection in project.outgoing(key, scene_id)
    )
    return {key_of(connection): connection for connection in every}


def _way(connection: Connection) -> str:
    from_id, from_slot, to_id, to_slot = connection
    return f"{from_id} slot {from_slot} -> {to_id}" + (f" input {to_slot}" if to_slot else "")


def _change(before: object, after: object) -> str:
    """Both values; of a long one what is around the place where they first differ."""
    old, new = as_json(before), as_json(after)
    lengths = range(1, min(len(old), len(new)) + 1)
    same = bisect_left(lengths, True, key=lambda length: old[:length] != new[:length])
    return f"{_excerpt(old, same - _BEFORE)} -> {_excerpt(new, same - _BEFORE)}"


def _excerpt(told: str, start: int) -> str:
    if len(told) <= _LONGEST:
        return told
    excerpt = told if start <= 0 else f"…{told[start:]}"
    return excerpt if len(excerpt) <= _LONGEST else excerpt[: _LONGEST - 1] + "…"
