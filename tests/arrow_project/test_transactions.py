"""What is taken back, what a caller holds, and what contradicts itself."""

import json
from typing import Any

import pytest

from arrow_project import ArrowProject, ErrorCode, Operation, lower, parse
from arrow_project.restoring import restore
from tests.arrow_project.applying import do, refusal

SECOND_AUTHOR = 1 << 37


def two_authors(lamp: ArrowProject) -> ArrowProject:
    raw = json.loads(lamp.to_text())
    raw["meta"]["authors"]["1"] = ["Another", 0]
    return parse(json.dumps(raw))


def expected_id(project: ArrowProject) -> int:
    return (project.data.raw["meta"]["chapter"] << 43) | SECOND_AUTHOR


def test_a_rollback_gives_the_pen_back(lamp: ArrowProject) -> None:
    project = two_authors(lamp)
    before = project.checkpoint()
    project.expect_id(expected_id(project))
    do(project, "create_variable", name="a", type="num")
    assert project.data.active_author == 1
    project.rollback(before)
    assert project.data.active_author == 0


def test_lower_uses_no_expected_id_up(lamp: ArrowProject) -> None:
    project = two_authors(lamp)
    project.expect_id(expected_id(project))
    operation = Operation("create_variable", {"name": "a", "type": "num"})
    assert lower(project, operation)[0].created == (expected_id(project),)
    assert project.apply(operation).result["variable_id"] == expected_id(project)


def test_no_checkpoint_is_refused_before_anything_is_undone(lamp: ArrowProject) -> None:
    do(lamp, "create_variable", name="a", type="num")
    after = lamp.to_text()
    with pytest.raises(ValueError, match="checkpoint"):
        lamp.rollback(-1)
    assert lamp.to_text() == after


def test_what_is_committed_stays_and_checkpoints_go_on(lamp: ArrowProject) -> None:
    before = lamp.checkpoint()
    do(lamp, "create_variable", name="a", type="num")
    made = lamp.checkpoint()
    lamp.commit()
    after = lamp.to_text()
    assert lamp.checkpoint() == made
    with pytest.raises(ValueError, match="commit"):
        lamp.rollback(before)
    do(lamp, "create_variable", name="b", type="num")
    lamp.rollback(made)
    assert lamp.to_text() == after


def test_an_entry_that_is_no_id_does_not_stop_a_restoration(lamp: ArrowProject) -> None:
    raw = json.loads(lamp.to_text())
    raw["resources"]["scenes"]["0"]["entry"] = [1]
    before = parse(json.dumps(raw))
    assert any("entry" in line for line in restore(lamp, before).remaining)
    assert restore(before, lamp).operations


def test_what_a_caller_holds_is_his_own(lamp: ArrowProject) -> None:
    made = lamp.apply(Operation("create_insert_node", {"type": "dialog", "preset": {"lines": ["a"]}}))
    before = lamp.to_text()
    node_id: int = made.result["node_id"]
    made.calls[0].arguments["preset"]["data"]["lines"].append("b")
    lamp.simplified(node_id)["lines"].append("c")
    assert lamp.to_text() == before


@pytest.mark.parametrize(("scene_id", "words"), [(999, "no scene 999"), (16, "not in scene 16")])
def test_a_map_is_changed_in_the_scene_of_its_node(lamp: ArrowProject, scene_id: int, words: str) -> None:
    error = refusal(lamp, "update_node_map", node_id=11, scene_id=scene_id, modifications={"skip": True})
    assert (error.code, words in error.message) == (ErrorCode.INVALID_SCENE_ID, True)


def test_a_connection_of_another_node_is_stored_there_and_said(lamp: ArrowProject) -> None:
    node = do(lamp, "create_insert_node", type="marker", position=[0, 900], scene_id=0)["node_id"]
    result = do(lamp, "update_node_map", node_id=11, modifications={"io": {"push": [[node, 0, 12, 0]]}})
    assert lamp.data.outgoing(node, 0) == [[node, 0, 12, 0]]
    assert f"begins at node {node}" in result["remarks"][0]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("update_variable", {"variable_id": 3, "by_name": "visitor", "notes": "x"}),
        ("delete_variable", {"variable_id": 4, "by_name": "oil", "force": True}),
    ],
)
def test_an_id_and_a_name_of_two_things_are_refused(
    lamp: ArrowProject, function: str, arguments: dict[str, Any]
) -> None:
    assert "say only one" in refusal(lamp, function, **arguments).message


def test_a_node_is_found_by_a_name_that_is_nearly_right(lamp: ArrowProject) -> None:
    assert "enough (11)" in refusal(lamp, "update_node", node_id="enuogh", name="x").message
