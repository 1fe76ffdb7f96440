"""Frames that are no message: each gets its own clear error, and the connection lives."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.agent.scripted_model import Use
from tests.server.client import Client, texts, types
from tests.server.house import House, house

NOT_JSON = {
    "text": "hello?",
    "nothing": "",
    "half an object": '{"type": "stop"',
    "two objects": '{"type": "stop"} {"type": "stop"}',
    "an array": '[{"type": "stop"}]',
    "a number": "12",
    "null": "null",
    "a text": '"stop"',
    "nested beyond all measure": "[" * 200_000,
    "objects nested beyond all measure": '{"data":' * 100_000,
    "a number that is none": '{"type": "user_message", "message": "Hi", "current_scene_id": NaN}',
    "a number without end": '{"type": "user_message", "message": "Hi", "current_scene_id": -Infinity}',
    "a number beyond floats": '{"type": "user_message", "message": "Hi", "current_scene_id": 1e999}',
    "a number of too many digits": '{"type": "stop", "timestamp": ' + "9" * 101 + "}",
    "half a character": '{"type": "user_message", "message": "Hi \\ud83d"}',
    "half a character in history": '{"type": "user_message", "history": [{"message": "\\uDE00", "output": ""}]}',
    "half a character in a key": '{"type": "stop", "\\ud83d": 1}',
}

ENDS = {"envelope": "end", "fletcher": "turn_end"}

UNKNOWN_TYPES = [
    {},
    {"type": None},
    {"type": 7},
    {"type": ""},
    {"type": "User_Message"},
    {"type": ["stop"]},
    {"type": {"type": "stop"}},
    {"data": {"type": "stop"}},
    {"type": "end"},
    {"type": "x" * 300_000},
    {"type": "smile \N{GRINNING FACE}"},
]

# What is wrong, and the fields that the answer has to name.
INVALID: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"type": "file_sync"}, ("arrow_content",)),
    ({"type": "file_sync", "project_id": 1}, ("arrow_content",)),
    ({"type": "file_sync", "project_id": 1, "arrow_content": {"title": "no text"}}, ("arrow_content",)),
    ({"type": "design_doc_sync", "project_id": -1, "file_content": ""}, ("project_id",)),
    ({"type": "file_sync", "project_id": True, "arrow_content": "{}"}, ("project_id",)),
    ({"type": "file_sync", "project_id": [1], "arrow_content": "{}"}, ("project_id",)),
    ({"type": "file_sync", "data": {"project_id": 1}}, ("arrow_content",)),
    ({"type": "design_doc_sync", "project_id": 1}, ("file_content",)),
    ({"type": "design_doc_sync", "project_id": 1, "file_content": 3, "file_name": 4}, ("file_content",)),
    ({"type": "function_result"}, ("request_id",)),
    ({"type": "function_result", "request_id": [1], "success": True}, ("request_id",)),
    ({"type": "user_message", "message": 3}, ("message",)),
    ({"type": "user_message", "message": None}, ("message",)),
    ({"type": "user_message", "selected_node_ids": "twelve"}, ("selected_node_ids",)),
    ({"type": "user_message", "selected_node_ids": [1, "two"]}, ("selected_node_ids",)),
    ({"type": "user_message", "selected_node_ids": [1.5]}, ("selected_node_ids",)),
    ({"type": "user_message", "current_scene_id": {}}, ("current_scene_id",)),
    ({"type": "user_message", "current_project_id": []}, ("current_project_id",)),
    ({"type": "user_message", "confirm": "perhaps"}, ("confirm",)),
    ({"type": "user_message", "mode": "dream"}, ("mode",)),
    ({"type": "user_message", "function": 1, "function_params": []}, ("function", "function_params")),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One for all: what a frame does, it does to its connection."""
    with house(tmp_path_factory.mktemp("home") / "data") as opened:
        yield opened


def assert_no_json(client: Client, words: str = "INVALID_JSON: ") -> None:
    """The next frame says so, and `end` follows: nobody knows what the sender waits for."""
    assert words in client.frame()["message"]
    client.until("end")


def assert_alive(home: House, client: Client) -> None:
    client.assert_quiet()
    home.model.add(["Still here."])
    assert texts(client.turn("Hello?")) == ["Still here."]


@pytest.mark.parametrize("frame", NOT_JSON.values(), ids=list(NOT_JSON))
def test_what_is_no_json_object(home: House, client: Client, frame: str) -> None:
    client.send_raw(frame)
    assert_no_json(client)
    assert_alive(home, client)


def test_binary_frames(home: House, client: Client) -> None:
    client.send_raw(b'{"type": "stop"}')
    assert_no_json(client)
    client.send_raw(b"")
    assert_no_json(client)
    assert_alive(home, client)


