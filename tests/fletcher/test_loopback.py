"""The web server as we run it."""

import asyncio
import logging
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from fletcher import loopback
from fletcher.connections.incoming import Incoming
from fletcher.connections.lines import FewLines
from fletcher.errors import CommandError
from fletcher.loopback import Server, bind, serving, url_of
from tests.agent.scripted_model import PATIENCE_S
from tests.mcp_server.test_stdio import INITIALIZE
from tests.server.house import house
from tests.waiting import eventually


def test_it_tells_that_it_ends_before_the_app_ends() -> None:
    told: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "lifespan"
        while (kind := (await receive())["type"]) != "lifespan.shutdown":
            await send({"type": f"{kind}.complete"})
        told.append("the app ends")
        await send({"type": "lifespan.shutdown.complete"})

    with bind("127.0.0.1", 0) as bound:
        server = Server(app, 1000, lambda: told.append("the server ends"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        server.ready.wait()
        server.should_exit = True
        thread.join()
    assert told == ["the server ends", "the app ends"]


def test_what_is_no_frame_before_the_socket_is_open_is_nobodys_traceback(caplog: pytest.LogCaptureFixture) -> None:
    asked, may_open = threading.Event(), threading.Event()
    left: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return
        await receive()
        asked.set()
        await asyncio.to_thread(may_open.wait, PATIENCE_S)
        left.append((await receive())["type"])

    with bind("127.0.0.1", 0) as bound, serving(app, 2**20, bound) as url:
        address = urlsplit(url)
        with closing(socket.create_connection((address.hostname, address.port), PATIENCE_S)) as raw:
            raw.sendall(
                b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            )
            assert asked.wait(PATIENCE_S)
            raw.sendall(b"\x83\x80\0\0\0\0")
            assert raw.recv(1) == b""
        may_open.set()
        eventually(lambda: left)
    assert left == ["websocket.disconnect"]
    assert not [record.getMessage() for record in caplog.records if "Fatal error" in record.getMessage()]


UPGRADE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


@pytest.mark.parametrize("upgrade", [b"", UPGRADE], ids=["request", "socket"])
def test_whoever_is_cut_off_when_it_ends_is_nobodys_traceback(
    upgrade: bytes, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fletcher.loopback._GRACE_S", 0)
    asked = threading.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return
        asked.set()
        await asyncio.Event().wait()

    with (
        bind("127.0.0.1", 0) as bound,
        closing(socket.create_connection(bound.getsockname()[:2], PATIENCE_S)) as raw,
        serving(app, 2**20, bound),
    ):
        raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + upgrade + b"\r\n")
        assert asked.wait(PATIENCE_S)
    assert not [record for record in caplog.records if record.exc_info]


@pytest.fixture
def one_minute(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """However long it takes, and whatever else was logged in it."""
    lines, loggers = FewLines(lambda: 0.0), [logging.getLogger(name) for name in loopback._OF_CLIENTS]  # pyright: ignore[reportPrivateUsage]
    for logger in loggers:
        logger.removeFilter(loopback._FEW_LINES)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(loopback, "_FEW_LINES", lines)
    yield
    for logger in loggers:
        logger.removeFilter(lines)


@pytest.mark.usefixtures("one_minute")
def test_what_is_no_request_is_few_lines_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None: ...

    with bind("127.0.0.1", 0) as bound, serving(app, 2**20, bound) as url:
        address = urlsplit(url)
        for _ in range(100):
            with closing(socket.create_connection((address.hostname, address.port), PATIENCE_S)) as raw:
                raw.sendall(b"What is this?\r\n\r\n")
                assert raw.recv(12) == b"HTTP/1.1 400"
    assert len(caplog.records) <= 60


@pytest.mark.usefixtures("one_minute")
def test_what_an_assistant_says_amiss_is_few_lines_of_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    headers = {"accept": "application/json, text/event-stream"}
    amiss = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}}
    with house(tmp_path) as home, home.http(**headers) as http:
        begun = http.post("/mcp", json=INITIALIZE)
        session = {"mcp-session-id": begun.headers["mcp-session-id"]}
        http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session)
        assert {http.post("/mcp", json=amiss, headers=session).status_code for _ in range(100)} == {202}
        assert http.post("/mcp", json=INITIALIZE | {"method": "ping"}, headers=session).is_success  # behind all of them
    assert 0 < len([record for record in caplog.records if record.levelno == logging.WARNING]) <= 60


@pytest.mark.usefixtures("one_minute")
def test_requests_that_fail_unexpectedly_are_few_lines_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    with house(tmp_path) as home, home.http(Connection="close") as http:
        monkeypatch.setattr(home.catalog, "document_counts", fail)
        assert {http.get("/metrics").status_code for _ in range(100)} == {500}
    assert 0 < len([record for record in caplog.records if record.levelno == logging.ERROR]) <= 60


def test_there_are_lines_again_after_a_minute_and_of_each_level() -> None:
    now = 100.0
    lines = FewLines(lambda: now)

    def logged(level: int) -> int:
        return sum(lines.filter(logging.makeLogRecord({"levelno": level})) for _ in range(1000))

    assert logged(logging.WARNING) == 60
    assert logged(logging.ERROR) == 60
    now += 60
    assert logged(logging.WARNING) == 60


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_who_listens_everywhere_is_found_by_either_protocol() -> None:
    with bind("::", 0) as bound:
        assert url_of(bound) == f"http://127.0.0.1:{bound.getsockname()[1]}"
        for host in ("127.0.0.1", "::1"):
            socket.create_connection((host, bound.getsockname()[1])).close()


@pytest.mark.parametrize(("host", "reason"), [("127.0.0.1", "Address already in use"), ("192.0.2.1", "Cannot assign")])
def test_an_address_that_cannot_be_had_is_named_with_the_reason(host: str, reason: str) -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            CommandError, match=rf"^{host}:{port} cannot be served: [^(]+\. Choose another --port"
        ) as said:
            bind(host, port)
    if sys.platform == "linux":  # the reason is in the system's words
        assert reason in str(said.value)


def test_of_a_connection_little_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strangers may have thousands, and what waits for its turn is kept."""
    read: list[int] = []
    comes = Incoming.comes

    def counted(incoming: Incoming, data: bytes) -> None:
        read.append(len(data))
        comes(incoming, data)

    monkeypatch.setattr(Incoming, "comes", counted)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            while (await receive())["more_body"]:
                pass
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    with bind("127.0.0.1", 0) as bound, serving(app, 2**20, bound) as url:
        assert httpx.post(url, content=bytes(4 * 2**20)).status_code == 200
    assert sum(read) > 4 * 2**20
    assert max(read) <= 32 * 2**10
