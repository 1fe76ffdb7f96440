"""Every example in the user's own documents, sent as it stands there: understood, and answered as the documents show.

What an example only stands for is filled in: the `.arrow` content, the document in base64, and the id of a request that
the server has just made.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.server.client import Client, Frame, flat, texts, types
from tests.server.house import House, house
from tests.server.seed_stories import STORIES, Story, story_for
from tests.server.seeds import SEEDS, Example, Value, examples

pytestmark = pytest.mark.skipif(not SEEDS.is_dir(), reason="the user's documents (../shared) are not here")

DOCUMENT = b"# The artifact\n\nThe ancient artifact is a lamp that burns without oil.\n"
# What of a request is about the editor or follows from it, and is no argument of the function that the client executes.
NOT_SENT = {"position", "connect_from", "data"}


# --- one operation, as the client sees it --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("data"), confirm="never") as opened:
        opened.model.otherwise = ["Done."]
        yield opened


@dataclass(frozen=True)
class Done:
    """What the client was asked for, and what the model was told."""

    calls: list[Frame]
    told: Value


def done(home: House, story: Story, function: str, arguments: Mapping[str, Any], answer: Value | None = None) -> Done:
    """Has the model use a tool; the client answers every call, the first with `answer`."""
    with home.client("/ws/chat?dialect=spec") as client:
        client.sync(story.project().to_text())
        asked = len(home.model.requests)
        home.model.add([Use(function, arguments)])
        client.ask("Do it.", selected_node_ids=[18])
        frames, calls = [client.frame()], []
        while frames[-1]["type"] != "end":
            if frames[-1]["type"] == "function_call":
                calls.append(frames[-1])
                client.answer(frames[-1], **({"result": answer} if answer and len(calls) == 1 else {}))
            frames.append(client.frame())
    (told,) = home.model.requests[asked + 1].tool_results
    assert isinstance(told, dict), told
    return Done(calls, told)


def each(*kinds: Any) -> list[Any]:
    return [
        pytest.param(example, chosen, id=f"{example.label}-{number}")
        for example in examples(*kinds)
        for number, chosen in enumerate(example.choices())
    ]


def test_every_example_is_of_a_kind_that_is_tested_here() -> None:
    others = [example.label for example in examples("not a message of Arrow's")]
    assert others == ["4:20-other"], "the tool of another project, as an illustration"
    assert len(examples("client message")) == 16
    assert len(examples("server message")) == 5
    assert len(examples("arguments", "result", "node data")) == 59


# --- functions and their arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("example", "arguments"), each("arguments"))
def test_arguments_of_functions(home: House, example: Example, arguments: Value) -> None:
    assert example.function is not None
    if arguments.get("initial_value") == 100:  # one example for three types
        arguments["initial_value"] = {"num": 100, "str": "full", "bool": True}[arguments["type"]]
    finished = done(home, STORIES.get(example.function, Story()), example.function, arguments)
    assert "error" not in finished.told
    (call,) = finished.calls
    assert call["function"] == example.function
    assert call["arguments"] == arguments


@pytest.mark.parametrize(("example", "result"), each("result"))
def test_results_of_functions(home: House, example: Example, result: Value) -> None:
    assert example.function is not None
    asked = next(e for e in examples("arguments") if e.function == example.function)
    story = STORIES.get(example.function, Story())
    if example.function == "create_scene":  # the client gives the ids that its example names
        story = Story(other_scene=9, other_nodes=(60,))
    if example.function.startswith("create_v"):
        story = Story(variables=())
    arguments = next(asked.choices())
    finished = done(home, story, example.function, arguments, result)
    if result.get("success") is False:
        assert finished.told["error"]["code"] == "EDITOR_ERROR"
        assert result["error"] in finished.told["error"]["message"]
        (users,) = (result[name] for name in ("referenced_by", "used_by") if name in result)
        assert str(users) in finished.told["error"]["message"]
        return
    assert "error" not in finished.told
    told = finished.told | finished.told.get("editor", {})
    for name in result.keys() & {"scene_id", "entry_node_id", "variable_id", "character_id", "removed_id"}:
        assert told[name] == result[name]


@pytest.mark.parametrize(("example", "data"), each("node data"))
def test_data_of_nodes(home: House, example: Example, data: Value) -> None:
    story, type_name = story_for(data), example.node_type
    given = {"type": type_name, "preset": data, "scene_id": story.scene}
    finished = done(home, story, "create_insert_node", given)
    assert "error" not in finished.told
    first = next(call for call in finished.calls if call["function"] == "create_insert_node")
    stored_as = first["arguments"]["type"]
    if stored_as == type_name and len(finished.calls) == 1:
        assert first["arguments"]["preset"] == data
        return
    lowered = {"hub": "interaction", "tag_match": "tag_pass", "tag_edit": "tag_edit", "generator": "variable_update"}
    assert stored_as == lowered.get(type_name or "", "variable_update")
    said = json.dumps([call["arguments"] for call in finished.calls])
    for text in _texts(data):
        assert text in said, f"{text} is lost"


def _texts(data: Value) -> list[str]:
    """What of the data is somebody's words."""
    words = [*data.get("options", ()), data.get("match", {}).get("key"), data.get("match", {}).get("value")]
    words += [part.get("key") for part in data.get("operations", ())]
    needed = [word for word in words if isinstance(word, str)]
    return needed if data.get("match", {}).get("type") != "has_key" else needed[:1]


