"""An assistant works in an editor that is connected: through the same session, seen and stopped by its user."""

import asyncio
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from websockets.asyncio.client import connect

from agent import Outcome
from agent.turn.undo import WayBack, way_back
from arrow_project import ArrowProject, parse
from corpora import ProjectKey
from server import Access
from server.dialects import Frame
from server.limits.written import MAX_SELECTED
from server.services import CatalogPendings
from server.socket import session, stories
from server.socket.conversation import Conversation
from server.socket.editors import Guest
from server.socket.messages import ClientMessage, UserMessage, decode
from server.socket.open_editor import OpenEditor
from server.socket.open_turn import OpenTurn
from server.socket.read_story import ReadStory, read_story
from server.socket.remote_editor import RemoteEditor
from server.socket.session import Session
from server.socket.stories import Stories
from tests.agent.story import story_text
from tests.mcp_server.arrow import Arrow, arrow
from tests.mcp_server.assistant import ERAS, Assistant, Era, User, assistant, text_of
from tests.server.dispatcher import Dispatcher
from tests.server.house import House, house

_GOLD = {"function": "create_variable", "arguments": {"name": "gold", "type": "num", "initial_value": 10}}
_DELETE = {"function": "delete_node", "arguments": {"node_id": 2}}
_LOST = {"function": "delete_scene", "arguments": {"scene_id": 999}}


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path / "data", confirm="always", completes=False) as opened:
        yield opened


@pytest.mark.parametrize("era", ERAS)
async def test_it_is_found_read_and_edited(home: House, era: Era) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url, era) as scribe:
        (listed,) = (await scribe.ok("list_editors"))["editors"]
        outlined = await scribe.ok("outline")
        done = await scribe.ok("apply_operations", operations=[_GOLD])
        again = await scribe.ok("outline", story=listed["id"])

        started = await editor.until("turn_start")
        await editor.until("turn_end")

    assert (listed["client"], listed["project"], listed["selected_nodes"]) == ("Arrow 3.1", "1", [3])
    assert "gold" not in outlined["outline"]
    assert "gold" in again["outline"]
    assert done["status"] == "done"
    assert (started["by"], started["message"]) == ("Scribe", "1 operation: create_variable")
    assert "create variable (name gold" in editor.texts()
    assert '"gold"' in editor.editor.content


async def test_of_very_many_selected_nodes_the_first_are_told_and_how_many_there_are(home: House) -> None:
    async with arrow(home, "assistant") as one, arrow(home, "assistant") as other, assistant(home.url) as scribe:
        for editor in (one, other):
            await editor.send(type="hello", dialect="fletcher", client="A" * 1000)
            story, selected = editor.editor.content, list(range(MAX_SELECTED))
            await editor.send(type="file_sync", project_id=1, arrow_content=story, selected_node_ids=selected)
            await editor.has_arrived()
        listed = await scribe.call("list_editors")

    for fields in listed.structured_content["editors"]:
        assert fields["selected_nodes"] == list(range(1000))
        assert fields["selected_count"] == MAX_SELECTED
    assert "A" * 101 not in text_of(listed) + str(listed.structured_content)


