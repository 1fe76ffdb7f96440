"""A function that lacks something is asked about, and the next message completes it."""

import threading
from typing import Any

import pytest

from agent import Asked, Event, Failed, InMemoryEditor, OperationFinished, TextFinished
from agent.questions import replies
from agent.questions.parameters import missing_parameters, read_parameters
from arrow_project import Operation
from tests.agent.story import story, story_text
from tests.agent.turn_runner import TurnRunner


def the_question(events: list[Event]) -> Asked:
    (asked,) = [event for event in events if isinstance(event, Asked)]
    assert asked.kind == "parameters"
    return asked


def ran(events: list[Event]) -> list[str]:
    return [event.function for event in events if isinstance(event, OperationFinished) and event.success]


@pytest.mark.parametrize(
    ("function", "arguments", "missing"),
    [
        ("create_variable", {}, ("name", "type")),
        ("quick_insert_node", {"node_type": "hub"}, ()),
        ("node_connection_replacement", {"conversation_table": {"2": 3}}, ()),
        ("create_variable", {"name": "gold", "type": None}, ("type",)),
        ("create_connection", {"from_node_id": 2}, ("to_node_id",)),
        ("delete_character", {}, ("character_id",)),
        ("delete_character", {"by_name": "Elena"}, ()),
        ("update_node_map", {"node_id": 2, "modification": {}}, ()),
        ("search_documents", {}, ("query",)),
        ("create_scene", {}, ()),
        ("update_node", {"node_id": 2}, ("name",)),
        ("update_variable", {"name": "gold"}, ("variable_id",)),
        ("paint_node", {}, ()),
    ],
)
def test_what_is_missing(function: str, arguments: dict[str, Any], missing: tuple[str, ...]) -> None:
    assert missing_parameters(Operation(function, arguments)) == missing


@pytest.mark.parametrize(
    ("function", "reply", "arguments"),
    [
        ("delete_node", "3", {"node_id": 3}),
        ("delete_node", "node_id=3", {"node_id": 3}),
        ("delete_node", "node 3", {"node_id": 3}),
        ("delete_character", "the character 21", {"character_id": 21}),
        ("delete_node", '{"node_id": 3, "force": true}', {"node_id": 3, "force": True}),
        ("delete_character", "Elena", {"character_id": "Elena"}),
        ("create_character", "Old Tom", {"name": "Old Tom"}),
        ("create_character", "7", {"name": "7"}),
        ("create_variable", "name=gold, type=num", {"name": "gold", "type": "num"}),
        ("create_variable", 'name: "gold, or not"\ntype: str', {"name": "gold, or not", "type": "str"}),
        ("create_variable", "name=gold", {"name": "gold"}),
        ("create_variable", "name=silver type=num", {"name": "silver", "type": "num"}),
        ("create_variable", "name: old gold type=num", {"name": "old gold", "type": "num"}),
        ("create_variable", 'name="silver" type=num', {"name": "silver", "type": "num"}),
        ("create_insert_node", "type=content, name=a type: x", {"type": "content", "name": "a type: x"}),
        ("create_variable", "name= type=num", {"name": "", "type": "num"}),
        ("create_variable", 'name="silver type=num", type=num', {"name": "silver type=num", "type": "num"}),
        ("create_variable", "name=a shape=round one, type=num", {"name": "a shape=round one", "type": "num"}),
        ("search_documents", "who keeps the lamp", {"query": "who keeps the lamp"}),
    ],
)
def test_a_reply_that_completes(function: str, reply: str, arguments: dict[str, Any]) -> None:
    completed = read_parameters(Operation(function), reply)
    assert completed is not None
    assert completed.arguments == arguments


@pytest.mark.parametrize(
    ("function", "reply"),
    [
        ("delete_node", "What is the pier for?"),
        ("delete_node", "please make Elena a little angrier than that"),
        ("delete_node", "colour=3"),
        ("create_variable", "gold"),
        ("create_character", "name=Osk, colour=red"),
        ("create_variable", "Tell me about the lamp first"),
        ("create_variable", '["gold"]'),
        ("create_character", "/create_scene"),
        ("create_character", ""),
    ],
)
def test_a_reply_that_is_another_message(function: str, reply: str) -> None:
    assert read_parameters(Operation(function), reply) is None


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("delete_node", ["node_id", "dialog greeting (2)", "content pier (3)"]),
        ("update_scene", ["scene_id", "harbour (0)"]),
        ("delete_variable", ["variable_id", "oil (20)"]),
        ("update_character", ["character_id", "Elena (21)"]),
        ("create_variable", ["name", "type", "num, str, bool", "name=…, type=…"]),
        ("create_insert_node", ["type", "dialog", "content"]),
    ],
)
async def test_the_question_names_the_choices(runner: TurnRunner, function: str, said: list[str]) -> None:
    asked = the_question(await runner.events("", function=function))
    assert [part for part in said if part not in asked.text] == []
    assert asked.operations == (Operation(function, {}),)


