"""Operations of one response that do not need each other's results go out as one message."""

import json
from typing import Any

import pytest

from arrow_project import Operation
from tests.agent.scripted_model import Use
from tests.agent.story import NEXT_ID, story, story_text
from tests.server.client import Client, flat, texts, types
from tests.server.house import House

DIALOG = Use(
    "create_node",
    {
        "type": "dialog",
        "position": "auto",
        "data": {"character": 21, "lines": ["Perhaps I can help you on your journey?"]},
        "connect_from": {"node_id": "last_selected", "slot": 0},
    },
)
HUB = Use(
    "create_node",
    {
        "type": "hub",
        "position": "below_previous",
        "data": {"options": ["Accept", "Politely decline", "Ask what she wants"]},
        "connect_from": {"node_id": "last_created", "slot": 0},
    },
)


def greet(client: Client, *capabilities: str) -> None:
    client.send("hello", dialect="spec", capabilities=list(capabilities))
    client.until("connected")


def ask(client: Client, message: str = "Add them.") -> None:
    client.ask(message, arrow_content=story_text(), current_scene_id=0, selected_node_ids=[3])


def batch(client: Client) -> dict[str, Any]:
    frame = client.until("function_call_batch")[-1]
    return flat(frame)


def test_the_specs_two_nodes_are_one_batch(home: House) -> None:
    home.model.add(["I'll create them.", DIALOG, HUB], ["There they are."])
    with home.client() as client:
        greet(client, "batch")
        ask(client)
        asked = batch(client)
        functions = [one["function"] for one in asked["functions"]]
        assert functions == ["create_insert_node", "create_connection", "create_insert_node"]
        assert asked["functions"][1]["arguments"]["from_node_id"] == 3
        assert asked["functions"][1]["arguments"]["to_node_id"] == "last_created"
        assert asked["functions"][2]["arguments"]["connect_from"] == {"node_id": "last_created", "slot": 0}
        client.answer(asked, {"created_nodes": [47, 48], "created_connections": 2})
        frames = client.until("end")
    assert "function_call" not in types(frames)
    assert "Ran: create_insert_node (2 times). The project was changed." in json.dumps(frames)
    first, second = home.model.requests[1].tool_results
    assert (first["node_id"], second["node_id"]) == (47, 48)


def test_what_a_client_without_batches_gets(home: House) -> None:
    home.model.add([DIALOG, HUB], ["There they are."])
    with home.client() as client:
        greet(client)
        ask(client)
        called: list[str] = []
        for _ in range(4):
            call = client.call()
            called.append(call["function"])
            client.answer(call)
        assert texts(client.until("end")) == ["There they are."]
    assert called == ["create_insert_node", "create_connection"] * 2


def test_ids_that_the_client_gives_are_followed_afterwards(home: House) -> None:
    home.model.add([DIALOG, HUB], [Use("update_node", {"node_id": 48, "name": "choice"})], ["Done."])
    with home.client() as client:
        greet(client, "batch")
        ask(client)
        client.answer(batch(client), {"created_nodes": [47, 48]})
        call = client.call()
        assert call["arguments"]["node_id"] == 48
        client.answer(call)
        client.until("end")
        ask_again = home.model.requests[-1]
    assert "error" not in json.dumps(ask_again.tool_results)


def test_a_batch_that_is_refused_was_not_done_at_all(home: House) -> None:
    home.model.add([DIALOG, HUB], ["That did not work."])
    with home.client() as client:
        greet(client, "batch")
        ask(client)
        client.refuse(batch(client), "The canvas is gone.")
        frames = client.until("end")
    assert "Ran: " not in json.dumps(frames)
    results = home.model.requests[1].tool_results
    assert ["The canvas is gone." in one["error"]["message"] for one in results] == [True, True]


def test_what_a_client_shows_after_a_batch_is_true(home: House) -> None:
    after = story()
    for use in (DIALOG, HUB):
        arguments = dict(use.arguments)
        arguments["connect_from"] = {"node_id": 3 if use is DIALOG else NEXT_ID, "slot": 0}
        after.apply(Operation("create_insert_node", arguments))
    home.model.add([DIALOG, HUB], ["Done."])
    with home.client() as client:
        greet(client, "batch")
        ask(client)
        client.answer(batch(client), {"created_nodes": [NEXT_ID, NEXT_ID + 1]}, arrow_content=after.to_text())
        client.until("end")
    assert "not_as_expected" not in json.dumps(home.model.requests[1].tool_results)


def test_what_needs_the_id_of_another_goes_out_alone(home: House) -> None:
    """A third node that is connected to the first: no word of the specification names that."""
    third = Use("create_node", {"type": "hub", "connect_from": {"node_id": NEXT_ID, "slot": 0}})
    marker = Use("create_node", {"type": "marker", "data": {"label": "later"}})
    home.model.add([DIALOG, marker, third], ["Done."])
    with home.client() as client:
        greet(client, "batch")
        ask(client)
        frames = [client.frame()]
        while frames[-1]["type"] != "end":
            if frames[-1]["type"] in ("function_call", "function_call_batch"):
                client.answer(frames[-1])
            frames.append(client.frame())
    sent = [json.dumps(frame) for frame in frames if frame["type"] == "function_call_batch"]
    assert not any(f'"from_node_id": {NEXT_ID},' in one and '"hub"' in one and '"dialog"' in one for one in sent)
    assert len(home.model.requests[1].tool_results) == 3


def test_what_needs_a_yes_is_not_in_a_batch(home: House) -> None:
    home.model.add([DIALOG, Use("delete_node", {"node_id": 2}), HUB], ["Done."])
    with home.client() as client:
        greet(client, "batch")
        ask(client)
        call = batch(client)
        assert "delete_node" not in json.dumps(call)
        client.answer(call, {"created_nodes": [NEXT_ID]})
        frames = client.until("end")
    assert "What would be lost" in json.dumps(frames)


def test_a_splice_is_one_call(home: House) -> None:
    splice = Use("quick_insert_node", {"type": "content", "connection": [2, 0, False]})
    home.model.add([splice], ["Done."])
    with home.client() as client:
        greet(client)
        ask(client)
        call = client.call()
        assert call["function"] == "create_insert_node"
        while call["type"] != "end":
            if call["type"] == "function_call":
                assert call["function"] in ("create_insert_node", "create_connection", "delete_connection")
                client.answer(call)
            call = client.frame()
    assert "quick_insert_node" in home.model.requests[0].tools
    assert "node_connection_replacement" in home.model.requests[0].tools


@pytest.mark.parametrize("name", ["function", "be_function"])
def test_the_fifth_seeds_request(home: House, name: str) -> None:
    gold = {"name": "gold", "type": "num", "initial_value": 10}
    session = {"user_id": "u", "type": "story", "character_id": None, "act_id": 3, "chat_session_id": "s"}
    with home.http() as http:
        body = {"message": "", "arrow_content": story_text(), name: "create_variable", "function_params": gold}
        answer = http.post("/projects/1/turns", json=body | session).json()
        assert answer["operations"][0]["function"] == "create_variable"
        wrong = http.post("/projects/1/turns", json=body | {"mesage": "hi"})
        assert wrong.status_code == 422
    with home.client() as client:
        client.sync()
        client.ask("", **({name: "create_variable", "function_params": gold} | session | {"type": "user_message"}))
        assert client.call()["arguments"]["name"] == "gold"
