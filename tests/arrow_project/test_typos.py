"""Keys that nobody knows are refused wherever they stand, with the one that may have been meant."""

from typing import Any

import pytest

from arrow_project import ArrowProject
from tests.arrow_project.applying import refusal


@pytest.mark.parametrize(
    ("type_name", "preset", "meant"),
    [
        ("tag_pass", {"character": 6, "conditions": [{"key": "mood", "vlaue": "glad"}]}, "value"),
        ("tag_match", {"character": 6, "match": {"typ": "equals", "key": "mood", "value": "glad"}}, "type"),
        ("tag_edit", {"character": 6, "operations": [{"acton": "remove", "key": "mood", "value": "x"}]}, "action"),
        ("condition", {"variable": "oil", "compare_to": {"type": "value", "valeu": 3}}, "value"),
        ("variable_update", {"variable": "oil", "value": {"typ": "variable", "value": 3}}, "type"),
        ("jump", {"target": {"tpye": "scene", "id": 0}}, "type"),
        ("user_input", {"variable": "oil", "custom": {"mni": 1}}, "min"),
    ],
)
def test_a_typo_inside_of_data_is_refused(
    lamp: ArrowProject, type_name: str, preset: dict[str, Any], meant: str
) -> None:
    assert f'did you mean "{meant}"' in refusal(lamp, "create_insert_node", type=type_name, preset=preset).message


def test_a_typo_inside_of_an_argument_is_refused(lamp: ArrowProject) -> None:
    refused = refusal(lamp, "create_insert_node", type="marker", connect_from={"node_id": 24, "slto": 0})
    assert 'did you mean "slot"' in refused.message
    refused = refusal(lamp, "update_node_map", node_id=11, modifications={"io": {"puhs": [[11, 0, 12, 0]]}})
    assert 'did you mean "push"' in refused.message


def test_only_one_match_is_taken(lamp: ArrowProject) -> None:
    both = [{"key": "mood"}, {"key": "trust"}]
    assert (
        "one object"
        in refusal(lamp, "create_insert_node", type="tag_match", preset={"character": 6, "match": both}).message
    )
