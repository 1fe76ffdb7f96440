"""The simplified form of every node type, to Arrow's native data and back."""

import json
from pathlib import Path
from typing import Any

import pytest

from arrow_project import ArrowProject, parse
from arrow_project.node_types import NODE_TYPES
from arrow_project.phrases import simplified
from tests.arrow_project.applying import do, refusal

GOLDEN = Path(__file__).parent / "conform" / "golden.jsonl"


def documents() -> list[ArrowProject]:
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()[::8]
    return [parse(json.dumps(json.loads(line)["document"])) for line in lines]


def unchanged_when_written_back(project: ArrowProject) -> None:
    before = project.to_text()
    for node_id in list(project.data.nodes):
        do(project, "update_node", node_id=node_id, data=simplified(project.data, node_id))
        assert project.to_text() == before, (node_id, project.data.nodes[node_id])


def test_what_is_read_may_be_written_back() -> None:
    for project in documents():
        unchanged_when_written_back(project)


def test_real_documents_may_be_written_back(real_documents: list[Path]) -> None:
    for path in real_documents:
        unchanged_when_written_back(parse(path.read_text(encoding="utf-8")))


def native(project: ArrowProject, type_name: str, **preset: Any) -> tuple[dict[str, Any], str, list[str]]:
    """Native data and type of an inserted node, and the remarks."""
    result = do(project, "create_insert_node", type=type_name, preset=preset)
    node = project.data.nodes[result["node_id"]]
    return node["data"], node["type"], result.get("remarks", [])


