"""Invariants 2 and 65: characters and tags that no text of a document may hold."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from arrow_project.checking.findings import Findings, found, node_place
from arrow_project.document import Document

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ESCAPES = ("\\u00", "\\b", "\\f")
_SCRIPT = "</script"
_DEPTH = 3


def wording(document: Document) -> Findings:
    """Every text of the document, keys included."""
    # one look at the whole text tells whether there is anything to look for
    encoded = json.dumps(document.raw, ensure_ascii=False)
    if not any(escape in encoded for escape in _ESCAPES) and _SCRIPT not in encoded.lower():
        return
    for path, said in _texts(document.raw, ()):
        control = _CONTROL.search(said)
        if control:
            yield found(2, _place(document, path), f"The text holds U+{ord(control[0]):04X}; remove that character.")
        if _SCRIPT in said.lower():
            yield found(65, _place(document, path), "</script in a text breaks the HTML export.")


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
