"""The real Anthropic SDK and the real server, against a stub that speaks the provider's streaming format."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.reading.reading_tools import READING_TOOLS
from arrow_project import OPERATIONS
from corpora.samples import SAMPLE
from fletcher.loopback import bind, serving
from tests.end_to_end.conftest import SocketClient
from tests.end_to_end.messages_api import Hang, HttpError, MessagesApi, Text, ToolUse
from tests.server_process import PATIENCE_S, running_server

QUESTION = SAMPLE.question
VARIABLE = {"name": "lanterns", "type": "num", "initial_value": 3}


@pytest.fixture(scope="module")
def stub() -> MessagesApi:
    """The provider."""
    return MessagesApi([])


@pytest.fixture(scope="module")
def server(stub: MessagesApi, ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that asks the stub."""
    data_dir = tmp_path_factory.mktemp("served") / "data"
    shutil.copytree(ingested, data_dir)
    with (
        bind("127.0.0.1", 0) as bound,
        serving(stub.app(), 2**20, bound) as url,
        running_server(data_dir, ANTHROPIC_API_KEY="not-a-key", ANTHROPIC_BASE_URL=url) as server,
    ):
        yield server


@pytest.fixture
def api(stub: MessagesApi) -> MessagesApi:
    """The provider, which has not been asked yet; the test gives it a script."""
    stub.requests.clear()
    return stub


@pytest.fixture
def client(server: str, connected: Callable[[str], SocketClient]) -> SocketClient:
    """A client that has sent the story as project 1."""
    client = connected(server)
    client.send(type="file_sync", project_id=1, arrow_content=SAMPLE.arrow_file.read_text("utf-8"))
    return client


def _ask(client: SocketClient, message: str, **fields: Any) -> None:
    client.send(type="user_message", message=message, current_project_id=1, **fields)


def _user_text(request: dict[str, Any], index: int = 0) -> str:
    content = request["messages"][index]["content"]
    return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)


def test_the_request_contains_passages_outline_and_tools(api: MessagesApi, client: SocketClient) -> None:
    api.script = [[Text(["It is ", "the light [1]."])]]
    _ask(client, QUESTION)
    frames = client.until("end")

    (request,) = api.requests
    assert request["model"] == "claude-sonnet-4-5"
    assert request["stream"] is True
    prompt = _user_text(request)
    assert '<passage number="1" source="' in prompt
    assert any(document.name in prompt for document in SAMPLE.documents.iterdir())
    title = json.loads(SAMPLE.arrow_file.read_text("utf-8"))["title"]
    assert "<project>" in prompt
    assert title in prompt
    assert QUESTION in prompt
    names = {tool["name"] for tool in request["tools"]}
    assert {"create_insert_node", "create_connection"} | set(READING_TOOLS) <= names
    assert names <= set(OPERATIONS) | set(READING_TOOLS)
    texts = [frame["message"] for frame in frames if frame["type"] == "chat_response"]
    assert texts[0] == "It is the light [1]."
    assert texts[1].startswith("Sources: [1] ")
    kinds = [frame["type"] for frame in frames]
    assert kinds == ["status", *["chat_response"] * len(texts), "status", "end"]


def test_text_comes_before_the_call_and_the_result_goes_back(api: MessagesApi, client: SocketClient) -> None:
    api.script = [[Text(["I'll add ", "a counter."]), ToolUse("create_variable", VARIABLE)], [Text(["Added."])]]
    _ask(client, "Count the lanterns", history=[{"message": "Hello", "output": "Hello, writer."}])
    frames = client.until("function_call")
    assert frames[-2] == {"type": "chat_response", "message": "I'll add a counter."}
    call = frames[-1]
    assert call["function"] == "create_variable"
    assert call["arguments"] == VARIABLE
    assert len(api.requests) == 1  # the model waits for what the editor says

    client.send(type="function_result", request_id=call["request_id"], success=True, result="done", error="")
    frames = client.until("end")
    assert {"type": "chat_response", "message": "Added."} in frames

    first, second = api.requests
    assert second["tools"] == first["tools"]
    assert second["system"] == first["system"]
    assert _without_cache_marks(second["messages"][: len(first["messages"])]) == _without_cache_marks(first["messages"])
    (returned,) = [block for block in second["messages"][-1]["content"] if block["type"] == "tool_result"]
    result = json.dumps(returned["content"])
    assert "variable_id" in result
    assert "lanterns" in result
    assert "done" in result  # what the editor itself said
    assert "unconfirmed" in result  # it named no id


def _without_cache_marks(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_cache_marks(item) for item in value]
    if isinstance(value, dict):
        return {name: _without_cache_marks(item) for name, item in value.items() if name != "cache_control"}
    return value


def test_a_refused_call_never_reaches_the_client_and_the_model_reads_why(
    api: MessagesApi, client: SocketClient
) -> None:
    wrong = ToolUse("create_connection", {"from_node_id": 987654, "to_node_id": 1})
    api.script = [[wrong], [Text(["That node does not exist."])]]
    _ask(client, "Connect them")
    frames = client.until("end")
    assert all(frame["type"] != "function_call" for frame in frames)
    answer = json.dumps(api.requests[1]["messages"][-1])
    assert "INVALID_NODE_ID" in answer
    assert "987654" in answer


def test_a_wrong_key_is_said_plainly_and_the_turn_ends(api: MessagesApi, client: SocketClient) -> None:
    api.script = [HttpError(401, "authentication_error", "invalid x-api-key")]
    _ask(client, "Hello")
    frames = client.until("end")
    said = next(frame["message"] for frame in frames if frame["type"] == "chat_response")
    assert said.startswith("MODEL_AUTHENTICATION: ")
    assert "not-a-key" not in said


def test_stop_ends_a_turn_whose_model_says_nothing(api: MessagesApi, client: SocketClient) -> None:
    api.script = [Hang(), [Text(["Here again."])]]
    _ask(client, "Hello")
    assert api.hanging.wait(PATIENCE_S)
    client.send(type="stop")
    client.until("end")
    assert api.hung_up.wait(PATIENCE_S)
    _ask(client, "Are you there?")
    assert {"type": "chat_response", "message": "Here again."} in client.until("end")
