"""A whole turn in each dialect, executed by a model of that client's editor."""

import json
import threading
from typing import Any

import pytest

from arrow_project import ArrowProject, Operation, parse
from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.agent.story import NEXT_ID, story, story_text
from tests.server.client import Client, flat, texts, types
from tests.server.dispatcher import Dispatcher, story_of
from tests.server.house import House

GOLD = {"name": "gold", "type": "num", "initial_value": 10}
LINE = {
    "type": "dialog",
    "preset": {"character": "Elena", "lines": ["You have {gold}."]},
    "connect_from": {"node_id": 3, "slot": 0},
}
ENDS = {"spec": "end", "envelope": "end", "arrow-ai": "end", "fletcher": "turn_end"}
every_dialect = pytest.mark.parametrize("dialect", list(ENDS))
native_dialects = pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])


def follow(client: Client, editor: Dispatcher, end: str) -> list[dict[str, Any]]:
    """Executes every call until the turn ends."""
    frames = [client.frame()]
    while frames[-1]["type"] != end:
        if frames[-1]["type"] == "function_call":
            execute(client, editor, frames[-1])
        frames.append(client.frame())
    return frames


def execute(client: Client, editor: Dispatcher, call: dict[str, Any]) -> None:
    asked = flat(call)
    result = editor.execute(asked["function"], asked["arguments"])
    client.answer(call, result, arrow_content=editor.content)


@native_dialects
def test_the_clients_document_is_the_expected_one(home: House, dialect: str) -> None:
    home.model.add([Use("create_variable", GOLD)], [Use("create_insert_node", LINE), "Now."], ["Done."])
    editor = Dispatcher(story_text())
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add gold and a line.", arrow_content=story_text(), current_scene_id=0)
        frames = follow(client, editor, ENDS[dialect])
    expected = story()
    for function, arguments in (("create_variable", GOLD), ("create_insert_node", LINE)):
        expected.apply(Operation(function, arguments))
    assert story_of(editor.content) == story_of(expected)
    (first,) = home.model.requests[1].tool_results
    assert first["variable_id"] == NEXT_ID
    assert "not_as_expected" not in json.dumps(home.model.requests[2].tool_results)
    assert types(frames)[0] == {"fletcher": "turn_start"}.get(dialect, "operation_start")


@pytest.mark.parametrize(
    ("shape", "begins"),
    [("flat", "status"), ("enveloped", "operation_start"), ("with content", "operation_start")],
)
def test_the_first_message_decides(home: House, shape: str, begins: str) -> None:
    home.model.add(["Hello."])
    with home.client() as client:
        client.send_raw(json.dumps({"type": "file_sync", "data": {"project_id": 1, "arrow_content": story_text()}}))
        message: dict[str, Any] = {"message": "Hello?", "current_project_id": 1, "history": []}
        if shape == "enveloped":
            client.send_raw(json.dumps({"type": "user_message", "data": message}))
        else:
            client.send("user_message", **message, **({"arrow_content": ""} if shape == "with content" else {}))
        first = client.frame()
        assert first["type"] == begins
        assert ("data" in first) == (shape != "with content")
        client.until("end")


def hello(client: Client, /, **said: Any) -> dict[str, Any]:
    client.send("hello", **said)
    return client.frame()


def test_hello_is_answered_and_decides(home: House) -> None:
    home.model.add(["Hello."])
    with home.client() as client:
        answer = hello(client, client="test 1.0", dialect="fletcher", capabilities=["batch", "flying"])
        assert answer["type"] == "connected"
        assert answer["workspace"] == "local"
        assert answer["version"]
        assert answer["max_frame_bytes"] == 60_000
        assert "batch" in answer["capabilities"]
        client.ask("Hello?", arrow_content=story_text())
        frames = client.until("turn_end")
        assert types(frames) == ["turn_start", "text_chunk", "text_end", "turn_end"]
        assert frames[-1]["reason"] == "done"
        assert frames[-1]["usage"]["requests"] == 1


def test_hello_of_a_dialect_that_does_not_exist(home: House) -> None:
    with home.client() as client:
        assert "fletcher" in hello(client, dialect="klingon")["message"]
    with home.client("/ws/chat?dialect=klingon") as client:
        assert client.frame()["message"].startswith("UNKNOWN_DIALECT: ")
        client.assert_quiet()


def test_hello_during_a_turn_waits(home: House, client: Client) -> None:
    home.model.add([Hang()])
    client.ask("Hello?")
    assert home.model.hanging.wait(PATIENCE_S)
    client.frame()
    assert hello(client, dialect="fletcher")["message"].startswith("BUSY: ")
    client.send("stop")
    client.until("end")


