"""What each operation does, in the words of the protocol."""

from typing import Any

import pytest

from arrow_project import ArrowProject, Operation, OperationError, Selection, check, lower
from tests.arrow_project.applying import do, refusal


def io(project: ArrowProject, node_id: int) -> list[list[int]]:
    scene = project.data.owner(node_id)
    assert scene is not None
    return project.data.outgoing(node_id, scene)


def errors(project: ArrowProject) -> list[Any]:
    return [finding for finding in check(project) if finding.severity == "error"]


def test_a_node_is_inserted_named_and_connected(lamp: ArrowProject) -> None:
    result = do(
        lamp, "create_insert_node", type="content", preset={"content": "It is {oil}."}, connect_from={"node_id": 24}
    )
    node = lamp.data.nodes[result["node_id"]]
    assert next(iter(result)) == "node_id"
    assert node == {"type": "content", "name": "q", "data": {"content": "It is {oil}."}, "ref": [3]}
    assert lamp.data.variables[3]["use"][-1] == result["node_id"]
    assert result["connection"] == [24, 0, 26, 0]
    assert io(lamp, 24) == [[24, 0, 26, 0]]
    assert errors(lamp) == []


def test_slot_0_of_a_condition_is_true_for_the_tools_and_1_in_arrow(lamp: ArrowProject) -> None:
    node = do(lamp, "create_insert_node", type="condition", preset={"variable": "lit", "operator": "=="})["node_id"]
    do(lamp, "create_connection", from_node_id=node, to_node_id=14, from_slot=0)
    assert io(lamp, node) == [[node, 1, 14, 0]]
    do(lamp, "delete_connection", from_node_id=node, from_slot=0, to_node_id=14, to_slot=0)
    assert io(lamp, node) == []


def test_an_exit_that_is_taken_is_refused_with_the_free_ones(lamp: ArrowProject) -> None:
    error = refusal(lamp, "create_connection", from_node_id=15, to_node_id=14, from_slot=1)
    assert error.code == "INVALID_CONNECTION"
    assert error.details["free_slots"] == [0]
    assert "delete_connection" in error.message


@pytest.mark.parametrize(
    ("function", "arguments", "code"),
    [
        ("create_insert_node", {"type": "dialogue"}, "INVALID_NODE_TYPE"),
        ("update_node", {"node_id": 999, "name": "x"}, "INVALID_NODE_ID"),
        ("update_scene", {"scene_id": 999, "name": "x"}, "INVALID_SCENE_ID"),
        ("update_variable", {"variable_id": 999}, "INVALID_VARIABLE_ID"),
        ("delete_character", {"by_name": "Mirra"}, "INVALID_CHARACTER_ID"),
        ("create_connection", {"from_node_id": 20, "to_node_id": 14}, "INVALID_CONNECTION"),
        ("create_connection", {"from_node_id": 24, "to_node_id": 17}, "INVALID_CONNECTION"),
        ("delete_variable", {"by_name": "oil"}, "RESOURCE_IN_USE"),
        ("create_insert_node", {"type": "content", "position": "left"}, "INVALID_POSITION"),
        ("create_variable", {"name": "n", "type": "num", "initial_value": "ten"}, "TYPE_MISMATCH"),
        ("update_node", {"node_id": 20, "data": {"target": 20}}, "CIRCULAR_REFERENCE"),
        ("delete_node", {"node_id": 1}, "PERMISSION_DENIED"),
        ("set_project_entry", {"node_id": 19}, "PERMISSION_DENIED"),
        ("make_coffee", {}, "PERMISSION_DENIED"),
    ],
)
def test_refusals_carry_the_protocol_s_codes(
    lamp: ArrowProject, function: str, arguments: dict[str, Any], code: str
) -> None:
    assert refusal(lamp, function, **arguments).code == code


def test_a_missing_name_names_near_ones(lamp: ArrowProject) -> None:
    assert "Mira (6)" in refusal(lamp, "delete_character", by_name="Mirra").message


def test_renaming_follows_into_texts(lamp: ArrowProject) -> None:
    do(lamp, "update_variable", by_name="oil", name="lamp oil")
    do(lamp, "update_character", by_name="Mira", name="Miranda")
    assert "{lamp_oil} flasks" in lamp.data.data(9)["monolog"]
    assert "{Miranda.mood}" in lamp.data.data(14)["content"]
    assert errors(lamp) == []


def test_a_second_character_of_the_same_name_is_refused_with_the_first_one_s_id(lamp: ArrowProject) -> None:
    error = refusal(lamp, "create_character", name="Old Tam")
    assert error.details == {"existing_id": 7}


