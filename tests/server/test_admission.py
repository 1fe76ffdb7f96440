"""A socket that opens without a token: a hello that brings one gets in, and nothing else does."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from starlette.types import Message
from starlette.websockets import WebSocket
from websockets.exceptions import ConnectionClosed

from corpora import ProjectKey
from server import Access, Limits
from server.limits.connection_limit import ConnectionLimit
from server.socket.endpoint import serve_socket
from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.server.client import Client
from tests.server.house import House, house

POLICY_VIOLATION = 1008
ACCESS = Access(tokens={"ada's token": "ada", "bo's tökén": "bo"})


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path, access=ACCESS) as opened:
        opened.put("bible.md", "Elena keeps the lighthouse.", ProjectKey("ada", "1"))
        opened.put("bible.md", "Elena robs the bank.", ProjectKey("bo", "1"))
        yield opened


def assert_closed(client: Client) -> None:
    with pytest.raises(ConnectionClosed) as closed:
        client.frame()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == POLICY_VIOLATION
    assert "token" in closed.value.rcvd.reason


@pytest.mark.parametrize("path", ["/ws/chat", "/", "/ws/chat?token="])
def test_a_hello_brings_the_token(guarded: House, path: str) -> None:
    with guarded.client(path) as client:
        client.send("hello", client="test", dialect="spec", token="bo's tökén")
        connected = client.frame()
        assert (connected["type"], connected["workspace"]) == ("connected", "bo")
        guarded.model.add(["She robs it."])
        client.turn("What does Elena do?")
    assert "robs the bank" in guarded.model.requests[0].context
    assert "lighthouse" not in guarded.model.requests[0].everything


async def test_who_has_left_before_it_is_told_why_is_nobodys_traceback(guarded: House) -> None:
    told: list[str] = []

    async def receive() -> Message:
        return {"type": "websocket.receive", "text": "no hello"} if told else {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        told.append(message["type"])
        if message["type"] == "websocket.close":
            raise OSError  # as the web server does where nobody is there any more

    scope = {"type": "websocket", "headers": [], "query_string": b"", "client": ("192.0.2.1", 1)}
    await serve_socket(
        WebSocket(scope, receive, send), ACCESS, ConnectionLimit(10, guarded.services.metrics), guarded.services
    )
    assert told == ["websocket.accept", "websocket.close"]


def test_a_hello_inside_data_does_too(guarded: House) -> None:
    with guarded.client() as client:
        client.send("hello", data={"token": "ada's token"})
        assert client.frame()["workspace"] == "ada"


@pytest.mark.parametrize(
    "first",
    [
        '{"type": "hello"}',
        '{"type": "hello", "token": null}',
        '{"type": "hello", "token": ""}',
        '{"type": "hello", "token": 7}',
        '{"type": "hello", "token": "ada\'s toke"}',
        '{"type": "user_message", "message": "Hello?", "token": "ada\'s token"}',
        '{"type": "stop"}',
        "hello",
        "",
        b'{"type": "hello", "token": "ada\'s token"}',
        '{"type": "hello", "token": "ada\'s token", "client": "' + "x" * 10_000 + '"}',
    ],
    ids=lambda first: repr(first)[:60],
)
def test_anything_else_closes_it(guarded: House, first: str | bytes) -> None:
    with guarded.client() as client:
        client.send_raw(first)
        assert_closed(client)
    assert not guarded.model.requests


def test_nothing_of_what_comes_before_it_counts(guarded: House) -> None:
    with guarded.client() as client:
        client.send("file_sync", project_id=1, arrow_content=story_text())
        with suppress(ConnectionClosed):  # it may have come to that already
            client.send("hello", token="ada's token")
        assert_closed(client)


def test_silence_closes_it(tmp_path: Path) -> None:
    limits = Limits(call_timeout_s=PATIENCE_S, hello_timeout_s=0.01)
    with house(tmp_path, access=ACCESS, limits=limits) as home, home.client() as client:
        assert_closed(client)


def test_leaving_without_a_word_is_no_failure(guarded: House, caplog: pytest.LogCaptureFixture) -> None:
    with guarded.client():
        pass
    assert guarded.watched.sockets_done.acquire(timeout=PATIENCE_S)
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
    assert guarded.watched.tasks() == set()