@pytest.mark.parametrize("dialect", list(ENDS))
def test_binary_frames_are_answered_in_the_clients_dialect(home: House, dialect: str) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.send_raw(b"binary")
        binary = client.until(ENDS[dialect])
        client.send_raw("no JSON")
        text = client.until(ENDS[dialect])
        assert [frame.keys() for frame in binary] == [frame.keys() for frame in text]
        assert types(binary) == types(text)
        assert "binary frame" in json.dumps(binary)


def test_nesting_of_every_depth(home: House, client: Client) -> None:
    for depth in range(500, 1100, 10):
        for frame in ('{"type": %s%s}', '{"type": "stop!", "data": %s%s}'):
            client.send_raw(frame % ("[" * depth, "]" * depth))
            said = client.frame()["message"]
            if said.startswith("INVALID_JSON: "):
                client.until("end")
            else:
                assert said.startswith("UNKNOWN_MESSAGE_TYPE: "), depth
    assert_alive(home, client)


def test_what_nests_deeper_than_a_models_sdk_can_write_is_not_read(home: House, client: Client) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})], ["Done."])
    client.ask("Add Bram.")
    call = client.call()
    for depth, answer in ((99, "Done."), (100, "INVALID_JSON: ")):
        client.answer(call, json.loads("[" * depth + "]" * depth))
        assert client.frame()["message"].startswith(answer)
        if depth == 99:
            client.until("end")


@pytest.mark.parametrize("item", ["[]", "{}", "0", '""', '"\\\\","\\""'])
def test_a_message_of_nothing_but_brackets_and_commas_is_not_read(home: House, client: Client, item: str) -> None:
    crowd = ",".join([item] * 300_001)
    client.send_raw(f'{{"type": "user_message", "history": [{crowd}]}}')
    assert_no_json(client, "300000 values")
    client.send_raw(json.dumps({"type": "file_sync", "arrow_content": ",".join(["[]"] * 250_001)}))
    assert "500000 values" in client.frame()["message"]
    assert_alive(home, client)


def test_brackets_and_commas_in_texts_are_no_values(home: House, client: Client) -> None:
    home.model.add(["Read."])
    client.ask("Read.", history=[{"message": '[], {}, \\"\\\\' * 200_000}])
    assert "Read." in texts(client.until("end"))


@pytest.mark.parametrize("message", UNKNOWN_TYPES, ids=lambda message: str(message)[:30])
def test_types_that_nobody_knows(home: House, client: Client, message: dict[str, Any]) -> None:
    client.send_raw(json.dumps(message))
    answer = client.frame()["message"]
    assert answer.startswith("UNKNOWN_MESSAGE_TYPE: ")
    assert "file_sync" in answer, "the types that are known"
    assert_alive(home, client)


@pytest.mark.parametrize(("message", "named"), INVALID, ids=lambda case: str(case)[:60])
def test_fields_that_are_missing_or_wrong(
    home: House, client: Client, message: dict[str, Any], named: tuple[str, ...]
) -> None:
    client.send_raw(json.dumps(message))
    answer = client.frame()["message"]
    assert answer.startswith(f"INVALID_MESSAGE: {message['type']}: ")
    assert all(name in answer for name in named)
    if message["type"] == "user_message":
        assert types(client.until("end")) == ["end"], "the client does not wait for ever"
    assert_alive(home, client)


@pytest.mark.parametrize("project_id", ["../1", "", "a b", "x" * 65, 10**80, 1.5, 1e300])
def test_project_ids_that_cannot_be_one(home: House, client: Client, project_id: Any) -> None:
    frames = client.turn("Hello?", current_project_id=project_id)
    if project_id != "":
        assert texts(frames)[0].split(":")[0] in ("INVALID_NAME", "INVALID_MESSAGE")
    assert_alive(home, client)


def test_a_bad_frame_during_a_turn_does_not_disturb_it(home: House, client: Client) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})], ["Done."])
    client.ask("Add Bram.")
    call = client.call()
    client.send_raw("hello?")
    assert client.frame()["message"].startswith("INVALID_JSON: ")
    client.send("user_message", message=3)
    assert client.frame()["message"].startswith("INVALID_MESSAGE: ")
    client.answer(call)
    assert texts(client.until("end")) == ["Done."]
    assert_alive(home, client)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ('{"type": "stop"}', '{"type": "stop", "beside": [%s]}' % ("[]," * 1_000 + "[]")),
        ("no JSON", "no JSON" * 1_000),
    ],
    ids=["a message", "none"],
)
def test_long_messages_hold_those_of_their_workspace_up(
    home: House, client: Client, monkeypatch: pytest.MonkeyPatch, short: str, long: str
) -> None:
    held_in = set[int]()  # threads: what is said is written on the event loop, and what is long is read beside it
    monkeypatch.setattr("server.limits.pace.Pace.held", lambda *_: held_in.add(threading.get_ident()))
    counts = list[int]()
    for message in (short, long):
        client.send_raw(message)
        client.until("end")
        counts.append(len(held_in))
    assert counts == [1, 2], "also where it is refused"
