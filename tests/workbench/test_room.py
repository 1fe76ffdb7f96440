"""The stories that pages have open share a room, and give it back."""

import asyncio
import gc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from weakref import ref

import pytest
from nicegui import Client, ui
from nicegui.page import page

from agent import Asked
from arrow_project import Operation
from server import RequestError, TurnBody
from tests.workbench.test_forms import OPENED, on_a_page
from tests.workbench.test_panels import opened, visited
from workbench.story.open_story import OpenStory
from workbench.story.panel import StoryPanel
from workbench.story.room import OpenStories
from workbench.story.scene_view import view_scene

_SIZE = OPENED.size


@pytest.fixture
def without_collecting() -> Iterator[None]:
    """What is given back is given back at once, not when it is looked for."""
    gc.disable()
    yield
    gc.enable()


def test_a_workspace_has_its_share_and_a_sixteenth_in_any_case() -> None:
    room = OpenStories(most=16 * _SIZE, each=15 * _SIZE)
    red = [opened() for _ in range(15)]
    for number in range(15):
        room.admit("red", red[number])
    with pytest.raises(RequestError, match=r"no room for story\.arrow.*Close pages that show stories") as refused:
        room.admit("red", opened())
    assert (refused.value.status, refused.value.code) == (503, "TOO_BUSY")
    room.admit("red", another := opened(), red[0])  # it will be shown instead of that
    blue, green, long = [opened(), opened()], opened(), OpenStory("long.arrow", OPENED.text + " " * 1000)
    with pytest.raises(RequestError, match="no room"):
        room.admit("blue", long)
    room.admit("blue", blue[0])
    with pytest.raises(RequestError, match="no room"):
        room.admit("blue", blue[1])
    room.admit("green", green)
    assert [room.taken(who) for who in ("red", "blue", "green")] == [16 * _SIZE, _SIZE, _SIZE]
    red.clear()
    del another
    room.admit("blue", blue[1])
    room.admit("blue", long)


def test_a_turn_is_refused_where_what_becomes_of_its_story_would_have_no_room() -> None:
    """Fifty pages may show the same one, and each turn makes another of it; so does each after a download."""
    room, story = OpenStories(most=9 * _SIZE, each=3 * _SIZE), opened()
    room.admit("red", story)
    states = list[OpenStory]()
    for _ in range(2):
        room.refuse("red", story, story)
        states.append(opened())
        room.add("red", states[-1])
    room.refuse("red", states[0], states[0])
    another = opened()
    with pytest.raises(RequestError, match=r"no room for story\.arrow"):
        room.refuse("red", another, another)
    states.clear()
    room.refuse("red", another, another)


async def test_a_page_asks_for_that_room_before_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.visit.answer_turn", lambda *_, **__: pytest.fail("it began"))
    visit = visited(OpenStories(most=9 * _SIZE, each=2 * _SIZE))
    visit.shown.open(opened())
    others = [opened() for _ in range(2)]
    for one in others:
        visit._room.add(visit.workspace, one)
    with pytest.raises(RequestError, match="Close pages that show stories"):
        await visit.begin_turn(TurnBody(arrow_content=OPENED.text), lambda _: asyncio.sleep(0))


def test_what_is_drawn_of_a_story_counts_for_each_page() -> None:
    room = OpenStories(most=9 * _SIZE, each=2 * _SIZE)
    story = opened()
    room.admit("red", story)
    view = view_scene(story, None, 0, lambda: None)
    assert view.size >= len(view.drawing)
    views = [replace(view, drawing="x" * (_SIZE // 2)) for _ in range(2)]
    room.admit("red", views[0])
    with pytest.raises(RequestError, match="no room"):
        room.admit("red", views[1])
    room.admit("red", views[1], views[0])


def test_a_story_that_takes_all_the_room_is_drawn() -> None:
    room = OpenStories(most=9 * _SIZE, each=_SIZE // 2)
    room.admit("red", story := opened())
    view = replace(view_scene(story, None, 0, lambda: None), drawing="x" * _SIZE)
    room.admit("red", view, None, story)


def test_one_by_itself_has_room_however_long() -> None:
    room = OpenStories(most=_SIZE // 2, each=_SIZE // 4)
    room.admit("red", story := opened())
    room.admit("red", opened(), story)


def test_a_story_counts_with_its_text_and_as_it_is_in_memory() -> None:
    long = OpenStory("long.arrow", OPENED.text + " " * 1000)
    assert long.size >= OPENED.size + 1000
    assert 2 * len(OPENED.text) < _SIZE


def test_a_page_that_finds_no_room_keeps_what_it_shows_and_one_that_closes_makes_room() -> None:
    async def use() -> tuple[OpenStory | None, OpenStory | None, OpenStory | None]:
        room = OpenStories(most=9 * _SIZE, each=_SIZE)
        first, second = visited(room), visited(room)
        first.shown.open(await first.read_story(opened))
        with pytest.raises(RequestError, match="no room"):
            await second.read_story(opened)
        again = await first.read_story(opened)  # instead of its own
        first.shown.open(again)
        kept = first.shown.story
        first.end()
        del again
        kept = kept and replace(kept, name="kept")
        second.shown.open(await second.read_story(opened))
        return kept, first.shown.story, second.shown.story

    kept, first, second = on_a_page(use)
    assert kept is not None
    assert (first, second) == (None, opened())


def test_where_a_preview_has_no_room_the_story_stays_and_the_question_is_asked(monkeypatch: Any) -> None:
    said = list[str]()
    monkeypatch.setattr(ui, "notify", lambda message, **_: said.append(message))

    async def use() -> tuple[bool, Any, str]:
        visit = visited(OpenStories(most=9 * _SIZE, each=_SIZE + _SIZE // 2))
        panel: Any = StoryPanel(visit)
        change: Any = panel._change
        visit.shown.open(story := opened())
        asked = Asked("plan", "Remove it?", "1", operations=(Operation("delete_node", {"node_id": 13}),))

        async def begin_turn(_body: Any, tell: Any) -> dict[str, Any]:
            await tell(asked)
            return {"changed": False, "suggestions": []}

        visit.begin_turn = begin_turn
        await change._run("Remove 13", message="remove 13")
        return visit.shown.story is story, visit.shown.preview, change._asked.pending_id

    assert on_a_page(use) == (True, None, "1")
    assert "The preview is not drawn. There is no room" in said[0]


@pytest.mark.usefixtures("without_collecting")
@pytest.mark.parametrize("function", ["update_node", "create_connection", "update_character", "create_insert_node"])
def test_what_a_page_has_open_is_given_back_with_it(function: str) -> None:
    async def use() -> Any:
        room = OpenStories()
        visit = visited(room)
        client = Client(page("/gone"))
        with client:
            panel: Any = StoryPanel(visit)
            visit.shown.open(opened(), is_unsaved=True)
            visit.shown.node_id = 13
            panel._change._form.choose(function)
            panel._change._form.choose("update_node")
            panel._change._form.choose(function)
            story = ref(visit.shown.story.project)
            client.on_delete(visit.end)
            client.delete()
        return room.taken("red"), story()

    assert on_a_page(use) == (0, None)
