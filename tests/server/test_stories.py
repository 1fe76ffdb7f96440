"""How many stories of clients are kept, and what it is told of one that is not."""

import asyncio
import gc
import json
from collections.abc import Callable
from typing import Any
from weakref import ref

import pytest

from agent import Outcome
from agent.editing.reconciliation import reported_project
from arrow_project import Operation, parse
from server.limits.story_size import size_in_memory
from server.socket.messages import MessageError
from server.socket.stories import Stories, StoryRoom
from tests.agent.story import story_text
from tests.server.client import Client, texts
from tests.server.house import House

_SIZE = size_in_memory(parse(story_text()))


async def test_the_stories_used_last_are_kept() -> None:
    stories = Stories("local", StoryRoom())
    for project_id in range(30):
        await stories.read(str(project_id), story_text(f"Story {project_id}"))
        first = stories.get("0")
        if first is not None:
            stories.put("0", first, 0)  # a turn has edited it
    kept = [project_id for project_id in range(30) if stories.get(str(project_id)) is not None]
    assert kept == [0, *range(11, 30)]
    with pytest.raises(MessageError, match=r"project 5 .* again"):
        stories.refuse_forgotten("5")
    await stories.read("5", story_text())
    stories.refuse_forgotten("5")
    stories.refuse_forgotten("one that never was here")


async def test_a_story_is_outdated_once_another_has_come_that_is_not_read() -> None:
    stories = Stories("local", StoryRoom())
    first, second = stories.comes(), stories.comes()
    with pytest.raises(MessageError):
        await stories.read("1", "not json", second)
    await stories.read("1", story_text(), first)  # which takes longer to read
    assert stories.is_outdated("1")
    await stories.read("1", story_text())
    assert not stories.is_outdated("1")


async def test_large_stories_are_kept_as_far_as_there_is_room() -> None:
    stories = Stories("local", StoryRoom(most_of_one=2**20))
    large = story_text("x" * 400_000)
    for project_id in ("1", "2", "3", "4"):
        await stories.read(project_id, large)
    assert [stories.get(project_id) is not None for project_id in ("1", "2", "3", "4")] == [False, False, True, True]


async def test_a_story_that_the_client_reports_replaces_the_one_that_was_read() -> None:
    stories = Stories("local", StoryRoom())
    known = await stories.read("1", story_text())
    before = ref(known)
    await stories.adopt("1", known, story_text("Reported"), 2)
    del known
    gc.collect()
    assert before() is None, "two would be in memory, and one counted"


async def test_a_story_larger_than_all_the_room_is_kept() -> None:
    stories = Stories("local", StoryRoom(most=2**18, most_of_one=2**18))
    await stories.read("1", story_text())
    await stories.read("2", story_text("x" * 2**18))
    assert stories.get("2") is not None
    assert stories.get("1") is None


async def test_what_was_before_a_turn_takes_room_and_is_forgotten_with_its_story() -> None:
    stories = Stories("local", StoryRoom(most_of_one=2**20))
    for project_id in ("1", "2", "3", "4"):
        await stories.read(project_id, story_text())
        stories.note_unseen(project_id, "x" * 400_000)
        stories.note_unseen(project_id, "of the turn after it")
    kept = [project_id for project_id in ("1", "2", "3", "4") if stories.get(project_id) is not None]
    assert kept == ["3", "4"]
    assert stories.take_unseen("1") is None
    await stories.read("4", story_text("as the client has it"))
    assert stories.take_unseen("4") == "x" * 400_000
    assert stories.take_unseen("4") is None
    stories.close()
    stories.note_unseen("3", "x")
    assert stories.take_unseen("3") is None


@pytest.mark.parametrize("value", [{"a": 0}, [], {"b": "c"}])
async def test_many_small_values_take_the_room_that_they_take_in_memory(value: object) -> None:
    """Their text is a small part of that."""
    document = json.loads(story_text())
    document["resources"]["nodes"]["2"]["data"]["crowd"] = [value] * 10_000
    crowded = json.dumps(document)
    stories = Stories("local", StoryRoom(most_of_one=2**20))
    for project_id in ("1", "2", "3"):
        await stories.read(project_id, crowded)
    assert [stories.get(project_id) is not None for project_id in ("1", "2", "3")] == [False, False, True]
    assert 3 * len(crowded) < 2**20


