"""What takes something away is asked first, and a yes does exactly that."""

from pathlib import Path
from typing import Any

import pytest

from arrow_project import Operation
from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.agent.story import story, story_text
from tests.server.client import Client, texts, types
from tests.server.house import House, house

DELETE = Use("delete_node", {"node_id": 3})
CREATE = Use("create_variable", {"name": "gold", "type": "num", "initial_value": 10})


def asked(home: House, client: Client) -> str:
    """The model wants to delete the pier and is held up by a question."""
    home.model.add(["I will remove the pier.", DELETE, CREATE])
    frames = client.turn("Remove the pier.")
    assert types(frames) == ["status", "chat_response", "chat_response", "status", "end"]
    announcement, question = texts(frames)
    assert announcement == "I will remove the pier."
    return question


def test_the_question_ends_the_turn_and_nothing_is_done(home: House, client: Client) -> None:
    question = asked(home, client)
    assert "delete node" in question
    assert "3" in question
    assert "yes or no" in question
    client.assert_quiet()
    assert len(home.model.requests) == 1


@pytest.mark.parametrize("reply", ["yes", "Yes.", " OK! ", "go ahead"])
def test_yes_does_exactly_what_was_asked(home: House, client: Client, reply: str) -> None:
    asked(home, client)
    home.model.add(["Gone."], ["Nothing is left."])
    client.ask(reply)
    call = client.call()
    assert (call["function"], call["arguments"]["node_id"]) == ("delete_node", 3)
    assert len(home.model.requests) == 1, "reading a yes takes no model"
    client.answer(call)
    frames = client.until("end")
    assert "function_call" not in types(frames), "the call after the question is not made up for"
    assert texts(frames)[0].startswith("Done: delete node")
    client.turn("And now?")
    assert "pier" not in home.model.requests[-1].context


@pytest.mark.parametrize("reply", ["no", "No, thanks.", "cancel"])
def test_no_changes_nothing(home: House, client: Client, reply: str) -> None:
    asked(home, client)
    assert texts(client.turn(reply)) == ["Nothing was changed."]
    assert len(home.model.requests) == 1


def test_anything_else_cancels_the_question_and_is_a_message(home: House, client: Client) -> None:
    asked(home, client)
    home.model.add(["It is where the boats land."], ["Yes to what?"])
    answer, dropped = texts(client.turn("What is the pier for?"))
    assert answer == "It is where the boats land."
    assert "dropped" in dropped
    assert texts(client.turn("yes")) == ["Yes to what?"], "the question is gone"


def test_after_the_story_has_changed_a_yes_is_a_conflict(home: House, client: Client) -> None:
    asked(home, client)
    client.sync(story_text().replace("The pier is empty.", "The pier is full."))
    frames = client.turn("yes")
    assert "function_call" not in types(frames)
    assert texts(frames)[0].startswith("CONFLICT: ")
    assert types(frames)[-1] == "end"


@pytest.mark.parametrize("reports", [True, False])
def test_what_is_written_while_a_yes_is_carried_out_ends_it(home: House, client: Client, *, reports: bool) -> None:
    home.model.add([Use("delete_node", {"node_id": 2}), DELETE])
    client.turn("Remove both.")
    client.ask("yes")
    call = client.call()
    now = story()
    now.apply(Operation("delete_node", {"node_id": 2}))
    now.apply(Operation("update_node", {"node_id": 3, "data": {"content": "By hand."}}))
    if not reports:
        client.sync(now.to_text())
        client.ask("Is the story here?")
        assert "BUSY" in texts(client.until("chat_response"))[-1]
    client.answer(call, **({"arrow_content": now.to_text()} if reports else {}))
    frames = client.until("end")
    assert "function_call" not in types(frames)
    done, conflict = texts(frames)
    assert done.startswith("Done: delete node (node_id 2)")
    assert conflict.startswith("CONFLICT: ")
    assert "node 3" in conflict
    client.sync(now.to_text())
    undo = texts(client.turn("undo"))[-1]
    assert '"By hand." -> "The pier is empty."' in undo, "it is asked about, as that was the user's"


def page(words: str) -> Operation:
    """A node with these words."""
    return Operation("create_insert_node", {"type": "content", "scene_id": 0, "preset": {"content": words}})


