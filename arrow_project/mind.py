"""The edits that Arrow itself has, done as Arrow does them, and written down as calls of Arrow.

The class is named after Arrow's own. It trusts its caller: whether an edit makes sense is decided in
``operations``. What it adds to Arrow is that ``use`` and ``ref`` always follow from the data.
"""

import copy
from collections.abc import Iterable
from typing import Any

from arrow_project.ids import next_id
from arrow_project.merging import merged, replaced
from arrow_project.names import base36, unique
from arrow_project.node_types import NODE_TYPES
from arrow_project.operation import NativeCall
from arrow_project.project_data import ProjectData
from arrow_project.references import References
from arrow_project.values import Connection, Record, record, sequence

_BRACES = frozenset("{}")
_FIRST_ENTRY = [100, 100]


class Mind:
    """Arrow's own edits on a project.

    Attributes:
        calls: the edits so far, as calls of Arrow's functions.
    """

    def __init__(self, project: ProjectData) -> None:
        self.project = project
        self.journal = project.journal
        self.calls: list[NativeCall] = []
        self._references = References(project)

    def create_insert_node(
        self, type_name: str, scene_id: int, offset: list[int], data: Record, name: str = "", notes: str = ""
    ) -> int:
        """A new node with complete native data; null stands for an optional field at its default."""
        project = self.project
        node_id = next_id(project)
        name = unique(name or base36(node_id), project.has_node)
        modification: Record = {"name": name, "notes": notes} if notes else {"name": name}
        node: Record = {"type": type_name, "name": name, "data": merged(NODE_TYPES[type_name].fresh(), data)}
        self.journal.put(project.nodes, node_id, node)
        self.journal.put(project.scene_map(scene_id), node_id, {"offset": list(offset)})
        project.homes.added(node_id, scene_id)
        project.usage.added(node_id, node)
        use = self._references.settle(node_id, node)
        if notes:
            self.journal.put(node, "notes", notes)
        preset = modification | {"data": data | ({"_use": use} if use else {})}
        self._called(
            "create_insert_node",
            {"type": type_name, "scene_id": scene_id, "offset": list(offset), "preset": preset},
            node_id,
        )
        return node_id

    def update_node(
        self, node_id: int, data: Record | None = None, name: str | None = None, notes: str | None = None
    ) -> None:
        """Merge data into a node's, and set its name or notes (empty notes are removed)."""
        node = self.project.nodes[node_id]
        arguments: Record = {"node_id": node_id}
        old = {**node}
        if data is not None:
            self.journal.put(node, "data", merged(node["data"], data))
        if name is not None:
            self.journal.put(node, "name", name)
        self.project.usage.changed(node_id, old, node)
        use = self._references.settle(node_id, node) if data is not None else None
        if data is not None:
            arguments["data"] = data | ({"_use": use} if use else {})
        if name is not None:
            arguments["name"] = name
        self._set_notes(node, notes)
        self._called("update_node", arguments | _notes(node, notes))

    def settle_references(self, node_ids: Iterable[int], without: int | None = None) -> None:
        """Bring ``ref`` and ``use`` in line with data where something else than the data has changed.

        ``without`` is a resource that is about to go: it counts as used by nobody.
        """
        for node_id in node_ids:
            node = self.project.nodes[node_id]
            use = self._references.settle(node_id, node, without)
            if use:
                arguments: Record = {"node_id": node_id, "data": {"_use": use}}
                self._called("update_node", arguments | _notes(node, None))

    def write_references(self) -> None:
        """The operation is over: every resource lists who uses it."""
        self._references.write()

    def update_node_map(
        self,
        node_id: int,
        scene_id: int,
        *,
        push: Iterable[Connection] = (),
        pop: Iterable[Connection] = (),
        skip: bool | None = None,
        offset: list[int] | None = None,
    ) -> None:
        """Remove and add outgoing connections, set skip and position."""
        entry = self.project.scene_map(scene_id)[node_id]
        modifications: Record = {}
        if skip is not None:
            self._set_skip(entry, skip)
            modifications["skip"] = skip
        if offset is not None:
            self.journal.put(entry, "offset", list(offset))
            modifications["offset"] = list(offset)
        io = self._rewire(node_id, scene_id, [list(c) for c in pop], [list(c) for c in push])
        if io:
            modifications["io"] = io
        self._called("update_node_map", {"node_id": node_id, "scene_id": scene_id, "modifications": modifications})

    def delete_node(self, node_id: int, scene_id: int | None) -> None:
        """Remove a node; connections and references to it must be gone already."""
        self._forget_node(node_id)
        self.journal.drop(self.project.nodes, node_id)
        if scene_id is not None:
            self.journal.drop(self.project.scene_map(scene_id), node_id)
            self.project.homes.removed(node_id)
        self._called("delete_node", {"node_id": node_id, "force": False})

    def create_scene(self, is_macro: bool, name: str) -> tuple[int, int]:
        """A new scene or macro and its entry node; the ids of both."""
        project = self.project
        scene_id = next_id(project)
        default = ("macro_" if is_macro else "scene_") + base36(scene_id)
        name = unique(name or default, project.scene_names().__contains__)
        entry_id = next_id(project)
        scene: Record = {"name": name, "entry": entry_id, "map": {entry_id: {"offset": list(_FIRST_ENTRY)}}}
        self.journal.put(project.scenes, scene_id, scene | {"macro": True} if is_macro else scene)
        entry_name = unique(base36(entry_id), project.has_node)
        entry: Record = {"type": "entry", "name": entry_name, "data": {"plaque": ""}}
        self.journal.put(project.nodes, entry_id, entry)
        project.homes.added(entry_id, scene_id)
        project.usage.added(entry_id, entry)
        self._called("create_scene", {"name": name, "is_macro": is_macro}, scene_id, entry_id)
        return scene_id, entry_id

    def update_scene(self, scene_id: int, name: str) -> None:
        """Rename a scene."""
        scene = self.project.scenes[scene_id]
        self.journal.put(scene, "name", name)
        self._called("update_scene", {"scene_id": scene_id, "name": name} | _notes(scene, None))

    def delete_scene(self, scene_id: int) -> list[int]:
        """Remove a scene with its nodes, which nothing outside may use; the ids of the nodes."""
        project = self.project
        node_ids = [n for n in project.scene_map(scene_id) if n in project.nodes]
        for node_id in node_ids:
            self._forget_node(node_id)
        self.journal.drop_all(project.nodes, node_ids)
        self.journal.drop(project.scenes, scene_id)
        project.homes.forget()
        self._called("delete_scene", {"scene_id": scene_id, "force": False})
        return node_ids

    def set_scene_entry(self, node_id: int, scene_id: int) -> None:
        """Let the scene begin at one of its nodes."""
        self.journal.put(self.project.scenes[scene_id], "entry", node_id)
        self._called("set_scene_entry", {"node_id": node_id})

    def set_project_entry(self, node_id: int) -> None:
        """Let the story begin at a node."""
        self.journal.put(self.project.raw, "entry", node_id)
        self._called("set_project_entry", {"node_id": node_id})

    def create_variable(self, name: str, type_name: str, initial: object, notes: str = "") -> int:
        """A new variable."""
        variable_id = next_id(self.project)
        variable: Record = {"name": name, "type": type_name, "init": initial}
        more = {"notes": notes} if notes else {}
        self.journal.put(self.project.variables, variable_id, variable | more)
        arguments = {"name": name, "type": type_name, "initial_value": initial} | more
        self._called("create_variable", arguments, variable_id)
        return variable_id

    def create_character(self, name: str, color: str, tags: dict[str, str], notes: str = "") -> int:
        """A new character."""
        character_id = next_id(self.project)
        more: Record = ({"tags": dict(tags)} if tags else {}) | ({"notes": notes} if notes else {})
        self.journal.put(self.project.characters, character_id, {"name": name, "color": color} | more)
        self._called("create_character", {"name": name, "color": color} | more, character_id)
        return character_id

    def update_variable(
        self, variable_id: int, name: str | None = None, initial: Any = None, notes: str | None = None
    ) -> None:
        """Change a variable; a new name goes into all texts that expose the old one."""
        variable = self.project.variables[variable_id]
        arguments: Record = {"variable_id": variable_id}
        if name is not None:
            self._rename_exposures("variable", variable_id, {f"{{{variable['name']}}}": f"{{{name}}}"})
            self.journal.put(variable, "name", name)
            arguments["name"] = name
        if initial is not None:
            self.journal.put(variable, "init", initial)
            arguments["initial_value"] = initial
        self._set_notes(variable, notes)
        self._called("update_variable", arguments | _notes(variable, notes))

    def update_character(
        self,
        character_id: int,
        name: str | None = None,
        color: str | None = None,
        tags: dict[str, str | None] | None = None,
        notes: str | None = None,
    ) -> None:
        """Change a character; tags are merged, null removes one; a new name goes into exposures of its tags."""
        character = self.project.characters[character_id]
        arguments: Record = {"character_id": character_id}
        for key, value in (("name", name), ("color", color)):
            if value is not None:
                arguments[key] = value
        if color is not None:
            self.journal.put(character, "color", color)
        if tags is not None:
            self.journal.put(character, "tags", merged(record(character.get("tags")), tags))
            arguments["tags"] = tags
        if name is not None:
            self._rename_character(character_id, character, name)
        self._set_notes(character, notes)
        self._called("update_character", arguments | _notes(character, notes))

    def _rename_character(self, character_id: int, character: Record, name: str) -> None:
        # Arrow follows the tags that the character now begins with, and only those; none has a brace in its name
        old = character["name"]
        tags = [key for key in record(character.get("tags")) if _BRACES.isdisjoint(f"{old}{key}")]
        exposures = {f"{{{old}.{key}}}": f"{{{name}.{key}}}" for key in tags}
        self._rename_exposures("character", character_id, exposures)
        self.journal.put(character, "name", name)

    def delete_variable(self, variable_id: int) -> None:
        """Remove a variable that nothing uses any more."""
        self.journal.drop(self.project.variables, variable_id)
        self._called("delete_variable", {"variable_id": variable_id, "force": False})

    def delete_character(self, character_id: int) -> None:
        """Remove a character that nothing uses any more."""
        self.journal.drop(self.project.characters, character_id)
        self._called("delete_character", {"character_id": character_id, "force": False})

    def _called(self, function: str, arguments: Record, *created: int) -> None:
        # a copy: whoever keeps or changes a call has nothing to do with the project
        self.calls.append(NativeCall(function, copy.deepcopy(arguments), created))
        if function.endswith(("_variable", "_character")):
            self._references.forget_names()

    def _rename_exposures(self, kind: str, resource_id: int, exposures: dict[str, str]) -> None:
        for node_id in self.project.usage.users(kind, resource_id):
            node = self.project.nodes[node_id]
            data = replaced(node["data"], exposures)
            if data != node["data"]:
                self.project.usage.changed(node_id, node, {**node, "data": data})
                self.journal.put(node, "data", data)

    def _set_notes(self, resource: Record, notes: str | None) -> None:
        if notes:
            self.journal.put(resource, "notes", notes)
        elif notes is not None and "notes" in resource:
            self.journal.drop(resource, "notes")

    def _set_skip(self, entry: Record, skip: bool) -> None:
        if skip:
            self.journal.put(entry, "skip", True)
        elif "skip" in entry:
            self.journal.drop(entry, "skip")

    def _rewire(self, node_id: int, scene_id: int, pop: list[Connection], push: list[Connection]) -> Record:
        if not pop and not push:
            return {}
        entry = self.project.scene_map(scene_id)[node_id]
        if not isinstance(entry.get("io"), list):
            self.journal.put(entry, "io", [])
        for connection in pop:
            self.journal.remove(entry["io"], connection)
        for connection in push:
            self.journal.append(entry["io"], connection)
            self.project.arrivals.added(connection[2], scene_id, node_id)
        return ({"pop": pop} if pop else {}) | ({"push": push} if push else {})

    def _forget_node(self, node_id: int) -> None:
        node = self.project.nodes[node_id]
        for resource_id in sequence(node.get("ref")):
            self._references.drop_use(node_id, resource_id)
        self.project.usage.removed(node_id, node)


def _notes(resource: Record, changed: str | None) -> Record:
    """The notes to send along: a client may erase what an update does not mention."""
    notes = resource.get("notes")
    return {"notes": notes} if notes else ({"notes": ""} if changed is not None else {})
