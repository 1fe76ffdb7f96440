"""A turn over the socket: what the client sees, in which order, and what the model learns of it."""

from pathlib import Path

from server import Limits
from tests.agent.scripted_model import Use
from tests.agent.story import NEXT_ID, story_text
from tests.server.client import Client, texts, types
from tests.server.house import House, house

GOLD = {"name": "gold", "type": "num", "initial_value": 10}


def test_a_question_is_answered_between_processing_and_end(home: House, client: Client) -> None:
    home.model.add(["The lamp is ", "cold."])
    frames = client.turn("How is the lamp?")
    assert frames == [
        {"type": "status", "data": {"status": "processing"}},
        {"type": "chat_response", "message": "The lamp is cold."},
        {"type": "status", "data": {"status": "ready"}},
        {"type": "end"},
    ]
    client.assert_quiet()


def test_text_before_a_call_arrives_before_the_call(home: House, client: Client) -> None:
    home.model.add(["I will add gold.", Use("create_variable", GOLD)], ["Done."])
    client.ask("Add gold.")
    frames = client.until("function_call")
    assert types(frames) == ["status", "chat_response", "function_call"]
    assert texts(frames) == ["I will add gold."]
    client.answer(frames[-1])
    assert texts(client.until("end")) == ["Done."]


def test_the_result_of_a_call_is_in_the_models_next_request(home: House, client: Client) -> None:
    home.model.add([Use("create_variable", GOLD)], ["Done."])
    client.ask("Add gold.")
    call = client.call()
    assert call["function"] == "create_variable"
    assert call["arguments"] == GOLD
    assert call["request_id"]
    client.answer(call, "Variable created successfully")
    client.until("end")
    (result,) = home.model.requests[1].tool_results
    assert list(result)[:2] == ["material", "variable_id"]
    assert result["variable_id"] == NEXT_ID


def test_what_a_turn_did_is_in_the_next_turns_outline(home: House, client: Client) -> None:
    home.model.add([Use("create_variable", GOLD)], ["Done."], ["Ten."])
    client.ask("Add gold.")
    client.answer(client.call())
    client.until("end")
    client.turn("How much gold is there?")
    assert "gold: num = 10" in home.model.requests[-1].context


def test_an_error_of_the_client_goes_to_the_model_which_tries_again(home: House, client: Client) -> None:
    home.model.add([Use("create_variable", GOLD)], [Use("create_variable", GOLD | {"name": "coins"})], ["Coins."])
    client.ask("Add gold.")
    client.refuse(client.call(), "The name gold is reserved.")
    call = client.call()
    assert call["arguments"]["name"] == "coins"
    client.answer(call)
    assert texts(client.until("end")) == ["Coins."]
    (error,) = home.model.requests[1].tool_results
    assert error["error"]["message"] == "The name gold is reserved."
    (result,) = home.model.requests[2].tool_results
    assert result["variable_id"] == NEXT_ID, "the refused variable has used up no id"


def test_an_operation_that_breaks_a_rule_never_reaches_the_client(home: House, client: Client) -> None:
    home.model.add([Use("update_node", {"node_id": 99, "name": "nowhere"})], ["There is no node 99."])
    frames = client.turn("Rename node 99.")
    assert "function_call" not in types(frames)
    assert texts(frames) == ["There is no node 99."]
    (error,) = home.model.requests[1].tool_results
    assert error["error"]["code"] == "INVALID_NODE_ID"
    assert "99" in error["error"]["message"]


def test_arguments_that_are_no_json_go_back_to_the_model(home: House, client: Client) -> None:
    home.model.add([Use("create_variable", raw='{"name": "gold"')], [Use("create_variable", GOLD)], ["Done."])
    client.ask("Add gold.")
    client.answer(client.call())
    assert texts(client.until("end")) == ["Done."]


def test_a_tool_that_does_not_exist_goes_back_to_the_model(home: House, client: Client) -> None:
    home.model.add([Use("paint_node", {})], ["I cannot paint."])
    assert texts(client.turn("Paint it.")) == ["I cannot paint."]


def test_calls_of_one_response_run_one_after_the_other(home: House, client: Client) -> None:
    line = {"type": "dialog", "preset": {"character": 21, "lines": ["Light it."]}}
    home.model.add(
        [
            Use("create_insert_node", line),
            Use("create_connection", {"from_node_id": 3, "to_node_id": "last_created", "from_slot": 0, "to_slot": 0}),
        ],
        ["Done."],
    )
    client.ask("Let Elena answer.")
    client.answer(client.call())
    connection = client.call()
    assert connection["arguments"]["to_node_id"] == NEXT_ID
    client.answer(connection)
    client.until("end")
    first, second = home.model.requests[1].tool_results
    assert first["node_id"] == NEXT_ID
    assert "error" not in second


