"""An assistant works in the story that it was asked to work in, and takes back what an assistant has done in it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from server import Access
from tests.agent.story import story_text
from tests.mcp_server.arrow import arrow
from tests.mcp_server.assistant import User, assistant
from tests.server.dispatcher import Dispatcher
from tests.server.house import House, house

_GOLD = {"function": "create_variable", "arguments": {"name": "gold", "type": "num", "initial_value": 10}}
_NOTE = {"function": "update_node", "arguments": {"node_id": 2, "notes": "A note."}}
_LINE = "This is the user's own line, which was long in the writing. " * 6
_WRITING: dict[str, Any] = {
    "message": "",
    "function": "update_node",
    "function_params": {"node_id": 3, "data": {"content": _LINE}},
    "confirm": "never",
}


@pytest.mark.parametrize("capabilities", [(), ("assistant",)])
async def test_what_the_user_has_done_in_another_project_is_taken_back_once_the_user_agrees(
    home: House, capabilities: tuple[str, ...]
) -> None:
    user = User(["no"])
    async with arrow(home, *capabilities) as editor, assistant(home.url, user=user) as scribe:
        first, second = editor.editor, Dispatcher(story_text(title="The second"))
        await editor.open(2, second)
        await editor.send(type="user_message", current_project_id=2, **_WRITING)
        await editor.until("turn_end")
        await editor.open(1, first)
        await scribe.ok("apply_operations", operations=[_GOLD])
        await editor.open(2, second)
        refused = await scribe.ok("undo")
        seen = {frame["type"] for frame in editor.seen}

    assert refused["changed"] is False
    assert "undo_request" not in seen
    assert len(user.shown) == 1
    assert _LINE in second.content


async def test_what_the_user_has_done_over_http_is_taken_back_once_the_user_agrees(home: House) -> None:
    user = User(["no"])
    async with arrow(home) as editor, assistant(home.url, user=user) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD])
        async with httpx.AsyncClient(base_url=home.url) as http:
            done = await http.post("/projects/1/turns", json={"arrow_content": editor.editor.content, **_WRITING})
        await editor.open(1, Dispatcher(done.json()["arrow_content"]))
        refused = await scribe.ok("undo")

    assert refused["changed"] is False
    assert len(user.shown) == 1
    assert _LINE in editor.editor.content


async def test_a_story_that_was_saved_meanwhile_is_still_the_assistants(home: House) -> None:
    async with arrow(home) as editor, assistant(home.url) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD])
        await editor.open(1, Dispatcher(editor.editor.content.replace('"editor":', '"last_save": "now", "editor":', 1)))
        undone = await scribe.ok("undo")

    assert undone["status"] == "done"


@pytest.mark.parametrize(
    ("project_id", "token"),
    [(2, None), (None, None), (-1, None), (1, "b-token")],
    ids=["project", "no project", "none yet", "workspace"],
)
@pytest.mark.parametrize(("tool", "arguments"), [("apply_operations", {"operations": [_GOLD]}), ("outline", {})])
async def test_a_story_that_was_opened_meanwhile_is_neither_shown_nor_changed(
    tmp_path: Path, tool: str, arguments: dict[str, Any], project_id: int | None, token: str | None
) -> None:
    headers = {"authorization": "Bearer a-token"}
    with house(tmp_path / "data", access=Access({"a-token": "one", "b-token": "two"})) as home:

        async def another() -> None:
            """Its user opens another story just then."""
            editor.before_it_shows, editor.editor = None, Dispatcher(story_text(title="The other"))
            if token is None:
                editor.project_id = project_id
            else:
                await editor.send(type="hello", dialect="fletcher", capabilities=["assistant"], token=token)

        async with (
            arrow(home, "assistant", token="a-token") as editor,
            assistant(home.url, headers=headers) as scribe,
        ):
            editor.before_it_shows = another
            code = await scribe.code(tool, **arguments)
            called = [frame for frame in editor.seen if frame["type"] == "function_call"]

    assert code == "CONFLICT"
    assert not called
    assert "The other" in editor.editor.content


@pytest.mark.parametrize("project_id", [2, -1, None])
async def test_a_story_that_is_opened_amid_the_calls_is_neither_shown_nor_changed(
    home: House, project_id: int | None
) -> None:
    async with arrow(home) as editor, assistant(home.url) as scribe:
        first, second = editor.editor, Dispatcher(story_text(title="The other"))
        editor.may_answer.clear()
        working = asyncio.create_task(scribe.call("apply_operations", operations=[_NOTE, _GOLD]))
        await editor.called.wait()
        await editor.open(project_id, second)
        editor.may_answer.set()
        answer = json.dumps((await working).structured_content)
        await editor.open(1, first)
        shown = await scribe.ok("outline")

    assert "CONFLICT" in answer
    assert "The other" not in answer
    assert [frame["function"] for frame in editor.seen if frame["type"] == "function_call"] == ["update_node"]
    assert '"gold"' not in second.content
    assert "The other" not in json.dumps(shown)


@pytest.mark.parametrize("capabilities", [(), ("assistant",)])
async def test_what_the_user_has_done_there_and_back_is_taken_back_once_the_user_agrees(
    home: House, capabilities: tuple[str, ...]
) -> None:
    user = User(["no"])
    short = _WRITING | {"function_params": {"node_id": 3, "data": {"content": "Short."}}}
    async with arrow(home, *capabilities) as editor, assistant(home.url, user=user) as scribe:
        await editor.send(type="user_message", current_project_id=1, **_WRITING)
        await editor.until("turn_end")
        await scribe.ok("apply_operations", operations=[_GOLD])
        for turns, writing in ((3, short), (4, _WRITING)):
            await editor.send(type="user_message", current_project_id=1, **writing)
            await editor.until("turn_end", turns)
        refused = await scribe.ok("undo")

    assert refused["changed"] is False
    assert "undo_request" not in {frame["type"] for frame in editor.seen}
    assert len(user.shown) == 1
    assert _LINE.strip() in editor.editor.content


@pytest.mark.parametrize("capabilities", [(), ("assistant",)])
async def test_an_assistant_that_changes_nothing_takes_back_no_turn_of_the_users_unasked(
    home: House, capabilities: tuple[str, ...]
) -> None:
    user = User(["no"])
    async with arrow(home, *capabilities) as editor, assistant(home.url, user=user) as scribe:
        await editor.send(type="user_message", current_project_id=1, **_WRITING)
        await editor.until("turn_end")
        await scribe.ok(
            "apply_operations", operations=[{"function": "update_node", "arguments": {"node_id": 3, "name": "pier"}}]
        )
        refused = await scribe.ok("undo")

    assert refused["changed"] is False
    assert "undo_request" not in {frame["type"] for frame in editor.seen}
    assert len(user.shown) == 1
    assert _LINE.strip() in editor.editor.content


async def test_an_editor_that_has_taken_an_assistants_turn_back_is_not_asked_for_the_users_unasked(home: House) -> None:
    user = User(["no"])
    to_and_fro = [_GOLD, {"function": "delete_variable", "arguments": {"by_name": "gold"}}]
    async with arrow(home, "assistant") as editor, assistant(home.url, user=user) as scribe:
        await editor.send(type="user_message", current_project_id=1, **_WRITING)
        await editor.until("turn_end")
        before = editor.editor.content
        await scribe.ok("apply_operations", operations=to_and_fro)
        undoing = asyncio.create_task(scribe.ok("undo"))
        asked = await editor.until("undo_request")
        editor.editor = Dispatcher(before)
        await editor.send(
            type="function_result", request_id=asked["request_id"], success=True, result="", arrow_content=before
        )
        own = await undoing
        refused = await scribe.ok("undo")

    assert own["status"] == "done"
    assert refused["changed"] is False
    assert len(user.shown) == 1
    assert _LINE.strip() in editor.editor.content


async def test_whoever_wants_to_be_asked_says_so_with_the_story(home: House) -> None:
    user = User(["no"])
    async with arrow(home, "assistant") as editor, assistant(home.url, user=user) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD])
        editor.confirm = "always"
        refused = await scribe.ok("undo")

    assert refused["changed"] is False
    assert len(user.shown) == 1
