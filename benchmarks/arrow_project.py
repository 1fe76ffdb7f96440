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

from arrow_project import ArrowProject, Operation, Selection, check, outline, parse

_SCENES, _PER_SCENE = 50, 100
_BUDGET = 60_000
_RUNS = 7


@dataclass(frozen=True)
class Figure:
    """One measurement: how many times ``json.loads`` it takes, and how many it may."""

    name: str
    ratio: float
    limit: float

    def __str__(self) -> str:
        mark = "ok " if self.ratio <= self.limit else "OVER"
        return f"{mark} {self.name:42} {self.ratio:7.3f} x json.loads (limit {self.limit})"


def document() -> str:
    """5,000 nodes in 50 scenes, about 3 MB as Arrow writes it."""
    nodes: dict[str, object] = {}
    scenes: dict[str, object] = {}
    spoken = "The keeper counts {gold} coins and {Elena.mood} answers: nothing is ever free on this coast. " * 4
    chapter = 1 << 43
    uses: dict[int, list[int]] = {10: [], 11: []}
    for scene in range(_SCENES):
        first = chapter + 1000 + scene * (_PER_SCENE + 1)
        entries: dict[str, object] = {}
        for i in range(_PER_SCENE):
            node = first + i
            follow = [[node, 0, node + 1, 0]] if i + 1 < _PER_SCENE else []
            entries[str(node)] = {"offset": [i % 10 * 320, i // 10 * 260], "io": follow}
            if i == 0:
                nodes[str(node)] = {"type": "entry", "name": f"n{node}", "data": {"plaque": ""}}
                continue
            data = {"character": 11, "lines": [spoken, "And then?"], "playable": True}
            nodes[str(node)] = {"type": "dialog", "name": f"n{node}", "data": data, "ref": [11, 10]}
            for used in uses.values():
                used.append(node)
        scenes[str(chapter + 10 + scene)] = {"name": f"scene {scene}", "entry": first, "map": entries}
    resources = {
        "scenes": scenes,
        "nodes": nodes,
        "variables": {"10": {"name": "gold", "type": "num", "init": 3, "use": uses[10]}},
        "characters": {"11": {"name": "Elena", "color": "4a90e2", "tags": {"mood": "calm"}, "use": uses[11]}},
    }
    meta = {"chapter": 1, "authors": {"0": ["A Writer", 9000]}, "last_save": None, "editor": "3.1.0"}
    raw = {"title": "Large", "entry": chapter + 1000, "meta": meta, "resources": resources}
    return parse(json.dumps(raw)).to_text()


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
    """The median time of each kind of operation, all bookkeeping included, in seconds."""
    first = project.entry
    selection = Selection(scene_id=project.document.owner(first))
    said = {"character": 11, "lines": ["{gold}?", "No."]}
    tail = first + _PER_SCENE - 1
    kinds: dict[str, Callable[[int], Operation]] = {
        "create_insert_node": lambda _: Operation("create_insert_node", {"type": "dialog", "preset": said}),
        "update_node": lambda i: Operation(
            "update_node", {"node_id": first + 1 + i, "data": {"lines": [f"{i} {{gold}}"]}}
        ),
        "create_connection": lambda i: Operation(
            "create_connection", {"from_node_id": first + 30 + i, "to_node_id": tail, "from_slot": 1}
        ),
        "delete_node": lambda i: Operation("delete_node", {"node_id": first + 60 + i}),
        "create_variable": lambda i: Operation("create_variable", {"name": f"v{i}", "type": "num"}),
    }
    return {name: _median(project, make, selection) for name, make in kinds.items()}


def _median(project: ArrowProject, make: Callable[[int], Operation], selection: Selection) -> float:
    times: list[float] = []
    for i in range(20):
        operation = make(i)
        begin = time.process_time()
        project.apply(operation, selection)
        times.append(time.process_time() - begin)
    return statistics.median(times)


def figures() -> list[Figure]:
    """All measurements."""
    text = document()
    project = parse(text)
    selected = [project.entry + 5]
    found = [
        Figure("parse and normalise", ratio(lambda: parse(text), text), 3.0),
        Figure(f"outline in {_BUDGET} characters", ratio(lambda: outline(project, None, selected, _BUDGET), text), 1.0),
        Figure("all checks", ratio(lambda: check(project), text), 4.0),
    ]
    loads = min(_seconds(lambda: json.loads(text)) for _ in range(_RUNS))
    found += [Figure(name, seconds / loads, 0.05) for name, seconds in operations(project).items()]
    print(f"{len(text) / 1e6:.1f} MB, {len(project.document.nodes)} nodes; json.loads takes {loads * 1000:.1f} ms")
    return found


def main() -> int:
    """Print the figures; 1 if one is over its limit."""
    found = figures()
    for figure in found:
        print(figure)
    return 1 if any(figure.ratio > figure.limit for figure in found) else 0


if __name__ == "__main__":
    sys.exit(main())
