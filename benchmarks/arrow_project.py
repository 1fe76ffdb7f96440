"""The Arrow engine against ``json.loads`` on a project of 5,000 nodes: ``python -m benchmarks.arrow_project``.

Every figure is a ratio within one run, so that it means the same on any machine. The limits are those the project set
itself; exit code 1 if one is broken.
"""

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arrow_project import ArrowProject, Operation, Selection, check, outline, parse

_SCENES, _PER_SCENE = 50, 100
_BUDGET = 60_000
_RUNS = 15
_APPLIED = 15
_FIRSTS = 5


@dataclass(frozen=True)
class OperationTiming:
    """One measurement: how many times ``json.loads`` it takes, and how many it may."""

    name: str
    ratio: float
    limit: float

    def __str__(self) -> str:
        mark = "ok " if self.ratio <= self.limit else "OVER"
        return f"{mark} {self.name:42} {self.ratio:7.3f} x json.loads (limit {self.limit})"


def document(scenes: int = _SCENES, per_scene: int = _PER_SCENE) -> str:
    """Dialogs, contents, choices, conditions and updates: 5,000 nodes in 50 scenes are 3 MB as Arrow writes them."""
    project = parse(json.dumps(_BLANK))
    _apply(project, "create_variable", name="gold", type="num", initial_value=3)
    _apply(project, "create_character", name="Elena", tags={"mood": "calm"})
    last = project.entry
    for scene in range(scenes):
        entry = _apply(project, "create_scene", name=f"Scene {scene}")["entry_node_id"]
        _insert(project, last, 0, "jump", {"target": {"type": "node", "id": entry}})
        last = entry
        for i in range(per_scene - 2):
            type_name, preset = _KINDS[i % len(_KINDS)]
            last = _insert(project, last, i, type_name, preset)
    return project.to_text()


