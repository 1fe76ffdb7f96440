"""The socket of an open page: what comes over it is limited as requests are, before the page's library sees it."""

import re
from functools import partial

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.websockets import WebSocketClose

from server import Services
from server.limits.places import Places
from server.socket.endpoint import take_long_messages

_POLICY_VIOLATION = 1008
# A page has one, and another one while it connects again.
_MOST_SOCKETS, _MOST_OF_WORKSPACE = 400, 200
# What a page sends: answers to a ping, and messages as JSON. The library's protocol has also messages in binary parts,
# of which it would keep as many as somebody announces.
_KNOWN = re.compile(r"2probe|3|4[0-3]")
# In a socket's state: nothing of it is read any more.
OVER = "is_over"
_END: Message = {"type": "websocket.disconnect", "code": _POLICY_VIOLATION}


class SocketLimits:
    """Those of one server.

    Args:
        services: Let the messages of each workspace in one after the other, and have the room for long ones.
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
            take_long_messages(connection, self._services.json_room, workspace)
            await library(connection.scope, partial(self._next, connection, receive), send)
        finally:
            self._open.give_back(workspace)

    async def _next(self, connection: HTTPConnection, receive: Receive) -> Message:
        if OVER in connection.scope["state"]:
            return _END
        message = await receive()
        if message["type"] != "websocket.receive":
            return message
        if not _KNOWN.match(message.get("text") or ""):
            return _END
        await self._services.rounds.wait(connection.state.workspace)
        return message