async def test_what_a_turn_adds_takes_room() -> None:
    stories = Stories("local", StoryRoom(most_of_one=2**18))
    await stories.read("1", story_text())
    project = await stories.read("2", story_text())
    project.apply(Operation("create_variable", {"name": "log", "type": "str", "initial_value": "x" * 2**18}))
    stories.put("2", project, 0)
    await stories.weigh("2")
    assert stories.get("2") is project
    assert stories.get("1") is None


async def test_what_a_client_reports_takes_room() -> None:
    stories = Stories("local", StoryRoom(most_of_one=2**18))
    await stories.read("1", story_text())
    project = await stories.read("2", story_text())
    await stories.adopt("2", project, story_text("x" * 2**18), 0)
    await stories.weigh("2")
    assert stories.get("1") is None


def test_what_turns_have_replaced_takes_no_memory_once_they_are_over(home: House) -> None:
    with home.client() as client:
        client.sync()
        client.assert_quiet()
        stories = next(iter(home.services.story_room._stories["local"]))[0]  # pyright: ignore[reportPrivateUsage]
        project = stories.get("1")
        assert project is not None
        versions = [project.checkpoint()]
        for number in range(5):
            text = {"node_id": 3, "data": {"content": f"{number}" * 50_000}}
            client.ask("", function="update_node", function_params=text, confirm="never")
            client.answer(client.call())
            client.until("end")
            client.ask("", function="list_characters")  # by then the last turn is settled
            client.until("end")
            assert stories.get("1") is project
            assert project.data.journal.kept == 0
            versions.append(project.checkpoint())
        assert versions == sorted(set(versions)), "each turn leads to another version"


async def test_the_stories_of_all_connections_share_one_room() -> None:
    content = story_text()
    room = StoryRoom(most=3 * _SIZE)
    clients = [Stories("local", room) for _ in range(5)]
    for stories in clients:
        await stories.read("1", content)
        edited = clients[0].get("1")
        assert edited is not None
        clients[0].put("1", edited, 0)
    assert [stories.get("1") is not None for stories in clients] == [True, False, False, True, True]
    with pytest.raises(MessageError, match=r"project 1 .* again"):
        clients[1].refuse_forgotten("1")
    await clients[1].read("1", content)
    clients[1].refuse_forgotten("1")


async def test_a_story_that_was_forgotten_during_its_turn_stays_so() -> None:
    content = story_text()
    room = StoryRoom(most=_SIZE)
    first, second = Stories("local", room), Stories("local", room)
    project = await first.read("1", content)
    await second.read("1", content)
    first.put("1", project, 0)
    assert first.get("1") is None
    with pytest.raises(MessageError, match=r"project 1 .* again"):
        first.refuse_forgotten("1")


async def test_the_stories_of_a_client_that_left_take_no_room() -> None:
    content = story_text()
    room = StoryRoom(most=3 * _SIZE)
    stays = Stories("local", room)
    await stays.read("1", content)
    for _ in range(10):
        leaves = Stories("local", room)
        await leaves.read("1", content)
        await leaves.read("2", content)
        leaves.close()
    assert stays.get("1") is not None


async def test_who_has_most_makes_room() -> None:
    content = story_text()
    room = StoryRoom(most=4 * _SIZE)
    quiet = Stories("quiet", room)
    await quiet.read("1", content)
    greedy = Stories("greedy", room)
    for project_id in range(10):
        await greedy.read(str(project_id), content)
    assert quiet.get("1") is not None
    assert [project_id for project_id in range(10) if greedy.get(str(project_id))] == [7, 8, 9]


def test_a_client_is_told_to_send_a_forgotten_story_again(home: House, client: Client) -> None:
    home.put("bible.md", "Elena keeps the lighthouse.")  # so that the project is known
    for project_id in range(2, 22):
        client.sync(project_id=project_id)
    said = texts(client.turn("What now?", current_project_id=1))[0]
    assert said.startswith("PROJECT_NOT_FOUND: The story of project 1 is not kept any more")
    assert not home.model.requests
    client.sync(project_id=1)
    home.model.add(["Go on."])
    assert texts(client.turn("What now?", current_project_id=1)) == ["Go on."]


