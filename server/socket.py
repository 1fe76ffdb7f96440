"""The WebSocket endpoint: frames in and out, around a session."""

from collections.abc import Awaitable, Callable

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from server.access import POLICY_VIOLATION, Access, AccessDenied
from server.admission import admit
from server.dialects import DIALECTS, Frame, encode
from server.services import Services
from server.session import Session


async def serve_socket(websocket: WebSocket, access: Access, services: Services) -> None:
    """Talks to one client until it leaves."""
    try:
        admission = await admit(websocket, access, services.limits.hello_timeout_s)
    except AccessDenied as denied:
        await websocket.close(POLICY_VIOLATION, str(denied))
        return
    except WebSocketDisconnect:
        return
    send = _sender(websocket)
    dialect = websocket.query_params.get("dialect")
    if dialect is not None and dialect not in DIALECTS:
        await send(_say(f"UNKNOWN_DIALECT: There is no dialect {dialect[:40]!r}. Known: {', '.join(DIALECTS)}."))
        dialect = None
    session = Session(send, dialect, admission.workspace, access, services)
    try:
        if admission.hello is not None:
            await session.receive(admission.hello)
        await _receive_all(websocket, session)
    except AccessDenied as denied:
        await websocket.close(POLICY_VIOLATION, str(denied))
    finally:
        await session.close()


async def _receive_all(websocket: WebSocket, session: Session) -> None:
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        await session.receive(message.get("text"))


def _say(text: str) -> Frame:
    return {"type": "chat_response", "message": text}


def _sender(websocket: WebSocket) -> Callable[[Frame], Awaitable[None]]:
    async def send(frame: Frame) -> None:
        # One seed's client decodes ASCII, so everything else is escaped. A client that has left gets nothing more.
        if (
            websocket.client_state is WebSocketState.CONNECTED
            and websocket.application_state is WebSocketState.CONNECTED
        ):
            try:
                await websocket.send_text(encode(frame))
            except (WebSocketDisconnect, RuntimeError):
                return

    return send
