"""Every message is understood flat and inside `data`, with the numbers that Arrow really sends."""

import json
from typing import Any

import pytest

from server.json_text import JsonError, read_object
from server.socket.messages import FunctionResult, decode
from tests.agent.scripted_model import Use
from tests.agent.story import story_text
from tests.server.client import Client, texts
from tests.server.house import House


def send_inside_data(client: Client, type_: str, **fields: Any) -> None:
    client.send_raw(json.dumps({"type": type_, "data": fields}))


def test_all_messages_inside_data(home: House) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})], ["Done."])
    with home.client() as client:
        send_inside_data(client, "file_sync", project_id=1, arrow_content=story_text(), timestamp=1698765432)
        send_inside_data(
            client,
            "user_message",
            message="Add Bram.",
            history=[{"message": "Hello?", "output": "Hello."}],
            selected_node_ids=[3],
            current_scene_id=0,
            current_project_id=1,
        )
        for result in (41, "Character updated"):
            call = client.call()["data"]
            assert call["arguments"] == call["args"]
            send_inside_data(
                client, "function_result", request_id=call["request_id"], success=True, result=result, error=""
            )
        assert texts(client.until("end")) == ["Done."]
        request = home.model.requests[0]
        assert request.conversation == [
            ("user", ["Hello?"]),
            ("assistant", ["Hello."]),
            ("user", ["Add Bram."]),
        ]
        assert "Selected nodes" in request.context
        send_inside_data(client, "design_doc_sync", project_id=1, file_content="RWxlbmEu", file_name="notes.txt")
        assert "notes.txt" in texts([client.frame()])[0]
        send_inside_data(client, "stop")
        client.until("end")


def test_ids_as_floats(home: House) -> None:
    home.model.add(["Hello."])
    with home.client() as client:
        client.send("file_sync", project_id=1.0, arrow_content=story_text(), timestamp=1698765432.0)
        client.turn("Hello?", selected_node_ids=[3.0, 2.0], current_scene_id=0.0, current_project_id=1)
    assert home.model.requests[0].context.count("scene 0, {") == 2, "both selected nodes in full"


def test_minus_one_is_none(home: House) -> None:
    home.model.add(["Hello."])
    with home.client() as client:
        client.sync()
        frames = client.turn("Hello?", selected_node_ids=[-1], current_scene_id=-1, current_project_id=-1.0)
    assert texts(frames) == ["Hello."], "the project of the last file_sync is meant"
    assert "Selected nodes" not in home.model.requests[0].context
    assert "Open scene: 0" in home.model.requests[0].context


def test_ids_that_do_not_exist_do_no_harm(home: House, client: Client) -> None:
    home.model.add(["Hello."])
    frames = client.turn("Hello?", selected_node_ids=[-7, 10**30, 3], current_scene_id=10**30)
    assert texts(frames) == ["Hello."]
    assert "greeting" in home.model.requests[0].context


def test_a_client_that_sends_only_what_it_must(home: House, client: Client) -> None:
    home.model.add(["Hello."])
    client.send("user_message", message="Hello?")
    assert texts(client.until("end")) == ["Hello."]


def test_fields_that_are_null(home: House, client: Client) -> None:
    home.model.add(["Hello."])
    nulls = dict.fromkeys(["history", "selected_node_ids", "current_scene_id", "current_project_id", "arrow_content"])
    client.send("user_message", message="Hello?", **nulls)
    assert texts(client.until("end")) == ["Hello."]


def test_history_of_any_shape(home: House, client: Client) -> None:
    home.model.add(["Hello."])
    history = [
        {"message": "", "output": "Welcome to Arrow!"},
        {"message": None, "output": "Ask me anything."},
        {"message": "Who?"},
        "Elena",
        None,
        {"message": {"text": "?"}, "output": ["Elena"]},
        {"message": "Elena?", "output": "Elena."},
    ]
    frames = client.turn("Hello?", history=history)
    assert texts(frames) == ["Hello."]
    assert home.model.requests[0].conversation == [
        ("user", ["<earlier>\nThe conversation begins here.\n</earlier>"]),
        ("assistant", ["Welcome to Arrow!", "Ask me anything."]),
        ("user", ["Who?", "Elena?"]),
        ("assistant", ["Elena."]),
        ("user", ["Hello?"]),
    ]


def test_results_of_every_type_are_taken(home: House, client: Client) -> None:
    results = (12, 12.0, True, "Node created successfully", {"node_id": 12}, [12], None)
    for number, result in enumerate(results):
        home.model.add([Use("create_character", {"name": f"Bram {number}"})], ["Done."])
        client.ask("Add Bram.")
        client.answer(client.call(), result, error=None, arrow_content="", affected_nodes=[12.0])
        assert texts(client.until("end")) == ["Done."]


