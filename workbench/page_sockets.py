"""Which page a socket may speak for: one of its own workspace, and from then on that one alone."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from nicegui import Client
from nicegui.core import sio
from socketio import exceptions

from server.browser_sessions import BrowserSession

_Handler = Callable[..., Any]
# The library knows a page by its random id alone, whoever names it.
_OF_A_PAGE = ("event", "javascript_response", "ack", "log")

_FORGET = "sessionStorage.clear(); window.onbeforeunload = null"  # what a browser keeps of a page


def keep_pages_apart() -> None:
    """Puts the rule before what the library does with a socket's messages."""
    handlers: dict[str, _Handler] = sio.handlers["/"]
    sio.on("connect", _connecting(handlers["connect"]))
    sio.on("handshake", _joining(handlers["handshake"]))
    for name in _OF_A_PAGE:
        sio.on(name, _speaking(handlers[name]))


async def leave_pages(session: BrowserSession) -> None:
    """Ends every page of the session, with what is under way there; its browser goes to where a token is asked for."""
    for client in list(Client.instances.values()):
        if getattr(client.request.state, "session", None) is session:
            await sio.emit("run_javascript", {"code": _FORGET}, room=client.id)
            await sio.emit("open", {"path": "/", "new_tab": False}, room=client.id)
            client.delete()


def forget_unseen_page(workspace: str) -> None:
    """Ends the workspace's oldest page that no browser has shown: a monitor asked for it, or the preview of a link."""
    waiting = [client for client in Client.instances.values() if _is_unseen(client, workspace)]
    if len(waiting) > 1:  # the last one is about to be answered
        waiting[0].delete()


def _is_unseen(client: Client, workspace: str) -> bool:
    is_own = getattr(client.request.state, "workspace", None) == workspace
    return is_own and client.environ is None and not client.has_socket_connection


def _connecting(connect: _Handler) -> _Handler:
    async def checked(socket_id: str, environ: dict[str, Any], auth: Any = None) -> None:
        page_id = parse_qs(environ["QUERY_STRING"]).get("client_id", [""])[0]
        if not _may_join(environ, page_id):
            raise exceptions.ConnectionRefusedError(
                "Implicit handshake failed"
            )  # the words at which a browser loads anew
        await connect(socket_id, environ, auth)

    return checked


def _joining(handshake: _Handler) -> _Handler:
    async def checked(socket_id: str, data: dict[str, Any]) -> bool:
        return _may_join(sio.get_environ(socket_id), data["client_id"]) and await handshake(socket_id, data)

    return checked


def _speaking(handle: _Handler) -> _Handler:
    def checked(socket_id: str, message: dict[str, Any]) -> None:
        if message["client_id"] in sio.rooms(socket_id):
            handle(socket_id, message)

    return checked


def _may_join(environ: Any, page_id: str) -> bool:
    client = Client.instances.get(page_id)
    workspace: str = environ["asgi.scope"]["state"]["workspace"]
    return client is None or client.request.state.workspace == workspace
