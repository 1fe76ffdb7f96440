"""How many stories of one client are kept, and what it is told of one that is not."""

import pytest

from server.messages import MessageError
from server.stories import Stories
from tests.agent.story import story_text
from tests.server.client import Client, texts
from tests.server.house import House


async def test_the_stories_used_last_are_kept() -> None:
    stories = Stories("local")
    for project_id in range(30):
        await stories.read(str(project_id), story_text(f"Story {project_id}"))
        first = stories.get("0")
        if first is not None:
            stories.put("0", first)  # a turn has edited it
    kept = [project_id for project_id in range(30) if stories.get(str(project_id)) is not None]
    assert kept == [0, *range(11, 30)]
    with pytest.raises(MessageError, match=r"project 5 .* again"):
        stories.refuse_forgotten("5")
    await stories.read("5", story_text())
    stories.refuse_forgotten("5")
    stories.refuse_forgotten("one that never was here")


async def test_large_stories_are_kept_as_far_as_there_is_room() -> None:
    stories = Stories("local")
    large = story_text("x" * 12 * 2**20)
    for project_id in ("1", "2", "3", "4"):
        await stories.read(project_id, large)
    assert [stories.get(project_id) is not None for project_id in ("1", "2", "3", "4")] == [False, False, True, True]


async def test_a_story_larger_than_all_the_room_is_kept() -> None:
    stories = Stories("local")
    await stories.read("1", story_text())
    await stories.read("2", story_text("x" * 40 * 2**20))
    assert stories.get("2") is not None
    assert stories.get("1") is None


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
