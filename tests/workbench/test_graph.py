"""A scene as a drawing, of stories that Arrow did not write."""

import json
from collections.abc import Iterator
from dataclasses import replace
from sys import getsizeof
from typing import Any
from unittest.mock import Mock

import pytest
from nicegui import ElementFilter, ui

from arrow_project import Node, Story, parse
from server import RequestError
from tests.agent.story import story_text
from tests.workbench.test_forms import on_a_page
from tests.workbench.test_panels import visited
from workbench.changing.resources import Resources
from workbench.frame.bounded import (
    LONGEST_CARD,
    LONGEST_OUTLINE,
    MOST_ELEMENTS,
    MOST_LINKS,
    MOST_NODES,
    MOST_WAYS,
    beginning,
)
from workbench.story.graph import scene_drawing
from workbench.story.node_card import draw_node
from workbench.story.open_story import BLANK, OpenStory
from workbench.story.panel import StoryPanel
from workbench.story.scene_view import view_scene


@pytest.mark.parametrize(
    "rect", [[1e15, "a"], "ab", [1], [10**15, -5], [True, 1], {"0": 1}, None, [], [[1], [2]]], ids=repr
)
def test_a_frame_of_any_size_is_drawn(rect: Any) -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    story["resources"]["nodes"]["900"] = {"type": "frame", "name": "f", "data": {"label": "x", "rect": rect}}
    scene["map"]["900"] = {"offset": [0, 0]}
    assert 'data-node="900"' in scene_drawing(OpenStory("s.arrow", json.dumps(story)), int(scene_id))


@pytest.mark.parametrize("offset", [[{}, []], ["x", None], [10**15, -1.5e9], [True, 1.5]], ids=repr)
def test_a_node_at_no_place_is_drawn(offset: Any) -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    next(iter(scene["map"].values()))["offset"] = offset
    drawing = scene_drawing(OpenStory("s.arrow", json.dumps(story)), int(scene_id))
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
    drawing = scene_drawing(OpenStory("s.arrow", json.dumps(story)), int(scene_id))
    assert MOST_LINKS // 2 < drawing.count("<circle") <= MOST_LINKS
    assert drawing.count("data-node=") == len(scene["map"])


def test_no_more_of_what_a_change_takes_away_is_drawn_than_there_may_be_links(monkeypatch: pytest.MonkeyPatch) -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    after = OpenStory("s.arrow", json.dumps(story))
    story["resources"]["nodes"]["900"] = {"type": "interaction", "name": "i", "data": {"actions": ["go"] * 2}}
    scene["map"]["900"] = {"offset": [0, 0], "io": [[900, 0, 900, 0]] * 100}
    monkeypatch.setattr("workbench.story.graph.MOST_LINKS", 50)
    drawing = scene_drawing(after, int(scene_id), OpenStory("s.arrow", json.dumps(story)))
    assert drawing.count('class="edge"') == 50


def test_of_long_names_and_texts_no_more_is_drawn_than_is_looked_at() -> None:
    story = json.loads(story_text())
    scene_id, scene = next(iter(story["resources"]["scenes"].items()))
    scene["name"] = "A scene " * 1_200
    story["resources"]["characters"]["901"] = {"name": "Elena" * 1_900, "color": "ffffff"}
    for key in range(1000, 1010):
        data = {"character": 901, "lines": ["Who is there? " * 7_000] * 2, "playable": True}
        story["resources"]["nodes"][str(key)] = {"type": "dialog", "name": "Hello" * 1_900, "data": data}
        scene["map"][str(key)] = {"offset": [key, 0], "io": [[key, 0, 1000, 0]]}
    story["resources"]["variables"]["902"] = {"name": "oil " * 2_400, "type": "str", "init": ""}
    for key in range(1010, 1020):
        data = {"variable": 902, "operator": "eq", "with": [0, "lamp " * 19_000]}
        kind = "condition" if key % 2 else "a type " * 1_400
        story["resources"]["nodes"][str(key)] = {"type": kind, "name": "c", "data": data}
        scene["map"][str(key)] = {"offset": [key, 0]}
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