def test_two_sockets_share_the_servers_room(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.services.StoryRoom", lambda: StoryRoom(most=_SIZE))
    home.model.add(["Go on."])
    home.model.add(["Go on."])
    with home.client() as first, home.client() as second:
        first.sync(project_id=1)
        assert texts(first.turn("What now?", current_project_id=1)) == ["Go on."]
        second.sync(project_id=2)
        assert texts(second.turn("What now?", current_project_id=2)) == ["Go on."]
        assert texts(first.turn("What now?", current_project_id=1))[0].startswith("PROJECT_NOT_FOUND: The story")


async def test_for_one_story_however_large_others_lose_none_that_has_room_in_half_of_it() -> None:
    room = StoryRoom(most=8 * _SIZE, most_of_one=100 * _SIZE)
    blue, red = Stories("blue", room), Stories("red", room)
    for number in range(6):
        await blue.read(str(number), story_text())
    room.use(red, "1", 100 * _SIZE)
    assert [blue.get(str(number)) is not None for number in range(6)] == [False, False, True, True, True, True]


async def test_what_a_turn_notes_while_a_story_is_read_is_not_lost_and_nothing_is_kept_of_a_client_that_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stories, room = Stories("local", StoryRoom()), StoryRoom()
    await stories.read("1", story_text())

    async def meanwhile(work: Callable[..., Any], *given: Any) -> Any:
        stories.note_unseen("1", "before")
        return work(*given)

    monkeypatch.setattr("server.socket.stories.in_thread", meanwhile)
    await stories.read("1", story_text("Anew"))
    assert stories.take_unseen("1") == "before"
    leaving = Stories("local", room)

    async def leave(work: Callable[..., Any], *given: Any) -> Any:
        leaving.close()
        return work(*given)

    monkeypatch.setattr("server.socket.stories.in_thread", leave)
    await leaving.read("1", story_text())
    assert leaving.get("1") is None
    assert not room._sizes.total()  # pyright: ignore[reportPrivateUsage]


async def test_of_two_stories_that_are_read_at_the_same_time_the_one_that_came_later_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A message's own story is read in its turn, which a shorter one behind it does not wait for."""
    stories = Stories("local", StoryRoom())
    first_may_end = asyncio.Event()

    async def in_order(work: Any, content: str, *args: Any) -> Any:
        if "first" in content:
            await first_may_end.wait()
        return work(content, *args)

    monkeypatch.setattr("server.socket.stories.in_thread", in_order)
    came = stories.comes()
    first = asyncio.ensure_future(stories.read("1", story_text("the first"), came))
    second = await stories.read("1", story_text("the second"))
    stories.show("1", stories.comes())
    first_may_end.set()
    assert await first is second
    assert stories.get("1") is second
    stories.show("2", came)
    assert stories.last == "1"


async def test_no_word_of_a_story_that_cannot_be_read_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    document = json.loads(story_text())
    document["resources"]["nodes"]["The murderer is the butler"] = {}
    stories = Stories("local", StoryRoom())
    project = await stories.read("1", story_text())
    await stories.adopt("1", project, json.dumps(document), 0)
    with pytest.raises(MessageError):
        await stories.read("1", json.dumps(document))
    assert await reported_project(Outcome(success=True, content=json.dumps(document))) is None
    assert caplog.messages
    assert "butler" not in caplog.text


async def test_of_names_that_no_project_can_have_nothing_is_noted_and_of_many_projects_little() -> None:
    stories = Stories("local", StoryRoom())
    await stories.read("1", story_text())
    noted = stories._last_of  # pyright: ignore[reportPrivateUsage] - what is kept?
    before = len(noted)
    for number in range(2000):
        stories.has_come(f"{number}" + "😀" * 1000, stories.comes())
    assert len(noted) == before
    assert not stories.is_outdated("1")
    stories.has_come("1", stories.comes())
    for number in range(2, 2000):
        stories.has_come(str(number), stories.comes())
    assert len(noted) <= 100
    assert stories.is_outdated("1"), "however long ago that was"
