"""Invariants 2 and 65: characters and tags that no text of a project may hold."""

import re
from collections.abc import Iterator
from typing import Any, cast

from arrow_project.checking.findings import Findings, found, node_place
from arrow_project.project_data import ProjectData
from arrow_project.values import place_of

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_SCRIPT = "</script"
_DEPTH = 3
_CONTROL_BYTES = bytes([*range(9), 11, 12, *range(14, 32)])


def wording(project: ProjectData) -> Findings:
    """Every text of the project, keys included."""
    # rarely is anything wrong, so all texts are looked at in one piece before each is by itself
    everything = "\n".join(_all_texts(project)).encode("utf-8", "surrogatepass")
    is_clean = len(everything.translate(None, _CONTROL_BYTES)) == len(everything)
    # the first half is found far faster
    if not is_clean or (b"</" in everything and _SCRIPT.encode() in everything.lower()):
        yield from _one_by_one(project)


def _one_by_one(project: ProjectData) -> Findings:
    for where, said in _texts(project.raw, ()):
        if control := _CONTROL.search(said):
            message = f"The text holds U+{ord(control[0]):04X}; remove that character."
            yield found(2, _place(project, where), message)
        if _SCRIPT in said.lower():
            yield found(65, _place(project, where), "</script in a text breaks the HTML export.")


def _all_texts(project: ProjectData) -> list[str]:
    texts: list[str] = []
    keys: set[str] = set()
    for node in project.nodes.values():
        _gather(node["data"], texts, keys)
        texts.append(str(node["name"]))
        if "notes" in node:
            _gather(node, texts, keys)
    for table in (project.variables, project.characters):
        for resource in table.values():
            _gather(resource, texts, keys)
    for scene in project.scenes.values():
        _gather({key: value for key, value in scene.items() if key != "map"}, texts, keys)
    _gather({key: value for key, value in project.raw.items() if key != "resources"}, texts, keys)
    return [*texts, *keys]


def _gather(value: Any, texts: list[str], keys: set[str]) -> None:
    items = cast("list[Any]", value)
    if value.__class__ is dict:
        table = cast("dict[Any, Any]", value)
        keys.update(key for key in table if isinstance(key, str))
        items = table.values()
    for item in items:
        kind = item.__class__
        if kind is str:
            texts.append(item)
        elif kind is dict or kind is list:
            _gather(item, texts, keys)


def _texts(value: Any, path: tuple[object, ...]) -> Iterator[tuple[tuple[object, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _texts(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in cast("dict[Any, Any]", value).items():
            if isinstance(key, str):
                yield path, key
            yield from _texts(item, (*path, key))


def _place(project: ProjectData, path: tuple[object, ...]) -> str:
    if path[:2] == ("resources", "nodes") and len(path) >= _DEPTH and isinstance(path[2], int):
        return node_place(project, path[2])
    return place_of(path) or "document"
