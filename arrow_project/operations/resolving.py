"""The arguments of an applied operation with ids in place of words and names."""

from collections.abc import Mapping
from typing import Any, cast

Said = Mapping[tuple[str, str], int]

_NODE_KEYS = ("node_id", "from_node_id", "to_node_id", "from", "to", "connect_from")
_KINDS = dict.fromkeys(_NODE_KEYS, "node") | {
    "scene_id": "scene",
    "macro": "macro",
    "variable": "variable",
    "variable_id": "variable",
    "character": "character",
    "character_id": "character",
}
_LISTS = ("push", "pop")


def with_ids(function: str, arguments: dict[str, Any], said: Said) -> dict[str, Any]:
    """The arguments as a client would need them that resolves nothing itself.

    Args:
        function: the operation's name; its last word says what ``by_name`` names.
        arguments: the arguments as given.
        said: what the names and words among them meant, by kind.
    """
    kind = function.rsplit("_", 1)[-1]
    by_name = {f"{kind}_id" if key == "by_name" else key: value for key, value in arguments.items()}
    return _record(by_name, said)


def _record(given: dict[str, Any], said: Said) -> dict[str, Any]:
    kinds = dict(_KINDS)
    # a target says of what kind its id is (a node's, where it says nothing), an operand whether its value is a variable
    if given.get("type", "node") in ("node", "scene", "marker"):
        kinds["id"] = "scene" if given.get("type") == "scene" else "node"
    if given.get("type") == "variable":
        kinds["value"] = "variable"
    kinds["target"] = "node"
    return {key: _value(value, said, kinds.get(key, ""), key) for key, value in given.items()}


def _value(value: Any, said: Said, kind: str, key: str = "") -> Any:
    if key == "tags":  # whose names and values may be any
        return value
    if isinstance(value, str):
        return said.get((kind, value), value)
    if isinstance(value, dict):
        return _record(cast("dict[str, Any]", value), said)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if key in _LISTS:
            return [[_value(end, said, "node") for end in connection] for connection in items]
        return [_value(item, said, "node" if key == "connection" else "") for item in items]
    return value
