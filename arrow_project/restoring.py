"""The operations that lead from one state of a project back to an earlier one."""

from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from arrow_project.checking import GoOn
from arrow_project.diffing import Diff, differences, lost_fields
from arrow_project.errors import OperationError
from arrow_project.operation import Operation, OperationResult, Selection
from arrow_project.operations.connecting import said
from arrow_project.phrases import simplified
from arrow_project.project import ArrowProject
from arrow_project.project_data import ProjectData
from arrow_project.renumbering import renumbered_data
from arrow_project.values import Connection, Record, integer, key_of, record, text

# Arrow leaves empty tags behind where there have been some; a brief of -1 is none.
_NO_DIFFERENCE = ("tags: null -> {}", "brief: null -> -1")


@dataclass(frozen=True)
class Restoration:
    """The way back.

    Attributes:
        operations: To be applied in this order; ids of what they create are those that Arrow gives.
        ids: The new id of each resource that was removed and is made again: Arrow never gives an id twice.
        remaining: What would still differ afterwards, a line for each difference.
    """

    operations: tuple[Operation, ...]
    ids: dict[int, int]
    remaining: tuple[str, ...]


def restore(
    now: ArrowProject, before: ArrowProject, selection: Selection | None = None, go_on: GoOn = lambda: None
) -> Restoration:
    """The operations that make `now` what `before` was. Neither is changed. `go_on` is called before each."""
    way = _Way(now, before, selection or Selection(), go_on)
    way.resources()
    way.scenes()
    way.lost_nodes()
    way.entries()
    way.new_scenes_and_nodes()
    way.node_changes()
    way.connections()
    way.places()
    return Restoration(tuple(way.operations), way.ids, way.remaining())


