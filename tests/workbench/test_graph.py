"""A scene as a drawing, of stories that Arrow did not write."""

import json
from typing import Any

import pytest

from arrow_project import parse
from tests.agent.story import story_text
from workbench.graph import scene_drawing


@pytest.mark.parametrize(
    "rect", [[1e15, "a"], "ab", [1], [10**15, -5], [True, 1], {"0": 1}, None, [], [[1], [2]]], ids=repr
)
def test_a_frame_of_any_size_is_drawn(rect: Any) -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    story["resources"]["nodes"]["900"] = {"type": "frame", "name": "f", "data": {"label": "x", "rect": rect}}
    scene["map"]["900"] = {"offset": [0, 0]}
    assert 'data-node="900"' in scene_drawing(parse(json.dumps(story)), int(scene_id))