CASES: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("content", {"title": "T", "auto_play": True}, "content", {"title": "T", "auto": True}),
    ("content", {"content": "x", "clear": False, "brief": 0}, "content", {"content": "x"}),
    ("dialog", {"character": 6, "lines": ["a", "b"]}, "dialog", {"character": 6, "lines": ["a", "b"]}),
    (
        "dialog",
        {"character_id": "Mira", "lines": "a", "playable": True},
        "dialog",
        {"character": 6, "lines": ["a"], "playable": True},
    ),
    ("monolog", {"character": "Old Tam", "text": "Hm."}, "monolog", {"character": 7, "monolog": "Hm."}),
    (
        "condition",
        {"variable": 3, "operator": ">=", "compare_to": 2},
        "condition",
        {"variable": 3, "operator": "gte", "with": [0, 2]},
    ),
    (
        "condition",
        {"variable": "visitor", "operator": "==", "compare_to": {"type": "value", "value": "a.b"}},
        "condition",
        {"variable": 4, "operator": "rgx", "with": [0, "^a\\.b$"]},
    ),
    (
        "condition",
        {"variable": "visitor", "operator": "!=", "compare_to": "a|b"},
        "condition",
        {"variable": 4, "operator": "rgx", "with": [0, "^(?!(?:a\\|b)$)"]},
    ),
    ("condition", {}, "condition", {"variable": -1, "operator": "eq", "with": [0, None]}),
    ("hub", {"options": ["a", "b"]}, "interaction", {"actions": ["a", "b"]}),
    ("hub", {"inputs": 3}, "hub", {"slots": 3}),
    ("interaction", {"actions": ["a"]}, "interaction", {"actions": ["a"]}),
    (
        "variable_update",
        {"variable": "oil", "operation": "subtract", "value": {"type": "variable", "value": "oil"}},
        "variable_update",
        {"variable": 3, "operator": "sub", "with": [1, 3]},
    ),
    (
        "variable_update",
        {"variable": "visitor", "operation": "add", "value": "!"},
        "variable_update",
        {"variable": 4, "operator": "ins", "with": [0, "!"]},
    ),
    ("jump", {"target": {"type": "scene", "id": 16}}, "jump", {"target": 17, "reason": ""}),
    ("jump", {"target": {"type": "node", "id": 10}, "reason": "r"}, "jump", {"target": 10, "reason": "r"}),
    ("marker", {"label": "x", "color": "#ABC"}, "marker", {"label": "x", "color": "aabbccff"}),
    ("randomizer", {"paths": 4}, "randomizer", {"slots": 4}),
    ("randomizer", {"weights": [2, 4, 2]}, "randomizer", {"slots": 4}),
    ("sequencer", {"paths": 3, "mode": "all"}, "sequencer", {"slots": 3}),
    (
        "generator",
        {"variable": "oil", "generator_type": "random_int", "min": 1, "max": 9},
        "generator",
        {"variable": 3, "method": "randi", "arguments": [1, 9, False, False, False]},
    ),
    (
        "generator",
        {"variable": "lit", "generator_type": "random_bool"},
        "generator",
        {"variable": 5, "method": "rnbln"},
    ),
    (
        "generator",
        {"variable": "visitor", "generator_type": "strst", "choices": ["a", "b"]},
        "generator",
        {"variable": 4, "method": "strst", "arguments": "a|b"},
    ),
    (
        "tag_edit",
        {"character": 6, "operations": [{"action": "remove", "key": "mood"}]},
        "tag_edit",
        {"character": 6, "edit": [4, "mood", ""]},
    ),
    (
        "tag_match",
        {"character": 6, "match": {"type": "has_key", "key": "mood"}},
        "tag_pass",
        {"character": 6, "pass": [1, [["mood", None]]]},
    ),
    (
        "tag_match",
        {"character": 6, "key": "mood", "patterns": ["a", "b"]},
        "tag_match",
        {"character": 6, "tag_key": "mood", "patterns": ["a", "b"]},
    ),
    (
        "tag_pass",
        {"character": 6, "method": "any", "conditions": [{"key": "mood"}, {"key": "trust", "value": 5}]},
        "tag_pass",
        {"character": 6, "pass": [0, [["mood", None], ["trust", "5"]]]},
    ),
    (
        "user_input",
        {"prompt": "?", "variable": "visitor"},
        "user_input",
        {"prompt": "?", "variable": 4, "custom": ["", "", ""]},
    ),
    (
        "user_input",
        {"prompt": "?", "variable": "oil", "input_type": "number", "custom": {"min": 1, "max": 5}},
        "user_input",
        {"prompt": "?", "variable": 3, "custom": [1, 5, 1, 1]},
    ),
    (
        "user_input",
        {"prompt": "?", "variable": "oil", "custom": [1, 9, 2, 7]},
        "user_input",
        {"prompt": "?", "variable": 3, "custom": [1, 9, 2, 7]},
    ),
    ("macro_use", {"macro": "take oil"}, "macro_use", {"macro": 18}),
    ("entry", {"label": "x"}, "entry", {"plaque": "x"}),
    ("frame", {"title": "x", "color": "#FF5733"}, "frame", {"label": "x", "color": "ff573380", "rect": [128, 128]}),
]


@pytest.mark.parametrize(("said", "preset", "type_name", "data"), CASES)
def test_simplified_data_becomes_native(
    lamp: ArrowProject, said: str, preset: dict[str, Any], type_name: str, data: dict[str, Any]
) -> None:
    assert native(lamp, said, **preset)[:2] == (data, type_name)


def test_every_type_has_a_case() -> None:
    assert {case[0] for case in CASES} == set(NODE_TYPES)


def test_what_is_stored_in_another_way_is_said(lamp: ArrowProject) -> None:
    remarks = native(lamp, "tag_match", character=6, match={"type": "not_equals", "key": "mood", "value": "glad"})[2]
    assert "your match leaves by slot 1" in remarks[0]
    assert "interaction" in native(lamp, "hub", options=["a", "b"])[2][0]


def test_several_operations_become_a_chain(lamp: ArrowProject) -> None:
    operations = [{"action": "set", "key": "mood", "value": "a"}, {"action": "remove", "key": "trust"}]
    result = do(lamp, "create_insert_node", type="tag_edit", preset={"character": 6, "operations": operations})
    first, last = result["node_id"], result["last_node_id"]
    assert lamp.data.outgoing(first, 0) == [[first, 0, last, 0]]


