"""Reads what is said in Arrow projects (arrow): the words of scenes and nodes, without their wiring."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.extracted import BlockKind, Extracted, ReadError
from ingest.readers.encoding import decode
from ingest.readers.formats import PageListener
from ingest.readers.text_builder import TextBuilder

_RESOURCES = ("scenes", "nodes", "variables", "characters")
_ANYBODY = "Anonymous"
# The fields of nodes that hold words, by node type; others only steer.
_WORDS: dict[str, tuple[str, ...]] = {
    "content": ("title", "content"),
    "entry": ("plaque",),
    "frame": ("label",),
    "jump": ("reason",),
    "marker": ("label",),
    "user_input": ("prompt",),
}

Json = Mapping[str, Any]


def read(data: bytes, progress: PageListener) -> Extracted:
    """An Arrow project as text: characters with their tags, then each scene with its nodes in the order of play."""
    del progress
    project = _project(data)
    resources: Json = project["resources"]
    builder = TextBuilder()
    builder.add("heading", str(project.get("title", "")), 1)
    characters: Json = resources["characters"]
    if characters:
        builder.add("heading", "Characters", 2)
    for character in characters.values():
        builder.add("list", f"- {_character(character)}")
    nodes: Json = resources["nodes"]
    for scene in resources["scenes"].values():
        builder.add("heading", str(scene.get("name", "")), 2)
        for node_id in _in_order_of_play(scene):
            if isinstance(node := nodes.get(node_id), dict):
                _add_node(builder, node, characters)
    return builder.build("arrow")


def _project(data: bytes) -> Json:
    try:
        project: Any = json.loads(decode(data))
    except json.JSONDecodeError as error:
        raise ReadError("CORRUPT", f"it is not valid JSON ({error}); save it again in Arrow.") from error
    except RecursionError as error:
        raise ReadError("CORRUPT", "it is nested deeper than any Arrow project; save it again in Arrow.") from error
    resources: Any = project.get("resources") if isinstance(project, dict) else None
    if not isinstance(resources, dict) or not all(_is_set(resources.get(name)) for name in _RESOURCES):
        raise ReadError("CORRUPT", "it is JSON but no Arrow project: it lacks scenes, nodes, variables or characters.")
    return project


def _is_set(resources: Any) -> bool:
    return isinstance(resources, dict) and all(isinstance(entry, dict) for entry in resources.values())


def _character(character: Json) -> str:
    tags = character.get("tags")
    words = "; ".join(f"{key}: {value}" for key, value in tags.items()) if isinstance(tags, dict) else ""
    return f"{character.get('name', '')} ({words})" if words else str(character.get("name", ""))


def _in_order_of_play(scene: Json) -> Iterator[str]:
    """The scene's nodes as play reaches them from its entry, then those that it does not reach."""
    places: Json = scene.get("map") or {}
    seen: set[str] = set()
    waiting = [str(scene.get("entry")), *places][::-1]
    while waiting:
        node_id = waiting.pop()
        place = places.get(node_id)
        if node_id in seen or not isinstance(place, dict):
            continue
        seen.add(node_id)
        yield node_id
        links = [link for link in place.get("io") or () if isinstance(link, list) and len(link) > 2]
        waiting += [str(link[2]) for link in reversed(links)]


def _add_node(builder: TextBuilder, node: Json, characters: Json) -> None:
    data: Json = node["data"] if isinstance(node.get("data"), dict) else {}
    for kind, text in _said(str(node.get("type")), data, characters):
        builder.add(kind, text)
    if notes := node.get("notes"):
        builder.add("paragraph", str(notes))


def _said(node_type: str, data: Json, characters: Json) -> Iterator[tuple[BlockKind, str]]:
    if node_type in ("dialog", "monolog"):
        speaker = characters.get(str(data.get("character")), {}).get("name", _ANYBODY)
        lines = data.get("lines") if node_type == "dialog" else [data.get("monolog", "")]
        yield "dialogue", "\n".join(f"{speaker}: {line}" for line in _texts(lines))
    elif node_type == "interaction":
        for action in _texts(data.get("actions")):
            yield "list", f"- {action}"
    else:
        words = [str(data[field]) for field in _WORDS.get(node_type, ()) if data.get(field)]
        yield "paragraph", "\n".join(words)


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str) and value] if isinstance(values, list) else []
