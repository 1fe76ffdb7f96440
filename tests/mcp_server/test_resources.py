"""Documents, pages and the open story as resources, with notices of changes; and what a user can begin with."""

import asyncio
from collections.abc import Hashable
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import quote

import pymupdf
import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import (
    BlobResourceContents,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    TextContent,
    TextResourceContents,
)

from agent import MATERIAL
from mcp_server import changes
from mcp_server.tool import AssistantCall
from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.agent.test_reading import lengths_given
from tests.mcp_server.assistant import ERAS, Assistant, Era, assistant
from tests.server.house import House

_OUTLINE = "fletcher://story/outline"
_PEOPLE = "fletcher://projects/1/documents/people.md"


def _file(folder: Path) -> dict[str, str]:
    """What `fletcher mcp --file` says of itself."""
    return {"x-fletcher-file": quote(str(folder / "story.arrow")), "authorization": "Bearer owner"}


async def _text(scribe: Assistant, uri: str) -> str:
    (contents,) = (await scribe.client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


@pytest.mark.parametrize("era", ERAS)
async def test_documents_and_their_pages_are_resources(home: House, folder: Path, era: Era) -> None:
    with pymupdf.open() as pdf:
        for text in ("The chart of Skarhavn", "The second page"):
            pdf.new_page().insert_text((72, 72), text)
        pdf.save(folder / "a chart.pdf")
    async with assistant(home.url, era) as scribe:
        await scribe.ok("add_documents", paths=["a chart.pdf"])
        listed = {one.name: one.uri for one in (await scribe.client.list_resources()).resources}
        templates = (await scribe.client.list_resource_templates()).resource_templates
        whole = await _text(scribe, listed["a chart.pdf"])
        second = await _text(scribe, f"{listed['a chart.pdf']}/pages/2")
        (picture,) = (await scribe.client.read_resource(f"{listed['a chart.pdf']}/pages/1.png")).contents

    assert listed["people.md"] == _PEOPLE
    assert len(templates) == 3
    assert whole.startswith(MATERIAL)
    assert "| The chart of Skarhavn" in whole
    assert "| The second page" in second
    assert "chart" not in second
    assert isinstance(picture, BlobResourceContents)
    assert picture.blob.startswith("iVBORw0KGgo")


async def test_of_a_long_document_only_what_is_shown_is_read(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    home.put("long.md", "ö" * 200_000)
    given = lengths_given(monkeypatch)
    async with assistant(home.url) as scribe:
        text = await _text(scribe, "fletcher://projects/1/documents/long.md")

    assert text.count("ö") == 100_000
    assert "It goes on; read_document" in text
    assert sum(given) <= 100_001


@pytest.mark.parametrize("era", ERAS)
async def test_the_open_story_is_a_resource(owned_home: House, folder: Path, era: Era) -> None:
    async with assistant(owned_home.url, era, headers=_file(folder)) as scribe:
        first = (await scribe.client.list_resources()).resources[0]
        text = await _text(scribe, _OUTLINE)

    assert first.uri == _OUTLINE
    assert "The lamp is cold." in text
    assert text.startswith(MATERIAL)


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_not_there_is_said(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        for uri in (
            _OUTLINE,
            "fletcher://projects/1/documents/none.md",
            "fletcher://projects/1/documents/people.md/pages/9",
            "fletcher://projects/9/documents/people.md",
            "fletcher://projects/1/documents/..%2F..%2Fetc%2Fpasswd",
            f"fletcher://projects/1/documents/{'x' * 5_000}",
            "file:///etc/passwd",
        ):
            with pytest.raises(MCPError, match=r"^[A-Z_]+: \S") as refused:
                await scribe.client.read_resource(uri)
            assert len(str(refused.value)) < 3_000


async def test_nobody_waits_for_what_can_never_be_there(home: House) -> None:
    async with assistant(home.url) as scribe:
        with pytest.raises(MCPError, match="RESOURCE_NOT_FOUND"):
            await scribe.client.subscribe_resource("file:///etc/passwd")  # pyright: ignore[reportDeprecated]


async def test_a_cursor_that_nobody_gave_is_the_beginning(home: House) -> None:
    async with assistant(home.url) as scribe:
        assert (await scribe.client.list_resources(cursor="9" * 5_000)).resources[-1].uri == _PEOPLE


async def test_without_room_for_notices_the_list_is_there_all_the_same(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_server.changes._MOST", 1)
    async with assistant(home.url) as first, assistant(home.url) as second:
        listed = [await one.client.list_resources() for one in (first, second)]
        with pytest.raises(MCPError, match="TOO_MANY"):
            await second.client.subscribe_resource(_PEOPLE)  # pyright: ignore[reportDeprecated]

    assert listed[0].resources == listed[1].resources


async def test_a_client_before_2026_is_told_of_changes(owned_home: House, folder: Path) -> None:
    told, heard = asyncio.Queue[str](), dict[str, Any]()

    async def hear(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            told.put_nowait(str(message.params.uri))
        if isinstance(message, ResourceListChangedNotification):
            told.put_nowait("list")

    async with assistant(owned_home.url, "legacy", hear=hear, headers=_file(folder)) as scribe:
        await scribe.client.list_resources()
        await scribe.client.subscribe_resource(_OUTLINE)  # pyright: ignore[reportDeprecated]
        await scribe.client.subscribe_resource(_PEOPLE)  # pyright: ignore[reportDeprecated]
        (folder / "story.arrow").write_text(story_text(title="Another title"), "utf-8")
        owned_home.put("new.md", "A new document.")
        async with asyncio.timeout(PATIENCE_S):
            heard = {await told.get() for _ in range(3)}
        await scribe.client.unsubscribe_resource(_OUTLINE)  # pyright: ignore[reportDeprecated]

    assert heard == {_OUTLINE, _PEOPLE, "list"}


class FirstLook:
    """The first look of all at something waits until the test, or another look, lets it go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.goes_on, self.watch_ended = Event(), Event(), Event()
        self.watched: list[str] = []
        self._look, self._watch = changes._state, changes._watched  # pyright: ignore[reportPrivateUsage]
        monkeypatch.setattr(changes, "_state", self._looked)
        monkeypatch.setattr(changes, "_watched", self._watching)

    async def _looked(self, call: AssistantCall, of: str) -> Hashable:
        if self.begun.is_set():
            self.goes_on.set()
        self.begun.set()
        await asyncio.to_thread(self.goes_on.wait)
        return await self._look(call, of)

    async def _watching(self, call: AssistantCall, of: str, tell: changes.Tell, before: Hashable) -> None:
        self.watched.append(of)
        try:
            await self._watch(call, of, tell, before)
        finally:
            self.watch_ended.set()


@pytest.fixture
def first_look(monkeypatch: pytest.MonkeyPatch) -> FirstLook:
    return FirstLook(monkeypatch)


async def test_who_asks_for_the_list_twice_at_once_is_told_once_of_each_change(
    home: House, first_look: FirstLook
) -> None:
    async with assistant(home.url) as scribe:
        first = asyncio.create_task(scribe.client.list_resources())
        await asyncio.to_thread(first_look.begun.wait)
        second = asyncio.create_task(scribe.client.list_resources())
        second.add_done_callback(lambda _: first_look.goes_on.set())
        await asyncio.gather(first, second)
        await scribe.client.subscribe_resource(_PEOPLE)  # pyright: ignore[reportDeprecated]

    assert sorted(first_look.watched) == ["", _PEOPLE]


async def test_who_ends_a_subscription_that_only_begins_is_told_nothing(home: House, first_look: FirstLook) -> None:
    async with assistant(home.url) as scribe:
        beginning = asyncio.create_task(scribe.client.subscribe_resource(_PEOPLE))  # pyright: ignore[reportDeprecated]
        await asyncio.to_thread(first_look.begun.wait)
        await scribe.client.unsubscribe_resource(_PEOPLE)  # pyright: ignore[reportDeprecated]
        first_look.goes_on.set()
        await beginning
        assert await asyncio.to_thread(first_look.watch_ended.wait, PATIENCE_S)


async def test_a_client_since_2026_listens_for_changes(owned_home: House, folder: Path) -> None:
    async with assistant(owned_home.url, "2026-07-28", headers=_file(folder)) as scribe:
        listening = scribe.client.listen(resources_list_changed=True, resource_subscriptions=[_OUTLINE])
        async with listening as events, asyncio.timeout(PATIENCE_S):
            (folder / "story.arrow").write_text(story_text(title="Another title"), "utf-8")
            owned_home.put("new.md", "A new document.")
            heard = {type(await anext(events)).__name__ for _ in range(2)}

    assert heard == {"ResourceUpdated", "ResourcesListChanged"}


async def test_who_listens_to_too_much_is_told_and_nothing_of_it_stays(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_server.changes._MOST", 3)
    async with assistant(home.url, "2026-07-28") as scribe:
        addresses = [f"fletcher://projects/1/documents/{number}.md" for number in range(4)]
        with pytest.raises(MCPError, match="TOO_MANY: 3 subscriptions"):
            async with scribe.client.listen(resource_subscriptions=addresses):
                raise AssertionError
        async with scribe.client.listen(resource_subscriptions=addresses[:3]):
            pass


@pytest.mark.parametrize("era", ERAS)
async def test_prompts_have_the_users_words_in_them(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        prompts = (await scribe.client.list_prompts()).prompts
        for prompt in prompts:
            given = {argument.name: f"{{my}} {argument.name}" for argument in prompt.arguments or ()}
            (message,) = (await scribe.client.get_prompt(prompt.name, given)).messages
            assert isinstance(message.content, TextContent)
            assert all(words in message.content.text for words in given.values())
        with pytest.raises(MCPError, match="UNKNOWN_PROMPT"):
            await scribe.client.get_prompt("none", {})
        with pytest.raises(MCPError, match="INVALID_ARGUMENTS"):
            await scribe.client.get_prompt("check_scene", {})

    assert {prompt.name for prompt in prompts} == {
        "ask_with_citations",
        "scene_from_dialogue",
        "check_scene",
        "revise_scene",
    }