def test_weights_wire_the_slots_of_a_path_to_its_target(lamp: ArrowProject) -> None:
    node = do(lamp, "create_insert_node", type="randomizer", preset={"paths": 2})["node_id"]
    for slot, target in enumerate((14, 15)):
        do(lamp, "create_connection", from_node_id=node, from_slot=slot, to_node_id=target)
    do(lamp, "update_node", node_id=node, data={"weights": [1, 2]})
    assert [c[1:3] for c in lamp.data.outgoing(node, 0)] == [[0, 14], [1, 15], [2, 15]]


@pytest.mark.parametrize(
    ("type_name", "preset", "words"),
    [
        ("dialog", {"character": "Nobody"}, "Mira"),
        ("dialog", {"lines": []}, "non-empty"),
        ("dialog", {"speaker": 6}, 'no "speaker"'),
        ("condition", {"variable": "visitor", "operator": ">", "compare_to": "x"}, "no operator"),
        ("condition", {"variable": "oil", "operator": "==", "compare_to": "x"}, "whole number"),
        (
            "condition",
            {"variable": "visitor", "operator": "==", "compare_to": {"type": "variable", "value": "visitor"}},
            "fixed text",
        ),
        ("variable_update", {"variable": "lit", "operation": "add", "value": True}, "no operator"),
        ("user_input", {"prompt": "?", "variable": "oil", "input_type": "text"}, "needs a variable of type str"),
        ("generator", {"variable": "oil", "generator_type": "random_int", "min": 3, "max": 4}, "min"),
        ("randomizer", {"weights": [1, 10]}, "at most 10"),
        ("randomizer", {"paths": 11}, "at most 10"),
        ("macro_use", {"macro": 16}, "no macro"),
        ("tag_edit", {"character": 6, "operations": [{"key": "7", "value": "x"}]}, "number"),
        ("marker", {"color": "blue"}, "#4a90e2"),
        ("content", {"content": 1.5}, "text"),
    ],
)
def test_wrong_data_is_refused_and_the_remedy_named(
    lamp: ArrowProject, type_name: str, preset: dict[str, Any], words: str
) -> None:
    assert words in refusal(lamp, "create_insert_node", type=type_name, preset=preset).message


def weighted(lamp: ArrowProject, *weights: list[int]) -> tuple[int, dict[str, Any], list[tuple[int, int]]]:
    """A randomizer with path 0 to node 14 and path 1 to node 15, weighted again and again: slots and targets."""
    node = do(lamp, "create_insert_node", type="randomizer", preset={"paths": 2})["node_id"]
    for slot, target in enumerate((14, 15)):
        do(lamp, "create_connection", from_node_id=node, from_slot=slot, to_node_id=target)
    result: dict[str, Any] = {}
    for given in weights:
        result = do(lamp, "update_node", node_id=node, data={"weights": given})
    return node, result, sorted((c[1], c[2]) for c in lamp.data.outgoing(node, 0))


@pytest.mark.parametrize(
    ("weights", "targets"),
    [
        ([[1, 3], [3, 1]], [14, 14, 14, 15]),
        ([[3, 1], [1, 1]], [14, 15]),
        ([[1, 3], [2, 6]], [14, 15, 15, 15]),
        ([[1, 1], [3, 1], [1, 2]], [14, 15, 15]),
    ],
)
def test_new_weights_regroup_the_slots_of_each_path(
    lamp: ArrowProject, weights: list[list[int]], targets: list[int]
) -> None:
    _, result, wired = weighted(lamp, *weights)
    assert wired == list(enumerate(targets))
    assert [[targets[slot] for slot in slots] for slots in result["slots_of_path"]] == [
        [target] * targets.count(target) for target in (14, 15)
    ]


def test_weights_that_fit_no_wiring_leave_the_connections(lamp: ArrowProject) -> None:
    _, result, wired = weighted(lamp, [1, 3], [1, 2, 3])
    assert wired == list(enumerate([14, 15, 15, 15]))
    assert any("stayed at their slots" in remark for remark in result["remarks"])
