"""The page's place in the application: its addresses, who is let in, and its library, loaded at the first page."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, PlainTextResponse
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from server import Access, AccessDenied, Services, while_connected
from workbench.access.sign_in import SIGN_IN, has_token, sign_in, sign_in_form
from workbench.access.socket_limits import SocketLimits

_ICON = "/favicon.ico"
_PAGES = ("/", SIGN_IN, _ICON)
_LIBRARY = "/_nicegui/"
_FILES_AT_ONCE, _HANDED_OUT_S = 8, 2.0  # of a workspace, each for so long at most
_SOCKET = "/_nicegui_ws/"
_POLICY_VIOLATION = 1008
_PIECE = 2**16  # bytes
_PAGE_S = 0.04  # in which a page is made
_UNANSWERED = "No response returned."
# The library compiles its templates in the browser. Whatever it is told, it can ask nobody but this server.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
}


def mount(app: FastAPI, services: Services, access: Access) -> None:
    """Lets `app` answer `/` over HTTP with the page; its sockets at `/` stay what they are."""
    page = _Page(services, access)
    app.router.routes.append(page)
    lifespan = app.router.lifespan_context

    @asynccontextmanager
    async def with_page(of: FastAPI) -> AsyncGenerator[None]:
        async with page.opened, lifespan(of):
            yield

    app.router.lifespan_context = with_page


class _Page(BaseRoute):
    """Hands what is the page's to its library, with its addresses as they are."""

    def __init__(self, services: Services, access: Access) -> None:
        self.opened = AsyncExitStack()
        self._services = services
        self._access = access
        self._sockets = SocketLimits(services)
        self._loading = asyncio.Lock()
        self._handing_out: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._shell: ASGIApp | None = None

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """The page's addresses; over a WebSocket only the library's own."""
        path: str = scope.get("path", "")
        is_ours = (scope["type"] == "http" and (path in _PAGES or path.startswith(_LIBRARY))) or (
            scope["type"] == "websocket" and path.startswith(_SOCKET)
        )
        return (Match.FULL if is_ours else Match.NONE), {}

    def url_path_for(self, name: str, /, **path_params: Any) -> Any:
        """No address of the page is asked for by a name."""
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, with headers that let no other site show the page."""
        if scope["type"] == "websocket":
            await self._talk(scope, receive, send)
            return
        request = Request(scope, receive)
        answer = await self._answer(request)
        if request.method in ("GET", "HEAD") and scope["path"].startswith(_LIBRARY):
            answer = partial(self._hand_out, answer)
        if request.method == "POST" and answer is self._shell:
            receive = await _received(request, receive)
        try:
            await answer(scope, receive, _with_headers(send))
        except RuntimeError as error:
            # The library's middleware takes it for its own fault when whoever asked has left before the answer.
            if str(error) != _UNANSWERED or not await request.is_disconnected():
                raise

    async def _hand_out(self, answer: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """One of the library's files, whole: each is compressed anew, in threads that are everybody's. Or a story."""
        workspace: str = scope.get("state", {}).get("workspace", "")
        several = self._handing_out.setdefault(workspace, asyncio.Semaphore(_FILES_AT_ONCE))
        headers = [(name, value) for name, value in scope["headers"] if name != b"range"]
        await several.acquire()
        place = ExitStack()  # can be closed twice
        place.callback(several.release)
        # Whoever reads slowly keeps none of the others of the workspace waiting.
        longest = asyncio.get_running_loop().call_later(_HANDED_OUT_S, place.close)
        try:
            await answer({**scope, "headers": headers}, receive, send)
        finally:
            longest.cancel()
            place.close()

    async def _answer(self, request: Request) -> ASGIApp:
        path = request.scope["path"]
        if path == SIGN_IN:
            return await sign_in(request, self._access, self._services.rounds)
        if path in ("/", _ICON) and request.method not in ("GET", "HEAD"):
            problem = f"{path} is asked with GET or HEAD, and not with {request.method}."
            return PlainTextResponse(problem, 405, {"Allow": "GET, HEAD"})
        if path == _ICON:  # the form to sign in asks for it as well, and needs nothing of the library
            return FileResponse(Path(__file__).parent / "frame" / "icon.svg", media_type="image/svg+xml")
        if path == "/":
            # The page's own connection would not have it; and a link would sign a browser in as whoever has sent it.
            if not self._access.is_open and has_token(request):
                return sign_in_form(request, AccessDenied())
            try:
                request.state.workspace, request.state.is_owner = self._access.admit(request)
                request.state.session = self._access.session(request)
            except AccessDenied as denied:
                return sign_in_form(request, denied)
            pace = self._services.paces[request.state.workspace]
            await while_connected(request, pace.wait())
            pace.handled(_PAGE_S)
        return await self._loaded()

    async def _talk(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        try:
            connection.state.workspace, _ = self._access.admit(connection)
            connection.state.session = self._access.session(connection)
        except AccessDenied:
            await WebSocketClose(_POLICY_VIOLATION)(scope, receive, send)
            return
        shell = await self._loaded()  # also for a page of a server before this one, which hears that it is to load anew
        signed_in = self._while_signed_in(connection, receive)
        await self._sockets.talk(shell, connection, signed_in, send)

    def _while_signed_in(self, connection: HTTPConnection, receive: Receive) -> Receive:
        """What comes over a socket, which is at its end as soon as the session is that opened it."""
        session = self._access.session(connection)
        if session is None:
            return receive

        async def receive_while() -> Message:
            both = asyncio.ensure_future(receive()), asyncio.ensure_future(session.ended.wait())
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                is_over = self._access.session(connection) is not session
                return {"type": "websocket.disconnect", "code": _POLICY_VIOLATION} if is_over else both[0].result()
            finally:
                for waiting in both:
                    waiting.cancel()

        return receive_while

    async def _loaded(self) -> ASGIApp:
        async with self._loading:
            if self._shell is None:
                shell = await asyncio.to_thread(_load, self._services, self._access)
                await self.opened.enter_async_context(shell.router.lifespan_context(shell))
                self._shell = shell
        return self._shell


async def _received(request: Request, receive: Receive) -> Receive:
    """The body as a whole, so that what is wrong with it is answered as everywhere else, and not by the library."""
    body = await request.body()
    starts = iter(range(0, max(1, len(body)), _PIECE))

    async def again() -> Message:
        start = next(starts, None)
        if start is None:
            return await receive()
        await asyncio.sleep(0)  # a form is taken apart byte by byte
        end = start + _PIECE
        return {"type": "http.request", "body": body[start:end], "more_body": end < len(body)}

    return again


def _load(services: Services, access: Access) -> FastAPI:
    # The library would read what it keeps, which is nothing here, in the folder that the server was started in; that is
    # somebody else's project perhaps.
    os.environ["NICEGUI_STORAGE_PATH"] = os.devnull
    # Here, because it takes a second and some 40 MB that a server without pages can do without.
    from workbench.shell import make_shell

    return make_shell(services, access)


def _with_headers(send: Send) -> Send:
    async def send_with(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return send_with
