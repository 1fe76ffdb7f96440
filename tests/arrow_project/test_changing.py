"""A change touches what it names, and what is lost is said or refused."""

import json
from typing import Any

import pytest

from arrow_project import ArrowProject, check, parse
from arrow_project.node_types.patterns import MAX_PATTERN, compiles
from tests.arrow_project.applying import do, refusal


def with_data(lamp: ArrowProject, type_name: str, data: dict[str, Any]) -> tuple[ArrowProject, int]:
    """A project that holds a node with this native data, whatever it is."""
    node_id: int = do(lamp, "create_insert_node", type=type_name)["node_id"]
    raw = json.loads(lamp.to_text())
    raw["resources"]["nodes"][str(node_id)]["data"] = data
    return parse(json.dumps(raw)), node_id


@pytest.mark.parametrize(
    ("type_name", "data", "change"),
    [
        ("tag_pass", {"character": -1, "pass": [1, [["", None]]]}, {"character": 6}),
        ("tag_match", {"character": -1, "tag_key": "", "patterns": [""]}, {"character": 6}),
        ("tag_match", {"character": 6, "tag_key": "", "patterns": [""]}, {"patterns": ["a"]}),
        ("user_input", {"prompt": "", "variable": 3, "custom": [5, 1, 9, 9]}, {"prompt": "How much?"}),
        ("content", {"title": "a", "content": "b", "brief": "c"}, {"title": "d"}),
        ("jump", {"target": 999, "reason": ""}, {"reason": "later"}),
    ],
)
def test_what_is_not_named_stays_as_it_is(
    lamp: ArrowProject, type_name: str, data: dict[str, Any], change: dict[str, Any]
) -> None:
    project, node_id = with_data(lamp, type_name, data)
    do(project, "update_node", node_id=node_id, data=change)
    assert project.data.data(node_id) == data | change


def test_an_input_into_a_variable_of_another_type_gets_its_settings(lamp: ArrowProject) -> None:
    preset = {"prompt": "?", "variable": "oil", "custom": {"min": 1, "max": 5}}
    node_id = do(lamp, "create_insert_node", type="user_input", preset=preset)["node_id"]
    result = do(lamp, "update_node", node_id=node_id, data={"variable": "visitor"})
    assert lamp.data.data(node_id) == {"prompt": "?", "variable": 4, "custom": ["", "", ""]}
    assert "custom" in result["remarks"][0]


@pytest.mark.parametrize(
    ("type_name", "preset"),
    [
        ("condition", {"variable": "oil", "operator": ">", "compare_to": 3}),
        ("variable_update", {"variable": "oil", "operation": "add", "value": 3}),
        ("generator", {"variable": "oil", "min": 1, "max": 6}),
        ("user_input", {"variable": "oil", "custom": {"min": 1}}),
    ],
)
def test_without_its_variable_a_node_is_as_new(lamp: ArrowProject, type_name: str, preset: dict[str, Any]) -> None:
    node_id = do(lamp, "create_insert_node", type=type_name, preset=preset)["node_id"]
    fresh = do(lamp, "create_insert_node", type=type_name)["node_id"]
    do(lamp, "update_node", node_id=node_id, data={"variable": -1})
    assert lamp.simplified(node_id) == lamp.simplified(fresh)


