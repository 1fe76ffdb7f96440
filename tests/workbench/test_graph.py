"""A scene as a drawing, of stories that Arrow did not write."""

import json
from typing import Any

import pytest

from arrow_project import parse
from server import RequestError
from tests.agent.story import story_text
from workbench.changing.resources import Resources
from workbench.frame.bounded import LONGEST_OUTLINE, MOST_ELEMENTS, MOST_LINKS, MOST_NODES, beginning
from workbench.story.graph import scene_drawing
from workbench.story.open_story import OpenStory
from workbench.story.scene_view import view_scene


@pytest.mark.parametrize(
    "rect", [[1e15, "a"], "ab", [1], [10**15, -5], [True, 1], {"0": 1}, None, [], [[1], [2]]], ids=repr
)
def test_a_frame_of_any_size_is_drawn(rect: Any) -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    story["resources"]["nodes"]["900"] = {"type": "frame", "name": "f", "data": {"label": "x", "rect": rect}}
    scene["map"]["900"] = {"offset": [0, 0]}
    assert 'data-node="900"' in scene_drawing(parse(json.dumps(story)), int(scene_id))


@pytest.mark.parametrize("offset", [[{}, []], ["x", None], [10**15, -1.5e9], [True, 1.5]], ids=repr)
def test_a_node_at_no_place_is_drawn(offset: Any) -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    next(iter(scene["map"].values()))["offset"] = offset
    drawing = scene_drawing(parse(json.dumps(story)), int(scene_id))
    assert drawing.count("data-node=") == len(scene["map"])


def test_of_a_story_of_any_size_no_more_is_drawn_than_is_looked_at() -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    for key in range(1000, 6100):
        actions = ["go"] * (300 if key == 1001 else 3)
        story["resources"]["nodes"][str(key)] = {"type": "interaction", "name": "i", "data": {"actions": actions}}
        scene["map"][str(key)] = {"offset": [key, 0], "io": [[key, slot, 1001, 0] for slot in range(3)]}
    opened = OpenStory("large.arrow", json.dumps(story))
    view = view_scene(opened, None, int(scene_id), print)
    assert view.drawing.count("data-node=") == len(view.nodes) == MOST_NODES
    assert view.left_out == len(scene["map"]) - MOST_NODES
    assert MOST_ELEMENTS < view.drawing.count("<circle") <= 3 * MOST_NODES + MOST_ELEMENTS
    assert Resources(opened.story, int(scene_id)).named_by("node_id") is None


def test_of_very_many_outputs_no_more_are_drawn_than_there_may_be_links() -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    for key in range(1000, 1150):
        story["resources"]["nodes"][str(key)] = {"type": "interaction", "name": "i", "data": {"actions": ["go"] * 190}}
        scene["map"][str(key)] = {"offset": [key, 0], "io": [[key, 189, 1000, 0]]}
    drawing = scene_drawing(parse(json.dumps(story)), int(scene_id))
    assert MOST_LINKS // 2 < drawing.count("<circle") <= MOST_LINKS
    assert drawing.count("data-node=") == len(scene["map"])


def test_of_long_names_and_texts_no_more_is_drawn_than_is_looked_at() -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    scene["name"] = "A scene " * 12_000
    story["resources"]["characters"]["901"] = {"name": "Elena" * 19_000, "color": "ffffff"}
    for key in range(1000, 1010):
        data = {"character": 901, "lines": ["Who is there? " * 7_000] * 2, "playable": True}
        story["resources"]["nodes"][str(key)] = {"type": "dialog", "name": "Hello" * 19_000, "data": data}
        scene["map"][str(key)] = {"offset": [key, 0], "io": [[key, 0, 1000, 0]]}
    opened = OpenStory.read("long.arrow", json.dumps(story).encode())
    view, resources = view_scene(opened, None, int(scene_id), print), Resources(opened.story, int(scene_id), 1000)
    arguments = ("node_id", "scene_id", "character", "from_slot", "connect_from")
    names = [name for argument in arguments for name in (resources.named_by(argument) or {}).values()]
    assert max(map(len, [*names, *view.scenes.values(), *view.nodes.values()])) < 300
    assert len(view.drawing) < 100_000
    assert len(view.outline) <= LONGEST_OUTLINE
    assert len(beginning(opened.story.nodes[1000].texts[0])) < 11_000


def test_a_story_with_a_text_that_no_writer_wrote_is_refused() -> None:
    story = json.loads(story_text())
    story["title"] = "x" * 100_001
    with pytest.raises(RequestError, match="more than 100,000; shorten it in Arrow") as refused:
        OpenStory.read("long.arrow", json.dumps(story).encode())
    assert (refused.value.status, refused.value.code) == (422, "INVALID_REQUEST")


def test_a_node_says_what_it_is_and_does() -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    story["resources"]["variables"]["90"] = {"name": "gold", "type": "num", "init": 0}
    story["resources"]["characters"]["91"] = {"name": "Bo", "color": "aabbcc", "tags": {}}
    added = {
        "900": ("variable_update", {"variable": 90, "operator": "add", "with": [0, 5]}),
        "901": ("tag_match", {"character": 91, "tag_key": "side", "patterns": ["sea", "land"]}),
        "902": ("monolog", {"character": 91, "monolog": "Who rings?"}),
    }
    for key, (kind, data) in added.items():
        story["resources"]["nodes"][key] = {"type": kind, "name": key, "data": data}
        scene["map"][key] = {"offset": [0, 0]}
    drawing = scene_drawing(parse(json.dumps(story)), int(scene_id))
    for said in ("900 variable_update gold(90) add 5 (variable_update: ", "901 tag_match sea land (tag_match by Bo: "):
        assert f'aria-label="{said}' in drawing
    assert "902 Bo Who rings? (monolog by Bo: &quot;Who rings?&quot;)" in drawing
    for seen in ("gold(90) add 5", "901 tag_match", "902 Bo"):
        assert f">{seen}</text>" in drawing
