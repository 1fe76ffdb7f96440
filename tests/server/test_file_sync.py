"""The server's copy of the story: what replaces it, and what does not."""

import asyncio
from threading import Event
from typing import Any, NamedTuple

import pytest

from agent import Turn
from agent.reading.reading_tools import TurnReader
from arrow_project import Operation
from tests.agent.scripted_model import PATIENCE_S, Use
from tests.agent.story import NEXT_ID, story, story_text
from tests.server.client import Client, texts
from tests.server.house import House


class Halfway(NamedTuple):
    """A turn that reads something, and goes on when it is told to."""

    is_reading: Event
    go_on: Event


@pytest.fixture
def halfway(monkeypatch: pytest.MonkeyPatch) -> Halfway:
    gate = Halfway(Event(), Event())

    async def read(*_: Any) -> dict[str, Any]:
        gate.is_reading.set()
        await asyncio.to_thread(gate.go_on.wait, PATIENCE_S)
        return {}

    monkeypatch.setattr(TurnReader, "call", read)
    return gate


@pytest.mark.parametrize(
    "content",
    ["", "not json", "{}", "[]", '{"title": "x"}', story_text()[:-200], story_text().replace('"entry"', '"exit"')],
    ids=["empty", "no JSON", "no project", "a list", "almost nothing", "cut off", "no entry"],
)
def test_content_that_cannot_be_read_keeps_the_old_copy(home: House, client: Client, content: str) -> None:
    client.send("file_sync", project_id=1, arrow_content=content)
    answer = client.frame()["message"]
    assert answer.startswith("PARSE_ERROR: ")
    assert "kept" in answer
    home.model.add(["Hello."])
    client.turn("Hello?")
    assert "The lamp is cold." in home.model.requests[0].context


def test_content_nested_too_deeply_keeps_the_old_copy(home: House, client: Client) -> None:
    deep = "[" * 5000 + "]" * 5000
    client.sync(story_text().replace('"last_save": null', f'"last_save": {deep}'))
    assert client.frame()["message"].startswith("PARSE_ERROR: ")
    home.model.add(["Hello."])
    assert texts(client.turn("Hello?")) == ["Hello."]
    assert "The lamp is cold." in home.model.requests[0].context


def test_a_message_with_bad_content_ends(home: House, client: Client) -> None:
    frames = client.turn("Hello?", arrow_content="not json")
    assert texts(frames)[0].startswith("PARSE_ERROR: ")
    assert not home.model.requests


def test_projects_are_kept_apart(home: House, client: Client) -> None:
    client.sync(story_text("The Warm Lamp"), project_id=2)
    home.model.add(["One."], ["Two."], ["The last."])
    client.turn("Which?", current_project_id=1)
    assert "The Cold Lamp" in home.model.requests[-1].context
    client.turn("Which?", current_project_id=2)
    assert "The Warm Lamp" in home.model.requests[-1].context
    client.turn("Which?", current_project_id=-1)
    assert "The Warm Lamp" in home.model.requests[-1].context, "the project of the last file_sync"


def test_a_sync_during_a_turn_settles_what_the_turn_knows(home: House, client: Client) -> None:
    edited = story()
    edited.apply(Operation("create_character", {"name": "Bram"}))
    edited.apply(Operation("create_character", {"name": "whom the user has made meanwhile"}))
    line = {"type": "content", "preset": {"content": "Rain."}}
    home.model.add(
        [Use("create_character", {"name": "Bram"})], [Use("create_insert_node", line)], ["Done."], ["Hello."]
    )
    client.ask("Add Bram and rain.")
    call = client.call()
    client.sync(edited.to_text())
    client.answer(call)
    client.answer(client.call())
    client.until("end")
    assert home.model.requests[2].tool_results[0]["node_id"] == NEXT_ID + 2
    client.turn("Hello?")
    assert "whom_the_user" in home.model.requests[-1].context
    assert "Rain." in home.model.requests[-1].context


