"""What a request may have of the server: its workspace's share, and no more."""

import asyncio
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from agent import working_in
from corpora import Shares
from server.access.rules import OF_THE_PAGE, client_network
from server.http.dependencies import error_response
from server.services import Services

_HEALTH = "/healthz"
# What describes the server is long: so many are told it at the same time, of an address so many; whoever reads slowly
# keeps its place no longer than that.
_AT_ONCE, _OF_ADDRESS = 4, 2
_LONGEST_S = 0.1
# Whoever hangs up leaves a request that waits for its turn or a thread, of a hundred kilobytes with its head.
_MOST_UNDER_WAY = 300


class WorkspaceShareMiddleware:
    """Lets the requests of each workspace in one after the other, and to that workspace's threads.

    Stands behind the `AccessMiddleware`; requests without a workspace count as of one, in which each address has its
    turn. `/healthz` has rounds of its own: whoever asks it gives a server up that does not answer soon. Of what else is
    open to all, but the page, few are answered at a time. Where very many of a workspace are under way, as those are
    whose caller has left, or very many strangers wait for what is open to all, more are refused.
    """

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self._app = app
        self._services = services
        self._shares = Shares(_AT_ONCE, _OF_ADDRESS)
        self._under_way = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on in its turn; a socket, whose workspace is not known yet, at once."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        workspace: str = scope.get("state", {}).get("workspace", "")
        network = client_network(HTTPConnection(scope))
        with ExitStack() as held:
            try:
                if workspace:
                    held.enter_context(self._counted(workspace))
                    await self._services.rounds.wait(workspace)
                else:
                    await self._let_in(scope["path"], network, held)
            except _TooManyError:
                scope["headers"].clear()  # nobody needs them any more, and any number may wait
                await self._services.rounds.wait("/refused", network)
                await _too_many()(scope, receive, send)
                return
            held.enter_context(working_in(self._services.threads_of(workspace)))
            await self._app(scope, receive, send)

    @contextmanager
    def _counted(self, whose: str) -> Generator[None]:
        """One of those of somebody; raises `_TooManyError`."""
        if self._under_way[whose] >= _MOST_UNDER_WAY:
            raise _TooManyError
        self._under_way[whose] += 1
        try:
            yield
        finally:
            self._under_way[whose] -= 1
            if not self._under_way[whose]:
                del self._under_way[whose]

    async def _let_in(self, path: str, network: str, held: ExitStack) -> None:
        await self._services.rounds.wait(_HEALTH if path == _HEALTH else "/", network)
        if path != _HEALTH and path not in OF_THE_PAGE:
            # Those who wait, and not those who read: whoever is there has the same address as others perhaps.
            with self._counted(f"/{network}"):
                place, answered = self._shares.ask(network), held.enter_context(ExitStack())
                answered.callback(self._shares.give_back, place)
                await asyncio.wrap_future(place.granted)
            answered.callback(asyncio.get_running_loop().call_later(_LONGEST_S, answered.close).cancel)


class _TooManyError(Exception):
    """Of one workspace, or of strangers of one network that wait."""


def _too_many() -> JSONResponse:
    problem = f"{_MOST_UNDER_WAY} requests of yours are not answered yet; send it again when some of them are."
    response = error_response(503, "TOO_BUSY", problem)
    response.headers["Retry-After"] = "1"
    return response
