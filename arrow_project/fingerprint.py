"""The hash of what a story says: two contents with the same hash differ in nothing that an operation could lose."""

import hashlib
import json
from collections.abc import Mapping, Set
from itertools import islice
from typing import Any, cast

from arrow_project.project import ArrowProject

_DERIVED = frozenset({"use", "ref"})  # by Arrow, from the rest
_PLACED = frozenset({"offset"})  # wherever a client likes
_OF_SAVING = frozenset({"authors", "last_save", "editor"})
_PIECES = 1_000
_SORTED = json.JSONEncoder(sort_keys=True)


def fingerprint(project: ArrowProject | None) -> str:
    """SHA-256 of all that a file says, without positions and bookkeeping; empty without a project.

    Saving, moving a node or counting an author's ids further changes a file, but not its story.
    """
    if project is None:
        return ""
    raw = project.data.raw
    authors = {number: author[0] for number, author in raw["meta"]["authors"].items()}
    rest = _without({"meta", "resources"}, raw), _without(_OF_SAVING, raw["meta"]), authors
    sha256 = hashlib.sha256()
    _add(sha256, [_plain(one) for one in rest])
    # A set that Arrow does not know holds nothing, by whatever name and in whatever way.
    for kind, table in sorted(raw["resources"].items(), key=lambda named: str(named[0])):
        for key in sorted(table or ()):
            said = _without(_DERIVED, table[key])
            if kind == "scenes":
                said["map"] = {node: _placed(place, project.data.nodes) for node, place in said["map"].items()}
            _add(sha256, [kind, key, _plain(said)])
    return sha256.hexdigest()


def _placed(place: dict[str, Any], nodes: Mapping[int, Any]) -> dict[str, Any]:
    """Without where it is, and without connections to nodes that are gone: a client may clean its canvas later."""
    there, io = _without(_PLACED, place), place.get("io")
    return there | {"io": [one for one in io if not _leads_nowhere(one, nodes)]} if isinstance(io, list) else there


def _leads_nowhere(connection: Any, nodes: Mapping[int, Any]) -> bool:
    ends = connection[::2] if isinstance(connection, list) else ()
    return any(isinstance(end, int) and end not in nodes for end in ends)


def _add(sha256: Any, value: Any) -> None:
    # Piece by piece: one call for all of a large story, or node, would let no other thread run until it returns.
    pieces = _SORTED.iterencode(value)
    while some := "".join(islice(pieces, _PIECES)):
        sha256.update(some.encode())


def _without(names: Set[str], record: dict[str, Any]) -> dict[str, Any]:
    """A resource or a place on a map; deeper in it these names are the author's, such as a tag's."""
    return {name: field for name, field in record.items() if name not in names}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        fields = cast("dict[Any, Any]", value)
        return {str(key): _plain(field) for key, field in fields.items() if field != []}
    return [_plain(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value
