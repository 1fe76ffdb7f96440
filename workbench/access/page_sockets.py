"""Which page a socket may speak for: one of its own session, and from then on that one alone.

Whatever a socket says that no page would say ends it: the library would write a trace into the log for each.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from sys import getsizeof
from time import time
from typing import Any
from urllib.parse import parse_qs

from nicegui import Client, background_tasks, json
from nicegui.core import sio
from nicegui.elements.mixins.value_element import ValueElement
from nicegui.outbox import HistoryEntry, Message
from socketio import exceptions

from arrow_project import has_more_values
from server.access.browser_sessions import BrowserSession
from server.limits.places import Places
from server.limits.room import Room, Sender
from workbench.access.farewells import BETWEEN_S
from workbench.access.socket_limits import OVER, UNREAD

logger = logging.getLogger(__name__)

_Handler = Callable[..., Any]
# The library knows a page by its random id alone, whoever names it.
_OF_A_PAGE = ("event", "javascript_response", "ack")

_KEPT = ("tab_id", "old_tab_id", "document_id")
_LONGEST_ID = 64

# How often a socket has connected: each time all that is kept for its page is said again.
_CONNECTED, _MOST_CONNECTED = "connected", 3

# A page has one, and others that nobody has found broken yet.
_MOST_OF_PAGE = 5
# In bytes of memory: what is chosen, and all that is written on a page, of which a workspace may have a hundred open.
_SHORT, _MOST_WRITTEN = 2000, 3_000_000
_ON_ITS_WAY_S = 10.0  # that a page is, at most, before its browser shows it

_UNDER_WAY = Places(4000, 1000)
_CHARACTERS = 10_000  # of a message that is not done with count as one more: reading it may take 36 times as much
_MOST_SAID = 20  # of one event; the library keeps a list of all
_MOST_PARTS = 20  # beside texts: an empty object takes thirty times as much as it is long

_MOST_WAITING, _OF_A_MESSAGE = 32 * 2**20, 2_000  # bytes of memory; what a short one takes to be said counts as well
_MOST_KEPT = 2**20  # of what was said to a page, in bytes of memory that its JSON takes

# What a browser's tab keeps of a workspace's pages, as `fletcher/story/red/text`; that of others stays theirs.
_FORGET = """((workspace) => {
  for (const key of Object.keys(sessionStorage)) {
    const [whose, , of] = key.split("/");
    if (whose !== "fletcher" || of === workspace) sessionStorage.removeItem(key);
  }
  window.onbeforeunload = null; // the library would keep something of its tab
  dispatchEvent(new Event("forget"));
})"""


def keep_pages_apart() -> None:
    """Puts the rule before what the library does with a socket's messages."""
    handlers: dict[str, _Handler] = sio.handlers["/"]
    sio.on("connect", _connecting(handlers["connect"], handlers["disconnect"]))
    sio.on("disconnect", _leaving(handlers["disconnect"]))
    sio.on("handshake", _joining(handlers["handshake"]))
    for name in _OF_A_PAGE:
        sio.on(name, _speaking(handlers[name]))
    sio.on("log", _not_heard)  # a browser's own errors are not for the server's log
    sio.async_handlers = False  # so that what a message leads to fails below, and not in a task of its own
    # A socket that asks for the other one, of requests, would be accepted, and then be open with nobody behind it.
    sio.eio.transports = ["websocket"]
    sio.eio.on("message", _understood(sio.eio.handlers["message"]))
    sio.eio.send_packet = counted(sio.eio.send_packet)


class KeptMessages(deque[HistoryEntry]):
    """What was said to a page last, to be said again where its connection breaks off.

    Of long messages none is kept, nor what came before: the library loads such a page anew.
    """

    _sizes: Mapping[int, int] = {}

    def append(self, entry: HistoryEntry, /) -> None:
        """Keeps one more, and no more of those before than there is room for."""
        super().append(entry)
        message_id, _, (_, _, data) = entry
        known = {**self._sizes, message_id: getsizeof(json.dumps(data))}
        self._sizes = {kept: known[kept] for kept, *_ in self}
        while self and sum(self._sizes[kept] for kept, *_ in self) > _MOST_KEPT:
            self.popleft()