def test_a_sync_during_a_turn_that_cannot_be_read_lets_it_do_nothing_more(home: House, client: Client) -> None:
    anew = Use("update_node", {"node_id": 3, "data": {"content": "Anew."}})
    home.model.add([Use("create_character", {"name": "Bram"})], [anew], ["So be it."])
    client.ask("Add Bram, and say it anew.")
    call = client.call()
    client.sync("not json")
    client.until("chat_response")
    client.answer(call)
    assert "function_call" not in [frame["type"] for frame in client.until("end")]
    assert home.model.requests[2].tool_results[0]["error"]["code"] == "CONFLICT"


@pytest.mark.parametrize("shown", ["not json", "|" * 500_001], ids=["unreadable", "crowded"])
@pytest.mark.parametrize("is_agreed", [False, True], ids=["at once", "agreed to"])
def test_of_a_story_whose_last_state_cannot_be_read_nothing_is_taken_away(
    home: House, client: Client, shown: str, is_agreed: bool
) -> None:
    """What the user has written since would be gone, and nobody could be asked about it."""
    anew = Use("update_node", {"node_id": 3, "data": {"content": "Anew."}})
    empty = story_text().replace("The pier is empty.", "")
    if is_agreed:
        home.model.add([Use("delete_node", {"node_id": 3})])
        client.turn("Remove the pier.")
    else:
        client.sync(empty)  # as far as anybody knows, nothing would be lost
    client.sync(shown)
    client.until("chat_response")
    if not is_agreed:
        home.model.add([anew], [Use("create_character", {"name": "Bram"})], ["So be it."])
    client.ask("yes" if is_agreed else "Say it anew, and add Bram.")
    if is_agreed:
        frames = client.until("end")
        assert "function_call" not in [frame["type"] for frame in frames]
        assert "cannot be read" in str(frames)
    else:
        call = client.call()
        assert call["function"] == "create_character"
        client.answer(call)
        client.until("end")
        assert home.model.requests[1].tool_results[0]["error"]["code"] == "CONFLICT"
    client.sync()
    home.model.add([anew], ["So be it."])
    client.ask("Say it anew.")
    client.answer(client.call())
    client.until("end")


def test_a_message_amid_a_turn_that_names_no_project_is_about_the_story_that_was_shown_last(
    home: House, client: Client
) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})], ["There he is."], ["Of that one."])
    client.ask("Add Bram.")
    call = client.call()
    client.sync(story_text("The Warm Lamp"), project_id=2)
    client.ask("And here?", current_project_id=None, arrow_content=story_text("The Warm Lamp"))
    client.until("chat_response")
    client.answer(call)
    client.until("end")
    client.turn("Which?", current_project_id=1)
    assert "The Cold Lamp" in home.model.requests[-1].context


def test_what_an_answer_shows_and_cannot_be_read_is_what_the_user_sees(home: House, client: Client) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})], ["There he is."])
    client.ask("Add Bram.")
    client.answer(client.call(), arrow_content="not json")
    client.until("end")
    home.model.add([Use("update_node", {"node_id": 3, "data": {"content": "Anew."}})], ["So be it."])
    client.ask("Say it anew.")
    assert "function_call" not in [frame["type"] for frame in client.until("end")]


def test_no_turn_is_taken_back_in_a_story_that_cannot_be_read(home: House, client: Client) -> None:
    home.model.add([Use("update_node", {"node_id": 3, "data": {"content": ""}})])
    client.ask("Say nothing.", confirm="never")
    call = client.call()
    emptied = story_text().replace("The pier is empty.", "")
    client.answer(call, arrow_content=emptied)
    client.until("end")
    client.sync("not json")
    client.until("chat_response")
    client.ask("undo")
    frames = client.until("end")
    assert "function_call" not in [frame["type"] for frame in frames]
    assert "CONFLICT" in str(frames)


@pytest.mark.parametrize("shown", ["not json", "|" * 500_001], ids=["unreadable", "crowded"])
@pytest.mark.parametrize("by", ["a button", "a message"])
def test_nothing_is_done_in_another_story_that_cannot_be_read(home: House, client: Client, shown: str, by: str) -> None:
    """Its nodes may have the same ids."""
    home.model.add([Use("delete_node", {"node_id": 3})])
    client.turn("Remove the pier.")
    client.sync(shown, project_id=2)
    client.until("chat_response")
    home.model.add([Use("delete_node", {"node_id": 3})])
    if by == "a button":
        client.send("confirmation", decision="yes")
    else:
        client.ask("Remove the pier.", current_project_id=-1)
    frames = client.until("end")
    assert "function_call" not in [frame["type"] for frame in frames]


