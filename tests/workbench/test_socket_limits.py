"""The socket of an open page, from somebody who has a token and writes to it by hand."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from engineio.async_socket import AsyncSocket
from engineio.packet import MESSAGE, Packet
from nicegui import background_tasks, core
from nicegui.core import sio
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope, Send
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from server import Services
from server.limits.pace import Pace
from server.limits.places import Places
from server.limits.room import Room, Sender
from server.limits.rounds import Rounds
from tests.server_process import PATIENCE_S
from tests.workbench.test_forms import beside_playwright
from workbench.access.page_sockets import KeptMessages, WaitingMessages, counted
from workbench.access.page_sockets import _connecting as connected  # pyright: ignore[reportPrivateUsage]
from workbench.access.page_sockets import _speaking as speaking  # pyright: ignore[reportPrivateUsage]
from workbench.access.page_sockets import _understood as understood  # pyright: ignore[reportPrivateUsage]
from workbench.access.socket_limits import SocketLimits, Unread

PATH = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
MIB = 2**20


@pytest.fixture
def browser(guarded: str) -> Generator[httpx.Client]:
    """Somebody who has signed in."""
    with httpx.Client(base_url=guarded, timeout=PATIENCE_S) as browser:
        browser.post("/sign-in", data={"token": "tok-red"})
        yield browser


@contextmanager
def talking(browser: httpx.Client, path: str = PATH) -> Generator[ClientConnection]:
    """The socket of a page, greeted."""
    browser.get("/")
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    address = str(browser.base_url).replace("http", "ws").rstrip("/") + path
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


@pytest.mark.parametrize("query", ["EIO=4&transport=polling", "EIO=4"])
def test_no_socket_stays_open_with_nobody_behind_it(browser: httpx.Client, query: str) -> None:
    with pytest.raises(InvalidStatus), talking(browser, f"/_nicegui_ws/socket.io/?{query}") as connection:
        connection.recv(PATIENCE_S)


def test_nothing_is_left_of_a_socket_that_fails_while_it_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    left, environ = list[str](), {"QUERY_STRING": "client_id=p", "asgi.scope": {"state": {}}}
    monkeypatch.setitem(sio.environ, "e", environ)

    async def connecting(*_: object) -> None:
        raise ValueError("next_message_id=x")

    async def use() -> None:
        manager: Any = sio.manager
        socket_id = await manager.pre_connect("e", "/")
        with pytest.raises(ValueError, match="next_message_id"):
            await connected(connecting, left.append)(socket_id, environ)
        assert left == [socket_id]
        assert manager.sid_from_eio_sid("e", "/") is None
        assert not manager.is_pre_connected(socket_id, "/")

    beside_playwright(use())


def test_a_socket_that_takes_nothing_any_more_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def take(*_: object) -> None:
        raise KeyError("client_id")

    async def use() -> None:
        library = AsyncSocket(sio.eio, "e")
        await library.queue.put(Packet(MESSAGE, "nobody sends this"))
        monkeypatch.setitem(sio.eio.sockets, "e", library)
        monkeypatch.setitem(sio.environ, "e", {"asgi.scope": {"state": (state := {})}})
        with pytest.raises(StopIteration):
            understood(take)("e", '2["event"]').send(None)
        assert state["is_over"]

    beside_playwright(use())


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


def services(room: Room, pace: type[Pace] = Pace) -> Services:
    return cast("Services", SimpleNamespace(json_room=room, rounds=Rounds(), paces=defaultdict(pace)))


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
    """As `talk`, for a test that has no event loop of its own."""
    return beside_playwright(talk(sockets, library, **state))


def test_half_a_message_takes_room_of_its_workspace() -> None:
    room, takers = Room(8 * MIB), list[Callable[[Callable[[], object]], Sender]]()
    talks(SocketLimits(services(room)), Library(), take_long_messages=takers.append)
    (taker,) = takers
    first, second = taker(lambda: None), taker(lambda: None)
    assert first.has_room(3 * MIB)
    assert not second.has_room(3 * MIB)
    assert second.workspace == "red"


def test_messages_of_a_workspaces_sockets_keep_one_pace() -> None:
    came = list[str]()

    class Counted(Pace):
        async def wait(self, *, is_message: bool = True) -> None:
            came.append("a message")

        def handled(self, seconds: float) -> None:
            came.append("a moment" if seconds < 0.01 else "long")

    class Drawing(Library):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await receive()
            began = time.thread_time()
            while time.thread_time() - began < 0.02:
                pass
            await receive()
            await receive()

    of = services(Room(MIB), Counted)
    talks(SocketLimits(of), Drawing())
    assert (list(of.paces), came) == (["red"], ["a message", "long", "a message", "a moment", "a message", "a moment"])


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


class Talkative(Library):
    """Says something long three times.

    Args:
        reads: Whether the browser does.
    """

    def __init__(self, *, reads: bool) -> None:
        super().__init__()
        self._reads = reads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Says it."""
        for _ in range(3):
            scope["state"]["unread"].waits(said := "4" + "x" * 3 * MIB)
            if self._reads:
                await send({"type": "websocket.send", "text": said})