async def test_the_next_message_completes_it(runner: TurnRunner) -> None:
    editor = InMemoryEditor(story())
    first = the_question(await runner.events("/create_variable", editor))
    second = the_question(await runner.events("name=gold", editor, pending_id=first.pending_id))
    assert "name" not in second.text.splitlines()[1]
    assert ran(await runner.events("num", editor, pending_id=second.pending_id)) == ["create_variable"]
    assert "gold" in editor.project.to_text()
    assert not runner.model.requests


async def test_a_call_is_written_as_in_a_shell(runner: TurnRunner) -> None:
    editor = InMemoryEditor(story())
    assert ran(await runner.events("/create_variable name=silver type=num", editor)) == ["create_variable"]
    assert [one["type"] for one in editor.project.data.variables.values() if one["name"] == "silver"] == ["num"]


@pytest.mark.parametrize("message", ["undo", "/undo", "take that back", "/create_character Osk"])
@pytest.mark.parametrize("asks", ["/create_variable gold", "/create_character", "add a monolog"])
async def test_a_command_of_its_own_is_no_value(runner: TurnRunner, asks: str, message: str) -> None:
    runner.is_local = True
    editor = InMemoryEditor(story())
    await runner.events("create a variable oil2 = 1", editor)
    asked = the_question(await runner.events(asks, editor))
    events = await runner.events(message, editor, pending_id=asked.pending_id)
    assert ran(events) == ["create_character" if "Osk" in message else "undo"]
    assert any(isinstance(event, TextFinished) and "is dropped" in event.text for event in events)


@pytest.mark.parametrize("message", ["yes", "no", "Yes, do it."])
async def test_a_reply_to_no_question(runner: TurnRunner, message: str) -> None:
    runner.is_local = True
    events = await runner.events(message)
    assert events[0] == TextFinished("No question is open. Nothing was changed.", not_done=True)


async def test_wrong_values_are_asked_for_again(runner: TurnRunner) -> None:
    editor = InMemoryEditor(story())
    asked = the_question(await runner.events("", editor, function="update_scene", function_params={"name": "quay"}))
    again = the_question(await runner.events("99", editor, pending_id=asked.pending_id))
    assert "99" in again.text.splitlines()[0]
    assert "harbour (0)" in again.text
    await runner.events("harbour", editor, pending_id=again.pending_id)
    assert editor.project.data.scenes[0]["name"] == "quay"


async def test_a_second_elena_is_asked_about_again(runner: TurnRunner) -> None:
    asked = the_question(await runner.events("", function="create_character"))
    again = the_question(await runner.events("ELENA", pending_id=asked.pending_id))
    assert "Use 21" in again.text


@pytest.mark.parametrize("reply", ["no", "cancel", "never mind"])
async def test_it_can_be_left(runner: TurnRunner, reply: str) -> None:
    asked = the_question(await runner.events("", function="create_character"))
    events = await runner.events(reply, pending_id=asked.pending_id)
    assert events[0] == TextFinished("Nothing was changed.")
    assert not runner.pendings.kept


async def test_what_is_no_answer_is_a_message(runner: TurnRunner) -> None:
    runner.model.add(["It is where the boats land."])
    editor = InMemoryEditor(story())
    asked = the_question(await runner.events("", editor, function="delete_node"))
    events = await runner.events("What is the pier for?", editor, pending_id=asked.pending_id)
    assert next(event.text for event in events if isinstance(event, TextFinished)) == "It is where the boats land."
    assert editor.project.to_text() == story_text()


async def test_what_is_completed_is_still_confirmed(runner: TurnRunner) -> None:
    asked = the_question(await runner.events("", function="delete_node"))
    (confirmation,) = [e for e in await runner.events("3", pending_id=asked.pending_id) if isinstance(e, Asked)]
    assert confirmation.kind == "confirmation"


@pytest.mark.parametrize(
    ("message", "function", "known"),
    [
        ("create a variable", "create_variable", {}),
        ("create a text variable", "create_variable", {"type": "str"}),
        ("create a variable gold", "create_variable", {"name": "gold"}),
        ("Please create a character.", "create_character", {}),
        ("connect 3", "create_connection", {"from_node_id": 3}),
        ("rename node 2", "update_node", {"node_id": 2}),
        ("rename the character Elena", "update_character", {"character_id": 21}),
        ("delete a node", "delete_node", {}),
        ("/create_variable gold", "create_variable", {"name": "gold"}),
        ("/create_variable num", "create_variable", {}),
    ],
)
async def test_the_planner_asks_for_what_a_command_lacks(
    runner: TurnRunner, message: str, function: str, known: dict[str, Any]
) -> None:
    runner.is_local = True
    asked = the_question(await runner.events(message))
    assert asked.operations == (Operation(function, known),)


async def test_what_the_planner_asked_for_completes_it(runner: TurnRunner) -> None:
    runner.is_local = True
    editor = InMemoryEditor(story())
    asked = the_question(await runner.events("rename node 2", editor))
    await runner.events("hello", editor, pending_id=asked.pending_id)
    assert editor.project.data.nodes[2]["name"] == "hello"


