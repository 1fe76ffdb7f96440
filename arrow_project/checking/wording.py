"""Invariants 2 and 65: characters and tags that no text of a document may hold."""

import re
from collections.abc import Iterator
from typing import Any, cast

from arrow_project.checking.findings import Findings, found, node_place
from arrow_project.document import Document

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_SCRIPT = "</script"
_DEPTH = 3
_NUMBERS = frozenset({"use", "ref", "map"})


def wording(document: Document) -> Findings:
    """Every text of the document, keys included."""
    for path, resource in _tellings(document):
        for where, said in _texts(resource, path):
            control = _CONTROL.search(said)
            if control:
                message = f"The text holds U+{ord(control[0]):04X}; remove that character."
                yield found(2, _place(document, where), message)
            if _SCRIPT in said.lower():
                yield found(65, _place(document, where), "</script in a text breaks the HTML export.")


def _tellings(document: Document) -> Iterator[tuple[tuple[object, ...], object]]:
    """The parts that are worth a closer look; for nodes without notes a quick one tells."""
    for key, node in document.nodes.items():
        if "notes" in node or _is_suspicious((node["name"],)) or _is_suspicious(node["data"]):
            yield ("resources", "nodes", key), node
    for name in ("scenes", "variables", "characters"):
        for key, resource in document.raw["resources"][name].items():
            own = {field: value for field, value in resource.items() if field not in _NUMBERS}
            yield ("resources", name, key), own
    yield (), {key: value for key, value in document.raw.items() if key != "resources"}


def _is_suspicious(value: Any) -> bool:
    """Whether some text in it is not just printable characters without a tag; rarely is anything wrong with it."""
    if isinstance(value, dict):
        keys: dict[Any, Any] = value
        if not "".join(map(str, keys)).isidentifier() and keys:
            return True
        items = keys.values()
    else:
        items = cast("list[Any]", value)
    for item in items:
        if isinstance(item, str):
            if not item.isprintable() or "</" in item:
                return True
        elif item and isinstance(item, list | dict) and _is_suspicious(item):
            return True
    return False


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


def _place(document: Document, path: tuple[object, ...]) -> str:
    if path[:2] == ("resources", "nodes") and len(path) >= _DEPTH and isinstance(path[2], int):
        return node_place(document, path[2])
    return ".".join(str(part) for part in path) or "document"
