"""Compare our edits with the real editor's: ``python -m tests.arrow_project.conform CHECKOUT [--record]``.

Generates sequences of operations, performs each on our document and, lowered to Arrow's own functions, in Arrow. Both
documents must be the same byte for byte, load again, and stay as they are when every node is opened and updated in its
inspector. Then plays a story with all node types in Arrow's HTML runtime, if there is a Chromium. With ``--record`` the
sequences and Arrow's documents become the golden file of the test suite.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arrow_project import ArrowProject, Operation, parse
from tests.arrow_project.conform.calls import mind_calls
from tests.arrow_project.conform.deviations import unstable
from tests.arrow_project.conform.direct import DIRECT
from tests.arrow_project.conform.oracle import Oracle
from tests.arrow_project.conform.sequences import sequence
from tests.arrow_project.conform.starts import text_of

GOLDEN = Path(__file__).parent / "golden.jsonl"
_TOOLS = Path(__file__).parents[4] / "shared" / "tools" / "godot"
_BATCH = 20
_PLAYING = Path(__file__).parents[1] / "test_playing.py"


@dataclass
class Case:
    """A sequence, what we made of it, and where its steps are in Arrow's answer."""

    seed: int
    start: str
    operations: list[Operation]
    project: ArrowProject
    calls: list[list[Any]]
    edited: int
    inspected: list[int]


def case(seed: int, length: int) -> Case:
    """A sequence on our side, and the calls that do the same in Arrow."""
    name, operations, _ = sequence(seed, length)
    project = parse(text_of(name))
    calls: list[list[Any]] = [["load_project", json.loads(project.to_text()), True]]
    for operation in operations:
        for native in project.apply(operation).calls:
            calls += mind_calls(native)
    calls.append(["$reload"])
    edited = len(calls) - 1
    inspected: list[int] = []
    for scene_id, scene in project.data.scenes.items():
        calls.append(["$open_scene", scene_id])
        stable = [n for n in scene["map"] if not unstable(project.data, n)]
        calls += [["$inspect", n] for n in stable]
        inspected += stable
    calls.append(["$reload"])
    return Case(seed, name, operations, project, calls, edited, inspected)


def differences(case: Case, answer: dict[str, Any], begin: int) -> list[str]:
    """Where Arrow does not agree."""
    ours = case.project.to_text()
    steps = answer["steps"][begin : begin + len(case.calls)]
    results = answer["results"][begin : begin + len(case.calls)]
    found: list[str] = []
    if results[case.edited] is not True:
        found.append("Arrow does not load the result")
    if steps[case.edited] != ours:
        found.append("after the edits:\n" + _first_difference(ours, steps[case.edited]))
    elif steps[-1] != ours:
        found.append(f"after inspecting {_culprit(case, steps)}:\n" + _first_difference(ours, steps[-1]))
    return found


def _culprit(case: Case, steps: list[str]) -> list[Any]:
    for index in range(case.edited + 1, len(steps)):
        if parse(steps[index]).to_text() != case.project.to_text():
            return case.calls[index]
    return ["nothing"]


def _first_difference(ours: str, theirs: str) -> str:
    for number, (one, other) in enumerate(zip(ours.splitlines(), theirs.splitlines(), strict=False)):
        if one != other:
            around = "\n".join(ours.splitlines()[max(number - 12, 0) : number])
            return f"{around}\n  ours:   {one.strip()}\n  Arrow's: {other.strip()}"
    return f"  lengths {len(ours)} and {len(theirs)}"


def recorded(name: str, start: str, operations: Iterable[Operation], text: str) -> str:
    """A case as a line of the golden file; the text is Arrow's and ours."""
    told = {
        "name": name,
        "start": start,
        "operations": [[operation.function, dict(operation.arguments)] for operation in operations],
        "document": json.loads(text),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def main() -> int:
    """Run the comparison; 0 if Arrow agrees everywhere, or if it is not there."""
    arguments = _arguments()
    oracle = Oracle(arguments.tools / "godot", arguments.tools / "oracle.gd", arguments.checkout.resolve())
    if reason := Oracle.missing(arguments.tools, oracle.checkout):
        sys.stdout.write(f"Skipped: {reason}.\n")
        return 0
    oracle.prepare()
    wrong, lines = 0, list[str]()
    for first in range(arguments.first, arguments.first + arguments.count, _BATCH):
        seeds = range(first, min(first + _BATCH, arguments.first + arguments.count))
        cases = [case(seed, arguments.length) for seed in seeds]
        wrong += _compare(oracle, cases)
        lines += [recorded(f"seed {c.seed}", c.start, c.operations, c.project.to_text()) for c in cases]
    wrong += _compare_directly(oracle, lines)
    if arguments.record and not wrong:
        GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(f"{arguments.count} sequences, {wrong} cases differ.\n")
    os.environ["ARROW_CHECKOUT"] = str(oracle.checkout)
    played = pytest.main(["-q", "-rs", str(_PLAYING)])
    return 1 if wrong or played else 0


def _compare(oracle: Oracle, cases: list[Case]) -> int:
    answer = oracle.run([call for c in cases for call in c.calls])
    wrong = begin = 0
    for c in cases:
        found = differences(c, answer, begin)
        begin += len(c.calls)
        wrong += bool(found)
        for difference in found:
            sys.stdout.write(f"seed {c.seed} ({len(c.inspected)} nodes inspected) {difference}\n")
    sys.stdout.write(f"seeds {cases[0].seed} to {cases[-1].seed}: {wrong} differ\n")
    sys.stdout.flush()
    return wrong


def _compare_directly(oracle: Oracle, lines: list[str]) -> int:
    """Single operations against Arrow's own function for the same thing."""
    start = text_of("lamp")
    script: list[list[Any]] = []
    ends: list[int] = []
    for direct in DIRECT:
        script += [["load_project", json.loads(start), True], ["$open_scene", 0], *direct.calls, ["$reload"]]
        ends.append(len(script) - 1)
    steps = oracle.run(script)["steps"]
    wrong = 0
    for direct, end in zip(DIRECT, ends, strict=True):
        project = parse(start)
        project.apply_all(direct.operations)
        lines.append(recorded(direct.name, "lamp", direct.operations, project.to_text()))
        if steps[end] != project.to_text():
            wrong += 1
            sys.stdout.write(f"{direct.name}: {_first_difference(project.to_text(), steps[end])}\n")
    sys.stdout.write(f"{len(DIRECT)} single operations: {wrong} differ\n")
    return wrong


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.arrow_project.conform", description=__doc__)
    parser.add_argument("checkout", type=Path, help="a work tree of Arrow 3.1")
    tools = Path(os.environ.get("ARROW_ORACLE", _TOOLS))
    parser.add_argument("--tools", type=Path, default=tools, help="folder with godot and oracle.gd (ARROW_ORACLE)")
    parser.add_argument("--count", type=int, default=320, help="number of sequences")
    parser.add_argument("--length", type=int, default=14, help="accepted operations of each")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--record", action="store_true", help="write the golden file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