# --- messages of the client ----------------------------------------------------------------------------------------


def in_form(message: Value, *, enveloped: bool) -> str:
    """A message flat or inside `data`, whichever way its example writes it."""
    fields = {**message, **message.get("data", {})}
    fields.pop("data", None)
    if not enveloped:
        return json.dumps(fields)
    type_ = fields.pop("type")
    return json.dumps({"type": type_, "data": fields} if fields else {"type": type_})


def of_type(type_: str) -> list[Any]:
    return [pytest.param(e, id=e.label) for e in examples("client message") if e.value["type"] == type_]


both_forms = pytest.mark.parametrize("enveloped", [False, True], ids=["flat", "enveloped"])


def with_fields(example: Example, **fields: Any) -> Value:
    """The example's message with some of its fields filled in."""
    message = json.loads(json.dumps(example.value))
    inner = message.get("data", message)
    assert set(fields) <= set(inner), "only what the example has is filled in"
    inner |= fields
    return message


@both_forms
@pytest.mark.parametrize("example", of_type("file_sync"))
def test_file_sync(home: House, example: Example, enveloped: bool) -> None:
    with home.client() as client:
        client.send_raw(in_form(with_fields(example, arrow_content=Story().project().to_text()), enveloped=enveloped))
        client.send_raw(in_form(example.value, enveloped=enveloped))  # as it stands there, it has no content
        assert client.frame()["message"].startswith("PARSE_ERROR: ")
        client.ask("What is there?")
        client.until("end")
    assert "The Ancient Artifact" in home.model.requests[-1].context


@both_forms
@pytest.mark.parametrize("example", of_type("design_doc_sync"))
def test_design_doc_sync(home: House, example: Example, enveloped: bool) -> None:
    content = base64.b64encode(DOCUMENT).decode()
    with home.client() as client:
        client.send_raw(in_form(with_fields(example, file_content=content), enveloped=enveloped))
        assert "passage)." in client.frame()["message"]
        client.send_raw(in_form(example.value, enveloped=enveloped))  # as it stands there, it has no document
        assert client.frame()["message"].startswith(("INVALID_BASE64: ", "upload-"))
        client.ask("Does the artifact need oil?")
        client.until("end")
    assert "burns without oil" in home.model.requests[-1].context


@both_forms
@pytest.mark.parametrize("example", of_type("user_message"))
def test_user_message(home: House, example: Example, enveloped: bool) -> None:
    story = Story().project().to_text()
    fields = flat(example.value)
    with home.client() as client:
        if "arrow_content" in fields:
            message = with_fields(example, arrow_content=story)
        else:
            client.sync(story)
            message = example.value
        client.send_raw(in_form(message, enveloped=enveloped))
        frames = client.until("end")
    assert texts(frames)[0] == "Done."
    if enveloped:
        begins, ends, has_data = "operation_start", ["operation_end", "end"], True
    elif "arrow_content" in fields:
        begins, ends, has_data = "operation_start", ["end"], False
    else:
        begins, ends, has_data = "status", ["status", "end"], True
    assert types(frames)[0] == begins
    assert types(frames)[-len(ends) :] == ends
    assert ("data" in frames[0]) == has_data
    request = home.model.requests[-1]
    said = [words for pair in fields["history"] for words in (pair["message"], pair["output"])]
    assert [words for _, words in request.conversation] == [[words] for words in (*said, fields["message"])]
    assert all(f"node_{node}" in request.context for node in fields["selected_node_ids"])
    assert f"Open scene: {fields['current_scene_id']}" in request.context


def a_call(home: House, client: Client, *, enveloped: bool) -> Frame:
    """The first function call of a turn that the client has begun in this form."""
    home.model.add([Use("update_node", {"node_id": 42, "name": "lamp"})])
    message = {"type": "user_message", "message": "Rename it.", "history": [], "current_project_id": 1}
    client.send_raw(in_form(message | {"arrow_content": Story().project().to_text()}, enveloped=enveloped))
    return client.until("function_call")[-1]


