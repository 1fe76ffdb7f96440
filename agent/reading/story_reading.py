"""Reading in the story as it is now, changes of this turn included; what an answer leaves out, it says."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice, repeat
from typing import Any, TypeVar, cast

from pydantic import Field

from agent.reading.sources import Arguments, NotThere, Sources
from arrow_project import Character, GoOn, Node, Story, Variable, node_details, node_line, node_lines, pieces

_Named = TypeVar("_Named", Character, Variable)

_MOST_NODES = 40
_MOST_LISTED = 200
_LINE_CHARACTERS = 300
_NODE_CHARACTERS = 8_000
_LIST_CHARACTERS = 24_000
_VALUE_CHARACTERS = 1_000
_PART_CHARACTERS = 12_000


class FindNodes(Arguments):
    """Find nodes of the story by words they say, type, character or scene; what is given must all hold. Returns a line
    for each, as in the project outline.
    """

    text: str | None = Field(
        None, max_length=1000, description="words that all occur in the node's name, texts or notes"
    )
    type: str | None = Field(None, description="a node type, such as dialog")
    character: int | str | None = Field(None, description="id or exact name of a character it uses")
    scene_id: int | None = Field(None, description="only in this scene")


class GetNode(Arguments):
    """Everything about one node: its data as update_node takes it, what leads to it, and where each slot goes."""

    node_id: int


class GetScene(Arguments):
    """All nodes of one scene, a line each. A long scene comes in parts."""

    scene_id: int
    part: int = Field(1, ge=1, description="which part of a long scene, from 1; the answer says how many there are")


class ListCharacters(Arguments):
    """The story's characters with ids, colours, tags, notes, and in how many nodes each is used."""

    name: str | None = Field(None, description="only those whose name contains this")


class ListVariables(Arguments):
    """The story's variables with ids, types, initial values, notes, and in how many nodes each is used."""

    name: str | None = Field(None, description="only those whose name contains this")


def find_nodes(sources: Sources, given: FindNodes, go_on: GoOn) -> dict[str, Any]:
    """The nodes for which everything that is given holds, a line each, and how many there are."""
    project = sources.project
    found = [node.id for node in _matching(Story(project), given, go_on)]
    lines = [_cut(node_line(project, node_id)) for node_id in found[:_MOST_NODES]]
    return {"nodes": lines, "total": len(found)} | _more(len(found), _MOST_NODES, "narrow the search")


def get_node(sources: Sources, given: GetNode, _go_on: GoOn) -> dict[str, Any]:
    """All of a node; of very long texts and lists the beginnings."""
    project = sources.project
    if given.node_id not in project.data.nodes:
        raise NotThere("INVALID_NODE_ID", f"There is no node {given.node_id}. find_nodes finds nodes.")
    return _bounded(node_details(project, given.node_id, _MOST_LISTED))


def get_scene(sources: Sources, given: GetScene, go_on: GoOn) -> dict[str, Any]:
    """A scene and its nodes; one part of them, when they are many."""
    project = sources.project
    scenes = Story(project).scenes
    if (scene := scenes.get(given.scene_id)) is None:
        known = ", ".join(map(str, list(scenes)[:_MOST_NODES]))
        raise NotThere("INVALID_SCENE_ID", f"There is no scene {given.scene_id}. Scenes: {known}.")
    parts = _parts(node_lines(project, given.scene_id), go_on)
    if given.part > len(parts):
        raise NotThere("PART_NOT_FOUND", f"There is no part {given.part}: this scene has {len(parts)}.")
    answer: dict[str, Any] = {
        "scene_id": scene.id,
        "name": _cut(scene.name),
        "macro": scene.is_macro,
        "entry": scene.entry,
        "nodes": parts[given.part - 1],
    }
    if len(parts) > 1:
        answer |= {"part": given.part, "of_parts": len(parts)}
    return answer


def list_characters(sources: Sources, given: ListCharacters, go_on: GoOn) -> dict[str, Any]:
    """Characters with what the outline says of them, and how often they are used."""
    story = Story(sources.project)
    named = _named(story.characters, given.name)
    left_out = Counter[str]()
    listed = [
        _given(
            character_id=one.id,
            name=_cut(one.name),
            color=_cut(one.color),
            tags=_beginning({str(k): str(v) for k, v in one.tags.items()}, _VALUE_CHARACTERS, "tags", left_out),
            notes=_cut(one.notes),
        )
        | {"used_in_nodes": len(story.users(one))}
        for one in _first(named, go_on)
    ]
    shown = _beginning(listed, _LIST_CHARACTERS, "characters", left_out)
    said = {"tags_cut": f"{left_out['tags']} more"} if left_out["tags"] else {}
    return {"characters": shown} | said | _more(len(named), len(shown), "give a name")


