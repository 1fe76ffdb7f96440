"""How a socket gets in: with a token from the start, or with a `hello` that brings one."""

import asyncio
from dataclasses import dataclass

from starlette.websockets import WebSocket, WebSocketDisconnect

from server.access.rules import Access, AccessDenied, bearer_token, client_address
from server.socket.messages import Hello, MessageError, decode

_LONGEST_HELLO = 10_000  # characters; nobody who is not known yet has more to say


@dataclass(frozen=True)
class Admission:
    """What a client said to get in.

    Attributes:
        workspace: What its token opened.
        hello: The message that brought the token, which is still to be answered.
    """

    workspace: str
    hello: str | None = None


def admit_at_once(websocket: WebSocket, access: Access) -> Admission | None:
    """Whether the address or a header says who it is; None where a hello is to say it.

    Raises:
        AccessDenied: The token opens nothing; the socket is still to be closed.
    """
    token = bearer_token(websocket)
    if not access.is_open and not token:
        return None
    return Admission(access.workspace(token, address=client_address(websocket)))


async def admit_by_hello(websocket: WebSocket, access: Access, patience_s: float) -> Admission:
    """Lets in whoever says so in its first message.

    Args:
        websocket: Accepted.
        access: What its token opens.
        patience_s: How long it may take, in seconds.

    Raises:
        AccessDenied: The token opens nothing, or there is none; the socket is still to be closed.
        WebSocketDisconnect: The client has left.
    """
    try:
        # Not `wait_for`: with a task of its own, more could come in before the client is known.
        async with asyncio.timeout(patience_s):
            first = await websocket.receive()
    except TimeoutError as error:
        raise AccessDenied from error
    if first["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(first["code"])
    text = first.get("text") or ""
    return Admission(access.workspace(_token(text), address=client_address(websocket)), text)


def _token(text: str) -> str | None:
    try:
        message = decode(text) if len(text) <= _LONGEST_HELLO else None
    except MessageError:
        return None
    return message.token if isinstance(message, Hello) else None