def test_a_client_may_take_longer_frames(home: House) -> None:
    home.model.add(["word " * 30_000])
    with home.client() as client:
        assert hello(client, dialect="spec", max_frame_bytes=100_000_000)["max_frame_bytes"] == 4 * 2**20
        assert hello(client, dialect="spec", max_frame_bytes=1_000_000)["max_frame_bytes"] == 1_000_000
        client.ask("Tell me all.", arrow_content=story_text())
        client.frame()
        raw = client.socket.recv(timeout=PATIENCE_S)
        assert len(raw) > 60_000


def test_a_batch_for_a_client_that_declared_it(home: House) -> None:
    home.model.add([Use("create_insert_node", LINE | {"preset": {"lines": ["Hm."]}})], ["Done."])
    with home.client() as client:
        hello(client, dialect="spec", capabilities=["batch"])
        client.sync()
        client.ask("Add a line.")
        batch = client.until("function_call_batch")[-1]
        create, connect = batch["data"]["functions"]
        assert create["function"] == "create_insert_node"
        assert connect["arguments"]["to_node_id"] == "last_created"
        client.answer(batch, {"created_nodes": [47], "created_connections": 1})
        client.until("end")
    (result,) = home.model.requests[1].tool_results
    assert result["node_id"] == 47, "the id that the client gave"


DELETE = Use("delete_node", {"node_id": 3})


@pytest.mark.parametrize(("decision", "calls"), [("yes", 1), ("no", 0)])
def test_a_confirmation_by_button(home: House, decision: str, calls: int) -> None:
    home.model.add([DELETE])
    home.model.otherwise = ["Done."]
    editor = Dispatcher(story_text())
    with home.client("/ws/chat?dialect=fletcher") as client:
        client.ask("Remove the pier.", arrow_content=story_text(), current_scene_id=0)
        frames = follow(client, editor, "turn_end")
        assert frames[-1]["reason"] == "question"
        (question,) = [frame for frame in frames if frame["type"] == "confirmation_request"]
        assert question["operations"] == [{"function": "delete_node", "arguments": {"node_id": 3}}]
        assert question["diff"]
        client.send("confirmation", request_id=question["request_id"], decision=decision)
        frames = follow(client, editor, "turn_end")
    functions = [frame["function"] for frame in frames if frame["type"] == "function_call"]
    assert functions.count("delete_node") == calls
    assert (3 in parse(editor.content).data.nodes) == (calls == 0)


@pytest.mark.parametrize("is_connected_anew", [True, False])
def test_who_wants_to_be_asked_first_is_so_after_a_question_too(home: House, *, is_connected_anew: bool) -> None:
    """Where the connection broke off before the yes, and where that was chosen since."""
    home.model.add([DELETE], [Use("create_variable", GOLD)])
    story, editor = {"arrow_content": story_text(), "project_id": 1, "confirm": "always"}, Dispatcher(story_text())
    with home.client("/ws/chat?dialect=fletcher") as first, home.client("/ws/chat?dialect=fletcher") as other:
        first.ask("Remove the pier.", arrow_content=story_text())
        (question,) = [frame for frame in first.until("turn_end") if frame["type"] == "confirmation_request"]
        client = other if is_connected_anew else first
        client.send("file_sync", **story)
        client.send("confirmation", request_id=question["request_id"], decision="yes")
        frames = follow(client, editor, "turn_end")
        (asked,) = [frame for frame in frames if frame["type"] == "confirmation_request"]
    assert [operation["function"] for operation in asked["operations"]] == ["create_variable"]


def test_a_confirmation_that_wants_something_else(home: House) -> None:
    home.model.add([DELETE], ["Then I will not."])
    with home.client("/ws/chat?dialect=fletcher") as client:
        client.ask("Remove the pier.", arrow_content=story_text())
        question = client.until("turn_end")
        assert "confirmation_request" in types(question)
        client.send("confirmation", decision="modify", message="Rename it to quay instead.")
        frames = client.until("turn_end")
        assert "function_call" not in types(frames)
    assert "Rename it to quay instead." in home.model.requests[-1].everything


def test_a_confirmation_of_nothing(home: House) -> None:
    with home.client("/ws/chat?dialect=fletcher") as client:
        client.sync()
        client.send("confirmation", request_id="nothing", decision="yes")
        frames = client.until("turn_end")
        assert "NOT_PENDING" in json.dumps(frames)


