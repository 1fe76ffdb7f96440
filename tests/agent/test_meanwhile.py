"""A story that comes while an editor does something: of a million changes is kept what tells them apart."""

import json
import tracemalloc
from typing import Any

from agent.editing.meanwhile import WrittenMeanwhile, is_written_into
from agent.editing.shadow import _came_of_it  # pyright: ignore[reportPrivateUsage]
from arrow_project import ArrowProject, Operation, losses, parse, tables_of
from tests.agent.story import story_text

_MANY = 1_000


def with_values(value: int) -> ArrowProject:
    """A story with very many of a value behind long keys."""
    document: Any = json.loads(story_text())
    document["resources"]["nodes"]["2"]["data"]["a" * 1000] = {"b" * 1000: {"c" * 1000: [value] * _MANY}}
    return parse(json.dumps(document))


def test_very_many_changes_that_came_meanwhile_take_little_memory() -> None:
    before, after = with_values(1), with_values(2)
    assert sum(1 for _ in losses(tables_of(before), tables_of(after))) == _MANY
    tracemalloc.start()
    assert _came_of_it(before, after, with_values(2))
    assert not _came_of_it(before, after, with_values(1))
    meanwhile = WrittenMeanwhile(before)
    meanwhile.look_at(after, tables_of(after))
    assert sum(1 for _ in meanwhile.taken_away(with_values(3))) == _MANY
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 500 * _MANY


def test_what_has_come_into_a_scene_would_go_with_it() -> None:
    text = with_scene().to_text()
    tried, shown = parse(text), parse(text)
    checkpoint = tried.checkpoint()
    scene_id = tried.data.by_name("scene")["Quay"]
    tried.apply(Operation("delete_scene", {"scene_id": scene_id}))
    assert not is_written_into(shown, tried, checkpoint)
    shown.apply(Operation("create_insert_node", {"type": "content", "scene_id": scene_id}))
    assert is_written_into(shown, tried, checkpoint)


def test_of_what_is_changed_each_part_may_be_as_before_or_as_after() -> None:
    tried = with_scene()
    checkpoint = tried.checkpoint()
    tried.apply(Operation("update_node", {"node_id": 3, "name": "quay", "notes": "at night"}))
    for name, notes, is_written in ("quay", "", False), ("quay", "at night", False), ("quay", "by day", True):
        shown = with_scene()
        shown.apply(Operation("update_node", {"node_id": 3, "name": name, "notes": notes}))
        assert is_written_into(shown, tried, checkpoint) == is_written


def with_scene() -> ArrowProject:
    story = parse(story_text())
    story.apply(Operation("create_scene", {"name": "Quay"}))
    return story
