"""An id that an editor has given is taken over, and never at the document's cost."""

import json

import pytest

from arrow_project import ArrowProject, Operation, OperationError, check, check_text, parse, renumbered
from arrow_project.renumbering import changed_ids
from corpora.samples import SAMPLE

GOLD = Operation("create_variable", {"name": "gold", "type": "num"})


@pytest.fixture
def project() -> ArrowProject:
    return parse(SAMPLE.arrow_file.read_bytes())


@pytest.mark.parametrize("taken", [3, 500])
def test_the_expected_id_is_given_once(project: ArrowProject, taken: int) -> None:
    if project.data.is_used(taken):
        taken = max(project.data.nodes) + 400
    project.expect_id(taken)
    assert project.apply(GOLD).result["variable_id"] == taken
    assert project.apply(Operation("create_variable", {"name": "oats", "type": "num"})).result["variable_id"] != taken
    assert [finding for finding in check(project) if finding.severity == "error"] == []


def test_a_scene_gets_both_of_its_ids(project: ArrowProject) -> None:
    free = max(project.data.nodes) + 400
    project.expect_id(free + 5, free)
    made = project.apply(Operation("create_scene", {"name": "cellar"})).result
    assert (made["scene_id"], made["entry_node_id"]) == (free + 5, free)
    with pytest.raises(OperationError):
        project.expect_id(free + 9, free + 9)
    with pytest.raises(OperationError):
        project.expect_id(free + 9, free)


def test_a_refused_operation_forgets_it(project: ArrowProject) -> None:
    before, usual = project.to_text(), project.copy().apply(GOLD).result["variable_id"]
    project.expect_id(usual + 100)
    with pytest.raises(OperationError):
        project.apply(Operation("create_variable", {"name": "gold", "type": "colour"}))
    assert project.to_text() == before
    assert project.apply(GOLD).result["variable_id"] == usual


@pytest.mark.parametrize("wrong", ["x", None, 1.5, True, -3, 2**50, 2**80])
def test_an_impossible_id_is_refused(project: ArrowProject, wrong: object) -> None:
    with pytest.raises(OperationError):
        project.expect_id(wrong)  # type: ignore[arg-type]


def test_a_tag_edit_of_a_character_needs_operations(project: ArrowProject) -> None:
    character = next(iter(project.data.characters))
    with pytest.raises(OperationError, match="operations"):
        project.apply(Operation("create_insert_node", {"type": "tag_edit", "preset": {"character": character}}))
    made = project.apply(Operation("create_insert_node", {"type": "tag_edit"})).created[0]
    with pytest.raises(OperationError, match="operations"):
        project.apply(Operation("update_node", {"node_id": made, "data": {"character": character}}))


@pytest.mark.parametrize("io", [None, 5, True, "x", {}])
def test_connections_that_are_no_array_are_named(io: object) -> None:
    document = json.loads(SAMPLE.arrow_file.read_bytes())
    scene = next(iter(document["resources"]["scenes"].values()))
    next(iter(scene["map"].values()))["io"] = io
    assert 27 in {finding.rule for finding in check_text(json.dumps(document))}


def test_each_of_several_nodes_that_one_operation_makes_has_a_given_id() -> None:
    expected = {"node_id": 7, "last_node_id": 9, "node_ids": [7, 8, 9]}
    assert changed_ids(expected, {"node_id": 17, "last_node_id": 9, "node_ids": [17, 18, 9]}) == {7: 17, 8: 18}
    assert changed_ids(expected, {"node_id": 17}) == {7: 17}


@pytest.mark.parametrize(
    ("function", "arguments", "with_given"),
    [
        ("quick_insert_node", {"connection": [7, 7, True]}, {"connection": [99, 7, True]}),
        ("node_connection_replacement", {"table": {"7": 3, "4": 7}}, {"table": {"99": 3, "4": 99}}),
        ("update_node_map", {"node_id": 7, "push": [[7, 7, 3, 0]]}, {"node_id": 99, "push": [[99, 7, 3, 0]]}),
    ],
)
def test_what_follows_means_the_given_ids(
    function: str, arguments: dict[str, object], with_given: dict[str, object]
) -> None:
    assert renumbered(Operation(function, arguments), {7: 99}).arguments == with_given
