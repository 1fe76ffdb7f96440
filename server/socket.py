"""The WebSocket endpoint: frames in and out, around a session."""

import json

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from server.access import POLICY_VIOLATION, Access, AccessDenied, bearer_token
from server.dialects import SpecDialect
from server.dialects.dialect import Frame
from server.services import Services
from server.session import Session

_NOT_TEXT = "INVALID_JSON: A message must be a text frame with one JSON object, and this was a binary frame."


async def serve_socket(websocket: WebSocket, access: Access, services: Services) -> None:
    """Talks to one client until it leaves."""
    try:
        workspace = access.workspace(bearer_token(websocket.headers, websocket.url.query))
    except AccessDenied as denied:
        await websocket.close(POLICY_VIOLATION, str(denied))
        return
    await websocket.accept()
    session = Session(_sender(websocket), SpecDialect(), workspace, services)
    try:
        await _receive_all(websocket, session)
    finally:
        await session.close()


async def _receive_all(websocket: WebSocket, session: Session) -> None:
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        await session.receive(text) if text is not None else await _sender(websocket)(
            {"type": "chat_response", "message": _NOT_TEXT}
        )


def _sender(websocket: WebSocket):
    async def send(frame: Frame) -> None:
        # One seed's client decodes ASCII, so everything else is escaped. A client that has left gets nothing more.
        if (
            websocket.client_state is WebSocketState.CONNECTED
            and websocket.application_state is WebSocketState.CONNECTED
        ):
            try:
                await websocket.send_text(json.dumps(frame, ensure_ascii=True))
            except (WebSocketDisconnect, RuntimeError):
                return

    return send