@pytest.mark.parametrize("project", [1, 2])
def test_a_story_in_a_message_that_comes_amid_a_turn_is_what_the_user_sees(
    home: House, client: Client, project: int
) -> None:
    anew = Use("update_node", {"node_id": 3, "data": {"content": "Anew."}})
    home.model.add([Use("create_character", {"name": "Bram"})], [anew], ["So be it."])
    client.ask("Add Bram, and say it anew.")
    call = client.call()
    written = story_text().replace("The pier is empty.", "The pier is empty, and has been for years. " * 9)
    client.ask("And then?", current_project_id=project, arrow_content=written)
    assert "BUSY" in texts(client.until("chat_response"))[-1]
    client.answer(call)
    frames = client.until("end")
    assert "function_call" not in [frame["type"] for frame in frames]
    if project == 1:
        assert "What would be lost" in texts(frames)[-1]


@pytest.mark.parametrize("by_hand", ["", "Rain on the pier."])
def test_a_story_that_comes_while_changes_wait_for_a_yes_is_what_the_question_is_about(
    home: House, client: Client, halfway: Halfway, by_hand: str
) -> None:
    home.model.add([Use("delete_node", {"node_id": 3}), Use("get_node", {"node_id": 2})], ["It is gone."])
    client.ask("Remove the pier.")
    assert halfway.is_reading.wait(PATIENCE_S)
    client.sync(story_text().replace("The pier is empty.", by_hand or "The pier is empty."))
    client.ask("Is the story here?")
    assert "BUSY" in texts(client.until("chat_response"))[-1]
    halfway.go_on.set()
    question = texts(client.until("end"))[-1]
    assert f'- node 3 content "pier" "{by_hand or "The pier is empty."}"' in question
    assert 'What would be lost: node 3 "pier"' in question
    client.ask("yes")
    client.answer(client.call())
    client.until("end")


def test_a_story_that_lacks_the_call_under_way_ends_no_yes(home: House, client: Client) -> None:
    """An ordinary client executes, answers without content, and sends its story, which crosses the next call."""
    shown = story()
    (made,) = shown.apply(Operation("create_insert_node", {"type": "content", "scene_id": 0})).created
    nodes = [made, 2, 3]
    client.sync(shown.to_text())
    home.model.add([Use("delete_node", {"node_id": node}) for node in nodes], ["They are gone."])
    client.turn("Remove all.")
    client.ask("yes")
    client.answer(client.call())
    call = client.call()
    shown.apply(Operation("delete_node", {"node_id": made}))
    client.sync(shown.to_text())
    client.ask("Is the story here?")
    assert "BUSY" in texts(client.until("chat_response"))[-1]
    client.answer(call)
    client.answer(client.call())
    assert "Done, 3 steps: delete node (3 times)." in texts(client.until("end"))


@pytest.mark.parametrize("made", ["create_variable", "create_insert_node"])
def test_what_is_made_by_hand_while_a_removal_waits_for_a_yes_is_no_conflict(
    home: House, client: Client, halfway: Halfway, made: str
) -> None:
    home.model.add([Use("delete_node", {"node_id": 3}), Use("get_node", {"node_id": 2})])
    client.ask("Remove the pier.")
    assert halfway.is_reading.wait(PATIENCE_S)
    shown = story()
    given = {"name": "gold", "type": "num", "initial_value": 1} if made == "create_variable" else {"type": "content"}
    shown.apply(Operation(made, given | ({} if made == "create_variable" else {"scene_id": 0})))
    client.sync(shown.to_text())
    client.ask("Is the story here?")
    client.until("chat_response")
    halfway.go_on.set()
    assert '- node 3 content "pier"' in texts(client.until("end"))[-1]


