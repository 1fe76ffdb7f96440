"""The hash of what a story says: two contents with the same hash differ in nothing that an operation could lose."""

import hashlib
import json
from typing import Any, cast

from arrow_project.project import ArrowProject

# Arrow derives the first two from the rest, and a client places nodes where it likes.
_LEFT_OUT = frozenset({"use", "ref", "offset"})
_SORTED = json.JSONEncoder(sort_keys=True)


def fingerprint(project: ArrowProject | None) -> str:
    """SHA-256 of title, entry and resources, without positions and bookkeeping; empty without a project.

    Saving, moving a node or counting an author's ids further changes a file, but not its story.
    """
    if project is None:
        return ""
    raw = project.data.raw
    sha256 = hashlib.sha256(_json([raw["title"], raw["entry"]]))
    # Piece by piece: one call for all of a large story would let no other thread run until it returns.
    for kind, table in sorted(raw["resources"].items()):
        for key in sorted(table):
            said = _meant(table[key])
            if kind == "scenes":
                said["map"] = {node: _meant(place) for node, place in said["map"].items()}
            sha256.update(_json([kind, key, _plain(said)]))
    return sha256.hexdigest()


def _json(value: Any) -> bytes:
    return _SORTED.encode(value).encode()


def _meant(record: dict[str, Any]) -> dict[str, Any]:
    """A resource or a place on a map; deeper in it these names are the author's, such as a tag's."""
    return {name: field for name, field in record.items() if name not in _LEFT_OUT}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        fields = cast("dict[Any, Any]", value)
        return {str(key): _plain(field) for key, field in fields.items() if field != []}
    return [_plain(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value