class WaitingMessages(deque[Message]):
    """What is to be said to a page, which waits where its browser is away.

    Where it finds no room, nothing of it is said, and the page is loaded anew once its browser is there.

    Args:
        room: Where it counts, with what is sent and answered.
        workspace: Whose page it is.
        page_id: Which one.
    """

    def __init__(self, room: Room, workspace: str, page_id: str) -> None:
        super().__init__()
        self._sender = Sender(room, workspace, self._load_anew)
        self._page_id = page_id
        self._again = dict[Any, dict[Any, Any]]()  # the oldest message, of those that are said again, of each element
        self._size = 0
        self._is_over = False

    def append(self, message: Message, /) -> None:
        """Keeps one more."""
        if not self._is_over:
            super().append(message)
            self._count(message)

    def appendleft(self, message: Message, /) -> None:
        """Keeps one that is to be said again, behind what is newer: so elements are said as they are now, and once."""
        if not self._is_over:
            target, kind, data = message
            if kind == "update":
                message = target, kind, self._as_now(data)
            super().appendleft(message)
            self._count(message)

    def clear(self) -> None:
        """All of it is said, or nobody is there any more."""
        super().clear()
        self._again.clear()
        self._size = 0
        self._sender.free()

    def _as_now(self, elements: Mapping[Any, object]) -> dict[Any, Any]:
        client = Client.instances.get(self._page_id)
        there = client.elements if client is not None else {}
        said: dict[Any, Any] = {key: there.get(key) for key in elements if key != "_id"}
        for key in said:
            self._again.pop(key, {}).pop(key, None)
        now = {key: element and element._to_dict() for key, element in said.items()}
        self._again |= dict.fromkeys(now, now)
        return now

    def _count(self, message: Message) -> None:
        _, _, data = message
        self._size += _OF_A_MESSAGE + sum(getsizeof(value) for value in data.values() if isinstance(value, str))
        if self._size > _MOST_WAITING or not self._sender.has_room(self._size):
            self._load_anew()

    def _load_anew(self) -> None:
        self._is_over = True
        self.clear()
        super().append((self._page_id, "run_javascript", {"code": "location.reload()"}))


def counted(send: _Handler) -> _Handler:
    """Sends over a socket as the library does, and counts what it is to read."""

    async def counting(connection_id: str, packet: Any) -> None:
        environ = sio.environ.get(connection_id)
        if environ is not None and (unread := environ["asgi.scope"]["state"].get(UNREAD)) is not None:
            unread.waits(packet.encode())  # the library writes this very text, once for all sockets of a page
        await send(connection_id, packet)

    return counting


async def leave_pages(session: BrowserSession) -> None:
    """Has the browser leave every page of the session, for where a token is asked for once that is ended."""
    for client in pages_of(session):
        forget = f"{_FORGET}({json.dumps(session.workspace)})"
        await sio.emit("run_javascript", {"code": forget}, room=client.id)
        await sio.emit("open", {"path": "/", "new_tab": False}, room=client.id)


async def end_pages(session: BrowserSession) -> None:
    """Ends every page of the session, with what is under way there."""
    for client in pages_of(session):
        if client.id in Client.instances:  # meanwhile it may have been
            client.delete()
        await asyncio.sleep(BETWEEN_S)


def pages_of(session: BrowserSession) -> list[Client]:
    """Every page that the session has open."""
    pages = list(Client.instances.values())
    return [client for client in pages if getattr(client.request.state, "session", None) is session]


def give_up_a_page(workspace: str, asked_for: Client) -> None:
    """Ends the workspace's oldest page that no browser has shown, as of a monitor or the preview of a link.

    Where there is none, the oldest whose browser has left, and would have all of it again; and only then one of the
    last seconds, other than what is `asked_for`: it may be on its way to a browser, which would ask for it anew.
    """
    pages = [client for client in Client.instances.values() if _is_without_browser(client, workspace)]
    unseen = [client for client in pages if client.environ is None and client is not asked_for]
    old = [client for client in unseen if client.created < time() - _ON_ITS_WAY_S]
    left = [client for client in pages if client.environ is not None and _can_be_had_again(client)]
    for client in (*old, *left, *unseen)[:1]:
        client.delete()


def _is_without_browser(client: Client, workspace: str) -> bool:
    return getattr(client.request.state, "workspace", None) == workspace and not client.has_socket_connection


def _can_be_had_again(client: Client) -> bool:
    """What was said is in the browser's tab; so is a story, but for the changes that it does not keep."""
    visit = getattr(client.request.state, "visit", None)
    return visit is not None and not visit.shown.is_changing and not visit.shown.at_risk


def _connecting(connect: _Handler, disconnect: _Handler) -> _Handler:
    async def checked(socket_id: str, environ: dict[str, Any], auth: Any = None) -> None:
        if environ is not sio.get_environ(socket_id):
            raise ValueError("a socket says `connect` as an event of its own")
        state = environ["asgi.scope"]["state"]
        state[_CONNECTED] = state.get(_CONNECTED, 0) + 1
        if state[_CONNECTED] > _MOST_CONNECTED:
            raise ValueError("a browser whose connection breaks off has another socket")
        said = {name: values[0] for name, values in parse_qs(environ["QUERY_STRING"]).items()}
        if not _may_join(environ, said.get("client_id", ""), said):
            raise exceptions.ConnectionRefusedError(
                "Implicit handshake failed"
            )  # the words at which a browser loads anew
        try:
            await connect(socket_id, environ, auth)
        except Exception:
            # The library forgets what it has refused, and what was connected: not what failed in between.
            disconnect(socket_id)
            manager: Any = sio.manager  # the library declares the one that does not wait
            await manager.disconnect(socket_id, "/", ignore_queue=True)
            raise

    return checked