def test_changes_that_no_longer_fit_a_story_that_comes_meanwhile_are_not_asked_about(
    home: House, client: Client, halfway: Halfway
) -> None:
    home.model.add([Use("delete_node", {"node_id": 3}), Use("get_node", {"node_id": 2})], ["Hello."])
    client.ask("Remove the pier.")
    assert halfway.is_reading.wait(PATIENCE_S)
    without = story()
    without.apply(Operation("delete_node", {"node_id": 3}))
    client.sync(without.to_text())
    client.ask("Is the story here?")
    client.until("chat_response")
    halfway.go_on.set()
    assert texts(client.until("end"))[-1].startswith("CONFLICT: The project has been changed meanwhile")
    client.turn("Hello?")
    assert "pier" not in home.model.requests[-1].context


def test_a_story_that_comes_as_the_turn_ends_stays(
    home: House, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = Event()
    monkeypatch.setattr("agent.turn.thread._FEW", 0)
    monkeypatch.setattr(Turn, "_lacking", lambda *_: ended.wait(PATIENCE_S) and None)
    home.model.add([Use("create_character", {"name": "Bram"})], ["Done."], ["Hello."])
    client.ask("Add Bram.")
    call = client.call()
    client.answer(call)
    client.sync(story_text().replace("The pier is empty.", "Rain on the pier."))
    client.until("end")
    ended.set()
    client.turn("Hello?")
    assert "Rain on the pier." in home.model.requests[-1].context


def test_a_sync_of_another_project_does_not_touch_the_turn(home: House, client: Client) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})], ["Done."], ["Hello."])
    client.ask("Add Bram.")
    call = client.call()
    client.sync(story_text("The Warm Lamp"), project_id=2)
    client.answer(call)
    client.until("end")
    client.turn("Hello?")
    assert "The Cold Lamp" in home.model.requests[-1].context
    assert "Bram" in home.model.requests[-1].context


def test_the_content_of_a_late_answer_belongs_to_its_turns_project(home: House, client: Client) -> None:
    client.sync(story_text("The Warm Lamp"), project_id=2)
    home.model.add([Use("create_character", {"name": "Bram"})], ["One."], ["Two."])
    client.ask("Add Bram.", current_project_id=1)
    call = client.call()
    client.send("stop")
    client.until("end")
    client.answer(call, arrow_content=story_text("The Lamp That Stopped"))
    client.turn("Which?", current_project_id=2)
    assert "The Warm Lamp" in home.model.requests[-1].context
    client.turn("Which?", current_project_id=1)
    assert "The Lamp That Stopped" in home.model.requests[-1].context


def test_a_late_answer_does_not_say_which_story_is_open(home: House, client: Client) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})], ["One."])
    client.ask("Add Bram.")
    call = client.call()
    client.send("stop")
    client.until("end")
    client.sync(story_text("The Warm Lamp"), project_id=2)
    client.answer(call, arrow_content=story_text("The Lamp That Stopped"))
    client.turn("Which?", current_project_id=-1)
    assert "The Warm Lamp" in home.model.requests[-1].context


def test_a_late_answer_with_bad_content_is_said(home: House, client: Client) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})])
    client.ask("Add Bram.")
    call = client.call()
    client.send("stop")
    client.until("end")
    client.answer(call, arrow_content="not json")
    assert client.frame()["message"].startswith("PARSE_ERROR: ")
    client.assert_quiet()


def test_a_late_answer_replaces_no_project_while_another_one_is_open(home: House, client: Client) -> None:
    """Some editors do what is asked in the story that is open, and it is that one which they show then."""
    client.sync(story_text("The Warm Lamp"), project_id=2)
    home.model.add([Use("create_character", {"name": "Bram"})], [Use("create_character", {"name": "Cor"})])
    home.model.otherwise = ["Done."]
    client.ask("Add Bram.", current_project_id=1)
    late = client.call()
    client.send("stop")
    client.until("end")
    client.ask("Add Cor.", current_project_id=2)
    call = client.call()
    client.answer(late, arrow_content=story_text("The Lamp That Stopped"))
    client.answer(call)
    client.until("end")
    client.turn("Which?", current_project_id=2)
    assert "The Warm Lamp" in home.model.requests[-1].context
    assert "Cor" in home.model.requests[-1].context
    client.turn("Which?", current_project_id=1)
    assert "The Lamp That Stopped" not in home.model.requests[-1].context
