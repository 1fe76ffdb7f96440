"""The socket of an open page: what comes over it is limited as requests are, and what waits to be read there."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from sys import getsizeof

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.websockets import WebSocketClose

from server import Services
from server.limits.pace import Pace
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
        services: Let the messages of each workspace in one after the other, and have the room for long ones.
        paces: Let the next of a workspace in once the event loop has rested.
    """

    def __init__(self, services: Services, paces: Mapping[str, Pace]) -> None:
        self._services = services
        self._open = Places(_MOST_SOCKETS, _MOST_OF_WORKSPACE)
        self._paces = paces

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
            if UNREAD in connection.scope["state"]:
                connection.state.unread.free()
            self._open.give_back(workspace)

    def _sender(self, connection: HTTPConnection, end: Callable[[], object]) -> Sender:
        """Counts what comes over the socket; what is not read there counts as well."""
        room, workspace = self._services.json_room, connection.state.workspace
        connection.scope["state"][UNREAD] = Unread(room, workspace, end)
        return Sender(room, workspace, end)

    async def _next(self, connection: HTTPConnection, receive: Receive) -> Message:
        if OVER in connection.scope["state"]:
            return _END
        message = await receive()
        if message["type"] != "websocket.receive":
            return message
        if not _KNOWN.match(message.get("text") or ""):
            return _END
        workspace: str = connection.state.workspace
        await self._services.rounds.wait(workspace)
        await self._paces[workspace].wait()
        return message


async def _say(connection: HTTPConnection, send: Send, message: Message) -> None:
    await send(message)
    said = message.get("text") or ""
    if said.startswith(_MESSAGE) and UNREAD in connection.scope["state"]:
        await connection.state.until_read()
        connection.state.unread.is_read(said)
