"""The socket of an open page: what comes over it is limited as requests are, and what waits to be read there."""

import re
from collections.abc import Callable
from functools import partial
from sys import getsizeof
from time import thread_time

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.websockets import WebSocketClose

from server import Services
from server.limits.places import Places
from server.limits.room import Room, Sender
from server.socket.endpoint import take_long_messages

_POLICY_VIOLATION = 1008
# A page has one, and another one while it connects again.
_MOST_SOCKETS, _MOST_OF_WORKSPACE = 400, 200
_MOST_UNREAD = 32 * 2**20  # of one, in bytes as they are in memory
# What a page sends: answers to a ping, and messages as JSON. The library's protocol has also messages in binary parts,
# of which it would keep as many as somebody announces.
_KNOWN = re.compile(r"2probe|3|4[0-3]")
# In a socket's state: nothing of it is read any more.
OVER = "is_over"
# There as well: its `Unread`.
UNREAD = "unread"
# And the time in which the event loop had computed when the last message was let in.
_BEGAN = "began"
# What a message begins with, as the library writes it.
_MESSAGE = "4"
_END: Message = {"type": "websocket.disconnect", "code": _POLICY_VIOLATION}


class Unread:
    """What is said over a socket of a page and not read yet: where it finds no room, the socket is at its end.

    Args:
        room: Where it counts, with what is sent and answered.
        workspace: Whose it is.
        end: Ends the socket.
    """

    def __init__(self, room: Room, workspace: str, end: Callable[[], object]) -> None:
        self._sender = Sender(room, workspace, self._leave)
        self._end = end
        self._size = 0
        self._is_over = False

    def waits(self, said: str) -> None:
        """A message is to be sent."""
        self._count(getsizeof(said))

    def is_read(self, said: str) -> None:
        """One that waited is on its way."""
        self._count(-getsizeof(said))

    def free(self) -> None:
        """Nobody reads any more."""
        self._sender.free()

    def _count(self, size: int) -> None:
        self._size += size
        if self._is_over:
            return
        if self._size > _MOST_UNREAD:
            self._sender.leave()
        elif not self._sender.has_room(self._size):
            self._leave()

    def _leave(self) -> None:
        self._is_over = True
        self._end()


class SocketLimits:
    """Those of one server.

    Args:
        services: Let the messages of each workspace in one after the other, at its pace, and have room for long ones.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._open = Places(_MOST_SOCKETS, _MOST_OF_WORKSPACE)

    async def talk(self, library: ASGIApp, connection: HTTPConnection, receive: Receive, send: Send) -> None:
        """Lets the library answer the socket of somebody who was let in: its `state.workspace` says as whom."""
        workspace: str = connection.state.workspace
        if not self._open.take(workspace):
            await WebSocketClose(_POLICY_VIOLATION)(connection.scope, receive, send)
            return
        try:
            take_long_messages(connection, partial(self._sender, connection))
            await library(connection.scope, partial(self._next, connection, receive), partial(_say, connection, send))
        finally:
            self._handled(connection)
            if UNREAD in connection.scope["state"]:
                connection.state.unread.free()
            self._open.give_back(workspace)

    def _sender(self, connection: HTTPConnection, end: Callable[[], object]) -> Sender:
        """Counts what comes over the socket; what is not read there counts as well."""
        room, workspace = self._services.json_room, connection.state.workspace
        connection.scope["state"][UNREAD] = Unread(room, workspace, end)
        return Sender(room, workspace, end)

    def _handled(self, connection: HTTPConnection) -> None:
        if (began := connection.scope["state"].pop(_BEGAN, None)) is not None:
            self._services.paces[connection.state.workspace].handled(thread_time() - began)

    async def _next(self, connection: HTTPConnection, receive: Receive) -> Message:
        workspace: str = connection.state.workspace
        self._handled(connection)  # what a message leads to is done when the next one is asked for
        if OVER in connection.scope["state"]:
            return _END
        message = await receive()
        if message["type"] != "websocket.receive":
            return message
        if not _KNOWN.match(message.get("text") or ""):
            return _END
        await self._services.rounds.wait(workspace)
        await self._services.paces[workspace].wait()
        connection.scope["state"][_BEGAN] = thread_time()
        return message


async def _say(connection: HTTPConnection, send: Send, message: Message) -> None:
    await send(message)
    said = message.get("text") or ""
    if said.startswith(_MESSAGE) and UNREAD in connection.scope["state"]:
        await connection.state.until_read()
        connection.state.unread.is_read(said)
