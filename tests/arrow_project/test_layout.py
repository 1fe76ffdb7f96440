"""Where new nodes go."""

import random
from pathlib import Path

import pytest

from arrow_project import ArrowProject, Operation, OperationError, parse
from arrow_project.layout import size
from arrow_project.values import text
from tests.arrow_project.applying import do
from tests.arrow_project.conform.sequences import invented
from tests.arrow_project.conform.writer import Writer

Box = tuple[int, int, int, int]
LAMP = (Path(__file__).parent / "documents" / "lamp.arrow").read_text(encoding="utf-8")


def boxes(project: ArrowProject, scene_id: int = 0) -> dict[int, Box]:
    data = project.data
    return {
        n: (*data.offset(entry), *size(text(data.nodes[n]["type"]), data.data(n)))
        for n, entry in data.scene_map(scene_id).items()
        if data.nodes[n]["type"] != "frame"
    }


def overlap(one: Box, other: Box) -> bool:
    (x, y, width, height), (left, top, wide, tall) = one, other
    return x < left + wide and left < x + width and y < top + tall and top < y + height


def test_a_scene_begins_at_the_left_and_goes_right(blank: ArrowProject) -> None:
    last = 2
    for _ in range(4):
        made = do(blank, "create_insert_node", type="content", connect_from={"node_id": last})
        assert made["position"][0] > blank.data.offset(blank.data.scene_map(0)[last])[0]
        assert made["position"][1] == 100
        last = made["node_id"]


def test_branches_fan_out_downwards(blank: ArrowProject) -> None:
    choice = do(blank, "create_insert_node", type="interaction", preset={"actions": ["a", "b", "c"]})["node_id"]
    ways = [
        do(blank, "create_insert_node", type="content", connect_from={"node_id": choice, "slot": slot})["position"]
        for slot in range(3)
    ]
    assert len({x for x, _ in ways}) == 1
    assert ways == sorted(ways)


def test_below_previous_is_below(lamp: ArrowProject) -> None:
    above = lamp.data.offset(lamp.data.scene_map(0)[24])
    made = do(lamp, "create_insert_node", type="content", connect_from={"node_id": 24}, position="below_previous")
    assert made["position"][1] > above[1]


@pytest.mark.parametrize("seed", range(40))
def test_new_nodes_cover_nothing_and_move_nothing(seed: int) -> None:
    project = parse(LAMP)
    writer = Writer(project, random.Random(seed))
    for _ in range(30):
        operation = invented(writer)
        if operation.function != "create_insert_node" or isinstance(operation.arguments["position"], list):
            continue
        before = {scene: boxes(project, scene) for scene in project.data.scenes}
        try:
            created = project.apply(Operation(operation.function, operation.arguments)).created
        except OperationError:
            continue
        for scene, known in before.items():
            now = boxes(project, scene)
            assert {n: now[n] for n in known} == known
            for node in set(now) & set(created):
                assert not any(overlap(now[node], box) for n, box in now.items() if n != node)