@pytest.mark.parametrize("at", [0, 50, -1])
def test_a_file_is_read_in_pieces_and_refused_where_one_is_no_text(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """All of 64 MiB at once would hold the interpreter for as long as it takes, which others wait for."""
    monkeypatch.setattr("workbench.story.open_story._PIECE", 7)
    story = json.loads(story_text()) | {"title": "Über die Brücke"}
    data = json.dumps(story, ensure_ascii=False).encode()
    assert OpenStory.read("story.arrow", data).project.data.raw["title"] == story["title"]
    parsed = Mock(wraps=parse)
    monkeypatch.setattr("workbench.story.open_story.parse", parsed)
    with pytest.raises(RequestError, match="is not UTF-8 text"):
        OpenStory.read("story.arrow", data[:at] + b"\xff" + data[at:])
    assert len(parsed.call_args.args[0]) < 20


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
    drawing = scene_drawing(OpenStory("s.arrow", json.dumps(story)), int(scene_id))
    for said in ("900 variable_update gold(90) add 5 (variable_update: ", "901 tag_match sea land (tag_match by Bo: "):
        assert f'aria-label="{said}' in drawing
    assert "902 Bo Who rings? (monolog by Bo: &quot;Who rings?&quot;)" in drawing
    for seen in ("gold(90) add 5", "901 tag_match", "902 Bo"):
        assert f">{seen}</text>" in drawing


def _linked(ways: int) -> OpenStory:
    """A story in which so many ways lead from node 1000 to node 1001."""
    story = json.loads(story_text())
    scene = story["resources"]["scenes"]["0"]
    for key, io in ((1000, [[1000, slot, 1001, 0] for slot in range(ways)]), (1001, [])):
        data = {"actions": ["go"] * ways} if io else {"variable": 20, "operator": "eq", "with": [0, 1]}
        kind = "interaction" if io else "condition"
        story["resources"]["nodes"][str(key)] = {"type": kind, "name": "n", "data": data}
        scene["map"][str(key)] = {"offset": [key, 0], "io": io}
    return OpenStory.read("linked.arrow", json.dumps(story).encode())


def test_of_the_ways_of_a_node_those_that_are_shown_are_described_and_each_node_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ways, phrases = list[int](), list[int]()
    describe_way = Story.describe_way

    def described(story: Story, node_id: int, slot: int, to: int | None = None) -> str:
        ways.append(slot)
        return describe_way(story, node_id, slot, to)

    def phrased(_project: object, node_id: int, _limit: int) -> str:
        phrases.append(node_id)
        return "oil"

    monkeypatch.setattr(Story, "describe_way", described)
    monkeypatch.setattr("arrow_project.story.phrase", phrased)
    opened = _linked(1_000)
    for key in (1000, 1001):

        async def use(node: Node = opened.story.nodes[key]) -> None:
            draw_node(opened.story, node, print)

        on_a_page(use)
    assert len(ways) == 2 * MOST_WAYS
    assert phrases == [1001]


class _Counted(list[Any]):
    """Ends a test that goes through more of it than a card has."""

    def __iter__(self) -> Iterator[Any]:
        for number, one in enumerate(super().__iter__()):
            assert number <= MOST_ELEMENTS
            yield one


def test_of_a_node_of_any_size_its_card_looks_at_no_more_than_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = _linked(1_000)
    node = replace(opened.story.nodes[1000], type="jump", data={"lines": _Counted(["x"] * 1_000), "target": 1001})
    opened.story.nodes[1000] = node
    out, into = (_Counted(one) for one in (opened.story.leaving(1000), opened.story.leading_to(1001)))
    monkeypatch.setattr(Story, "leaving", lambda *_: out)
    monkeypatch.setattr(Story, "leading_to", lambda *_: into)

    async def use() -> list[str]:
        draw_node(opened.story, node, print)
        return [label.text for label in ElementFilter(kind=ui.label)]

    said = on_a_page(use)
    assert said.count("x") == MOST_ELEMENTS
    assert "More are not shown." in said


def test_of_a_node_of_very_many_values_few_are_looked_at_for_the_words_that_tell_it() -> None:
    lines = _Counted([""] * 1_000)
    story = json.loads(story_text())
    scene = next(iter(story["resources"]["scenes"].values()))
    story["resources"]["nodes"] |= {"900": {"type": "dialog", "name": "n", "data": {"lines": ["a"], "character": -1}}}
    scene["map"]["900"] = {"offset": [0, 0]}
    opened = OpenStory("s.arrow", json.dumps(story)).story
    opened.nodes[900] = replace(opened.nodes[900], data={"lines": lines, "character": -1})
    assert opened.describe(900).startswith("900 (dialog")


def test_a_node_that_something_leads_to_which_is_not_there_has_its_card() -> None:
    story = json.loads(story_text())
    scene = next(iter(story["resources"]["scenes"].values()))
    key, placed = next(iter(scene["map"].items()))
    placed["io"] = [[10**15, 0, int(key), 0]]
    opened = OpenStory.read("a.arrow", json.dumps(story).encode()).story

    async def use() -> list[str]:
        draw_node(opened, opened.nodes[int(key)], print)
        return [button.text for button in ElementFilter(kind=ui.button)]

    assert f"node {10**15}" in on_a_page(use)


def test_what_a_page_asks_of_a_story_is_there_before_it_is_opened() -> None:
    opened = _linked(2)
    there = set(vars(opened.story))

    async def use() -> None:
        panel: Any = StoryPanel(visited())
        panel._shown.open(opened)
        panel._choose_node(1001)
        panel._change.edit_node()

    on_a_page(use)
    assert set(vars(opened.story)) == there


def test_one_emoji_does_not_make_a_drawing_four_times_as_large() -> None:
    story = json.loads(BLANK)
    for node_id in range(10, 60):
        story["resources"]["nodes"][str(node_id)] = {"type": "content", "name": str(node_id), "data": {"title": "Oil."}}
        story["resources"]["scenes"]["0"]["map"][str(node_id)] = {"offset": [0, 0]}
    story["resources"]["nodes"]["10"]["data"]["title"] = "\N{GRINNING FACE}"
    drawing = scene_drawing(OpenStory("s.arrow", json.dumps(story)), 0)
    assert "&#128512;" in drawing
    assert getsizeof(drawing) < 1.1 * len(drawing)
    for node in story["resources"]["nodes"].values():
        node["data"] = {"title": "\N{GRINNING FACE}" * 20}
    assert "&#128512;" not in scene_drawing(OpenStory("s.arrow", json.dumps(story)), 0)


def test_of_a_node_with_long_texts_its_card_shows_so_many_characters_together() -> None:
    opened = _linked(3)
    node = replace(opened.story.nodes[1000], data={"lines": ["🏮" * 9_000] * 100})
    opened.story.nodes[1000] = node

    async def use() -> list[str]:
        draw_node(opened.story, node, print)
        return [label.text for label in ElementFilter(kind=ui.label)]

    said = on_a_page(use)
    assert LONGEST_CARD <= sum(map(len, said)) <= LONGEST_CARD + 1_000
    assert "More are not shown." in said
