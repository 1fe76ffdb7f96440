"""Whoever keeps the server waiting is cut off, and nobody else notices."""

import asyncio
import json
import re
import socket
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
from websockets.exceptions import ConnectionClosed

from fletcher.connections.reader import Waits
from server import Access, Limits
from server.dialects.dialect import Frame
from server.limits.pace import Pace
from server.socket.session import Session
from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.server.house import House, house
from tests.waiting import eventually

SHORT_S = 0.3
ENOUGH = 16 * 2**20  # characters; more than the buffers of both ends hold


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[House]:
    """A server that waits for hardly anybody."""
    limits = Limits(call_timeout_s=PATIENCE_S, turns_per_minute=1_000_000, body_wait_s=SHORT_S)
    waits = Waits(head_s=SHORT_S, reader_s=SHORT_S, farewell_s=PATIENCE_S)
    with house(tmp_path, access=Access(), limits=limits, waits=waits) as opened:
        yield opened


def sent(home: House, data: bytes) -> bytes:
    """What the server answers to `data`, after which nothing comes, until it closes the connection."""
    address = urlsplit(home.url)
    with closing(socket.create_connection((address.hostname, address.port), PATIENCE_S)) as raw:
        raw.sendall(data)
        answer = b""
        while received := raw.recv(65536):
            answer += received
        return answer


HEAD = b"POST /projects/1/turns HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize("head", [b"", b"GET /healthz HT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: "])
def test_half_a_head(hasty: House, head: bytes) -> None:
    answer = sent(hasty, head)
    assert answer.startswith(b"HTTP/1.1 408 ") if head else answer == b""


def test_half_a_head_after_a_request(hasty: House) -> None:
    answer = sent(hasty, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "endless",
    [
        b"GET /" + b"x" * 500_000,
        b"GET /healthz HTTP/1.1\r\nX-A: " + b"x" * 500_000,
        b"GET /healthz HTTP/1.1\r\n" + b"X-A: x\r\n" * 100_000,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n" + b"X-A: x\r\n" * 100_000,
    ],
    ids=["address", "header", "headers", "trailers"],
)
def test_an_endless_head(home: House, endless: bytes) -> None:
    try:
        answer = sent(home, endless)
    except OSError:  # what was not read any more resets the connection
        return
    assert answer.startswith(b"HTTP/1.1 4")


def test_a_head_of_many_lines(home: House) -> None:
    head = b"GET /projects HTTP/1.1\r\nhost: localhost\r\n"
    assert sent(home, head + b"a: b\r\n" * 198 + b"connection: close\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    answer = sent(home, head + b"a: b\r\n" * 201)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert b"more than 200 lines; send fewer" in answer


@pytest.mark.parametrize("path", [b"/projects/1/turns", b"/projects/1/corpus", b"/projects/1/folder"])
@pytest.mark.parametrize(
    "rest",
    [
        b'Content-Length: 1000\r\n\r\n{"arrow_content": ',
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n{    \r\n",
    ],
    ids=["length", "chunked"],
)
def test_half_a_body(hasty: House, path: bytes, rest: bytes) -> None:
    method = b"PUT " if path.endswith(b"folder") else b"POST "
    answer = sent(hasty, HEAD.replace(b"POST /projects/1/turns", method + path) + rest)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "REQUEST_TIMEOUT"


def test_a_request_that_takes_longer_is_not_cut_off(hasty: House) -> None:
    hasty.readers.may_go_on.clear()
    document = {"name": "bible.txt", "text": "Elena keeps the lighthouse."}
    with ThreadPoolExecutor() as threads, hasty.http() as http:
        answer = threads.submit(http.post, "/projects/1/corpus", json={"documents": [document]})
        assert hasty.readers.reading.wait(PATIENCE_S)
        assert sent(hasty, b"") == b"", "meanwhile the time of another connection is over"
        hasty.readers.may_go_on.set()
        assert answer.result(PATIENCE_S).status_code == 200


def test_a_client_that_never_reads_loses_its_turn(hasty: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("_MOST", "_MOST_READ_AGAIN"):
        monkeypatch.setattr(f"agent.models.size.{limit}", 2 * ENOUGH)
    hasty.model.add(["x" * ENOUGH])
    with hasty.client(max_queue=1, compression=None) as client:
        client.sync(story_text())
        client.assert_quiet()
        client.ask("Tell me everything.")
        assert hasty.watched.sockets_done.acquire(timeout=PATIENCE_S), "its turn has ended while it still was connected"
        with suppress(ConnectionClosed):
            for _frame in client.socket:  # now it reads what was sent before, and then why it was dropped
                pass
        assert client.socket.close_code == 1008
        assert "read" in (client.socket.close_reason or "")
    with hasty.client() as other:
        other.assert_quiet()


def test_of_a_lost_connection_no_body_is_kept_that_nobody_has_read(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, begin = list[RequestResponseCycle](), RequestResponseCycle.__init__

    def noted(cycle: RequestResponseCycle, *arguments: Any, **named: Any) -> None:
        begin(cycle, *arguments, **named)
        begun.append(cycle)

    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(RequestResponseCycle, "__init__", noted)
    monkeypatch.setattr(type(home.services.rounds), "wait", never)
    address = urlsplit(home.url)
    with closing(socket.create_connection((address.hostname, address.port), PATIENCE_S)) as raw:
        raw.sendall(HEAD + b"Content-Length: 100000\r\n\r\n" + b" " * 30_000)
        eventually(lambda: begun and begun[0].body)
    eventually(lambda: begun[0].disconnected and not begun[0].body)


def test_requests_before_any_answer_are_few(home: House) -> None:
    answer = b""
    with suppress(ConnectionResetError):  # what was not read any more resets the connection
        answer = sent(home, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
    assert answer.count(b"HTTP/1.1 200 ") < 100


def test_some_requests_before_any_answer_are_answered_in_order(home: House) -> None:
    asked = [b"/healthz", b"/projects/1/documents", b"/healthz", b"/nothing"] * 3
    requests = [b"GET %s HTTP/1.1\r\nHost: localhost\r\n" % path for path in asked]
    answer = sent(home, b"\r\n".join(requests) + b"Connection: close\r\n\r\n")
    assert re.findall(rb"HTTP/1.1 (\d+) ", answer) == [b"200", b"404", b"200", b"404"] * 3


def test_who_asks_much_and_reads_nothing_leaves_no_trace(hasty: House, caplog: pytest.LogCaptureFixture) -> None:
    address = urlsplit(hasty.url)
    with closing(socket.socket()) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.settimeout(PATIENCE_S)
        raw.connect((address.hostname, address.port))
        with suppress(ConnectionError):
            while True:
                raw.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 5)
    with hasty.client() as other:
        other.assert_quiet()
    assert not [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]


async def test_between_the_frames_of_a_long_text_others_have_their_turn() -> None:
    """To a client that reads quickly each frame goes without waiting."""
    sent, others = 0, 0

    async def send(_frame: Frame) -> None:
        nonlocal sent
        sent += 1

    async def another() -> None:
        nonlocal others
        while sent < 100:
            others += 1
            await asyncio.sleep(0)

    session = Session(send, "envelope", "local", Mock(), Mock(paces=defaultdict(Pace)))
    running = asyncio.create_task(another())
    await session._send_all({"type": "text"} for _ in range(100))  # pyright: ignore[reportPrivateUsage]
    await running
    assert others >= 99