@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_after_a_stop_what_the_client_reported_stays(home: House, dialect: str) -> None:
    home.model.add([Use("create_variable", GOLD)], [Hang()])
    editor = Dispatcher(story_text())
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add gold.", arrow_content=story_text())
        execute(client, editor, client.until("function_call")[-1])
        assert home.model.hanging.wait(PATIENCE_S)
        client.send("stop")
        frames = client.until(ENDS[dialect])
        assert "gold" in texts(frames)[-1]
        assert "undo" in texts(frames)[-1].lower()
        home.model.add(["Ten."])
        client.send("user_message", message="How much gold?", current_project_id=1)
        client.until(ENDS[dialect])
    assert "gold: num = 10" in home.model.requests[-1].context


def test_what_stays_after_a_stop_can_be_taken_back(home: House) -> None:
    home.model.add([Use("create_variable", GOLD)], [Hang()])
    editor = Dispatcher(story_text())
    with home.client("/ws/chat?dialect=arrow-ai") as client:
        client.ask("Add gold.", arrow_content=story_text())
        execute(client, editor, client.until("function_call")[-1])
        assert home.model.hanging.wait(PATIENCE_S)
        client.send("stop")
        client.until("end")
        client.ask("undo", arrow_content=editor.content)
        follow(client, editor, "end")
    assert not [v for v in parse(editor.content).data.variables.values() if v["name"] == "gold"]


@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_a_stop_between_two_calls_keeps_what_the_first_has_done(home: House, dialect: str) -> None:
    home.model.add([Use("create_insert_node", LINE | {"preset": {"lines": ["Hm."]}})], ["So far."])
    editor = Dispatcher(story_text())
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add a line.", arrow_content=story_text())
        execute(client, editor, client.until("function_call")[-1])
        client.until("function_call")
        client.send("stop")
        client.until(ENDS[dialect])
        client.send("user_message", message="What is there?", current_project_id=1)
        client.until(ENDS[dialect])
    context = home.model.requests[-1].context
    assert "Hm." in context
    assert f"-> {NEXT_ID}" not in context.split("</project>")[0]


@pytest.mark.parametrize("is_stopped", [True, False], ids=["stopped", "disconnected"])
def test_the_end_of_a_large_turn_waits_for_no_parse(
    home: House, monkeypatch: pytest.MonkeyPatch, is_stopped: bool
) -> None:
    raw = json.loads(story_text())
    raw["resources"]["nodes"]["3"]["data"]["content"] = "x" * 300_000
    home.model.add([Use("create_insert_node", LINE | {"preset": {"lines": ["Hm."]}})], ["So far."])
    editor, may_go_on, parsed = Dispatcher(json.dumps(raw)), threading.Event(), list[str]()

    def slow(content: str) -> ArrowProject:
        parsed.append(content)
        assert may_go_on.wait(PATIENCE_S)
        return parse(content)

    with home.client("/ws/chat?dialect=arrow-ai", max_size=None) as client:
        client.ask("Add a line.", arrow_content=json.dumps(raw))
        execute(client, editor, client.until("function_call")[-1])
        client.until("function_call")
        monkeypatch.setattr("server.socket.stories.parse", slow)
        if is_stopped:
            client.send("stop")
            assert "a part of the last change" in texts(client.until("end"))[-1]
            client.send("user_message", message="What is there?", current_project_id=1)
            may_go_on.set()
            client.until("end")
            assert "Hm." in home.model.requests[-1].context
    assert home.watched.sockets_done.acquire(timeout=PATIENCE_S)
    assert len(parsed) == is_stopped


def test_a_failure_in_the_middle_is_told_with_what_is_done_and_what_is_not(home: House) -> None:
    home.model.add([Use("create_insert_node", LINE | {"preset": {"lines": ["Hm."]}})], ["Sorry."], ["Here."])
    editor = Dispatcher(story_text())
    with home.client("/ws/chat?dialect=arrow-ai") as client:
        client.ask("Add a line.", arrow_content=story_text())
        execute(client, editor, client.until("function_call")[-1])
        client.refuse(client.until("function_call")[-1], "No such node.")
        client.until("end")
        client.send("user_message", message="What is there?", current_project_id=1)
        client.until("end")
    (error,) = home.model.requests[1].tool_results
    message = error["error"]["message"]
    assert "No such node." in message
    assert "create_insert_node" in message.split("Not done:")[0]
    assert "update_node_map" in message.split("Not done:")[1]
    assert "Hm." in home.model.requests[-1].context


