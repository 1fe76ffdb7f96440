"""What is too much is refused in words, and the rest goes on."""

import base64
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed

from corpora import ProjectKey
from server import Access, Limits
from server.limits.turn_rate import TooManyTurns, TurnRate
from server.limits.written import LONGEST_NAME, LONGEST_TOKEN, MAX_HISTORY, MAX_WRITTEN
from server.socket.messages import FunctionResult, MessageError, UserMessage, decode
from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.server.client import Client, texts, types
from tests.server.house import House, house

TRY_AGAIN_LATER = 1013
MESSAGE_TOO_BIG = 1009


def code_of(client: Client, last: str = "") -> tuple[int, str]:
    """With what the server has closed the connection, perhaps while the client was still sending its last message."""

    def listen() -> None:
        if last:
            client.send_raw(last)
        client.frame()

    with pytest.raises(ConnectionClosed) as closed:
        listen()
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code, closed.value.rcvd.reason


# --- turns ---------------------------------------------------------------------------------------------------------


class Clock:
    """A time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def begun(rate: TurnRate, workspace: str, attempts: int) -> int:
    count = 0
    for _ in range(attempts):
        try:
            rate.take(workspace)
        except TooManyTurns:
            break
        count += 1
    return count


def test_a_minutes_turns_may_be_begun_at_once_and_come_back_evenly() -> None:
    clock = Clock()
    rate = TurnRate(30, clock)
    assert begun(rate, "ada", 100) == 30
    with pytest.raises(TooManyTurns) as refused:
        rate.take("ada")
    assert refused.value.retry_after_s == 2
    clock.now += 2
    assert begun(rate, "ada", 100) == 1
    clock.now += 3600
    assert begun(rate, "ada", 100) == 30


def test_workspaces_have_turns_of_their_own() -> None:
    rate = TurnRate(3, Clock())
    assert begun(rate, "ada", 9) == 3
    assert begun(rate, "bo", 9) == 3


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[House]:
    """Two turns per minute and workspace."""
    access = Access(tokens={"a": "ada", "b": "bo"})
    limits = Limits(call_timeout_s=PATIENCE_S, turns_per_minute=2)
    with house(tmp_path, access=access, limits=limits) as opened:
        opened.model.otherwise = ["Hello."]
        yield opened


def test_too_many_turns_on_a_socket(strict: House) -> None:
    with strict.client("/ws/chat?token=a") as ada, strict.client("/ws/chat?token=a") as again:
        ada.sync(story_text())
        again.sync(story_text())
        assert texts(ada.turn("Hello?")) == ["Hello."]
        assert texts(again.turn("Hello?")) == ["Hello."]
        refused = ada.turn("Hello?")
        assert types(refused) == ["status", "chat_response", "status", "end"], "the client is idle again"
        assert texts(refused)[0].startswith("RATE_LIMITED: ")
        assert "FLETCHER_TURNS_PER_MINUTE" in texts(refused)[0]
        with strict.client("/ws/chat?token=b") as bo:
            bo.sync(story_text())
            assert texts(bo.turn("Hello?")) == ["Hello."]
    assert len(strict.model.requests) == 3


def test_too_many_turns_over_http(strict: House) -> None:
    with strict.http(Authorization="Bearer a") as http:
        body = {"message": "Hello?", "arrow_content": story_text()}
        answers = [http.post(f"/projects/{project}/turns", json=body) for project in (1, 2, 3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].json()["error"]["code"] == "RATE_LIMITED"
    assert 1 <= int(answers[2].headers["Retry-After"]) <= 30
    assert len(strict.model.requests) == 2


# --- connections ---------------------------------------------------------------------------------------------------


def test_too_many_connections(tmp_path: Path) -> None:
    with house(tmp_path, limits=Limits(call_timeout_s=PATIENCE_S, connections=2)) as home:
        with ExitStack() as open_ones:
            clients = [open_ones.enter_context(home.client()) for _ in range(2)]
            for path in ("/ws/chat", "/"):
                with home.client(path) as third:
                    code, reason = code_of(third)
                assert code == TRY_AGAIN_LATER
                assert "2 clients" in reason
            for client in clients:
                client.assert_quiet()
            with home.http() as http:
                assert http.get("/healthz").status_code == 200
        for _ in range(4):  # two have left, and two were never in
            assert home.watched.sockets_done.acquire(timeout=PATIENCE_S)
        with home.client() as client:
            client.assert_quiet()


# --- sizes ---------------------------------------------------------------------------------------------------------


def test_a_message_that_is_too_long(home: House) -> None:
    with home.client() as client:
        assert code_of(client, '"' + "x" * (8 * 2**20) + '"')[0] == MESSAGE_TOO_BIG


@pytest.mark.parametrize(("path", "length", "status"), [("/healthz", "", 200), ("/projects/1/turns", "9" * 12, 413)])
def test_a_length_may_begin_with_zeros_without_number(home: House, path: str, length: str, status: int) -> None:
    with closing(HTTPConnection(urlsplit(home.url).netloc, timeout=PATIENCE_S)) as http:
        headers = {"Content-Length": "0" * 5000 + length, "Content-Type": "application/json"}
        http.request("GET" if status == HTTPStatus.OK else "POST", path, headers=headers)
        assert http.getresponse().status == status


def test_too_many_to_take_in_at_once_however_short_they_are(tmp_path: Path) -> None:
    with (
        house(tmp_path, limits=Limits(call_timeout_s=PATIENCE_S, upload_bytes=4 * 32 * 1024)) as home,
        home.client() as client,
    ):
        home.readers.may_go_on.clear()
        for number in range(5):
            client.send("design_doc_sync", project_id=1, file_content="QQ==", file_name=f"{number}.txt")
        refusal = client.frame()["message"]
        assert refusal.startswith("TOO_MANY_UPLOADS: 4.txt: 4 documents")
        home.readers.may_go_on.set()


def test_too_much_to_take_in_at_once(tmp_path: Path) -> None:
    with (
        house(tmp_path, limits=Limits(call_timeout_s=PATIENCE_S, upload_bytes=1000)) as home,
        home.client() as client,
    ):
        content = base64.b64encode(b"Elena keeps the lighthouse. " * 20).decode()
        home.readers.may_go_on.clear()
        client.send("design_doc_sync", project_id=1, file_content=content, file_name="first.txt")
        assert home.readers.reading.wait(PATIENCE_S)
        client.send("design_doc_sync", project_id=1, file_content=content, file_name="second.txt")
        refusal = client.frame()["message"]
        assert refusal.startswith("TOO_MANY_UPLOADS: second.txt: ")
        home.readers.may_go_on.set()
        assert client.frame()["message"].startswith("first.txt ")
        client.assert_quiet()
        client.send("design_doc_sync", project_id=1, file_content=content, file_name="second.txt")
        assert client.frame()["message"].startswith("second.txt ")
    assert [d.name for d in home.catalog.documents(ProjectKey("local", "1"))] == ["first.txt", "second.txt"]


def test_what_the_user_writes_has_a_limit_of_its_own(tmp_path: Path) -> None:
    written = "/create_variable " + "[" * MAX_WRITTEN
    with house(tmp_path) as home, home.http() as http, home.client() as client:
        answer = http.post("/projects/1/turns", json={"arrow_content": story_text(), "message": written})
        assert answer.status_code == 422
        assert f"{MAX_WRITTEN}" in answer.json()["error"]["message"]
        long = {"function": "create_variable", "function_params": {"name": [{"a": written}]}}
        answer = http.post("/projects/1/turns", json={"arrow_content": story_text(), **long})
        assert answer.status_code == 422
        assert f"{MAX_WRITTEN}" in answer.json()["error"]["message"]
        for type_, fields in (
            ("user_message", {"message": written}),
            ("user_message", long),
            ("confirmation", {"decision": "modify", "message": written}),
        ):
            client.send(type_, **fields)
            assert any(f"{MAX_WRITTEN}" in text for text in texts(client.until("end")))


@pytest.mark.parametrize(
    ("type_", "field", "longest"),
    [
        ("file_sync", "project_id", LONGEST_NAME),
        ("design_doc_sync", "project_id", LONGEST_NAME),
        ("design_doc_sync", "file_name", LONGEST_NAME),
        ("user_message", "current_project_id", LONGEST_NAME),
        ("function_result", "request_id", LONGEST_NAME),
        ("confirmation", "request_id", LONGEST_NAME),
        ("hello", "client", LONGEST_NAME),
        ("hello", "dialect", LONGEST_NAME),
        ("hello", "token", LONGEST_TOKEN),
    ],
)
def test_what_names_something_is_short(type_: str, field: str, longest: int) -> None:
    needed = {"arrow_content": "", "file_content": "", "success": True, "decision": "yes"}
    fields = {"type": type_, "project_id": 1, "request_id": "1"} | needed
    decode(json.dumps(fields | {field: "x" * longest}))
    with pytest.raises(MessageError, match=f"{field}: .*{longest}") as refused:
        decode(json.dumps(fields | {field: "x" * (longest + 1)}))
    assert refused.value.code == "INVALID_MESSAGE"
    assert len(str(refused.value)) < 200


def test_of_what_an_editor_says_is_wrong_the_beginning_is_kept() -> None:
    for error in ("x" * 2**20, ["x" * 2**20]):
        result = decode(json.dumps({"type": "function_result", "request_id": 1, "success": False, "error": error}))
        assert isinstance(result, FunctionResult)
        assert result.error is not None
        assert len(result.error) == 1000


def test_of_a_long_conversation_the_end_is_kept(tmp_path: Path) -> None:
    history = [{"message": f"Hello {number}", "output": "x" * MAX_WRITTEN} for number in range(50)]
    history.append({"message": "y" * 2 * MAX_WRITTEN + "Last?", "output": "z" * 2 * MAX_WRITTEN + "Last."})
    message = decode(json.dumps({"type": "user_message", "message": "Hello?", "history": history}))
    assert isinstance(message, UserMessage)
    assert message.history[-1].output.endswith("zLast.")
    assert 0.8 * MAX_HISTORY < sum(len(past.message) + len(past.output) for past in message.history) <= MAX_HISTORY
    with house(tmp_path) as home, home.http() as http:
        home.model.add(["Hello."])
        body = {"arrow_content": story_text(), "message": "Hello?", "history": history}
        assert http.post("/projects/1/turns", json=body).status_code == 200
        assert "Last?" in str(home.model.requests[0].conversation)


def test_a_turn_is_no_longer_than_a_message(tmp_path: Path) -> None:
    limits = Limits(message_bytes=1000)
    with house(tmp_path, limits=limits) as home, home.http() as http:
        answer = http.post("/projects/1/turns", json={"arrow_content": "x" * 1000})
        assert answer.status_code == 413
        assert "FLETCHER_MAX_MESSAGE_BYTES" in answer.json()["error"]["message"]
        document = {"name": "a.txt", "text": "x" * 1000}
        assert http.post("/projects/1/corpus", json={"documents": [document]}).status_code == 200