async def test_what_the_user_has_done_meanwhile_is_seen(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        editor.editor = Dispatcher(story_text(title="Renamed by hand"))  # and not told to the server
        outlined = await scribe.ok("outline")

    assert "Renamed by hand" in outlined["outline"]


async def test_a_story_that_cannot_be_read_is_not_taken_for_the_one_from_before(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        nonsense = partial(editor.send, type="file_sync", project_id=1, arrow_content="not json")
        monkeypatch.setattr(editor, "show", nonsense)
        codes = [await scribe.code("apply_operations", operations=[_GOLD]), await scribe.code("outline")]

    assert codes == ["PARSE_ERROR", "PARSE_ERROR"]
    assert not any(frame["type"] == "function_call" for frame in editor.seen)


async def test_a_dry_run_does_not_disturb_the_user(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        planned = await scribe.ok("apply_operations", operations=[_GOLD], dry_run=True)
        seen = {frame["type"] for frame in editor.seen}

    assert "gold" in planned["diff"]
    assert seen <= {"connected", "error", "story_request"}


async def test_a_list_that_cannot_be_done_reaches_no_editor(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        code = await scribe.code("apply_operations", operations=[_GOLD, _LOST])

    assert code == "INVALID_SCENE_ID"
    assert not any(frame["type"] == "function_call" for frame in editor.seen)
    assert '"gold"' not in editor.editor.content


async def test_a_list_that_the_editor_breaks_off_is_taken_back(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        editor.refuses = "create_scene"
        scene = {"function": "create_scene", "arguments": {"name": "Quay"}}
        answer = await scribe.call("apply_operations", operations=[_GOLD, scene])
        called = [frame["function"] for frame in editor.seen if frame["type"] == "function_call"]

    assert called[:2] == ["create_variable", "create_scene"]
    assert answer.is_error
    assert "The disk is full." in text_of(answer)
    assert '"gold"' not in editor.editor.content


async def test_a_list_of_which_a_part_is_asked_about_waits_as_a_whole(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        before = editor.editor.content
        asked = await scribe.ok("apply_operations", operations=[_GOLD, _DELETE])
        shown = await editor.until("confirmation_request")
        await editor.send(type="user_message", message="no")
        await editor.until("turn_end", 2)

    assert asked["status"] == "question"
    assert "create variable, delete node would change this" in shown["text"]
    assert not any(frame["type"] == "function_call" for frame in editor.seen)
    assert editor.editor.content == before


@pytest.mark.parametrize("is_readable", [True, False])
async def test_a_list_takes_away_nothing_that_the_user_writes_meanwhile(home: House, *, is_readable: bool) -> None:
    by_hand = "A page that the user has written by hand. " * 3
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        editor.may_answer.clear()
        saying = {"function": "update_node", "arguments": {"node_id": 3, "data": {"content": "Said anew."}}}
        working = asyncio.create_task(scribe.call("apply_operations", operations=[_GOLD, saying]))
        await editor.called.wait()
        editor.editor.execute("update_node", {"node_id": 3, "data": {"content": by_hand}})
        if not is_readable:
            editor.editor.execute("update_node", {"node_id": 1, "notes": "x" * 2_000_001})
        editor.may_answer.set()
        answer = await working

    assert answer.structured_content["error"]["code"] == "CONFLICT"
    assert "somebody else has changed the story meanwhile. Done: create variable (name gold" in text_of(answer)
    assert by_hand in editor.editor.content


async def test_a_list_that_is_broken_off_takes_back_nothing_that_the_user_has_written(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        editor.refuses = "create_scene"
        editor.may_answer.clear()
        scene = {"function": "create_scene", "arguments": {"name": "Quay"}}
        working = asyncio.create_task(scribe.call("apply_operations", operations=[_GOLD, scene]))
        await editor.called.wait()
        editor.editor.execute("update_node", {"node_id": 3, "data": {"content": "By hand."}})
        editor.may_answer.set()
        answer = await working
        await editor.until("turn_end")
        await editor.send(type="user_message", message="undo")
        asked = await editor.until("confirmation_request")

    assert "somebody else has changed the story meanwhile. Done: create variable (name gold" in text_of(answer)
    assert "By hand." in asked["text"]
    assert "By hand." in editor.editor.content


async def test_a_list_that_is_broken_off_takes_back_nothing_that_the_user_writes_just_then(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    finds, goes_on = Event(), Event()

    def held(*given: Any) -> WayBack:
        way = way_back(*given)
        finds.set()
        goes_on.wait()  # as for a large story
        return way

    monkeypatch.setattr("agent.turn.direct.way_back", held)
    node = {"function": "create_insert_node", "arguments": {"type": "content", "scene_id": 0}}
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        editor.refuses = "create_scene"
        scene = {"function": "create_scene", "arguments": {"name": "Quay"}}
        working = asyncio.create_task(scribe.call("apply_operations", operations=[node, scene]))
        await asyncio.to_thread(finds.wait)
        made = max(parse(editor.editor.content).data.nodes)
        editor.editor.execute("update_node", {"node_id": made, "data": {"content": "By hand."}})
        await editor.show()
        await editor.has_arrived()
        goes_on.set()
        answer = await working

    assert "somebody else has changed the story meanwhile. Done: create insert node" in text_of(answer)
    assert "By hand." in editor.editor.content


async def test_while_the_assistant_works_a_message_in_the_panel_gets_an_answer(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        editor.may_answer.clear()
        working = asyncio.create_task(scribe.ok("apply_operations", operations=[_GOLD]))
        await editor.called.wait()
        await editor.send(type="user_message", message="Hello?", current_project_id=1)
        busy = await editor.until("error", 2)
        editor.may_answer.set()
        done = await working

    assert busy["code"] == "BUSY"
    assert busy["message"].startswith("Scribe is working in this story just now.")
    assert done["status"] == "done"


async def test_while_the_users_turn_runs_the_assistant_gets_an_answer(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        editor.may_answer.clear()
        call = {"type": "user_message", "message": "", "function": "create_scene", "function_params": {"name": "Quay"}}
        await editor.send(**call, current_project_id=1)
        await editor.called.wait()
        code = await scribe.code("apply_operations", operations=[_GOLD])
        (listed,) = (await scribe.ok("list_editors"))["editors"]
        editor.may_answer.set()
        await editor.until("turn_end")

    assert code == "BUSY"
    assert listed["busy"]


async def test_the_user_stops_it(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        editor.may_answer.clear()
        working = asyncio.create_task(scribe.code("apply_operations", operations=[_GOLD]))
        await editor.called.wait()
        await editor.send(type="stop")
        code = await working
        ended = await editor.until("turn_end")
        editor.may_answer.set()

    assert code == "STOPPED"
    assert ended["reason"] == "stopped"


@pytest.mark.parametrize("era", ERAS)
async def test_an_assistant_that_cancels_stops_its_turn(home: House, era: Era) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url, era) as scribe:
        editor.may_answer.clear()
        working = asyncio.create_task(scribe.call("apply_operations", operations=[_GOLD]))
        await editor.called.wait()
        working.cancel()
        ended = await editor.until("turn_end")
        editor.may_answer.set()

    assert ended["reason"] == "stopped"


@pytest.mark.parametrize("dialect", ["spec", "envelope"])
async def test_what_an_assistant_has_done_that_hangs_up_stays_also_where_the_users_stop_takes_it_back(
    home: House, dialect: str
) -> None:
    async with arrow(home, dialect=dialect) as editor, assistant(home.url) as scribe:
        editor.never_answers = "update_node"
        renamed = {"function": "update_node", "arguments": {"node_id": 3, "name": "quay"}}
        working = asyncio.create_task(scribe.call("apply_operations", operations=[_GOLD, renamed]))
        await editor.until("function_call", 2)
        working.cancel()
        await editor.until("end")
        stays = '"gold"' in editor.editor.content
        shown = editor.editor.content  # else nobody knows whether it was renamed
        await editor.send(type="user_message", message="undo", current_project_id=1, arrow_content=shown)
        await editor.until("end", 2)

    assert stays
    assert '"gold"' not in editor.editor.content


async def test_an_editor_that_leaves_is_said(home: House) -> None:
    async with assistant(home.url) as scribe:
        async with arrow(home, "assistant") as editor:
            editor.may_answer.clear()
            working = asyncio.create_task(scribe.code("apply_operations", operations=[_GOLD]))
            await editor.called.wait()
        assert await working == "STOPPED"
        assert (await scribe.ok("list_editors"))["editors"] == []


async def test_an_assistant_that_cancels_as_its_turn_begins_leaves_the_editor_free(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins, send_all = Event(), Session._send_all  # pyright: ignore[reportPrivateUsage]

    async def held(session: Session, frames: Iterable[Frame]) -> None:
        frames = list(frames)
        if not begins.is_set() and any(frame["type"] == "turn_start" for frame in frames):
            begins.set()
            await asyncio.Event().wait()  # a client that reads slowly
        await send_all(session, frames)

    monkeypatch.setattr(Session, "_send_all", held)
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        working = asyncio.create_task(scribe.call("apply_operations", operations=[_GOLD]))
        await asyncio.to_thread(begins.wait)
        working.cancel()
        ended = await editor.until("turn_end")
        done = await scribe.ok("apply_operations", operations=[_GOLD])

    assert ended["reason"] == "stopped"
    assert done["status"] == "done"


def held_stop(monkeypatch: pytest.MonkeyPatch) -> tuple[Event, Event, Event]:
    """A turn is being stopped, which goes on once the third is set; the second is set as another one is asked for."""
    stops, is_asked, may_go_on = Event(), Event(), Event()
    drop, show = Conversation.drop_questions, OpenEditor.show_story

    async def held(conversation: Conversation, guests_turn: str | None) -> None:
        stops.set()
        assert await asyncio.to_thread(may_go_on.wait, 60)
        await drop(conversation, guests_turn)

    async def shown(of: OpenEditor, key: ProjectKey) -> ArrowProject:
        story = await show(of, key)
        if stops.is_set():
            is_asked.set()
        return story

    monkeypatch.setattr(Conversation, "drop_questions", held)
    monkeypatch.setattr(OpenEditor, "show_story", shown)
    return stops, is_asked, may_go_on


@pytest.mark.parametrize("opens_another", [False, True])
async def test_an_assistants_next_turn_begins_once_the_end_of_the_one_that_it_has_cancelled_is_told(
    home: House, monkeypatch: pytest.MonkeyPatch, *, opens_another: bool
) -> None:
    """And in the story that is open then, or not at all."""
    stops, is_asked, may_go_on = held_stop(monkeypatch)
    async with arrow(home) as editor, assistant(home.url) as scribe, assistant(home.url) as other:
        editor.may_answer.clear()
        working = asyncio.create_task(scribe.call("apply_operations", operations=[_GOLD]))
        await editor.called.wait()
        working.cancel()
        assert await asyncio.to_thread(stops.wait, 60)
        editor.may_answer.set()
        renamed = {"function": "update_node", "arguments": {"node_id": 2, "name": "found"}}
        next_one = asyncio.create_task(other.call("apply_operations", operations=[renamed]))
        assert await asyncio.to_thread(is_asked.wait, 60)
        if opens_another:
            await editor.open(2, Dispatcher(story_text(title="The other")))
        may_go_on.set()
        await next_one
        await editor.until("turn_end", 1 if opens_another else 2)
        content = editor.editor.content

    told = [frame["type"] for frame in editor.seen if frame["type"] in ("turn_start", "turn_end")]
    assert told == ["turn_start", "turn_end"] * (1 if opens_another else 2)
    assert not opens_another or '"found"' not in content


async def test_a_message_that_is_refused_as_the_next_turn_begins_has_shown_its_story(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops, is_asked, may_go_on = held_stop(monkeypatch)
    begins, comes = Event(), Event()
    request, handle = Conversation.request, Session._handle  # pyright: ignore[reportPrivateUsage]

    async def never(*_: Any) -> None:
        begins.set()
        await asyncio.Event().wait()

    async def handled(of: Session, message: ClientMessage) -> None:
        if isinstance(message, UserMessage):
            comes.set()
        await handle(of, message)

    monkeypatch.setattr(Session, "_handle", handled)
    written = "What its writer has written since. " * 10
    async with arrow(home) as editor, assistant(home.url) as scribe, assistant(home.url) as other:
        with monkeypatch.context() as patched:
            patched.setattr(Conversation, "request", never)
            working = asyncio.create_task(scribe.call("apply_operations", operations=[_GOLD]))
            assert await asyncio.to_thread(begins.wait, 60)
        assert Conversation.request is request
        working.cancel()
        assert await asyncio.to_thread(stops.wait, 60)
        anew = {"function": "update_node", "arguments": {"node_id": 3, "data": {"content": "Anew."}}}
        next_one = asyncio.create_task(other.call("apply_operations", operations=[anew]))
        assert await asyncio.to_thread(is_asked.wait, 60)
        editor.editor.execute("update_node", {"node_id": 3, "data": {"content": written}})
        await editor.send(type="user_message", message="Hello?", arrow_content=editor.editor.content)
        assert await asyncio.to_thread(comes.wait, 60)
        may_go_on.set()
        await next_one
        assert written in editor.editor.content


async def test_an_assistant_that_is_stopped_as_its_turn_is_announced_asks_and_does_nothing(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins, goes_on, send_all = Event(), Event(), Session._send_all  # pyright: ignore[reportPrivateUsage]

    async def held(session: Session, frames: Iterable[Frame]) -> None:
        frames = list(frames)
        await send_all(session, frames)
        if not begins.is_set() and any(frame["type"] == "turn_start" for frame in frames):
            begins.set()
            await asyncio.to_thread(goes_on.wait)  # a client that reads slowly

    monkeypatch.setattr(Session, "_send_all", held)
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        working = asyncio.create_task(scribe.code("apply_operations", operations=[_DELETE]))
        await asyncio.to_thread(begins.wait)
        await editor.send(type="stop")
        await editor.until("turn_end")
        goes_on.set()
        assert await working == "STOPPED"
        await editor.send(type="user_message", message="yes")
        await editor.until("turn_end", 2)

    assert not any(frame["type"] == "function_call" for frame in editor.seen)
    assert 2 in parse(editor.editor.content).data.nodes


async def cancel_beside_a_question(editor: Arrow, scribe: Assistant) -> None:
    """The user is asked whether to delete node 3; then an assistant cancels while its own call is under way."""
    await editor.send(type="user_message", message="", function="delete_node", function_params={"node_id": 3})
    await editor.until("turn_end")
    editor.may_answer.clear()
    editor.refuses = "create_variable"
    working = asyncio.create_task(scribe.call("apply_operations", operations=[_GOLD]))
    await editor.called.wait()
    working.cancel()


@pytest.mark.parametrize("is_slow", [False, True])
async def test_an_assistant_that_cancels_leaves_the_users_own_question_open(
    home: House, monkeypatch: pytest.MonkeyPatch, *, is_slow: bool
) -> None:
    follow, read_now, is_read = OpenEditor._follow, Stories.read, Event()  # pyright: ignore[reportPrivateUsage]

    async def late(session: OpenEditor, turn: OpenTurn, *of: Any) -> None:
        try:
            await follow(session, turn, *of)
        except asyncio.CancelledError:
            is_read.clear()
            await asyncio.to_thread(is_read.wait)
            raise

    async def read(of: Stories, *content: Any, **named: Any) -> ArrowProject:
        project = await read_now(of, *content, **named)
        is_read.set()
        return project

    if is_slow:  # to end, and the story of the yes, which is the same, is read before that
        monkeypatch.setattr(Stories, "read", read)
        monkeypatch.setattr(OpenEditor, "_follow", late)
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        await cancel_beside_a_question(editor, scribe)
        await editor.until("turn_end", 2)
        editor.may_answer.set()
        shown = editor.editor.content  # else nobody knows what the call under way has done
        await editor.send(type="user_message", message="yes", current_project_id=1, arrow_content=shown)
        await editor.until("turn_end", 3)

    assert "The pier is empty." not in editor.editor.content


@pytest.mark.parametrize("answers_at_once", [False, True])
async def test_an_assistant_that_cancels_as_its_turn_ends_leaves_the_users_own_question_open(
    home: House, monkeypatch: pytest.MonkeyPatch, *, answers_at_once: bool
) -> None:
    begins, has_ended, is_stopped = Event(), Event(), Event()
    stop = Session._stop  # pyright: ignore[reportPrivateUsage]

    async def late(session: Session, *args: Any, **named: Any) -> None:
        begins.set()
        await asyncio.to_thread(has_ended.wait)
        await stop(session, *args, **named)
        is_stopped.set()

    monkeypatch.setattr(Session, "_stop", late)
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        await cancel_beside_a_question(editor, scribe)
        await asyncio.to_thread(begins.wait)
        editor.may_answer.set()
        await editor.until("turn_end", 2)
        if answers_at_once:
            editor.may_answer.clear()
            editor.called.clear()
            await editor.send(type="user_message", message="yes")
            await editor.called.wait()
        has_ended.set()
        await asyncio.to_thread(is_stopped.wait)
        editor.may_answer.set()
        if not answers_at_once:
            await editor.send(type="user_message", message="yes")
        ended = await editor.until("turn_end", 3)

    assert ended["reason"] != "stopped"
    assert "The pier is empty." not in editor.editor.content


async def test_the_users_own_undo_is_used(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        before = editor.editor.content
        await scribe.ok("apply_operations", operations=[_GOLD])
        undoing = asyncio.create_task(scribe.ok("undo"))
        asked = await editor.until("undo_request")
        started = await editor.until("turn_start")
        assert asked["turn_id"] == started["turn_id"]
        ends = sum(frame["type"] == "turn_end" for frame in editor.seen)
        await editor.send(type="user_message", message="Hello?", current_project_id=1)  # before its user sees it
        assert (await editor.until("turn_end", ends + 1))["reason"] == "error"
        await editor.send(type="user_message", message=3)
        assert (await editor.until("turn_end", ends + 2))["reason"] == "error"
        editor.editor = Dispatcher(before)
        await editor.send(
            type="function_result", request_id=asked["request_id"], success=True, result="", arrow_content=before
        )
        undone = await undoing
        outlined = await scribe.ok("outline")

    assert undone["status"] == "done"
    assert "gold" not in outlined["outline"]


async def test_the_user_stops_an_undo_that_the_client_does_not_answer(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD])
        undoing = asyncio.create_task(scribe.code("undo"))
        await editor.until("undo_request")
        await editor.send(type="stop")
        assert await undoing == "STOPPED"
        await editor.show()
        assert "gold" in (await scribe.ok("outline"))["outline"]


async def test_what_the_client_does_not_take_back_itself_is_taken_back_by_a_turn(home: House) -> None:
    """It has forgotten what was before once its story was closed, and a node that was moved counts for it."""
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD])
        undoing = asyncio.create_task(scribe.ok("undo"))
        asked = await editor.until("undo_request")
        answer = {"request_id": asked["request_id"], "success": False, "error": "There is nothing to take back."}
        await editor.send(type="function_result", arrow_content=editor.editor.content, **answer)
        undone = await undoing

    assert undone["status"] == "done"
    assert "gold" not in editor.editor.content


async def test_an_assistant_that_cancels_an_undo_leaves_the_editor_free(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD])
        undoing = asyncio.create_task(scribe.code("undo"))
        await editor.until("undo_request")
        undoing.cancel()
        silver = {"name": "silver", "type": "num"}
        await editor.show()
        while "silver" not in editor.editor.content:  # the server has to hear of it first
            await editor.send(type="user_message", message="", function="create_variable", function_params=silver)
            await editor.until("turn_end", 1 + sum(frame["type"] == "turn_end" for frame in editor.seen))


async def test_what_an_undo_has_left_is_not_known_to_the_workspace_whose_token_is_brought_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drops, may_go_on, drop = Event(), Event(), CatalogPendings.drop_before

    def held(of: CatalogPendings, kept: str) -> None:
        drops.set()
        assert may_go_on.wait(60)
        drop(of, kept)

    monkeypatch.setattr(CatalogPendings, "drop_before", held)
    with house(tmp_path / "data", access=Access({"a-token": "one", "b-token": "two"})) as home:
        async with (
            arrow(home, "assistant", token="a-token") as editor,
            assistant(home.url, headers={"authorization": "Bearer a-token"}) as own,
        ):
            await own.ok("apply_operations", operations=[_GOLD])
            undoing = asyncio.create_task(own.ok("undo"))
            asked = await editor.until("undo_request")
            answer = {"request_id": asked["request_id"], "success": True, "result": ""}
            await editor.send(type="function_result", arrow_content=editor.editor.content, **answer)
            assert await asyncio.to_thread(drops.wait, 60)
            await editor.send(type="hello", dialect="fletcher", token="b-token")
            await editor.until("connected", 2)
            may_go_on.set()
            await undoing
            ends = sum(frame["type"] == "turn_end" for frame in editor.seen)
            asked = {"function": "create_variable", "function_params": {"name": "silver", "type": "num"}}
            await editor.send(type="user_message", message="", current_project_id=1, **asked)
            assert (await editor.until("turn_end", ends + 1))["reason"] == "error"


async def test_what_an_undo_has_left_and_nobody_was_shown_is_not_overwritten(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        emptied = {"function": "update_node", "arguments": {"node_id": 3, "data": {"content": ""}}}
        await scribe.ok("apply_operations", operations=[emptied])
        undoing = asyncio.create_task(scribe.ok("undo"))
        asked = await editor.until("undo_request")
        await editor.send(type="function_result", request_id=asked["request_id"], success=True, result="")
        await undoing
        calls = sum(frame["type"] == "function_call" for frame in editor.seen)
        anew = {"node_id": 3, "data": {"content": "Anew."}}
        ends = sum(frame["type"] == "turn_end" for frame in editor.seen)
        await editor.send(type="user_message", message="", function="update_node", function_params=anew)
        await editor.until("turn_end", ends + 1)

    assert sum(frame["type"] == "function_call" for frame in editor.seen) == calls
    assert "CONFLICT" in str(editor.seen)


async def test_what_is_shown_before_the_users_own_undo_is_asked_for_is_not_taken_back_by_it(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, take_back = "What its writer has written since.", RemoteEditor.take_back

    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD])
        asks, may_ask = asyncio.Event(), asyncio.Event()
        here = asyncio.get_running_loop()

        async def late(of: RemoteEditor, turn_id: str) -> Outcome | None:
            here.call_soon_threadsafe(asks.set)
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(may_ask.wait(), here))
            return await take_back(of, turn_id)

        monkeypatch.setattr(RemoteEditor, "take_back", late)
        undoing = asyncio.create_task(scribe.code("undo"))
        await asks.wait()
        editor.editor.execute("update_node", {"node_id": 3, "data": {"content": written}})
        await editor.show()
        await editor.has_arrived()
        may_ask.set()
        assert await undoing == "CONFLICT"

    assert written in editor.editor.content
    assert not any(frame["type"] == "undo_request" for frame in editor.seen)


async def test_what_the_user_has_written_during_the_turn_is_not_taken_back_by_the_users_own_undo_unasked(
    home: House,
) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        editor.may_answer.clear()
        working = asyncio.create_task(scribe.ok("apply_operations", operations=[_GOLD]))
        await editor.called.wait()
        editor.editor.execute("update_node", {"node_id": 3, "data": {"content": "By hand."}})
        editor.may_answer.set()
        await working
        asked = await scribe.ok("undo")

    assert asked["status"] == "question"
    assert "By hand." in asked["question"]
    assert not any(frame["type"] == "undo_request" for frame in editor.seen)


async def test_what_the_user_has_done_in_the_panel_is_taken_back_once_the_user_agrees(home: House) -> None:
    user = User(["no"])
    async with arrow(home, "assistant") as editor, assistant(home.url, user=user) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD])
        silver = {"name": "silver", "type": "num"}
        await editor.send(type="user_message", message="", function="create_variable", function_params=silver)
        await editor.until("turn_end", 2)
        refused = await scribe.ok("undo")

    assert refused["changed"] is False
    assert len(user.shown) == 1
    assert '"silver"' in editor.editor.content


async def test_a_client_that_knows_no_assistants_is_worked_in_as_well(home: House) -> None:
    async with arrow(home) as editor, assistant(home.url) as scribe:
        done = await scribe.ok("apply_operations", operations=[_GOLD])
        undone = await scribe.ok("undo")

    assert (done["status"], undone["status"]) == ("done", "done")
    assert editor.texts().startswith("Scribe: 1 operation: create_variable")
    assert '"gold"' not in editor.editor.content


@pytest.mark.parametrize("era", ERAS)
async def test_under_always_the_user_answers_in_the_panel(strict: House, era: Era) -> None:
    async with arrow(strict, "assistant") as editor, assistant(strict.url, era) as scribe:
        asked = await scribe.ok("apply_operations", operations=[_GOLD])
        answer = await scribe.call("confirm", id=asked["id"], words="yes")
        shown = await editor.until("confirmation_request")
        assert '"gold"' not in editor.editor.content
        await editor.send(type="confirmation", request_id=shown["pending_id"], decision="yes")
        await editor.until("turn_end", 2)

    assert answer.structured_content["error"]["code"] == "USER_NEEDED"
    assert "Fletcher panel" in text_of(answer)
    assert shown["pending_id"] == asked["id"]
    assert '"gold"' in editor.editor.content
    assert strict.model.requests == []  # a yes to an assistant's operations is nothing for a model of ours


async def test_always_counts_that_the_user_has_chosen_since_the_question(home: House) -> None:
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        asked = await scribe.ok("apply_operations", operations=[_DELETE])
        editor.confirm = "always"
        code = await scribe.code("confirm", id=asked["id"], words="yes")
        assert "The lamp is cold." in editor.editor.content
        shown = await editor.until("confirmation_request")
        await editor.send(type="confirmation", request_id=shown["pending_id"], decision="yes")
        await editor.until("turn_end", 2)

    assert code == "USER_NEEDED"
    assert "The lamp is cold." not in editor.editor.content


@pytest.mark.parametrize("era", ERAS)
async def test_the_assistants_client_asks_its_user(home: House, era: Era) -> None:
    user = User(["yes"])
    async with arrow(home, "assistant") as editor, assistant(home.url, era, user) as scribe:
        done = await scribe.ok("apply_operations", operations=[_DELETE])

    assert done["status"] == "done"
    assert "The lamp is cold." not in editor.editor.content
    assert len(user.shown) == 1


async def test_what_an_assistant_takes_away_counts_until_the_user_agrees_in_the_panel(home: House) -> None:
    async def say(words: str) -> str:
        saying = {"function": "update_node", "arguments": {"node_id": 3, "data": {"content": words}}}
        async with assistant(home.url) as scribe:
            return (await scribe.ok("apply_operations", operations=[saying]))["status"]

    async with arrow(home, "assistant") as editor:
        little = [await say("a" * 40), await say("b" * 40)]
    async with arrow(home, "assistant") as editor:  # the window was closed and opened
        much = [await say("c" * 80), await say("d" * 40), await say("e" * 40)]
        shown = await editor.until("confirmation_request")
        await editor.send(type="confirmation", request_id=shown["pending_id"], decision="yes")
        await editor.until("turn_end", 4)
        anew = [await say("f" * 50), await say("g")]

    assert little == ["done", "done"]
    assert much == ["done", "question", "question"]
    assert anew == ["done", "question"]


@pytest.mark.parametrize(
    "answer", [{"type": "user_message", "message": "yes"}, {"type": "confirmation", "decision": "yes"}]
)
async def test_a_yes_that_may_be_to_the_users_own_question_is_none_to_the_assistants(
    home: House, answer: dict[str, Any]
) -> None:
    own = {"function": "delete_node", "function_params": {"node_id": 3}}
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        before = editor.editor.content
        await editor.send(type="user_message", message="", **own)
        await editor.until("turn_end")
        await scribe.ok("apply_operations", operations=[_DELETE])
        await editor.until("turn_end", 2)
        await editor.send(**answer)
        await editor.until("turn_end", 3)
        between = editor.editor.content
        again = await editor.until("confirmation_request", 3)
        await editor.send(**answer)
        await editor.until("turn_end", 4)

    assert between == before
    assert "two questions were open" in editor.texts()
    assert "delete node" in again["text"]
    assert "The lamp is cold." not in editor.editor.content


async def test_the_users_own_question_is_open_once_the_assistants_is_answered(home: House) -> None:
    user = User(["no"])
    async with arrow(home, "assistant") as editor, assistant(home.url, user=user) as scribe:
        await editor.send(type="user_message", message="", function="delete_node", function_params={"node_id": 3})
        await editor.until("turn_end")
        await scribe.ok("apply_operations", operations=[_DELETE])
        await editor.send(type="user_message", message="yes")
        await editor.until("turn_end", 4)

    assert "The pier is empty." not in editor.editor.content
    assert "The lamp is cold." in editor.editor.content


@pytest.mark.parametrize("refused", [1, 3])
async def test_however_often_an_assistant_asks_the_users_own_question_stays_open(
    home: House, refused: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.socket.conversation._MOST_OF_PROJECT", 3)
    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        before = editor.editor.content
        await editor.send(type="user_message", message="", function="delete_node", function_params={"node_id": 3})
        await editor.until("turn_end")
        asked = [(await scribe.ok("apply_operations", operations=[_DELETE]))["id"] for _ in range(refused + 1)]
        for question in asked[:-1]:
            await scribe.ok("confirm", id=question, words="no")
        await editor.until("turn_end", 1 + len(asked) + refused)
        await editor.send(type="user_message", message="yes")
        await editor.until("turn_end", 2 + len(asked) + refused)

    assert "two questions were open" in editor.texts()
    assert editor.editor.content == before


async def test_however_long_an_assistants_questions_are_the_users_own_and_undo_stay(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.pendings._OF_PROJECT_BYTES", 10_000)
    node = {"type": "content", "scene_id": 0, "preset": {"content": "\u5b57" * 1_000}}
    long = [_DELETE, {"function": "create_insert_node", "arguments": node}]
    async with arrow(home) as editor, assistant(home.url) as scribe:
        scene = {"function": "create_scene", "function_params": {"name": "Quay"}}
        await editor.send(type="user_message", message="", **scene)
        await editor.until("turn_end")
        await editor.send(type="user_message", message="", function="delete_node", function_params={"node_id": 3})
        asked = await editor.until("confirmation_request")
        await editor.until("turn_end", 2)
        for _ in range(3):
            await scribe.ok("apply_operations", operations=long)
        await editor.send(type="confirmation", request_id=asked["pending_id"], decision="yes")
        await editor.until("turn_end", 6)
        without = editor.editor.content
        for turns in (7, 8):
            await editor.send(type="user_message", message="undo")
            await editor.until("turn_end", turns)

    assert "The pier is empty." not in without
    assert "The pier is empty." in editor.editor.content
    assert "Quay" not in editor.editor.content


async def test_editors_of_another_workspace_are_not_there(tmp_path: Path) -> None:
    access = Access({"a-token": "one", "b-token": "two"})
    with house(tmp_path / "data", access=access) as home:
        async with (
            arrow(home, "assistant", token="a-token"),
            assistant(home.url, headers={"authorization": "Bearer a-token"}) as own,
            assistant(home.url, headers={"authorization": "Bearer b-token"}) as other,
        ):
            (listed,) = (await own.ok("list_editors"))["editors"]
            assert (await other.ok("list_editors"))["editors"] == []
            assert await other.code("outline", story=listed["id"]) == "PATH_NOT_ALLOWED"
            assert await other.code("apply_operations", operations=[_GOLD]) == "STORY_NEEDED"


async def test_a_client_whose_dialect_is_not_known_yet_is_not_worked_in(home: House) -> None:
    native = {"variable": 20, "operator": "gte", "with": [0, 5]}
    preset = {"variable": 20, "operator": ">=", "compare_to": {"type": "value", "value": 5}}
    check = {"function": "create_insert_node", "arguments": {"type": "condition", "scene_id": 0, "preset": preset}}
    async with connect(home.ws_url, proxy=None) as socket, assistant(home.url) as scribe:
        editor = Arrow(socket, story_text())
        listening = asyncio.create_task(editor.listen())
        await editor.show()
        await editor.send(type="are you there?")
        await editor.until("chat_response")
        listed = await scribe.call("list_editors")
        early = await scribe.call("apply_operations", operations=[check])
        hello = {"message": "Hello", "current_project_id": 1, "arrow_content": editor.editor.content}
        await editor.send(type="user_message", **hello)
        await editor.until("end")
        done = await scribe.ok("apply_operations", operations=[check])
        call = await editor.until("function_call")
        listening.cancel()

    assert listed.structured_content["editors"] == []
    for answer in (listed, early):
        assert "once its user has sent a message" in text_of(answer)
    assert early.is_error
    assert done["status"] == "done"
    assert native.items() <= call["arguments"]["preset"]["data"].items()


async def test_of_several_editors_one_has_to_be_named(home: House) -> None:
    async with (
        arrow(home, "assistant"),
        arrow(home, "assistant", text=story_text(title="The other")),
        assistant(home.url) as scribe,
    ):
        first, second = (one["id"] for one in (await scribe.ok("list_editors"))["editors"])
        assert await scribe.code("outline") == "STORY_NEEDED"
        assert "The Cold Lamp" in (await scribe.ok("outline", story=first))["outline"]
        assert "The other" in (await scribe.ok("outline", story=second))["outline"]


@pytest.mark.parametrize("names_requests", [True, False])
@pytest.mark.parametrize("is_decoded", [True, False])
async def test_an_assistant_works_in_the_story_that_it_has_asked_for_and_in_none_from_before(
    home: House, monkeypatch: pytest.MonkeyPatch, *, is_decoded: bool, names_requests: bool
) -> None:
    """What came before its question is still being read then, or even decoded."""
    written = "What its writer has written since. " * 10
    reads, is_asked = Event(), Event()

    def wait(content: str) -> None:
        if "An older one" in content:
            reads.set()
            assert is_asked.wait(60)

    def slow(content: str, before: ReadStory | None) -> ReadStory:
        wait(content)
        return read_story(content, before)

    def slowly_decoded(text: str) -> ClientMessage:
        wait(text)
        return decode(text)

    async def write() -> None:
        editor.editor.execute("update_node", {"node_id": 3, "data": {"content": written}})
        is_asked.set()

    async with arrow(home, "assistant") as editor, assistant(home.url) as scribe:
        editor.names_requests = names_requests
        await editor.has_arrived()
        if is_decoded:
            monkeypatch.setattr(stories, "read_story", slow)
        else:
            monkeypatch.setattr(session, "decode", slowly_decoded)
        editor.editor.execute("update_node", {"node_id": 3, "data": {"content": "An older one. " * 200}})
        await editor.show()
        assert await asyncio.to_thread(reads.wait, 60)
        editor.before_it_shows = write
        anew = {"function": "update_node", "arguments": {"node_id": 3, "data": {"content": "Anew."}}}
        asked = await scribe.call("apply_operations", operations=[anew])
        assert written in editor.editor.content
        assert "CONFLICT" not in text_of(asked)


async def test_an_assistants_turn_begins_once_all_that_was_shown_before_it_is_read(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the client cannot be asked for its story."""
    written = "What its writer has written since. " * 100
    reads, has_begun, is_sent = Event(), Event(), Event()
    start, send = Session._start_turn, Session._send_all  # pyright: ignore[reportPrivateUsage]

    def slow(text: str) -> ClientMessage:
        reads.set()
        assert has_begun.wait(60)
        is_sent.wait(0.5)  # it must not be
        return decode(text)

    async def started(of: Session, message: UserMessage, guest: Guest | None = None) -> asyncio.Task[None] | None:
        has_begun.set()
        return await start(of, message, guest)

    async def sent(of: Session, frames: Iterable[Frame]) -> None:
        await send(of, noted(frames))

    def noted(frames: Iterable[Frame]) -> Iterator[Frame]:
        for frame in frames:
            yield frame
            if frame["type"] == "function_call":
                is_sent.set()

    async with arrow(home) as editor, assistant(home.url) as scribe:
        await editor.has_arrived()
        monkeypatch.setattr(session, "decode", slow)
        monkeypatch.setattr(Session, "_start_turn", started)
        monkeypatch.setattr(Session, "_send_all", sent)
        for text in ("An older one. " * 200, written):
            editor.editor.execute("update_node", {"node_id": 3, "data": {"content": text}})
            await editor.show()
        assert await asyncio.to_thread(reads.wait, 60)
        anew = {"function": "update_node", "arguments": {"node_id": 3, "data": {"content": "Anew."}}}
        await scribe.call("apply_operations", operations=[anew])
        assert written in editor.editor.content