@both_forms
@pytest.mark.parametrize("example", [p for p in of_type("function_result") if "[" not in str(p.values[0])])
def test_function_result(home: House, example: Example, enveloped: bool) -> None:
    fields = flat(example.value)
    asked = len(home.model.requests)
    with home.client() as client:
        call = a_call(home, client, enveloped=enveloped)
        client.send_raw(in_form(example.value, enveloped=enveloped))  # nobody has asked, and nobody reads it
        filled = {"request_id": flat(call)["request_id"]}
        if "arrow_content" in fields:
            filled["arrow_content"] = Story().project().to_text()
        client.send_raw(in_form(with_fields(example, **filled), enveloped=enveloped))
        client.until("end")
    (told,) = home.model.requests[asked + 1].tool_results
    if fields["success"]:
        assert told["node_id"] == 42
    else:
        assert told["error"]["code"] == "EDITOR_ERROR"
        assert fields["error"] in told["error"]["message"]


@both_forms
@pytest.mark.parametrize("example", of_type("stop"))
def test_stop(home: House, example: Example, enveloped: bool) -> None:
    with home.client() as client:
        home.model.add([Hang()])
        home.model.hanging.clear()
        home.model.cancelled.clear()
        message = {"type": "user_message", "message": "Wait.", "arrow_content": Story().project().to_text()}
        client.send_raw(in_form(message, enveloped=enveloped))
        assert home.model.hanging.wait(PATIENCE_S)
        client.send_raw(in_form(example.value, enveloped=enveloped))
        assert "function_call" not in types(client.until("end"))
        assert home.model.cancelled.wait(PATIENCE_S)


# --- messages of the server ----------------------------------------------------------------------------------------


def of_server(type_: str) -> list[Example]:
    return [example for example in examples("server message") if example.value["type"] == type_]


def test_chat_response_and_end_have_the_form_of_the_examples(home: House) -> None:
    shown, in_conversation = of_server("chat_response")
    (end,) = of_server("end")
    with home.client() as client:
        client.sync(Story().project().to_text())
        frames = client.turn("Hello?")
    (said,) = [frame for frame in frames if frame.get("message") == "Done."]
    assert set(said) == set(shown.value)
    assert flat(in_conversation.value).keys() - {"data"} == set(said), "the other example says the same inside data"
    assert frames[-1] == end.value


def test_function_call_has_the_form_of_the_example(home: House) -> None:
    (example,) = of_server("function_call")
    finished = done(home, Story(), "create_insert_node", example.value["arguments"])
    (call,) = finished.calls
    assert set(call) == set(example.value)
    assert call["function"] == "create_insert_node", "the name that only examples use is never sent"
    given = example.value["arguments"]["data"]
    preset = {"character": given["character_id"], "lines": given["lines"]}
    assert call["arguments"] == {"type": "dialog", "scene_id": 5, "preset": preset}


def test_the_name_that_only_examples_use_is_understood_from_a_client(home: House) -> None:
    (example,) = of_server("function_call")
    with home.client("/ws/chat?dialect=spec") as client:
        client.sync(Story().project().to_text())
        client.ask("", function=example.value["function"], function_params=example.value["arguments"])
        call = client.until("function_call")[-1]
        assert call["function"] == "create_insert_node"
        client.answer(call)
        client.until("end")


def test_a_batch_and_its_result(home: House) -> None:
    (example,) = of_server("function_call_batch")
    (result,) = [e.value for e in examples("client message") if "created_nodes" in str(e.value)]
    uses = [Use("create_insert_node", part["arguments"]) for part in example.value["data"]["functions"]]
    story, asked = Story(nodes=(12, 15, 16, 18), characters=(4,)), len(home.model.requests)
    with home.client() as client:
        client.send("hello", dialect="spec", capabilities=["batch"])
        assert client.frame()["type"] == "connected"
        client.sync(story.project().to_text())
        home.model.add(uses[:1], uses[1:])
        client.ask("Let them meet.", selected_node_ids=[18])
        created = []
        for node in result["data"]["result"]["created_nodes"]:
            batch = client.until("function_call_batch")[-1]
            assert set(batch) == set(example.value)
            assert set(batch["data"]) == set(example.value["data"])
            assert all(set(part) == {"function", "arguments"} for part in batch["data"]["functions"])
            create, connect = batch["data"]["functions"]
            assert (create["function"], connect["function"]) == ("create_insert_node", "create_connection")
            created.append(create["arguments"]["type"])
            answer = json.loads(json.dumps(result))
            answer["data"]["request_id"] = batch["data"]["request_id"]
            answer["data"]["result"] |= {"created_nodes": [node], "created_connections": 1}
            client.send_raw(json.dumps(answer))
        client.until("end")
    assert created == ["dialog", "interaction"], "Arrow's hub merges; choices are an interaction"
    told = [request.tool_results[0]["node_id"] for request in home.model.requests[asked + 1 : asked + 3]]
    assert told == result["data"]["result"]["created_nodes"]