def list_variables(sources: Sources, given: ListVariables, go_on: GoOn) -> dict[str, Any]:
    """Variables with their beginnings, and how often they are used."""
    story = Story(sources.project)
    named = _named(story.variables, given.name)
    listed = [
        {"variable_id": one.id, "name": _cut(one.name), "type": _cut(one.type), "initial_value": one.initial}
        | _given(notes=_cut(one.notes))
        | {"used_in_nodes": len(story.users(one))}
        for one in _first(named, go_on)
    ]
    shown = _beginning(listed, _LIST_CHARACTERS, "variables", Counter())
    return {"variables": shown} | _more(len(named), len(shown), "give a name")


def _matching(story: Story, find: FindNodes, go_on: GoOn) -> Iterator[Node]:
    if find.scene_id is not None and find.scene_id not in story.scenes:
        raise NotThere("INVALID_SCENE_ID", f"There is no scene {find.scene_id}.")
    words = set((find.text or "").casefold().split())
    users = None if find.character is None else {node.id for node in story.users(_character(story, find.character))}
    for node in story.nodes.values():
        go_on()
        if (
            find.scene_id in (None, node.scene_id)
            and find.type in (None, node.type)
            and (users is None or node.id in users)
            and _says(node, words, go_on)
        ):
            yield node


def _says(node: Node, words: Collection[str], go_on: GoOn) -> bool:
    """Whether all the words occur, each in whatever text of the node."""
    left, longest = set(words), max(map(len, words), default=0)
    for text in (node.name, node.notes, *node.texts):
        for piece in pieces(text, longest):
            if not left:
                return True
            go_on()
            folded = piece.casefold()
            left -= {word for word in left if word in folded}
    return not left


def _character(story: Story, given: int | str) -> Character:
    for character in story.characters.values():
        if given == character.id or str(given).casefold() == character.name.casefold():
            return character
    raise NotThere("INVALID_CHARACTER_ID", f"There is no character {given!r}. list_characters names them all.")


def _named(table: Mapping[int, _Named], name: str | None) -> list[_Named]:
    part = (name or "").casefold()
    return [resource for resource in table.values() if part in resource.name.casefold()]


def _first(named: list[_Named], go_on: GoOn) -> Iterator[_Named]:
    for resource in named[:_MOST_LISTED]:
        go_on()
        yield resource


def _parts(lines: Iterable[str], go_on: GoOn) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    room = _PART_CHARACTERS
    for line in map(_cut, lines):
        go_on()
        if len(line) > room:
            parts.append([])
            room = _PART_CHARACTERS
        parts[-1].append(line)
        room -= len(line)
    return parts


def _bounded(details: dict[str, Any]) -> dict[str, Any]:
    """A node may say a whole chapter, or have a million slots; then of each text and list the beginning is shown."""
    left_out = Counter[str](details.pop("left_out", None))
    pieces = json.JSONEncoder(ensure_ascii=False).iterencode(details)  # none is empty
    if not left_out and sum(map(len, islice(pieces, _NODE_CHARACTERS + 1))) <= _NODE_CHARACTERS:
        return details
    shown = {
        name: _beginning(value, _NODE_CHARACTERS * (2 if name == "data" else 1), name, left_out)
        for name, value in details.items()
    }
    more = ", ".join(f"{count} more of {name}" for name, count in left_out.most_common(_MOST_NODES) if count)
    return shown | {"cut": "long texts and lists are shown by their beginnings" + (f"; {more}" if more else "")}


def _beginning(value: Any, room: int, name: str, left_out: Counter[str]) -> Any:
    """Of a text the first characters, of a list or an object what comes first and has room; the rest is counted."""
    if isinstance(value, str):
        return _cut(value)
    if not isinstance(value, dict | list):
        return value
    entries = (
        cast("dict[str, Any]", value).items()
        if isinstance(value, dict)
        else zip(repeat(name), cast("list[Any]", value), strict=False)
    )
    shown: list[tuple[str, Any]] = []
    left = room
    for key, entry in islice(entries, _MOST_LISTED):
        told = _beginning(entry, room // 2, key, left_out)
        left -= len(json.dumps([key, told] if isinstance(value, dict) else told, ensure_ascii=False))
        if left < 0:
            break
        shown.append((key, told))
    left_out[_cut(name)] += len(cast("list[Any]", value)) - len(shown)
    return dict(shown) if isinstance(value, dict) else [told for _, told in shown]


def _cut(text: str) -> str:
    return text if len(text) <= _LINE_CHARACTERS else text[: _LINE_CHARACTERS - 1] + "…"


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in ("", None) and value != {}}


def _more(total: int, shown: int, remedy: str) -> dict[str, Any]:
    return {"cut": f"{total - shown} more; {remedy}"} if total > shown else {}
