"""A small model of the editors behind the socket: it executes the functions of the wire as their dispatchers do.

It knows native data only and is written after the behaviour of the real clients, not after `arrow_project`: the largest
id is taken for the new one, empty notes erase, tags merge, what is used is not deleted, connections to a removed node
stay.
"""

import json
from collections.abc import Mapping
from typing import Any

from arrow_project import ArrowProject, parse
from arrow_project.merging import merged, replaced
from arrow_project.names import base36
from arrow_project.node_types import NODE_TYPES

Record = dict[str, Any]

_SETS = {"node": "nodes", "scene": "scenes", "variable": "variables", "character": "characters"}
_DEFAULTS = {"num": 0, "str": "", "bool": False}
# Mind's own names, for clients that call it directly.
_MIND = {
    "remove_node": "delete_node",
    "create_new_scene": "create_scene",
    "remove_scene": "delete_scene",
    "update_scene_entry": "set_scene_entry",
    "update_project_entry": "set_project_entry",
    "create_new_variable": "create_variable",
    "remove_variable": "delete_variable",
    "create_new_character": "create_character",
    "remove_character": "delete_character",
}


class Dispatcher:
    """One open project."""

    def __init__(self, content: str) -> None:
        self._raw: Record = parse(content).data.raw
        self._sets: dict[str, dict[int, Record]] = self._raw["resources"]

    @property
    def content(self) -> str:
        """The file, as it would be saved now."""
        return json.dumps(self._raw)

    def execute(self, function: str, arguments: Mapping[str, Any]) -> Any:
        """Executes a call; the answer is what the client reports as its result."""
        assert None not in [arguments.get(name) for name in ("node_id", "scene_id") if name in arguments]
        function = _MIND.get(function, function)
        given = dict(arguments)
        for mind, name in (("forced", "force"), ("modification", "modifications")):
            if mind in given:
                given[name] = given.pop(mind)
        return getattr(self, f"_{function}")(given)

    # --- nodes -----------------------------------------------------------------------------------------------------

    def _create_insert_node(self, given: Record) -> int:
        node_id = self._next_id()
        fresh = NODE_TYPES[given["type"]].fresh()
        self._sets["nodes"][node_id] = {"type": given["type"], "name": base36(node_id), "data": fresh}
        self._sets["scenes"][given["scene_id"]]["map"][node_id] = {"offset": [12, 34]}
        self._modify("node", node_id, given["preset"])
        return node_id

    def _update_node(self, given: Record) -> str:
        self._update("node", given, {"data": given.get("data") or None})
        return "Node updated successfully"

    def _delete_node(self, given: Record) -> bool:
        node_id = given["node_id"]
        if self._sets["nodes"][node_id].get("use") and not given["force"]:
            return False
        self._forget_node(node_id)
        return True

    def _update_node_map(self, given: Record) -> str:
        entry = self._sets["scenes"][given["scene_id"]]["map"][given["node_id"]]
        modifications = given["modifications"]
        if modifications.get("skip") is not None:
            entry.pop("skip", None)
            entry |= {"skip": True} if modifications["skip"] else {}
        for job, connections in modifications.get("io", {}).items():
            entry.setdefault("io", [])
            for connection in connections:
                assert job in ("push", "pop")
                entry["io"].append(connection) if job == "push" else entry["io"].remove(connection)
        return "Node map updated successfully"

    def _forget_node(self, node_id: int) -> None:
        self._use(node_id, {"drop": list(self._sets["nodes"][node_id].get("ref", []))})
        del self._sets["nodes"][node_id]
        for scene in self._sets["scenes"].values():
            scene["map"].pop(node_id, None)

    # --- scenes ----------------------------------------------------------------------------------------------------

    def _create_scene(self, given: Record) -> Any:
        scene_id, entry_id = self._next_id(), self._next_id()
        name = ("macro_" if given["is_macro"] else "scene_") + base36(scene_id)
        scene = {"name": name, "entry": entry_id, "map": {entry_id: {"offset": [100, 100]}}}
        self._sets["scenes"][scene_id] = scene | ({"macro": True} if given["is_macro"] else {})
        self._sets["nodes"][entry_id] = {"type": "entry", "name": base36(entry_id), "data": {"plaque": ""}}
        return self._created("scene", given, {"is_macro"})

    def _update_scene(self, given: Record) -> str:
        assert given.get("entry", -1) == -1
        self._update("scene", given, {})
        return "Scene updated successfully"

    def _delete_scene(self, given: Record) -> bool:
        scene = self._sets["scenes"][given["scene_id"]]
        if scene.get("use"):
            return False
        for node_id in list(scene["map"]):
            self._forget_node(node_id)
        del self._sets["scenes"][given["scene_id"]]
        return True

    def _set_scene_entry(self, given: Record) -> int:
        (scene,) = [s for s in self._sets["scenes"].values() if given["node_id"] in s["map"]]
        previous, scene["entry"] = scene["entry"], given["node_id"]
        return previous

    def _set_project_entry(self, given: Record) -> int:
        previous, self._raw["entry"] = self._raw["entry"], given["node_id"]
        return previous

    # --- variables and characters ----------------------------------------------------------------------------------

    def _create_variable(self, given: Record) -> Any:
        variable_id = self._next_id()
        init = _DEFAULTS[given["type"]]
        self._sets["variables"][variable_id] = {"name": base36(variable_id), "type": given["type"], "init": init}
        return self._created("variable", given, {"type"})

    def _create_character(self, given: Record) -> Any:
        character_id = self._next_id()
        self._sets["characters"][character_id] = {"name": base36(character_id), "color": "ffffff"}
        return self._created("character", given, set())

    def _update_variable(self, given: Record) -> str:
        old = self._sets["variables"][given["variable_id"]]["name"]
        self._update("variable", given, {"init": given.get("initial_value"), "type": given.get("type") or None})
        if given.get("name"):
            self._rename_in_texts("variable", given["variable_id"], {f"{{{old}}}": f"{{{given['name']}}}"})
        return "Variable updated successfully"

    def _update_character(self, given: Record) -> str:
        old = self._sets["characters"][given["character_id"]]["name"]
        self._update("character", given, {"color": given.get("color") or None, "tags": given.get("tags") or None})
        if given.get("name"):
            tags = self._sets["characters"][given["character_id"]].get("tags", {})  # those that it has by now
            self._rename_in_texts(
                "character", given["character_id"], {f"{{{old}.{t}}}": f"{{{given['name']}.{t}}}" for t in tags}
            )
        return "Character updated successfully"

    def _delete_variable(self, given: Record) -> bool:
        return self._delete("variable", given)

    def _delete_character(self, given: Record) -> bool:
        return self._delete("character", given)

    def _delete(self, kind: str, given: Record) -> bool:
        resources = self._sets[_SETS[kind]]
        if resources[given[f"{kind}_id"]].get("use"):
            return False
        del resources[given[f"{kind}_id"]]
        return True

    # --- what all have in common -----------------------------------------------------------------------------------

    def _next_id(self) -> int:
        author = next(iter(self._raw["meta"]["authors"]))
        info, seed, *rest = self._raw["meta"]["authors"][author]
        base = (self._raw["meta"]["chapter"] << 43) | (author << 37)
        while any(base | seed in resources for resources in self._sets.values()):
            seed += 1
        self._raw["meta"]["authors"][author] = [info, seed + 1, *rest]
        return base | seed

    def _created(self, kind: str, given: Record, needed: set[str]) -> Any:
        if not set(given) - needed:
            return f"{kind} created successfully"
        newest = max(self._sets[_SETS[kind]])
        self.execute(f"update_{kind}", {f"{kind}_id": newest, **{k: v for k, v in given.items() if k not in needed}})
        return newest

    def _update(self, kind: str, given: Record, fields: Record) -> None:
        resource_id = given[f"{kind}_id"]
        notes: Record = {"notes": given["notes"]} if given.get("notes") else {"notes": None}
        if notes["notes"] is None and "notes" not in self._sets[_SETS[kind]][resource_id]:
            notes = {}
        name: Record = {"name": given["name"]} if given.get("name") else {}
        self._modify(kind, resource_id, {k: v for k, v in fields.items() if v is not None} | name | notes)

    def _modify(self, kind: str, resource_id: int, modification: Mapping[str, Any]) -> None:
        change = dict(modification)
        if isinstance(change.get("data"), dict):
            change["data"] = {k: v for k, v in change["data"].items() if k != "_use"}
            self._use(resource_id, modification["data"].get("_use", {}))
        resources = self._sets[_SETS[kind]]
        resources[resource_id] = merged(resources[resource_id], change)

    def _use(self, node_id: int, command: Record) -> None:
        node = self._sets["nodes"][node_id]
        refs: list[int] = node.get("ref", [])
        for resource_id in command.get("drop", []):
            users = self._resource(resource_id).get("use", [])
            if node_id in users:
                users.remove(node_id)
                if not users:
                    del self._resource(resource_id)["use"]
        refs = [r for r in refs if r not in command.get("drop", [])]
        for resource_id in command.get("refer", []):
            resource = self._resource(resource_id)
            if resource is not _NOWHERE and node_id not in resource.setdefault("use", []):
                resource["use"].append(node_id)
            refs += [resource_id] if resource_id not in refs else []
        node.pop("ref", None)
        node |= {"ref": refs} if refs else {}

    def _resource(self, resource_id: int) -> Record:
        return next((r[resource_id] for r in self._sets.values() if resource_id in r), _NOWHERE)

    def _rename_in_texts(self, kind: str, resource_id: int, texts: dict[str, str]) -> None:
        for node_id in self._sets[_SETS[kind]][resource_id].get("use", []):
            node = self._sets["nodes"][node_id]
            node["data"] = replaced(node["data"], texts)


_NOWHERE: Record = {}


def story_of(project: ArrowProject | str) -> Record:
    """A document without what an editor decides by itself: where nodes lie, and the order of lists of users."""
    raw: Record = json.loads(project if isinstance(project, str) else project.to_text())
    raw = json.loads(parse(json.dumps(raw)).to_text())
    for scene in raw["resources"]["scenes"].values():
        for entry in scene["map"].values():
            entry["offset"] = None
            if not entry.get("io"):
                entry.pop("io", None)
    for resources in raw["resources"].values():
        for resource in resources.values():
            for name in ("use", "ref"):
                if name in resource:
                    resource[name] = sorted(resource[name])
            if resource.get("tags") == {}:  # the same as none
                del resource["tags"]
    return raw
