"""The socket of an open page, from somebody who has a token and writes to it by hand."""

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope, Send
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from server import Services
from server.limits.room import Room, Sender
from server.limits.rounds import Rounds
from tests.server_process import PATIENCE_S
from workbench.access.socket_limits import SocketLimits

PATH = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
MIB = 2**20


@pytest.fixture
def browser(guarded: str) -> Generator[httpx.Client]:
    """Somebody who has signed in."""
    with httpx.Client(base_url=guarded, timeout=PATIENCE_S) as browser:
        browser.post("/sign-in", data={"token": "tok-red"})
        yield browser


@contextmanager
def talking(browser: httpx.Client) -> Generator[ClientConnection]:
    """The socket of a page, greeted."""
    browser.get("/")
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    address = str(browser.base_url).replace("http", "ws").rstrip("/") + PATH
    with connect(address, additional_headers={"Cookie": cookies}, open_timeout=PATIENCE_S) as connection:
        connection.recv(PATIENCE_S)
        connection.send("40")
        connection.recv(PATIENCE_S)
        yield connection


def is_closed(connection: ClientConnection) -> bool:
    """Whether the server closes the socket, and does not go on with its pings."""
    try:
        for _ in range(2):
            assert connection.recv(PATIENCE_S) == "2"
            connection.send("3")
    except ConnectionClosed:
        return True
    return False


@pytest.mark.parametrize(
    "part",
    ['45999999-["event",{"_placeholder":true,"num":0}]', '46999999-[{"_placeholder":true,"num":0}]', b"x", "beA=="],
)
def test_nothing_is_kept_of_messages_in_parts(browser: httpx.Client, part: str | bytes) -> None:
    with talking(browser) as connection:
        connection.send(part)
        assert is_closed(connection)


class Library:
    """Stands where the page's library does.

    Attributes:
        messages: What it was given to read.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reads a message."""
        self.messages.append(await receive())


def services(room: Room) -> Services:
    return cast("Services", SimpleNamespace(json_room=room, rounds=Rounds()))


async def talk(sockets: SocketLimits, library: Library, **state: object) -> list[Message]:
    """What is sent to somebody of the workspace `red`, who says `3` all the time."""
    scope: dict[str, Any] = {"type": "websocket", "headers": [], "state": {"workspace": "red", **state}}
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.receive", "text": "3"}

    async def send(message: Message) -> None:
        sent.append(message)

    await sockets.talk(library, HTTPConnection(scope), receive, send)
    return sent


def talks(sockets: SocketLimits, library: Library, **state: object) -> list[Message]:
    """As `talk`, in a thread of its own: in this one, Playwright's loop may be running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, talk(sockets, library, **state)).result(PATIENCE_S)


def test_half_a_message_takes_room_of_its_workspace() -> None:
    room, takers = Room(8 * MIB), list[Callable[[Callable[[], object]], Sender]]()
    talks(SocketLimits(services(room)), Library(), take_long_messages=takers.append)
    (taker,) = takers
    first, second = taker(lambda: None), taker(lambda: None)
    assert first.has_room(3 * MIB)
    assert not second.has_room(3 * MIB)
    assert second.workspace == "red"


def test_a_workspace_has_so_many_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.access.socket_limits._MOST_OF_WORKSPACE", 1)
    sockets, refused = SocketLimits(services(Room(MIB))), Library()

    class Open(Library):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            closed.extend(await talk(sockets, refused))

    closed: list[Message] = []
    assert not talks(sockets, Open())
    assert [message["type"] for message in closed] == ["websocket.close"]
    assert not refused.messages
    assert not talks(sockets, Library()), "who has left makes room"