def test_forced_removal_takes_the_reference_out_of_the_users(lamp: ArrowProject) -> None:
    do(lamp, "delete_variable", by_name="oil", force=True)
    assert lamp.data.data(11)["variable"] == -1
    assert errors(lamp) == []


def test_forced_removal_of_a_jump_target(lamp: ArrowProject) -> None:
    assert refusal(lamp, "delete_node", node_id=10).details["referenced_by"] == [22]
    do(lamp, "delete_node", node_id=10, force=True)
    assert lamp.data.data(22)["target"] == -1
    assert io(lamp, 9) == []
    assert errors(lamp) == []


def test_a_used_macro_stays_unless_forced(lamp: ArrowProject) -> None:
    assert refusal(lamp, "delete_scene", scene_id=18).details["referenced_by"] == [21]
    assert do(lamp, "delete_scene", scene_id=18, force=True)["removed_nodes"] == [19, 23]
    assert errors(lamp) == []


def test_special_references(lamp: ArrowProject) -> None:
    selection = Selection(scene_id=0, node_ids=(24, 14), last_created=15)
    for word, node_id in {
        "first_selected": 24,
        "last_selected": 14,
        "last_created": 15,
        "current_entry": 1,
        "project_entry": 1,
    }.items():
        applied = lamp.apply(Operation("update_node", {"node_id": word, "notes": word}), selection)
        assert applied.operation.arguments["node_id"] == node_id
    with pytest.raises(OperationError, match="2 nodes are selected"):
        lamp.apply(Operation("update_node", {"node_id": "selected", "notes": "x"}), selection)


def test_an_applied_operation_names_everything_by_id(lamp: ArrowProject) -> None:
    jump = {
        "type": "jump",
        "preset": {"target": {"type": "scene", "id": "cellar"}},
        "connect_from": {"node_id": "last_created"},
    }
    applied = lamp.apply(Operation("create_insert_node", jump), Selection(last_created=14))
    assert applied.operation.arguments["preset"]["target"]["id"] == 16
    assert applied.operation.arguments["connect_from"]["node_id"] == 14
    compare_to = {"type": "variable", "value": "oil"}
    condition = {"type": "condition", "preset": {"variable": "oil", "operator": "==", "compare_to": compare_to}}
    applied = lamp.apply(Operation("create_insert_node", condition))
    assert applied.operation.arguments["preset"]["variable"] == 3
    assert applied.operation.arguments["preset"]["compare_to"]["value"] == 3
    applied = lamp.apply(Operation("update_variable", {"by_name": "oil", "initial_value": 2}))
    assert applied.operation.arguments == {"variable_id": 3, "initial_value": 2}
    selection = Selection(scene_id=16, node_ids=(14,))
    applied = lamp.apply(Operation("create_insert_node", {"type": "hub"}), selection)
    assert applied.operation.arguments["scene_id"] == 16
    applied = lamp.apply(Operation("quick_insert_node", {"type": "hub"}), selection)
    assert lamp.apply(applied.operation).result["scene_id"] == 16
    beside = {"type": "hub", "connection": ["selected", 0, False]}
    applied = lamp.apply(Operation("quick_insert_node", beside), selection)
    assert applied.operation.arguments["connection"] == [14, 0, False]


def test_a_batch_is_all_or_nothing(lamp: ArrowProject) -> None:
    before = lamp.to_text()
    batch = [Operation("create_insert_node", {"type": "hub"}), Operation("delete_node", {"node_id": 1})]
    with pytest.raises(OperationError):
        lamp.apply_all(batch)
    assert lamp.to_text() == before


def test_rollback_restores_every_byte(lamp: ArrowProject) -> None:
    before, token = lamp.to_text(), lamp.checkpoint()
    do(lamp, "delete_scene", scene_id=18, force=True)
    do(lamp, "delete_character", by_name="Mira", force=True)
    do(lamp, "create_insert_node", type="tag_edit", preset={"character": 7, "operations": [{"key": "a", "value": "b"}]})
    lamp.rollback(token)
    assert lamp.to_text() == before


