"""The arguments of an operation with other ids, where what it needs was given another id than expected."""

from collections.abc import Mapping
from typing import Any, cast

from arrow_project.operation import Operation

_ID_KEYS = frozenset(
    {
        "node_id", "from_node_id", "to_node_id", "from", "to", "connect_from", "target", "scene_id", "macro", "entry",
        "variable", "variable_id", "character", "character_id",
    }
)  # fmt: skip
# What the results of operations call the ids of what they created.
_CREATED = ("node_id", "scene_id", "variable_id", "character_id", "entry_node_id", "last_node_id")
_CONNECTIONS = ("push", "pop", "io")
_NATIVE_ID_KEYS = frozenset({"entry", "variable", "character", "target", "macro"})
_ID_LISTS = frozenset({"ref", "use", "refer", "drop"})
_OPERAND_IS_VARIABLE = 1


def renumbered(operation: Operation, ids: Mapping[int, int]) -> Operation:
    """The operation with every id in its arguments that `ids` has replaced; other numbers stay as they are."""
    if not ids:
        return operation
    return Operation(operation.function, _record(dict(operation.arguments), ids))


def changed_ids(expected: Mapping[str, Any], given: Mapping[str, Any]) -> dict[int, int]:
    """The ids in the result of an operation that an editor has given, by those that were expected."""
    pairs = [(expected[key], given.get(key, expected[key])) for key in _CREATED if key in expected]
    pairs += zip(expected.get("node_ids", ()), given.get("node_ids", ()), strict=False)
    return {old: new for old, new in pairs if new != old}


def renumbered_data(data: Mapping[str, Any], ids: Mapping[int, int]) -> dict[str, Any]:
    """The arguments of a call, or a node's data, simplified or not, with every id replaced that `ids` has."""
    return _record(dict(data), ids) if ids else dict(data)


def renumbered_native(document: Mapping[str, Any], ids: Mapping[int, int]) -> dict[str, Any]:
    """A raw document with every resource's id replaced that `ids` has, wherever it stands."""
    resources = {
        kind: {ids.get(key, key): _native(resource, ids) for key, resource in table.items()} if table else table
        for kind, table in document["resources"].items()
    }
    entry = document["entry"]
    return {**document, "entry": _id(entry, ids), "resources": resources}


def _record(given: dict[str, Any], ids: Mapping[int, int]) -> dict[str, Any]:
    keys = set(_ID_KEYS)
    # a target says of what kind its id is, an operand whether its value is a variable
    if given.get("type", "node") in ("node", "scene", "marker"):
        keys.add("id")
    if given.get("type") == "variable":
        keys.add("value")
    return {key: _value(value, ids, key, is_id=key in keys) for key, value in given.items()}


def _value(value: Any, ids: Mapping[int, int], key: str, *, is_id: bool) -> Any:
    if isinstance(value, dict):
        if key == "table":
            return _table(cast("dict[Any, Any]", value), ids)
        return _record(cast("dict[str, Any]", value), ids)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if (listed := _listed(items, ids, key)) is not None:
            return listed
        if key == "connection":  # the other node, its slot, and whether it leads to the new one
            return [*(_id(end, ids) for end in items[:1]), *items[1:]]
        return [_value(item, ids, "", is_id=False) for item in items]
    return _id(value, ids) if is_id else value


def _listed(items: list[Any], ids: Mapping[int, int], key: str) -> list[Any] | None:
    """What lists with ids become; None for any other."""
    if key in _CONNECTIONS:
        return [_connection(item, ids) for item in items]
    if key in _ID_LISTS:
        return [_id(item, ids) for item in items]
    if key == "with" and items[:1] == [_OPERAND_IS_VARIABLE]:
        return [items[0], *(_id(item, ids) for item in items[1:])]
    return None


def _id(value: Any, ids: Mapping[int, int]) -> Any:
    """The number that it has now; in a story that was written by hand anything may stand in its place."""
    return ids.get(value, value) if type(value) is int else value


def _table(table: dict[Any, Any], ids: Mapping[int, int]) -> dict[Any, Any]:
    """Ids by ids, those before as texts as well: they are keys of JSON."""
    by_text = {str(old): str(new) for old, new in ids.items()}
    return {by_text.get(old, _id(old, ids)): _id(new, ids) for old, new in table.items()}


def _connection(value: Any, ids: Mapping[int, int]) -> Any:
    if not isinstance(value, list):
        return value
    ends = cast("list[Any]", value)
    return [_id(end, ids) if place in (0, 2) else end for place, end in enumerate(ends)]


def _native(value: Any, ids: Mapping[int, int], key: str = "") -> Any:
    if isinstance(value, dict):
        fields = cast("dict[Any, Any]", value)
        if key == "map":
            return {ids.get(node, node): _native(place, ids) for node, place in fields.items()}
        return {name: _native(field, ids, name) for name, field in fields.items()}
    if not isinstance(value, list):
        return _id(value, ids) if key in _NATIVE_ID_KEYS else value
    items = cast("list[Any]", value)
    listed = _listed(items, ids, key)
    return items if listed is None else listed