def test_what_the_editor_did_not_delete_is_told_with_its_users(home: House) -> None:
    home.model.add([Use("delete_character", {"by_name": "Elena", "force": True})], ["It stays."])
    with home.client("/ws/chat?dialect=arrow-ai") as client:
        client.ask("Remove Elena.", arrow_content=story_text())
        client.until("end")
        client.send("user_message", message="yes", current_project_id=1)
        call = client.until("function_call")[-1]
        while call["function"] != "delete_character":
            client.answer(call, "Node updated successfully", arrow_content=story_text())
            call = client.until("function_call")[-1]
        client.answer(call, False, arrow_content=story_text())
        frames = client.until("end")
    told = "".join(texts(frames))
    assert "did not delete" in told
    assert "2" in told


def test_ids_that_are_others_than_expected_are_followed(home: House) -> None:
    """Another author is at work in the editor than the file says."""
    raw = json.loads(story_text())
    raw["meta"]["authors"] = {"0": ["Ada", 40], "1": ["Bo", 0]}
    content = json.dumps(raw)
    raw["meta"]["authors"] = {"1": ["Bo", 0], "0": ["Ada", 40]}
    editor = Dispatcher(json.dumps(raw))
    home.model.add([Use("create_insert_node", LINE | {"preset": {"lines": ["Hm."]}})], ["Done."])
    with home.client("/ws/chat?dialect=arrow-ai") as client:
        client.ask("Add a line.", arrow_content=content)
        follow(client, editor, "end")
    (result,) = home.model.requests[1].tool_results
    assert result["node_id"] == 1 << 37
    assert [3, 0, 1 << 37, 0] in parse(editor.content).data.scene_map(0)[3]["io"]


def test_a_project_that_cannot_be_one_is_refused_by_name(home: House) -> None:
    with home.client() as client:
        client.sync(project_id="../x")
        assert client.frame()["message"].startswith("INVALID_NAME: The project id '../x'")
        client.assert_quiet()


def test_a_large_story_and_a_stop_behind_it(home: House) -> None:
    raw = json.loads(story_text())
    raw["resources"]["nodes"]["3"]["data"]["content"] = "x" * 6_000_000
    home.model.add(["Large."], ["Still here."])
    with home.client(max_size=None) as client, home.client() as other:
        client.sync(json.dumps(raw))
        other.ask("Hello?", arrow_content=story_text())
        assert texts(other.until("end"))
        client.ask("How large?")
        assert texts(client.until("end"))


@every_dialect
def test_half_a_character_of_the_model_reaches_nobody(home: House, dialect: str) -> None:
    home.model.add([Use("create_variable", raw='{"name": "go\\ud83eld", "type": "num"}')], ["Done \ud83e."])
    editor = Dispatcher(story_text())
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add gold.", arrow_content=story_text())
        frames = [client.frame()]
        while frames[-1]["type"] != ENDS[dialect]:
            if frames[-1]["type"] == "function_call":
                client.answer(frames[-1], arrow_content=editor.content)
            frames.append(client.frame())
    assert "\\ud83e" not in json.dumps(frames)


@every_dialect
@pytest.mark.parametrize("after", range(6), ids=lambda after: f"after {after} frames")
def test_a_stop_at_any_instant_ends_everything(home: House, dialect: str, after: int) -> None:
    """The frames of a turn that adds a variable and a connected node are the instants."""
    line = Use("create_insert_node", LINE | {"preset": {"lines": ["Hm."]}})
    home.model.add(["I will. ", Use("create_variable", GOLD)], [line], [Hang()])
    editor, end = Dispatcher(story_text()), ENDS[dialect]
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add gold and a line.", arrow_content=story_text(), current_scene_id=0)
        for _ in range(after):
            frame = client.frame()
            if frame["type"] == "function_call" and dialect != "spec":
                execute(client, editor, frame)
            elif frame["type"] == "function_call":
                client.answer(frame)
        client.send("stop")
        frames = client.until(end)
        client.assert_quiet()  # no call follows
        assert not [task for task in home.watched.tasks() if "_run_turn" in task]
        assert types(frames)[-1] == end


def test_busy_is_no_part_of_the_sentence_that_streams(home: House) -> None:
    home.model.add(["Let me think", Hang()], ["Here."])
    with home.client("/ws/chat?dialect=envelope") as client:
        client.ask("Who is Elena?", arrow_content=story_text())
        assert home.model.hanging.wait(PATIENCE_S)
        client.ask("And Bram?")
        client.send("stop")
        said = "".join(texts(client.until("end")))
        assert "Let me think\n\nBUSY: " in said
        client.ask("Again.")
        assert "".join(texts(client.until("end"))).startswith("Here.")