@pytest.mark.parametrize(
    "fields",
    [{"arrow_content": content} for content in (False, {}, None, [], 3)]
    + [{"success": None}, {"success": {}}, {"success": None, "error": False}],
    ids=str,
)
def test_a_result_with_a_field_that_cannot_be_read_is_one(home: House, client: Client, fields: dict[str, Any]) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})], ["Done."])
    client.ask("Add Bram.")
    client.answer(client.call(), **fields)
    assert texts(client.until("end")) == ["Done."]
    assert "error" not in home.model.requests[-1].tool_results[0]


LONG: dict[str, tuple[Any, Any]] = {
    "text": ("x" * 60_000, "x" * 1_000),
    "numbers": ([7] * 60_000, [7] * 1_000),
    "object": (
        {"node_id": 40, "created_nodes": [7] * 5_000, "story": "x" * 60_000, "nodes": {"a": ["x"] * 60_000}},
        {"node_id": 40, "created_nodes": [7] * 1_000, "story": "x" * 1_000},
    ),
    "texts": (["x" * 1_000] * 60, None),
}


@pytest.mark.parametrize(("sent", "kept"), LONG.values(), ids=LONG)
def test_of_a_long_result_the_ids_are_kept(sent: Any, kept: Any) -> None:
    said = {"type": "function_result", "request_id": "1", "success": True, "result": sent, "affected_nodes": sent}
    result = decode(json.dumps(said))
    assert isinstance(result, FunctionResult)
    assert result.result == result.affected_nodes == kept


@pytest.mark.parametrize("fields", [{"success": None}, {}], ids=["null", "missing"])
def test_without_success_an_error_is_a_failure(home: House, client: Client, fields: dict[str, Any]) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})], ["No."])
    client.ask("Add Bram.")
    request_id = client.call()["request_id"]
    client.send("function_result", request_id=request_id, error="The name is taken.", **fields)
    client.until("end")
    assert "The name is taken." in str(home.model.requests[-1].tool_results[0]["error"])


def test_a_hello_and_a_document_with_fields_that_say_nothing(home: House, client: Client) -> None:
    client.send("hello", dialect="", capabilities=None)
    assert client.frame()["type"] == "connected"
    client.send("hello", capabilities=["progress", 3, None])
    assert client.frame()["type"] == "connected"
    client.send("design_doc_sync", project_id=1, file_name=None, file_content="# People")
    assert "file_name" not in str(client.frame())


def test_content_that_comes_with_the_message(home: House) -> None:
    home.model.add(["Hello."])
    with home.client() as client:
        client.turn("Hello?", arrow_content=story_text())
    assert "The lamp is cold." in home.model.requests[0].context


def test_content_without_a_project(home: House) -> None:
    home.model.add([Use("search_documents", {"query": "lamp"})], ["Hello."])
    with home.client() as client:
        frames = client.turn("Hello?", arrow_content=story_text(), current_project_id=-1)
    assert texts(frames) == ["Hello."]
    assert home.model.requests[1].tool_results[0]["error"]["code"] == "PROJECT_NOT_FOUND"


def test_what_is_sent_is_ascii_and_means_the_same(home: House, client: Client) -> None:
    name = 'Élodie "the Fox" \N{FOX FACE}'
    home.model.add([f"{name} \N{EM DASH} now.\n", Use("create_character", {"name": name})], ["Да."])
    client.ask("Add Élodie \N{FOX FACE}.")
    frames = client.until("function_call")
    assert texts(frames) == [f"{name} \N{EM DASH} now.\n"]
    assert frames[-1]["arguments"]["name"] == name
    client.answer(frames[-1])
    assert texts(client.until("end")) == ["Да."]
    assert home.model.requests[0].conversation[-1] == ("user", ["Add Élodie \N{FOX FACE}."])


def test_control_characters_as_godot_writes_them(home: House, client: Client) -> None:
    home.model.add(["Hello."])
    client.send_raw(
        r'{"type": "user_message", "current_project_id": 1, "message": "a\vb \\v c\\\v d' + "\x07\t." + '"}'
    )
    assert texts(client.until("end")) == ["Hello."]
    assert home.model.requests[0].conversation[-1] == ("user", ["a\x0bb \\v c\\\x0b d\x07\t."])


@pytest.mark.parametrize("piece", range(1, 9))
def test_half_a_character_is_found_wherever_a_text_is_cut(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr("arrow_project.long_texts._PIECE", piece)
    with pytest.raises(JsonError, match="half a character"):
        read_object(r'{"a": "\\\\ b \\\ud83d"}', "It")


@pytest.mark.parametrize("piece", range(1, 9))
def test_no_escape_is_cut_where_a_text_is_taken_in_pieces(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr("arrow_project.long_texts._PIECE", piece)
    assert read_object(r'{"a": "\v \\v \\\v \\\\v \"\v\u000b\n"}', "It") == {"a": '\v \\v \\\v \\\\v "\v\v\n'}


def test_the_socket_is_at_the_root_too(home: House) -> None:
    home.model.add(["Hello."])
    with home.client("/") as client:
        client.sync()
        assert texts(client.turn("Hello?")) == ["Hello."]