def update(node_id: int, **fields: Any) -> Operation:
    """Something of a node is another."""
    return Operation("update_node", {"node_id": node_id, **fields})


CONNECTION = Operation("create_connection", {"from_node_id": 3, "to_node_id": 41, "from_slot": 0, "to_slot": 0})
BY_HAND = update(3, data={"content": "By hand."})


@pytest.mark.parametrize(
    ("call_under_way", "written"),
    [
        (0, [BY_HAND]),
        (0, [page("First."), BY_HAND]),
        (1, [page("First."), BY_HAND]),
        (2, [page("First."), page("Second."), BY_HAND]),
        (2, [page("First."), page("Second."), CONNECTION, BY_HAND]),
    ],
)
def test_a_story_that_comes_before_an_answer_changes_nothing_of_what_a_yes_means(
    home: House, call_under_way: int, written: list[Operation]
) -> None:
    planned = [page("First."), page("Second."), CONNECTION, update(41, name="second")]
    now, home.model.otherwise = story(), ["Done."]
    with home.client("/ws/chat?dialect=spec") as client:
        client.sync()
        home.model.add([Use(each.function, dict(each.arguments)) for each in planned], ["Planned."])
        client.turn("Add two pages.", mode="plan")
        client.ask("yes")
        asked: list[Any] = []
        for number in range(4):
            asked.append(client.call())
            if number == call_under_way:
                now.apply_all(written)
                client.sync(now.to_text())
            client.answer(asked[-1], result=True)
        said = texts(client.until("end"))
        now.apply_all([each for each in planned if each not in written])
        client.sync(now.to_text())
        undo = texts(client.turn("undo"))[0]

    assert [call["arguments"] for call in asked[2:]] == [each.arguments for each in planned[2:]]
    assert said[0].startswith("Done, 4 steps")
    assert '"By hand." -> "The pier is empty."' in undo, "it is asked about, as that was the user's"


@pytest.mark.parametrize(
    ("planned", "written"),
    [
        (page("First."), [page("By hand.")]),  # which of them has which id?
        (update(3, data={"content": "Planned."}), [BY_HAND, update(2, name="hello")]),  # which came last?
        (update(3, name="quay"), [Operation("delete_node", {"node_id": 3})]),
    ],
)
def test_a_yes_ends_where_a_story_that_comes_does_not_show_what_was_done(
    home: House, planned: Operation, written: list[Operation]
) -> None:
    now, home.model.otherwise = story(), ["Done."]
    with home.client("/ws/chat?dialect=spec") as client:
        client.sync()
        home.model.add([Use(each.function, dict(each.arguments)) for each in (planned, page("Last."))], ["Planned."])
        client.turn("Do it.", mode="plan")
        client.ask("yes")
        call = client.call()
        now.apply_all(written)
        client.sync(now.to_text())
        client.answer(call, result=True)
        frames = client.until("end")
        now.apply(Operation("create_variable", {"name": "whatever", "type": "num"}))
        client.sync(now.to_text())
        undo = texts(client.turn("undo"))[0]

    assert "function_call" not in types(frames)
    assert texts(frames)[1].startswith("CONFLICT: The project has been changed meanwhile")
    assert "undo would change this" in undo, "the story from before is kept"


def test_the_same_story_sent_again_is_no_change(home: House, client: Client) -> None:
    asked(home, client)
    client.sync()
    client.ask("yes")
    assert client.call()["function"] == "delete_node"


def test_a_question_is_answered_once(home: House, client: Client) -> None:
    asked(home, client)
    client.turn("no")
    home.model.add(["Yes to what?"])
    assert texts(client.turn("yes")) == ["Yes to what?"]


@pytest.mark.parametrize("when", ["afterwards", "while something else runs"])
def test_stop_drops_the_open_question(home: House, client: Client, when: str) -> None:
    asked(home, client)
    if when != "afterwards":
        home.model.add(["Let me think", Hang()])
        client.ask("Is that wise?")
        assert home.model.hanging.wait(PATIENCE_S)
    client.send("stop")
    client.until("end")
    home.model.add(["Yes to what?"])
    assert texts(client.turn("yes")) == ["Yes to what?"]


