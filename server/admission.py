"""How a socket gets in: with a token from the start, or with a `hello` that brings one."""

import asyncio
from dataclasses import dataclass

from starlette.websockets import WebSocket, WebSocketDisconnect

from server.access import Access, AccessDenied, bearer_token
from server.messages import Hello, MessageError, decode

_LONGEST_HELLO = 10_000  # characters; nobody who is not known yet has more to say


@dataclass(frozen=True)
class Admission:
    """An open socket.

    Attributes:
        workspace: What its token opened.
        hello: The message that brought the token, which is still to be answered.
    """

    workspace: str
    hello: str | None = None


async def admit(websocket: WebSocket, access: Access, patience_s: float) -> Admission:
    """Opens the socket.

    Args:
        websocket: Not accepted yet.
        access: What its token opens.
        patience_s: How long a client without a token may take to say hello with one, in seconds.

    Raises:
        AccessDenied: The token opens nothing, or there is none; the socket is still to be closed.
        WebSocketDisconnect: The client has left.
    """
    token = bearer_token(websocket.headers, websocket.url.query)
    if token is not None or access.is_open:
        workspace = access.workspace(token)
        await websocket.accept()
        return Admission(workspace)
    await websocket.accept()
    try:
        first = await asyncio.wait_for(websocket.receive(), patience_s)
    except TimeoutError as error:
        raise AccessDenied from error
    if first["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(first["code"])
    text = first.get("text") or ""
    return Admission(access.workspace(_token(text)), text)


def _token(text: str) -> str | None:
    try:
        message = decode(text) if len(text) <= _LONGEST_HELLO else None
    except MessageError:
        return None
    return message.token if isinstance(message, Hello) else None