def _leaving(disconnect: _Handler) -> _Handler:
    def checked(socket_id: str, *_reason: Any) -> None:
        if sio.manager.is_connected(socket_id, "/"):
            raise ValueError("a socket says `disconnect` as an event of its own")
        disconnect(socket_id)

    return checked


def _joining(handshake: _Handler) -> _Handler:
    async def checked(socket_id: str, data: dict[str, Any]) -> bool:
        return _may_join(sio.get_environ(socket_id), data["client_id"], data) and await handshake(socket_id, data)

    return checked


def _speaking(handle: _Handler) -> _Handler:
    def checked(socket_id: str, message: dict[str, Any]) -> None:
        if message["client_id"] in sio.rooms(socket_id):
            client, before = Client.instances[message["client_id"]], set(background_tasks.running_tasks)
            if _is_unheard(client, message):
                return
            said: list[str | None] = message.get("args", [])
            _refuse_much_for_a_field(client, message, said)
            handle(socket_id, message)
            length = sum(len(one or "") for one in said)
            _count(background_tasks.running_tasks - before, client.request.state.workspace, 1 + length // _CHARACTERS)

    return checked


def _is_unheard(client: Client, message: dict[str, Any]) -> bool:
    """Whether it is about pages within the page, of which there are none: the library keeps what is said of them."""
    element = client.elements.get(message.get("id", 0))
    listener = element._event_listeners.get(message.get("listener_id", "")) if element is not None else None  # pyright: ignore[reportPrivateUsage]
    return listener is not None and listener.type.startswith("sub_pages")


def _count(begun: set[asyncio.Task[Any]], workspace: str, weight: int) -> None:
    """What a message leads to and is not done at once, as whatever waits for a store."""
    for task in begun:
        if _UNDER_WAY.take(workspace, weight):
            task.add_done_callback(lambda _: _UNDER_WAY.give_back(workspace, weight))
        else:
            task.cancel()
    if any(task.cancelling() for task in begun):
        raise ValueError("nobody clicks so often before anything is done")


def _refuse_much_for_a_field(client: Client, message: dict[str, Any], said: list[str | None]) -> None:
    """What a browser says of a field is kept with the page, of any kind and however often."""
    if len(said) > _MOST_SAID:
        raise ValueError("no event has so much to say")
    field = client.elements.get(message.get("id", 0))
    if not isinstance(field, ValueElement):
        return
    listener = field._event_listeners[message["listener_id"]]  # pyright: ignore[reportPrivateUsage] - what is kept?
    if listener.type.startswith("update:") and any(has_more_values(one or "", _MOST_PARTS) for one in said):
        raise ValueError("nothing that is chosen in a field has so many parts")
    if sum(len(one or "") for one in said) <= _SHORT:
        return
    # One text and nothing beside it, which would make it a list; it may be four times as long as its JSON.
    (text,) = (json.loads(one or "") for one in said)
    values: list[Any] = [one.value for one in client.elements.values() if isinstance(one, ValueElement)]
    written = sum(getsizeof(value) for value in values if isinstance(value, str))
    if not isinstance(text, str) or written + getsizeof(text) > _MOST_WRITTEN:
        raise ValueError("so much is written into no page, and chosen in none")


def _not_heard(_socket_id: str, _message: Any) -> None:
    """Nothing is done."""


def _understood(take: Callable[[str, Any], Awaitable[None]]) -> _Handler:
    async def checked(connection_id: str, message: Any) -> None:
        if connection_id not in sio.environ:  # it was closed, and had sent more before that
            return
        state = sio.environ[connection_id]["asgi.scope"]["state"]
        if state.get(OVER):
            return
        try:
            await take(connection_id, message)
        except Exception as error:  # noqa: BLE001 - what the library raises for what it cannot read is of any kind
            logger.warning("a page's socket said what no page says (%s), and is closed", type(error).__name__)
            # To disconnect it here would wait until all is sent to it, which it may never take.
            state[OVER] = True

    return checked


def _may_join(environ: Any, page_id: str, said: Mapping[str, Any]) -> bool:
    # The library keeps these long after the page is gone.
    if any(not isinstance(said.get(name, ""), str | None) or len(said.get(name) or "") > _LONGEST_ID for name in _KEPT):
        return False
    if sum(1 for _ in sio.manager.get_participants("/", page_id)) >= _MOST_OF_PAGE:
        return False
    client = Client.instances.get(page_id)
    state, page = environ["asgi.scope"]["state"], None if client is None else client.request.state
    return page is None or (page.workspace == state["workspace"] and page.session is state["session"])
