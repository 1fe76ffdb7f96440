"""The WebSocket endpoint: frames in and out, around a session."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from agent import working_in
from server.access.admission import Admission, admit_at_once, admit_by_hello
from server.access.rules import POLICY_VIOLATION, Access, AccessDenied, client_address, client_network
from server.dialects import DIALECTS, Frame, encode
from server.limits.connection_limit import TRY_AGAIN_LATER, ConnectionLimit, TooManyConnections
from server.limits.pace import Pace
from server.limits.room import Sender
from server.services import Services
from server.socket.open_editor import OpenEditor


async def serve_socket(websocket: WebSocket, access: Access, limit: ConnectionLimit, services: Services) -> None:
    """Talks to one client until it leaves, which it may do while it is told why it must."""
    with suppress(WebSocketDisconnect):
        await _serve(websocket, access, limit, services)


async def _serve(websocket: WebSocket, access: Access, limit: ConnectionLimit, services: Services) -> None:
    try:
        admission = admit_at_once(websocket, access)
        if admission is not None:
            await services.rounds.wait(admission.workspace)
        else:
            await services.rounds.wait("/ws", client_network(websocket))
            async with limit.unknown(client_network(websocket)):
                await websocket.accept()
                admission = await admit_by_hello(websocket, access, services.limits.hello_timeout_s)
        with limit.known(admission.workspace):
            if websocket.application_state is WebSocketState.CONNECTING:
                await websocket.accept()
            take_long_messages(websocket, partial(Sender, services.json_room, admission.workspace))
            await _talk(websocket, access, admission, services)
    except AccessDenied as denied:
        await websocket.close(POLICY_VIOLATION, str(denied))
    except TooManyConnections as refused:
        if websocket.application_state is WebSocketState.CONNECTING:
            await websocket.accept()  # only an open socket can be told why
        await websocket.close(TRY_AGAIN_LATER, str(refused))


async def _talk(websocket: WebSocket, access: Access, admission: Admission, services: Services) -> None:
    send = _sender(websocket, services.paces[admission.workspace])
    dialect = websocket.query_params.get("dialect")
    if dialect is not None and dialect not in DIALECTS:
        await send(_say(f"UNKNOWN_DIALECT: There is no dialect {dialect[:40]!r}. Known: {', '.join(DIALECTS)}."))
        dialect = None

    def workspace_of(token: str) -> str:
        return access.workspace(token, address=client_address(websocket))

    session = OpenEditor(send, dialect, admission.workspace, workspace_of, services)
    try:
        with services.editors.present(session):
            if admission.hello is not None:
                await session.receive(admission.hello)
            while (message := await websocket.receive())["type"] != "websocket.disconnect":
                message.pop("bytes", None)  # neither is kept until the next one comes
                with working_in(services.threads_of(session.workspace)):
                    await session.receive(message.pop("text", None))
    finally:
        await session.close()


def take_long_messages(connection: HTTPConnection, sender: Callable[[Callable[[], object]], Sender]) -> None:
    """Our web server takes hardly more than a hello before it is told that the client is known."""
    take = getattr(connection.state, "take_long_messages", lambda _: None)
    take(sender)


def _say(text: str) -> Frame:
    return {"type": "chat_response", "message": text}


def _sender(websocket: WebSocket, pace: Pace) -> Callable[[Frame], Awaitable[None]]:
    async def send(frame: Frame) -> None:
        # Some clients decode only ASCII, so everything else is escaped. A client that has left gets nothing more.
        if (
            websocket.client_state is WebSocketState.CONNECTED
            and websocket.application_state is WebSocketState.CONNECTED
        ):
            with pace.holding():
                text = encode(frame)
            try:
                await websocket.send_text(text)
            except (WebSocketDisconnect, RuntimeError):
                return

    return send
