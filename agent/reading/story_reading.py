"""Reading in the story as it is now, changes of this turn included."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from agent.prompt.quoting import encodable
from agent.reading.reading import NotThere
from agent.turn.request import TurnContext
from arrow_project import ArrowProject, node_details, node_line, node_lines

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
        found = list(self._matching(project, find))
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
        scene = project.document.scenes.get(get.scene_id)
        if scene is None:
            known = ", ".join(map(str, list(project.document.scenes)[:_MOST_NODES]))
            raise NotThere("INVALID_SCENE_ID", f"There is no scene {get.scene_id}. Scenes: {known}.")
        parts = _parts(node_lines(project, get.scene_id))
        if get.part > len(parts):
            raise NotThere("PART_NOT_FOUND", f"There is no part {get.part}: this scene has {len(parts)}.")
        answer: dict[str, Any] = {
            "scene_id": get.scene_id,
            "name": encodable(str(scene["name"])),
            "macro": project.document.is_macro(get.scene_id),
            "entry": scene["entry"],
            "nodes": parts[get.part - 1],
        }
        if len(parts) > 1:
            answer |= {"part": get.part, "of_parts": len(parts)}
        return answer

    def list_characters(self, wanted: ListAll) -> dict[str, Any]:
        """Characters with what the outline says of them, and how often they are used."""
        project = self._project()
        listed = [
            _given(
                character_id=key,
                name=encodable(str(character["name"])),
                color=character["color"],
                tags={encodable(str(k)): _cut(str(v)) for k, v in dict(character.get("tags") or {}).items()},
                notes=_cut(str(character.get("notes") or "")),
            )
            | {"used_in_nodes": len(project.document.usage.users("character", key))}
            for key, character in _named(project.document.characters, wanted.name)
        ]
        return {"characters": listed[:_MOST_LISTED]} | _more(len(listed), _MOST_LISTED, "give a name")

    def list_variables(self, wanted: ListAll) -> dict[str, Any]:
        """Variables with their beginnings, and how often they are used."""
        project = self._project()
        listed = [
            _given(variable_id=key, name=encodable(str(variable["name"])), type=variable["type"])
            | {"initial_value": variable["init"]}
            | _given(notes=_cut(str(variable.get("notes") or "")))
            | {"used_in_nodes": len(project.document.usage.users("variable", key))}
            for key, variable in _named(project.document.variables, wanted.name)
        ]
        return {"variables": listed[:_MOST_LISTED]} | _more(len(listed), _MOST_LISTED, "give a name")

    def _project(self) -> ArrowProject:
        if self._context.project is None:
            raise NotThere(
                "PERMISSION_DENIED",
                "The client has not sent the .arrow file yet, so there is no story to read. It has to send it first.",
            )
        return self._context.project

    def _matching(self, project: ArrowProject, find: FindNodes) -> Iterator[int]:
        document = project.document
        words = find.text.casefold().split() if find.text else []
        among: Iterable[int] = document.nodes
        if find.scene_id is not None:
            scene = document.scenes.get(find.scene_id)
            if scene is None:
                raise NotThere("INVALID_SCENE_ID", f"There is no scene {find.scene_id}.")
            among = [node_id for node_id in scene["map"] if node_id in document.nodes]
        if find.character is not None:
            users = set(document.usage.users("character", _character(project, find.character)))
            among = [node_id for node_id in among if node_id in users]
        for node_id in among:
            node = document.nodes[node_id]
            if find.type is not None and node["type"] != find.type:
                continue
            said = " ".join(_strings(node)).casefold() if words else ""
            if all(word in said for word in words):
                yield node_id


def _character(project: ArrowProject, given: int | str) -> int:
    characters = project.document.characters
    if given in characters:
        return int(given)
    for key, character in characters.items():
        if str(character["name"]).casefold() == str(given).casefold():
            return key
    raise NotThere("INVALID_CHARACTER_ID", f"There is no character {given!r}. list_characters names them all.")


def _named(table: dict[int, Any], name: str | None) -> Iterator[tuple[int, Any]]:
    part = (name or "").casefold()
    return ((key, resource) for key, resource in table.items() if part in str(resource["name"]).casefold())


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