def test_a_second_projects_yes_does_not_answer_the_first_ones_question(home: House, client: Client) -> None:
    asked(home, client)
    client.sync(project_id=2)
    home.model.add(["Yes to what?"])
    assert texts(client.turn("yes", current_project_id=2)) == ["Yes to what?"]
    client.ask("yes")
    assert client.call()["function"] == "delete_node"


def test_the_question_of_another_client_is_not_answered(home: House, client: Client) -> None:
    asked(home, client)
    with home.client() as other:
        other.sync()
        home.model.add(["Yes to what?"])
        assert texts(other.turn("yes")) == ["Yes to what?"]


def test_a_message_may_ask_for_more_questions(home: House, client: Client) -> None:
    home.model.add([CREATE])
    frames = client.turn("Add gold.", confirm="always")
    assert "create variable" in texts(frames)[0]
    client.ask("yes")
    assert client.call()["function"] == "create_variable"


def test_a_message_may_not_ask_for_fewer(home: House, client: Client) -> None:
    home.model.add([DELETE])
    frames = client.turn("Remove the pier.", confirm="never")
    assert "yes or no" in texts(frames)[0]


def test_the_operator_may_ask_for_none(tmp_path: Path) -> None:
    with house(tmp_path, [DELETE], ["Gone."], confirm="never") as home, home.client() as client:
        client.sync()
        client.ask("Remove the pier.")
        client.answer(client.call())
        assert texts(client.until("end")) == ["Gone."]


def test_what_was_done_before_the_question_stays(home: House, client: Client) -> None:
    home.model.add([CREATE, DELETE])
    client.ask("Add gold and remove the pier.")
    client.answer(client.call())
    assert "yes or no" in texts(client.until("end"))[0]
    client.ask("yes")
    call = client.call()
    assert call["function"] == "delete_node"
    client.answer(call)
    client.until("end")
    home.model.add(["Done."])
    client.turn("And now?")
    assert "gold: num" in home.model.requests[-1].context
    assert "pier" not in home.model.requests[-1].context


def test_what_breaks_a_rule_is_refused_and_not_asked(home: House, client: Client) -> None:
    home.model.add([Use("delete_node", {"node_id": 99})], ["There is none."])
    assert texts(client.turn("Remove node 99.")) == ["There is none."]


def test_a_plan_is_shown_first_and_done_after_a_yes(home: House, client: Client) -> None:
    line = {"type": "content", "preset": {"content": "Rain."}, "connect_from": {"node_id": 3, "slot": 0}}
    home.model.add([CREATE, Use("create_insert_node", line), DELETE])
    home.model.otherwise = ["That is my plan."]
    frames = client.turn("Add gold and rain, and remove the pier.", mode="plan")
    assert "function_call" not in types(frames)
    assert texts(frames)[0] == "That is my plan."
    assert "gold" in texts(frames)[-1]
    client.ask("yes")
    functions: list[str] = []
    for _ in range(4):
        call = client.call()
        functions.append(call["function"])
        client.answer(call)
    client.until("end")
    assert functions == ["create_variable", "create_insert_node", "create_connection", "delete_node"]


def test_an_answer_without_a_question_is_no_message(home: House) -> None:
    with home.client("/") as client:
        client.sync()
        client.send("confirmation", decision="yes")
        frames = client.until("end")
        assert "NOT_PENDING" in str(frames[0])
        assert home.model.requests == []
        home.model.add(["Hello."])
        client.send("user_message", data={"message": "Hello?", "current_project_id": 1})
        frames = client.until("operation_end")
    assert frames[0]["type"] == "operation_start", "the dialect is still the one of the first message"


@pytest.mark.parametrize("content", [story_text("The Warm Lamp"), "not json"], ids=["readable", "not readable"])
def test_a_button_says_yes_to_no_question_about_another_story_than_the_one_that_is_open(
    home: House, client: Client, content: str
) -> None:
    asked(home, client)
    client.sync(content, project_id=2)
    if content == "not json":
        assert client.frame()["message"].startswith("PARSE_ERROR: ")
    client.send("confirmation", decision="yes")
    (refused, *_) = texts(client.until("end"))
    assert refused.startswith("NOT_PENDING: The question is about the story of project 1, and another one is open")
    client.assert_quiet()
    client.sync()
    client.send("confirmation", decision="yes")
    assert client.call()["function"] == "delete_node"
