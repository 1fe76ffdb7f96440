"""Our native calls as calls of the functions of Arrow's Mind."""

from collections.abc import Callable
from typing import Any

from arrow_project import NativeCall

Call = list[Any]
_SETS = {"node": "nodes", "scene": "scenes", "variable": "variables", "character": "characters"}


def mind_calls(call: NativeCall) -> list[Call]:
    """What a client of Arrow's own functions would call."""
    return _TRANSLATIONS[call.function](call)


def _insert(call: NativeCall) -> list[Call]:
    a = call.arguments
    return [["create_insert_node", a["type"], {"vec": a["offset"]}, a["scene_id"], True, "", a["preset"]]]


def _update(kind: str, names: dict[str, str]) -> Callable[[NativeCall], list[Call]]:
    def translate(call: NativeCall) -> list[Call]:
        modification = {names.get(k, k): v for k, v in call.arguments.items() if k != f"{kind}_id"}
        return [["update_resource", call.arguments[f"{kind}_id"], _with_notes(modification), _SETS[kind]]]

    return translate


def _with_notes(modification: dict[str, Any]) -> dict[str, Any]:
    """Empty notes are removed, which for Arrow's merge is null."""
    return modification | ({"notes": None} if modification.get("notes") == "" else {})


def _create(
    kind: str, function: str, argument: str | None, names: dict[str, str]
) -> Callable[[NativeCall], list[Call]]:
    def translate(call: NativeCall) -> list[Call]:
        made: Call = [function] if argument is None else [function, call.arguments[argument]]
        modification = {names.get(k, k): v for k, v in call.arguments.items() if k != argument}
        return [made, ["update_resource", call.created[0], modification, _SETS[kind]]]

    return translate


def _remove(kind: str) -> Callable[[NativeCall], list[Call]]:
    return lambda call: [["remove_resource", call.arguments[f"{kind}_id"], _SETS[kind], False]]


def _map(call: NativeCall) -> list[Call]:
    a = call.arguments
    return [["update_node_map", a["node_id"], a["modifications"], a["scene_id"]]]


_INITIAL = {"initial_value": "init"}
_TRANSLATIONS: dict[str, Callable[[NativeCall], list[Call]]] = {
    "create_insert_node": _insert,
    "update_node": _update("node", {}),
    "delete_node": _remove("node"),
    "update_node_map": _map,
    "create_scene": _create("scene", "create_new_scene", "is_macro", {}),
    "update_scene": _update("scene", {}),
    "delete_scene": _remove("scene"),
    "set_scene_entry": lambda call: [["update_scene_entry", call.arguments["node_id"]]],
    "set_project_entry": lambda call: [["update_project_entry", call.arguments["node_id"]]],
    "create_variable": _create("variable", "create_new_variable", "type", _INITIAL),
    "update_variable": _update("variable", _INITIAL),
    "delete_variable": _remove("variable"),
    "create_character": _create("character", "create_new_character", None, {}),
    "update_character": _update("character", {}),
    "delete_character": _remove("character"),
}