class _Way:
    """Goes back step by step on a copy."""

    def __init__(self, now: ArrowProject, before: ArrowProject, selection: Selection, go_on: GoOn) -> None:
        self.go_on = go_on
        self.work = now.copy()
        self.old = before.data
        self.first = now.data
        self.selection = selection
        self.operations: list[Operation] = []
        self.ids: dict[int, int] = {}
        self.refused: list[str] = []

    @property
    def new(self) -> ProjectData:
        """The story on the way."""
        return self.work.data

    def do(self, function: str, **arguments: Any) -> OperationResult | None:
        """One step; what is refused is told at the end."""
        self.go_on()
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            done = self.work.apply(Operation(function, given), self.selection)
        except OperationError as error:
            self.refused.append(str(error))
            return None
        self.operations.append(done.operation)
        return done

    def id(self, old_id: int) -> int:
        """The id of a resource of the earlier state now."""
        return self.ids.get(old_id, old_id)

    def kept(self, kind: str) -> list[int]:
        """Ids of a kind that both states have."""
        return [key for key in self.old.table(kind) if key in self.new.table(kind)]

    # --- variables and characters ----------------------------------------------------------------------------------

    def resources(self) -> None:
        """New ones go first, and old ones get their names back, so that the names of lost ones are free."""
        for kind in ("variable", "character"):
            for key in [key for key in self.new.table(kind) if key not in self.old.table(kind)]:
                self.do(f"delete_{kind}", **{f"{kind}_id": key}, force=True)
            for key in self.kept(kind):
                self._change_resource(kind, key)
            for key, resource in self.old.table(kind).items():
                if key not in self.new.table(kind):
                    self._remake(kind, key, resource)

    def _change_resource(self, kind: str, key: int) -> None:
        before, after = self.old.table(kind)[key], self.new.table(kind)[key]
        changed: Record = {}
        if before["name"] != after["name"]:
            self._free(kind, text(before["name"]))
            changed["name"] = before["name"]
        if before.get("notes", "") != after.get("notes", ""):
            changed["notes"] = before.get("notes", "")
        if kind == "variable" and before["init"] != after["init"]:
            changed["initial_value"] = before["init"]
        if kind == "character":
            changed |= {"color": before["color"]} if before["color"] != after["color"] else {}
            if record(before.get("tags")) != record(after.get("tags")):
                changed["tags"] = record(before.get("tags"))
        if changed:
            self.do(f"update_{kind}", **{f"{kind}_id": key}, **changed)

    def _free(self, kind: str, name: str) -> None:
        """Names that were swapped need a third one in between."""
        taken = self.new.by_name(kind).get(name)
        if taken is not None:
            self.do(f"update_{kind}", **{f"{kind}_id": taken}, name=f"{name}_{taken}")

    def _remake(self, kind: str, key: int, resource: Record) -> None:
        own: Record = {"name": resource["name"], "notes": resource.get("notes")}
        if kind == "variable":
            own |= {"type": resource["type"], "initial_value": resource["init"]}
        else:
            own |= {"color": resource["color"], "tags": resource.get("tags")}
        made = self.do(f"create_{kind}", **own)
        if made is not None:
            self.ids[key] = made.result[f"{kind}_id"]

    # --- scenes and nodes ------------------------------------------------------------------------------------------

    def scenes(self) -> None:
        """Lost scenes come back with their entry."""
        for key, scene in self.old.scenes.items():
            if key in self.new.scenes:
                continue
            made = self.do("create_scene", name=scene["name"], is_macro=self.old.is_macro(key))
            if made is None:
                continue
            self.ids[key] = made.result["scene_id"]
            entry = integer(scene["entry"])
            if entry in self.old.nodes and self.old.nodes[entry]["type"] == "entry":
                self.ids[entry] = made.result["entry_node_id"]

    def lost_nodes(self) -> None:
        """Jumps last: their targets must be there."""
        lost = [key for key in self.old.nodes if self.id(key) not in self.new.nodes and self.old.owner(key) is not None]
        for key in sorted(lost, key=lambda key: self.old.nodes[key]["type"] == "jump"):
            scene = self.old.owner(key)
            assert scene is not None
            made = self.do(
                "create_insert_node",
                type=self.old.nodes[key]["type"],
                name=self.old.nodes[key]["name"],
                scene_id=self.id(scene),
                preset=renumbered_data(simplified(self.old, key), self.ids),
                position=list(self.old.offset(self.old.scene_map(scene)[key])),
            )
            if made is not None:
                self.ids[key] = made.result["node_id"]

    def entries(self) -> None:
        """Where scenes and the story begin."""
        for key, scene in self.old.scenes.items():
            found = self.new.scenes.get(self.id(key))
            if found is not None and found["entry"] != self.id(integer(scene["entry"])):
                self.do("set_scene_entry", node_id=self.id(integer(scene["entry"])))
        if self.new.entry != self.id(self.old.entry):
            self.do("set_project_entry", node_id=self.id(self.old.entry))

    def new_scenes_and_nodes(self) -> None:
        """What was made since goes, the last first: it stands last, and is found at once."""
        known_scenes = {self.id(key) for key in self.old.scenes}
        known_nodes = {self.id(key) for key in self.old.nodes}
        for key in [key for key in reversed(self.new.scenes) if key not in known_scenes]:
            self.do("delete_scene", scene_id=key, force=True)
        for key in [key for key in reversed(self.new.nodes) if key not in known_nodes]:
            self.do("delete_node", node_id=key, force=True)

    def node_changes(self) -> None:
        """Names, data and notes; names of scenes too."""
        for key, node in self.old.nodes.items():
            if self.id(key) in self.new.nodes:
                self._change_node(key, node)
        for key, scene in self.old.scenes.items():
            found = self.new.scenes.get(self.id(key))
            if found is not None and found["name"] != scene["name"]:
                self.do("update_scene", scene_id=self.id(key), name=scene["name"])

    def _change_node(self, key: int, node: Record) -> None:
        after = self.new.nodes[self.id(key)]
        changed: Record = {}
        if node["name"] != after["name"]:
            changed["name"] = node["name"]
        if node.get("notes", "") != after.get("notes", ""):
            changed["notes"] = node.get("notes", "")
        if changed:
            self.do("update_node", node_id=self.id(key), **changed)
        if node["data"] != after["data"]:
            self._change_data(key)

    def _change_data(self, key: int) -> None:
        wanted = renumbered_data(simplified(self.old, key), self.ids)
        there = simplified(self.new, self.id(key))
        data = {name: value for name, value in wanted.items() if there.get(name) != value}
        emptied = {name: _nothing_like(value) for name, value in there.items() if name not in wanted}
        if not data and not emptied:
            return
        # Fields may only fit together, and some know no value that stands for their absence.
        before = len(self.refused)
        for attempt in (data | emptied, wanted | emptied, wanted | dict.fromkeys(emptied), wanted):
            if self.do("update_node", node_id=self.id(key), data=attempt) is not None:
                del self.refused[before:]
                return

    # --- the map ---------------------------------------------------------------------------------------------------

    def connections(self) -> None:
        """What leads nowhere any more is cut first, as a slot takes one connection."""
        wanted = {key_of(self._renumbered(way)) for way in _wiring(self.old)}
        for way in [way for way in _wiring(self.new) if key_of(way) not in wanted]:
            self.do("delete_connection", **dict(zip(("from", "from_slot", "to", "to_slot"), way, strict=True)))
        there = set(map(key_of, _wiring(self.new)))
        for way in [self._renumbered(way) for way in _wiring(self.old)]:
            if key_of(way) not in there:
                ends = zip(("from_node_id", "from_slot", "to_node_id", "to_slot"), way, strict=True)
                self.do("create_connection", **dict(ends))

    def _renumbered(self, way: Connection) -> Connection:
        return [self.id(way[0]), way[1], self.id(way[2]), way[3]]

    def places(self) -> None:
        """Skip marks, and positions of nodes that were never away."""
        for scene_id, scene in self.old.scenes.items():
            entries = self.new.scenes.get(self.id(scene_id), {}).get("map", {})
            for key, entry in scene["map"].items():
                found = entries.get(self.id(key))
                if found is None:
                    continue
                modifications: Record = {}
                if bool(entry.get("skip")) != bool(found.get("skip")):
                    modifications["skip"] = bool(entry.get("skip"))
                if self.old.offset(entry) != self.new.offset(found):
                    modifications["offset"] = list(self.old.offset(entry))
                if modifications:
                    self.do("update_node_map", node_id=self.id(key), modifications=modifications)

    def remaining(self) -> tuple[str, ...]:
        """What is still different."""
        before = ArrowProject(self.old).renumbered(self.ids)
        lines = (line for line in differences(before, self.work) if not line.endswith(_NO_DIFFERENCE))
        return Diff.of(chain(lines, lost_fields(before, self.work), self.refused)).told


def _nothing_like(value: Any) -> Any:
    """What a field is set to that an earlier state did not have: what stands for its absence."""
    return {bool: False, str: "", int: -1, list: []}.get(cast("type[Any]", type(value)))


def _wiring(project: ProjectData) -> list[Connection]:
    return [
        said(project, connection)
        for scene_id, scene in project.scenes.items()
        for key in scene["map"]
        for connection in project.outgoing(key, scene_id)
    ]
