"""Reading in the story as it is now, changes of this turn included."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from agent.prompt.quoting import encodable
from agent.reading.reading import NotThere
from agent.turn.request import TurnContext
from arrow_project import ArrowProject, Character, Node, Story, Variable, node_details, node_line, node_lines

_Named = TypeVar("_Named", Character, Variable)

_MOST_NODES = 40
_MOST_LISTED = 200
_LINE_CHARACTERS = 300
_NODE_CHARACTERS = 8_000
_PART_CHARACTERS = 12_000


class FindNodes(BaseModel):
    """Arguments of `find_nodes`."""

    model_config = ConfigDict(extra="forbid")
    text: str | None = Field(None, description="words that all occur in the node's name, texts or notes")
    type: str | None = Field(None, description="a node type, such as dialog")
    character: int | str | None = Field(None, description="id or exact name of a character it uses")
    scene_id: int | None = Field(None, description="only in this scene")


class GetNode(BaseModel):
    """Arguments of `get_node`."""

    model_config = ConfigDict(extra="forbid")
    node_id: int


class GetScene(BaseModel):
    """Arguments of `get_scene`."""

    model_config = ConfigDict(extra="forbid")
    scene_id: int
    part: int = Field(1, ge=1, description="which part of a long scene, from 1; the answer says how many there are")


class ListAll(BaseModel):
    """Arguments of `list_characters` and `list_variables`."""

    model_config = ConfigDict(extra="forbid")
    name: str | None = Field(None, description="only those whose name contains this")


class StoryReader:
    """Answers from the turn's shadow of the story. Every answer is bounded, and says what it leaves out."""

    def __init__(self, context: TurnContext) -> None:
        self._context = context

    def find_nodes(self, find: FindNodes) -> dict[str, Any]:
        """The nodes for which everything that is given holds, a line each, and how many there are."""
        project = self._project()
        found = [node.id for node in _matching(Story(project), find)]
        lines = [_cut(node_line(project, node_id)) for node_id in found[:_MOST_NODES]]
        return {"nodes": lines, "total": len(found)} | _more(len(found), _MOST_NODES, "narrow the search")

    def get_node(self, get: GetNode) -> dict[str, Any]:
        """All of a node; texts that are very long are cut."""
        project = self._project()
        if get.node_id not in project.document.nodes:
            raise NotThere("INVALID_NODE_ID", f"There is no node {get.node_id}. find_nodes finds nodes.")
        return _bounded(node_details(project, get.node_id))

    def get_scene(self, get: GetScene) -> dict[str, Any]:
        """A scene and its nodes; one part of them, when they are many."""
        project = self._project()
        scenes = Story(project).scenes
        if (scene := scenes.get(get.scene_id)) is None:
            known = ", ".join(map(str, list(scenes)[:_MOST_NODES]))
            raise NotThere("INVALID_SCENE_ID", f"There is no scene {get.scene_id}. Scenes: {known}.")
        parts = _parts(node_lines(project, get.scene_id))
        if get.part > len(parts):
            raise NotThere("PART_NOT_FOUND", f"There is no part {get.part}: this scene has {len(parts)}.")
        answer: dict[str, Any] = {
            "scene_id": scene.id,
            "name": encodable(scene.name),
            "macro": scene.is_macro,
            "entry": scene.entry,
            "nodes": parts[get.part - 1],
        }
        if len(parts) > 1:
            answer |= {"part": get.part, "of_parts": len(parts)}
        return answer

    def list_characters(self, wanted: ListAll) -> dict[str, Any]:
        """Characters with what the outline says of them, and how often they are used."""
        story = Story(self._project())
        listed = [
            _given(
                character_id=one.id,
                name=encodable(one.name),
                color=one.color,
                tags={encodable(str(key)): _cut(str(value)) for key, value in one.tags.items()},
                notes=_cut(one.notes),
            )
            | {"used_in_nodes": len(story.users(one))}
            for one in _named(story.characters, wanted.name)
        ]
        return {"characters": listed[:_MOST_LISTED]} | _more(len(listed), _MOST_LISTED, "give a name")

    def list_variables(self, wanted: ListAll) -> dict[str, Any]:
        """Variables with their beginnings, and how often they are used."""
        story = Story(self._project())
        listed = [
            {"variable_id": one.id, "name": encodable(one.name), "type": one.type, "initial_value": one.initial}
            | _given(notes=_cut(one.notes))
            | {"used_in_nodes": len(story.users(one))}
            for one in _named(story.variables, wanted.name)
        ]
        return {"variables": listed[:_MOST_LISTED]} | _more(len(listed), _MOST_LISTED, "give a name")

    def _project(self) -> ArrowProject:
        if self._context.project is None:
            raise NotThere(
                "PERMISSION_DENIED",
                "The client has not sent the .arrow file yet, so there is no story to read. It has to send it first.",
            )
        return self._context.project


def _matching(story: Story, find: FindNodes) -> Iterator[Node]:
    if find.scene_id is not None and find.scene_id not in story.scenes:
        raise NotThere("INVALID_SCENE_ID", f"There is no scene {find.scene_id}.")
    words = (find.text or "").casefold().split()
    users = None if find.character is None else {node.id for node in story.users(_character(story, find.character))}
    for node in story.nodes.values():
        said = " ".join((node.name, node.notes, *node.texts)).casefold()
        if (
            find.scene_id in (None, node.scene_id)
            and find.type in (None, node.type)
            and (users is None or node.id in users)
            and all(word in said for word in words)
        ):
            yield node


def _character(story: Story, given: int | str) -> Character:
    for character in story.characters.values():
        if given == character.id or str(given).casefold() == character.name.casefold():
            return character
    raise NotThere("INVALID_CHARACTER_ID", f"There is no character {given!r}. list_characters names them all.")


def _named(table: Mapping[int, _Named], name: str | None) -> list[_Named]:
    part = (name or "").casefold()
    return [resource for resource in table.values() if part in resource.name.casefold()]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        items: Iterable[Any] = value.values() if isinstance(value, dict) else value
        for item in items:
            yield from _strings(item)


def _parts(lines: Iterable[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    room = _PART_CHARACTERS
    for line in map(_cut, lines):
        if len(line) > room:
            parts.append([])
            room = _PART_CHARACTERS
        parts[-1].append(line)
        room -= len(line)
    return parts


def _bounded(details: dict[str, Any]) -> dict[str, Any]:
    """A node may say a whole chapter; then each of its texts is cut."""
    shown = _encodable(details)
    if sum(map(len, _strings(shown))) <= _NODE_CHARACTERS:
        return shown
    return _encodable(details, _LINE_CHARACTERS) | {"cut": "long texts are shown by their beginnings"}


def _encodable(value: Any, limit: int | None = None) -> Any:
    if isinstance(value, str):
        return _cut(value, limit) if limit is not None else encodable(value)
    if isinstance(value, dict):
        return {name: _encodable(item, limit) for name, item in value.items()}
    return [_encodable(item, limit) for item in value] if isinstance(value, list) else value


def _cut(text: str, limit: int = _LINE_CHARACTERS) -> str:
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return encodable(shown)


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in ("", None) and value != {}}


def _more(total: int, shown: int, remedy: str) -> dict[str, Any]:
    return {"cut": f"{total - shown} more; {remedy}"} if total > shown else {}