async def test_a_yes_is_no_value(runner: TurnRunner) -> None:
    editor = InMemoryEditor(story())
    asked = the_question(await runner.events("", editor, function="create_character"))
    again = the_question(await runner.events("yes", editor, pending_id=asked.pending_id))
    assert "name" in again.text
    assert editor.project.to_text() == story_text()


async def test_what_is_there_and_refused_is_not_asked_for_again(runner: TurnRunner) -> None:
    asked = the_question(await runner.events("", function="delete_character"))
    events = await runner.events("Elena", pending_id=asked.pending_id, confirm="never")
    assert [event.failure.code for event in events if isinstance(event, Failed)] == ["RESOURCE_IN_USE"]
    assert not runner.pendings.kept


@pytest.mark.parametrize(
    ("reply", "variable"),
    [
        ("number, 10", ("num", 10)),
        ("10", ("num", 10)),
        ("num", ("num", 0)),
        ("a text", ("str", "")),
        ("Text: good night.", ("str", "good night")),
        ('"10"', ("str", "10")),
        ("yes/no", ("bool", False)),
        ("true", ("bool", True)),
        ("type=num, initial_value=-3", ("num", -3)),
    ],
)
async def test_a_variables_type_is_said_in_plain_words_or_by_its_value(
    runner: TurnRunner, reply: str, variable: tuple[str, Any]
) -> None:
    editor = InMemoryEditor(story())
    asked = the_question(await runner.events("/create_variable gold", editor))
    assert "type" in asked.text
    await runner.events(reply, editor, pending_id=asked.pending_id)
    (made,) = [v for v in editor.project.data.variables.values() if v["name"] == "gold"]
    assert (made["type"], made["init"]) == variable


async def test_a_type_that_does_not_fit_its_value_is_asked_for_again(runner: TurnRunner) -> None:
    runner.is_local = True
    editor = InMemoryEditor(story())
    asked = the_question(await runner.events("/create_variable gold", editor))
    assert the_question(await runner.events("number, ten", editor, pending_id=asked.pending_id)).text
    assert editor.project.to_text() == story_text()


async def test_local_asks_for_the_words_of_a_node(runner: TurnRunner) -> None:
    runner.is_local = True
    editor = InMemoryEditor(story())
    asked = the_question(await runner.events("Add a dialog by Elena after node 3.", editor))
    assert "What is said" in asked.text
    again = the_question(await runner.events("yes", editor, pending_id=asked.pending_id))
    await runner.events("Who is there?", editor, pending_id=again.pending_id)
    (made,) = [node for node in editor.project.data.nodes.values() if node["data"].get("lines") == ["Who is there?"]]
    assert editor.project.data.characters[made["data"]["character"]]["name"] == "Elena"
    assert [link[2] for link in editor.project.data.outgoing(3, 0)] == [max(editor.project.data.nodes)]


@pytest.mark.parametrize(
    ("asks", "reply", "reader"),
    [("add a monolog", "then rename by; " * 9, "is_command"), ("/create_variable", "name=gold", "read_parameters")],
)
async def test_replies_are_read_beside_the_event_loop(
    runner: TurnRunner, monkeypatch: pytest.MonkeyPatch, asks: str, reply: str, reader: str
) -> None:
    runner.is_local = True
    threads, read = list[int](), getattr(replies, reader)

    def reading(*given: Any) -> Any:
        threads.append(threading.get_ident())
        return read(*given)

    monkeypatch.setattr(replies, reader, reading)
    editor = InMemoryEditor(story())
    asked = the_question(await runner.events(asks, editor))
    await runner.events(reply, editor, pending_id=asked.pending_id)
    assert threads
    assert threading.get_ident() not in threads


@pytest.mark.parametrize(("reply", "nodes"), [("no", 0), ("Add a content: Rain.", 1)])
async def test_other_answers_than_words_are_no_words(runner: TurnRunner, reply: str, nodes: int) -> None:
    runner.is_local = True
    editor = InMemoryEditor(story())
    asked = the_question(await runner.events("add a monolog", editor))
    await runner.events(reply, editor, pending_id=asked.pending_id)
    assert len(editor.project.data.nodes) - len(story().data.nodes) == nodes


async def test_a_plan_that_is_agreed_to_is_reported_in_one_sentence(runner: TurnRunner) -> None:
    runner.is_local = True
    planned = await runner.events("create a variable gold = 1; create a variable silver = 2; delete node 3", plan=True)
    pending_id = next(event.pending_id for event in planned if isinstance(event, Asked))
    events = await runner.events("yes", pending_id=pending_id)
    told = [event.text for event in events if isinstance(event, TextFinished)]
    assert told == ["Done, 3 steps: create variable (2 times), delete node."]


async def test_a_plan_of_local_does_not_say_that_it_is_done(runner: TurnRunner) -> None:
    runner.is_local = True
    events = await runner.events("delete node 3; create a variable gold = 1", plan=True)
    said = [event.text for event in events if isinstance(event, TextFinished)]
    assert said == []
    assert [event.kind for event in events if isinstance(event, Asked)] == ["plan"]