def _insert(project: ArrowProject, last: int, place: int, type_name: str, preset: dict[str, Any]) -> int:
    """A node to which every exit of the last one leads."""
    where = {"position": [place % 10 * 320, place // 10 * 260], "connect_from": {"node_id": last, "slot": 0}}
    node_id = _apply(project, "create_insert_node", type=type_name, preset=preset, **where)["node_id"]
    for slot in range(1, project.data.outputs(last)):
        _apply(project, "create_connection", from_node_id=last, from_slot=slot, to_node_id=node_id)
    return node_id


_TEXT = "The keeper counts the coins twice and says that nothing is ever free on this coast, least of all light. "
_KINDS: list[tuple[str, dict[str, Any]]] = [
    ("dialog", {"character": "Elena", "lines": [_TEXT * 2, "And then?"], "playable": True}),
    ("content", {"title": "The stairs", "content": _TEXT * 3}),
    ("interaction", {"actions": ["Climb", "Wait a while", "Ask for {gold} coins"]}),
    ("monolog", {"character": "Elena", "text": _TEXT * 2 + "I am {Elena.mood}."}),
    ("condition", {"variable": "gold", "operator": ">", "compare_to": {"type": "value", "value": 2}}),
    ("variable_update", {"variable": "gold", "operation": "add", "value": {"type": "value", "value": 1}}),
]
_BLANK = {
    "title": "Large",
    "entry": 1,
    "meta": {"chapter": 1, "authors": {"0": ["A Writer", 3]}, "last_save": None, "editor": "3.1.0"},
    "resources": {
        "scenes": {"0": {"name": "first", "entry": 1, "map": {"1": {"offset": [100, 100]}}}},
        "nodes": {"1": {"type": "entry", "name": "1", "data": {"plaque": ""}}},
        "variables": {},
        "characters": {},
    },
}


def _apply(project: ArrowProject, function: str, **arguments: Any) -> dict[str, Any]:
    return project.apply(Operation(function, arguments)).result


def ratio(action: Callable[[], object], text: str) -> float:
    """How many times ``json.loads`` of the text an action takes, the fastest of several turns about.

    Processor time, and turn about, because other programs may run beside.
    """
    loads, acts = zip(*((_seconds(lambda: json.loads(text)), _seconds(action)) for _ in range(_RUNS)), strict=True)
    return min(acts) / min(loads)


def _seconds(action: Callable[[], object]) -> float:
    gc.collect()
    begin = time.process_time()
    action()
    return time.process_time() - begin


def operations(project: ArrowProject) -> dict[str, float]:
    """The median time of each kind of operation, all bookkeeping included, in seconds.

    Each also as the first operation after parsing, when nothing is in a cache yet.
    """
    scene_id, scene = list(project.data.scenes.items())[_SCENES // 2]
    nodes = list(scene["map"])
    dialogs = [n for n in nodes if project.data.nodes[n]["type"] == "dialog"]
    said = {"character": "Elena", "lines": ["{gold}?", "No."]}
    kinds: dict[str, Callable[[int], Operation]] = {
        "create_insert_node": lambda _: Operation("create_insert_node", {"type": "dialog", "preset": said}),
        "update_node": lambda i: Operation(
            "update_node", {"node_id": dialogs[i], "data": {"lines": [f"{i} {{gold}}", "No."]}}
        ),
        "create_scene": lambda i: Operation("create_scene", {"name": f"new {i}"}),
        "delete_connection": lambda i: Operation(
            "delete_connection", {"from": dialogs[i], "from_slot": 1, "to": dialogs[i] + 1, "to_slot": 0}
        ),
        "create_connection": lambda i: Operation(
            "create_connection", {"from_node_id": dialogs[i], "to_node_id": nodes[-1], "from_slot": 1}
        ),
        "delete_node": lambda i: Operation("delete_node", {"node_id": nodes[60 + i]}),
        "create_variable": lambda i: Operation("create_variable", {"name": f"v{i}", "type": "num"}),
    }
    text, where = project.to_text(), Selection(scene_id)
    # a connection can only be made where another was deleted
    firsts = [name for name in kinds if name != "create_connection"]
    first = {f"{name}, the first": _first(text, kinds[name](0), where) for name in firsts}
    return {name: _median(project, make, where) for name, make in kinds.items()} | first


def _first(text: str, operation: Operation, selection: Selection) -> float:
    return min(_applied(parse(text), operation, selection) for _ in range(_FIRSTS))


def _applied(project: ArrowProject, operation: Operation, selection: Selection) -> float:
    gc.collect()
    begin = time.process_time()
    project.apply(operation, selection)
    return time.process_time() - begin


def wide_operations(text: str) -> list[str]:
    """What operations cost that must change a large part of the project: they take as long as there are nodes."""
    project = parse(text)
    loads = min(_seconds(lambda: json.loads(text)) for _ in range(_RUNS))
    gold, elena = project.data.by_name("variable")["gold"], project.data.by_name("character")["Elena"]
    scene = list(project.data.scenes)[_SCENES // 2]
    wide = [
        ("rename a variable", "update_variable", {"variable_id": gold, "name": "coins"}, "variable", gold),
        ("rename a character", "update_character", {"character_id": elena, "name": "Lena"}, "character", elena),
        ("delete a scene", "delete_scene", {"scene_id": scene, "force": True}, "scene", scene),
    ]
    lines: list[str] = []
    for name, function, arguments, kind, key in wide:
        nodes = len(project.data.scene_map(key)) if kind == "scene" else len(project.data.usage.users(kind, key))
        seconds = _first(text, Operation(function, arguments), Selection())
        cost = f"{seconds / loads:7.3f} x json.loads, {seconds / nodes * 1e6:.0f} µs each"
        lines.append(f"    {f'{name} ({nodes} nodes)':42} {cost}")
    return lines


def _median(project: ArrowProject, make: Callable[[int], Operation], selection: Selection) -> float:
    times: list[float] = []
    gc.collect()
    for i in range(_APPLIED):
        operation = make(i)
        begin = time.process_time()
        project.apply(operation, selection)
        times.append(time.process_time() - begin)
    return statistics.median(times)


def figures() -> list[OperationTiming]:
    """All measurements."""
    text = document()
    project = parse(text)
    selected = [project.entry + 5]
    found = [
        OperationTiming("parse and normalise", ratio(lambda: parse(text), text), 3.0),
        OperationTiming(
            f"outline in {_BUDGET} characters", ratio(lambda: outline(project, None, selected, _BUDGET), text), 1.0
        ),
        OperationTiming("all checks", ratio(lambda: check(project), text), 4.0),
    ]
    loads = min(_seconds(lambda: json.loads(text)) for _ in range(_RUNS))
    found += [OperationTiming(name, seconds / loads, 0.05) for name, seconds in operations(project).items()]
    print(f"{len(text) / 1e6:.1f} MB, {len(project.data.nodes)} nodes; json.loads takes {loads * 1000:.1f} ms")
    return found


def main() -> int:
    """Print the figures; 1 if one is over its limit."""
    found = figures()
    for figure in found:
        print(figure)
    print("No limit: these change many nodes at once.")
    print(*wide_operations(document()), sep="\n")
    return 1 if any(figure.ratio > figure.limit for figure in found) else 0


if __name__ == "__main__":
    sys.exit(main())