@pytest.mark.parametrize(
    ("type_name", "preset", "words"),
    [
        ("randomizer", {"paths": 3, "weights": [1, 2]}, "one per path"),
        ("hub", {"options": ["a"], "inputs": 3}, "not both"),
        ("generator", {"variable": "oil", "generator_type": "random_int", "dice": "2d6"}, '"dice" does not go'),
        ("sequencer", {"mode": "all", "reset": True}, "cycle"),
        ("sequencer", {"mode": "cycle", "reset": "no"}, "true or false"),
        ("tag_pass", {"character": 6, "match": {"key": "mood"}, "conditions": [{"key": "trust"}]}, "leave out"),
        ("tag_match", {"character": 6, "match": {"key": "mood"}, "patterns": ["a"]}, "leave out"),
        ("condition", {"variable": "visitor", "operator": "rgx", "compare_to": "(?i)a"}, "(?i)"),
        ("user_input", {"variable": "visitor", "custom": {"pattern": "(?P<a>b)"}}, "(?P<name>)"),
        ("condition", {"variable": "visitor", "operator": "!=", "compare_to": "a" * MAX_PATTERN}, "2,000 characters"),
        ("condition", {"variable": "visitor", "operator": "rgx", "compare_to": "a" * 2_001}, "2,000 characters"),
        ("user_input", {"variable": "visitor", "custom": {"pattern": "a" * 2_001}}, "2,000 characters"),
        ("tag_match", {"character": 6, "key": "a", "regex": True, "patterns": ["a" * 2_001]}, "2,000 characters"),
        ("user_input", {"variable": "oil", "custom": [1, 5, 1, 9]}, "a value from min to max"),
        ("user_input", {"variable": "oil", "custom": {"min": 1, "max": 5, "value": 9}}, "a value from min to max"),
        ("user_input", {"variable": "oil", "custom": [1, 5, 1]}, "an object with min, max, step, value"),
        ("user_input", {"variable": "visitor", "custom": [1, 5, 1, 1]}, "an object with pattern"),
    ],
)
def test_what_would_be_lost_is_refused(lamp: ArrowProject, type_name: str, preset: dict[str, Any], words: str) -> None:
    assert words in refusal(lamp, "create_insert_node", type=type_name, preset=preset).message


def test_a_weighted_randomizer_may_be_weighted_without_its_paths(lamp: ArrowProject) -> None:
    node_id = do(lamp, "create_insert_node", type="randomizer", preset={"paths": 4})["node_id"]
    do(lamp, "update_node", node_id=node_id, data={"weights": [1, 2]})
    assert lamp.data.outputs(node_id) == 3


def test_tags_that_become_one_are_refused(lamp: ArrowProject) -> None:
    assert "both have the key" in refusal(lamp, "create_character", name="x", tags={"a b": 1, "a_b": 2}).message


def test_removed_characters_are_said(lamp: ArrowProject) -> None:
    result = do(lamp, "create_insert_node", type="dialog", preset={"lines": ["a\x07b\r\nc\rd"]})
    assert lamp.simplified(result["node_id"])["lines"] == ["ab\nc\nd"]
    assert any("Control characters" in remark for remark in result["remarks"])


@pytest.mark.parametrize(
    "pattern",
    [
        "(?i)a", "(?P<a>b)", "(a)(?P=a)", "(?>a)", "a*+", "a{2}+", r"\Aa", r"a\Z", "(a)(?(1)b|c)", "(?#a)", "(",
        r"\U0001f600", r"[\U00000100-\U0010ffff]", r"\N{SNOWMAN}", r"[a\N{SNOWMAN}]",
    ],
)  # fmt: skip
def test_a_pattern_that_browsers_do_not_know_does_not_compile(pattern: str) -> None:
    assert not compiles(pattern)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "pattern",
    [
        r"[[:alpha:]]+", r"\(?i\)", "[*+(?i]+", r"a\++", "(?<a>b)\\k<a>", "(?<=a)b(?!c)(?:d)", r"\p{L}", r"\\A", "a+?",
        r"\\U[\\N]",
    ],
)  # fmt: skip
def test_a_pattern_that_both_know_compiles(pattern: str) -> None:
    assert compiles(pattern)


def test_a_pattern_is_tried_up_to_a_length_that_costs_nothing() -> None:
    assert compiles("a" * MAX_PATTERN)
    assert not compiles("a" * (MAX_PATTERN + 1))


def test_a_condition_with_a_pattern_that_does_not_compile_is_found(lamp: ArrowProject) -> None:
    data = {"variable": 4, "operator": "rgx", "with": [0, "(["]}
    project, node_id = with_data(lamp, "condition", data)
    assert [f.rule for f in check(project) if f.severity == "error" and f.place.endswith(f" {node_id}")] == [45]