@pytest.mark.parametrize(("reads", "said"), [(True, ["goes on"]), (False, ["ended", "goes on"])])
@pytest.mark.parametrize("most", [5 * MIB, 32 * MIB])
def test_what_a_page_does_not_read_takes_room_and_ends_its_socket(
    monkeypatch: pytest.MonkeyPatch, reads: bool, said: list[str], most: int
) -> None:
    monkeypatch.setattr("workbench.access.socket_limits._MOST_UNREAD", most)
    room, heard = Room(8 * MIB), list[str]()
    room.add("red", MIB // 2)  # by others; what is there by itself has room in any case

    def known(sender: Callable[[Callable[[], object]], Sender]) -> None:
        sender(lambda: heard.append("ended"))

    async def until_read() -> None:
        """At once."""

    state = {"take_long_messages": known, "until_read": until_read}
    talks(SocketLimits(services(room)), Talkative(reads=reads), **state)
    heard.append("goes on")
    assert heard == said
    assert Sender(room, "red", lambda: None).has_room(3 * MIB), "who has left leaves room"


def test_all_that_is_said_to_a_page_counts_for_each_of_its_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    ended, sent = list[str](), list[str]()

    async def send(connection_id: str, _packet: Packet) -> None:
        sent.append(connection_id)

    monkeypatch.setattr("workbench.access.socket_limits._MOST_UNREAD", 3 * MIB)
    for name in ("one", "other"):
        unread = Unread(Room(8 * MIB), "red", partial(ended.append, name))
        monkeypatch.setitem(sio.environ, name, {"asgi.scope": {"state": {"unread": unread}}})
    packet, said_to = Packet(MESSAGE, "x" * MIB), ["one", "one that has left", "one", "other", "one", "one"]
    for connection_id in said_to:
        asyncio.run(counted(send)(connection_id, packet))
    assert (sent, ended) == (said_to, ["one"])


def test_of_what_was_said_to_a_page_no_more_is_kept_than_is_said_again() -> None:
    kept = KeptMessages()
    for number, length in enumerate([400_000] * 4):
        kept.append((number, 0.0, ("page", "update", {"text": "x" * length})))
    assert [number for number, *_ in kept] == [2, 3]
    kept.pop()
    kept.append((3, 0.0, ("page", "update", {"text": "short"})))
    assert [number for number, *_ in kept] == [2, 3]
    kept.append((4, 0.0, ("page", "update", {"text": "x" * MIB})))
    assert not kept, "what comes after a gap would be taken for all that there is"


def test_so_much_waits_for_a_browser_that_is_away_and_then_its_page_is_loaded_anew() -> None:
    room = Room(64 * MIB)
    said = {"code": "x" * 10 * MIB}
    waiting, other = (WaitingMessages(room, "red", page) for page in ("page", "other"))
    for _ in range(2):
        waiting.append(("page", "run_javascript", said))
    assert len(waiting) == 2
    other.append(("other", "run_javascript", said))
    other.append(("other", "run_javascript", said))
    assert [data["code"] for _, _, data in other] == ["location.reload()"], "a workspace has half of the room"
    other.append(("other", "update", {}))
    assert len(other) == 1, "nothing else is said to a page that is loaded anew"
    waiting.clear()
    for _ in range(20_000):
        waiting.append(("page", "update", {}))
    assert [data.get("code") for _, _, data in waiting] == ["location.reload()"], "short ones are not for nothing"
    assert Sender(room, "red", lambda: None).has_room(30 * MIB), "what waits no more counts nowhere"


def test_what_is_said_again_is_as_it_is_now_and_is_said_once() -> None:
    """It comes behind what is newer: a page would show that a turn goes on which has ended.

    And what was short when it was said, and kept for that, may be a drawing of megabytes by now.
    """
    there = {1: SimpleNamespace(_to_dict=lambda: {"text": "Done."})}
    with pytest.MonkeyPatch.context() as patch:
        page = SimpleNamespace(instances={"page": SimpleNamespace(elements=there)})
        patch.setattr("workbench.access.page_sockets.Client", page)
        waiting = WaitingMessages(Room(MIB), "red", "page")
        waiting.appendleft(("page", "update", {1: {"text": "Working on it …"}, 2: {"text": "Stop"}, "_id": 11}))
        waiting.appendleft(("page", "notify", {"message": "Saved.", "_id": 10}))
        waiting.appendleft(("page", "update", {1: {"text": "Working on it …"}, "_id": 9}))
    saved = {"message": "Saved.", "_id": 10}
    assert [data for _, _, data in waiting] == [{1: {"text": "Done."}}, saved, {2: None}]


@pytest.mark.parametrize("said", [0, 1])
def test_what_clicks_have_begun_is_limited(said: int, monkeypatch: pytest.MonkeyPatch) -> None:
    page = SimpleNamespace(request=SimpleNamespace(state=SimpleNamespace(workspace="red")), elements={})
    monkeypatch.setattr("workbench.access.page_sockets.Client", SimpleNamespace(instances={"p": page}))
    monkeypatch.setattr("workbench.access.page_sockets._UNDER_WAY", Places(4, 3))
    monkeypatch.setattr(sio, "rooms", lambda _: ["p"])

    async def use() -> tuple[int, int]:
        core.loop, is_read, read = asyncio.get_running_loop(), asyncio.Event(), list[int]()

        async def open_story() -> None:
            await is_read.wait()
            read.append(1)

        click: Any = speaking(lambda *_: background_tasks.create(open_story()))
        for _ in range(3 - said):
            click("socket", {"client_id": "p", "args": ["x" * (10_000 * said)]})
        with pytest.raises(ValueError, match="nobody clicks so often"):
            click("socket", {"client_id": "p"})
        is_read.set()
        await asyncio.gather(*background_tasks.running_tasks, return_exceptions=True)
        in_time = len(read)
        click("socket", {"client_id": "p"})
        await asyncio.gather(*background_tasks.running_tasks)
        return in_time, len(read)

    assert beside_playwright(use()) == (3 - said, 4 - said)