def test_a_node_that_is_born_connected_is_one_result_of_two_calls(home: House, client: Client) -> None:
    home.model.add(
        [Use("create_insert_node", {"type": "hub", "connect_from": {"node_id": 3, "slot": 0}, "position": "auto"})],
        ["Done."],
    )
    client.ask("Add a hub after the pier.")
    create = client.call()
    assert create["function"] == "create_insert_node"
    assert not {"connect_from", "position"} & set(create["arguments"])
    client.answer(create)
    connect = client.call()
    assert connect["function"] == "create_connection"
    assert connect["arguments"] == {"from_node_id": 3, "from_slot": 0, "to_node_id": NEXT_ID, "to_slot": 0}
    assert connect["request_id"] != create["request_id"]
    client.answer(connect)
    client.until("end")
    assert len(home.model.requests[1].tool_results) == 1


def test_what_the_editor_reports_replaces_what_was_expected(home: House, client: Client) -> None:
    home.model.add([Use("create_variable", GOLD)], ["Done."], ["Seven."])
    client.ask("Add gold.")
    client.answer(client.call(), arrow_content=story_text().replace('"oil"', '"fish"'))
    client.until("end")
    client.turn("What do I have?")
    assert "fish: num" in home.model.requests[-1].context
    assert "gold" not in home.model.requests[-1].context


def test_a_call_that_is_not_answered_is_told_to_the_model(tmp_path: Path) -> None:
    with house(tmp_path, limits=Limits(call_timeout_s=0.05)) as home, home.client() as client:
        home.model.add([Use("create_variable", GOLD)], ["The editor does not answer."])
        client.sync()
        client.ask("Add gold.")
        late = client.call()
        assert texts(client.until("end")) == ["The editor does not answer."]
        (error,) = home.model.requests[1].tool_results
        assert error["error"]["code"] == "TIMEOUT"
        client.answer(late)
        client.assert_quiet()


def test_a_second_message_during_a_turn_is_busy(home: House, client: Client) -> None:
    home.model.add([Use("create_variable", GOLD)], ["Done."])
    client.ask("Add gold.")
    call = client.call()
    client.ask("And silver.")
    assert client.frame()["message"].startswith("BUSY: ")
    client.answer(call)
    assert texts(client.until("end")) == ["Done."]
    client.assert_quiet()


def test_an_answer_to_no_question_is_ignored(home: House, client: Client) -> None:
    client.answer({"request_id": "req_0"})
    client.assert_quiet()
    home.model.add([Use("create_variable", GOLD)], ["Done."])
    client.ask("Add gold.")
    call = client.call()
    client.answer({"request_id": "req_of_yesterday"}, "wrong")
    client.answer(call)
    client.answer(call, "twice")
    assert texts(client.until("end")) == ["Done."]
    client.assert_quiet()


def test_without_the_story_questions_are_answered_and_edits_refused(home: House) -> None:
    home.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    home.model.add([Use("create_variable", GOLD)], ["I need the file."])
    with home.client() as client:
        frames = client.turn("Add gold.")
    assert texts(frames) == ["I need the file."]
    assert "Elena keeps the lighthouse." in home.model.requests[0].context
    (error,) = home.model.requests[1].tool_results
    assert error["error"]["code"] == "PERMISSION_DENIED"


def test_an_unknown_project_is_named_and_the_turn_ends(home: House) -> None:
    with home.client() as client:
        frames = client.turn("Who is Elena?", current_project_id=77)
        assert types(frames)[-1] == "end"
        assert texts(frames)[0].startswith("PROJECT_NOT_FOUND: ")
        assert "77" in texts(frames)[0]
        frames = client.turn("Who is Elena?", current_project_id=-1)
        assert texts(frames)[0].startswith("PROJECT_NOT_FOUND: ")
        assert "-1" not in texts(frames)[0]
        client.assert_quiet()


def test_a_call_says_which_story_was_read_before_it_was_sent(home: House) -> None:
    """As the client numbers those that it shows."""
    home.model.add([Use("create_variable", GOLD)], [Use("update_node", {"node_id": 2, "name": "found"})], ["Done."])
    with home.client("/ws/chat?dialect=fletcher") as client:
        client.sync()
        client.ask("Add gold.", arrow_content=story_text(), story_number=7)
        first = client.call()
        client.send("file_sync", project_id=1, arrow_content=story_text(), story_number=8)
        client.refuse(first, "No.")
        second = client.call()
        client.refuse(second, "No.")
        client.until("turn_end")
        home.model.add([Use("create_variable", GOLD)], ["Done."])
        with home.client("/ws/chat?dialect=fletcher") as other:
            other.ask("Add gold.", arrow_content=story_text())
            assert "story_number" not in other.call()
    assert (first["story_number"], second["story_number"]) == (7, 8)
