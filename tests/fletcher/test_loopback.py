"""The web server as we run it."""

import asyncio
import socket
import threading
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from starlette.types import Receive, Scope, Send

from fletcher.loopback import Server, bind, serving
from tests.agent.scripted_model import PATIENCE_S
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