def test_lowering_changes_nothing_and_names_arrow_s_own_functions(lamp: ArrowProject) -> None:
    before = lamp.to_text()
    calls = lower(
        lamp, Operation("create_insert_node", {"type": "monolog", "preset": {"character": "Mira", "text": "Hm."}})
    )
    assert lamp.to_text() == before
    assert [call.function for call in calls] == ["create_insert_node"]
    assert calls[0].created == (26,)
    preset = calls[0].arguments["preset"]
    assert preset["data"]["monolog"] == "Hm."
    assert preset["data"]["_use"] == {"drop": [], "refer": [6]}


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("x" * 5000, {}),
        ("create_variable", {"name": "gold", "type": "x" * 5000}),
        ("create_variable", {"x" * 5000: 1}),
        ("create_insert_node", {"type": "x" * 5000}),
        ("create_insert_node", {"type": "content", "preset": {"x" * 5000: 1}}),
        ("create_insert_node", {"type": "content", "preset": {"title": ["x" * 5000]}}),
        ("create_insert_node", {"type": "content", "scene_id": "x" * 5000}),
        ("create_insert_node", {"type": "content", "scene_id": 10**6000}),
        ("create_insert_node", {"type": "content", "position": "x" * 5000}),
        ("create_insert_node", {"type": "condition", "preset": {"variable": "oil", "operator": "x" * 5000}}),
        ("update_node", {"node_id": "x" * 5000}),
        ("update_character", {"by_name": "x" * 5000, "name": "y"}),
        ("create_connection", {"from_node_id": 1, "to_node_id": 2, "from_slot": 10**6000}),
    ],
)
def test_errors_do_not_repeat_all_that_was_said(lamp: ArrowProject, function: str, arguments: dict[str, Any]) -> None:
    assert len(refusal(lamp, function, **arguments).message) < 500


def test_errors_about_long_names_are_short(lamp: ArrowProject) -> None:
    do(lamp, "create_variable", name="v" * 1000, type="num")
    do(lamp, "create_insert_node", type="content", preset={"content": "{" + "v" * 1000 + "}"})
    assert len(refusal(lamp, "create_variable", name="v" * 1000, type="num").message) < 500
    assert len(refusal(lamp, "delete_variable", by_name="v" * 1000).message) < 500
    assert len(refusal(lamp, "delete_variable", by_name="w").message) < 500


def test_errors_say_how_many_more_there_are(lamp: ArrowProject) -> None:
    assert "17 and 10 more." in refusal(lamp, "delete_node", node_id=999).message
    for number in range(12):
        do(lamp, "create_character", name=f"Gull_{number}")
    assert "and 6 more." in refusal(lamp, "update_character", by_name="zzz", name="x").message


def test_a_jump_to_what_is_no_marker_says_what_would_do(lamp: ArrowProject) -> None:
    preset = {"target": {"type": "marker", "id": 2}}
    error = refusal(lamp, "create_insert_node", type="jump", preset=preset)
    assert '{"type": "node", "id": 2}' in error.message


def test_weights_leave_connections_alone_that_stay(lamp: ArrowProject) -> None:
    node = do(lamp, "create_insert_node", type="randomizer", preset={"paths": 2})["node_id"]
    do(lamp, "create_connection", from_node_id=node, to_node_id=14, from_slot=0)
    do(lamp, "create_connection", from_node_id=node, to_node_id=2, from_slot=1)
    remarks = do(lamp, "update_node", node_id=node, data={"weights": [2, 1]})["remarks"]
    assert remarks[1:] == [
        f"Removed the connection [{node}, 1, 2, 0].",
        f"Connected [{node}, 1, 14, 0].",
        f"Connected [{node}, 2, 2, 0].",
    ]
    assert sorted(io(lamp, node)) == [[node, 0, 14, 0], [node, 1, 14, 0], [node, 2, 2, 0]]


@pytest.mark.parametrize("function", [None, 5, [], {}, "create"])
def test_a_function_that_is_none_is_refused(lamp: ArrowProject, function: Any) -> None:
    assert refusal(lamp, function).code == "PERMISSION_DENIED"


@pytest.mark.parametrize("arguments", [None, 5, [], "name", {1: 2}])
def test_arguments_that_are_no_object_are_refused(lamp: ArrowProject, arguments: Any) -> None:
    with pytest.raises(OperationError):
        lamp.apply(Operation("create_variable", arguments))


@pytest.mark.parametrize("operation", [None, 5, "create_scene", []])
def test_only_operations_are_applied(lamp: ArrowProject, operation: Any) -> None:
    with pytest.raises(TypeError, match="An Operation is applied"):
        lamp.apply(operation)


def test_node_names_stay_unique_after_undo(lamp: ArrowProject) -> None:
    token = lamp.checkpoint()
    first = do(lamp, "create_insert_node", type="content", name="tide")
    lamp.rollback(token)
    do(lamp, "update_node", node_id=2, name="ebb")
    assert do(lamp, "create_insert_node", type="content", name="tide")["name"] == first["name"] == "tide"
    assert do(lamp, "create_insert_node", type="content", name="ebb")["name"] == "ebb_"
    do(lamp, "update_node", node_id=2, name="flood")
    assert do(lamp, "create_insert_node", type="content", name="ebb")["name"] == "ebb"
    entry = lamp.data.name("node", do(lamp, "create_scene", name="pier")["entry_node_id"])
    assert do(lamp, "create_insert_node", type="content", name=entry)["name"] == f"{entry}_"
