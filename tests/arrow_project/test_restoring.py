"""Any state is led back to an earlier one by operations."""

import json
import random
from pathlib import Path

import pytest

from arrow_project import ArrowProject, Operation, OperationError, check, diff, parse, restore
from arrow_project.operations.connecting import said
from arrow_project.phrases import simplified
from arrow_project.renumbering import renumbered_data
from tests.arrow_project.conform.sequences import invented
from tests.arrow_project.conform.writer import Writer

LAMP = (Path(__file__).parent / "documents" / "lamp.arrow").read_text(encoding="utf-8")
# Arrow leaves empty tags behind where there have been some; a brief of -1 is none.
NO_DIFFERENCE = ("tags: null -> {}", "brief: null -> -1")
SEEDS = range(150)


def applied(project: ArrowProject, *operations: Operation) -> ArrowProject:
    """The project with all of them applied that are not refused."""
    for operation in operations:
        try:
            project.apply(operation)
        except OperationError:
            continue
    return project


def led_back(now: ArrowProject, before: ArrowProject) -> tuple[ArrowProject, dict[int, int]]:
    """What the way back comes to, and the ids that had to be new."""
    text = now.to_text()
    way = restore(now, before)
    assert now.to_text() == text, "only a copy is walked back"
    assert not way.remaining
    back = now.copy()
    back.apply_all(way.operations)
    return back, way.ids


def assert_same(before: ArrowProject, after: ArrowProject, ids: dict[int, int]) -> None:
    """Equal in everything but the ids of what was made again."""
    if not ids:
        differences = [line for line in diff(before, after).lines if not line.endswith(NO_DIFFERENCE)]
        assert not differences
        return
    old, new = before.data, after.data
    for kind in ("node", "scene", "variable", "character"):
        assert {ids.get(key, key) for key in old.table(kind)} == set(new.table(kind)), kind
        for key, resource in old.table(kind).items():
            again = new.table(kind)[ids.get(key, key)]
            for field in ("name", "notes", "init", "color", "tags", "macro"):
                assert (resource.get(field) or None) == (again.get(field) or None), (kind, key, field)
    for key in old.nodes:
        again = {k: v for k, v in simplified(new, ids.get(key, key)).items() if (k, v) != ("brief", -1)}
        assert renumbered_data(simplified(old, key), ids) == again
    for key, scene in old.scenes.items():
        assert ids.get(scene["entry"], scene["entry"]) == new.scenes[ids.get(key, key)]["entry"]
    wiring = {(ids.get(a, a), b, ids.get(c, c), d) for a, b, c, d in ways(before)}
    assert wiring == ways(after)
    assert ids.get(old.entry, old.entry) == new.entry


def ways(project: ArrowProject) -> set[tuple[int, int, int, int]]:
    data = project.data
    return {
        tuple(said(data, connection))  # type: ignore[misc]
        for scene_id, scene in data.scenes.items()
        for key in scene["map"]
        for connection in data.outgoing(key, scene_id)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_any_turn_is_led_back(seed: int) -> None:
    before = parse(LAMP)
    chance = random.Random(seed)
    now = before.copy()
    for _ in range(chance.choice((1, 3, 12))):
        applied(now, invented(Writer(now, chance)))
    after, ids = led_back(now, before)
    assert_same(before, after, ids)
    errors = {str(f) for f in check(after) if f.severity == "error"}
    assert errors <= {str(f) for f in check(before) if f.severity == "error"}


@pytest.mark.parametrize("nothing", [None, 0, [], {}, ""])
def test_so_is_one_with_a_set_that_holds_nothing_in_any_way(nothing: object) -> None:
    story = json.loads(LAMP)
    story["resources"]["others"] = nothing
    before = parse(json.dumps(story))
    led_back(applied(before.copy(), Operation("create_variable", {"name": "coins", "type": "num"})), before)


@pytest.mark.parametrize("value", [[[1]], [{}], [True, None]])
@pytest.mark.parametrize("field", ["ref", "use"])
def test_a_story_with_anything_in_place_of_ids_is_led_back(field: str, value: list[object]) -> None:
    story = json.loads(LAMP)
    for node in story["resources"]["nodes"].values():
        node[field] = value
    before = parse(json.dumps(story))
    now = applied(before.copy(), Operation("create_variable", {"name": "coins", "type": "num"}))
    assert now.to_text() != before.to_text()
    led_back(now, before)
