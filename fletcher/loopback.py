"""A uvicorn server on a socket that is already bound, so that its address is known before it runs."""

import logging
import os
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from fletcher.connections.config import Config
from fletcher.connections.lines import FewLines
from fletcher.connections.reader import Waits
from fletcher.errors import CommandError

_GRACE_S = 5  # how long requests under way may go on once the server is told to end
_FEW_LINES = FewLines()
# Who logs what any client can cause.
_OF_CLIENTS = (
    *("uvicorn.error", "server.app", "python_multipart.multipart"),
    *("mcp.server.runner", "mcp.server.request_state", "mcp.server.streamable_http"),
    "mcp.server.streamable_http_manager",
)


class Server(uvicorn.Server):
    """uvicorn as we run it; `ready` is set once it answers, so that nobody has to poll.

    `on_shutdown` is called as soon as it begins to end: before its clients are waited for, unlike the app's own end.
    """

    def __init__(
        self,
        app: ASGIApp,
        max_message_bytes: int,
        on_shutdown: Callable[[], object] = lambda: None,
        waits: Waits | None = None,
    ) -> None:
        config = Config(
            app,
            waits or Waits(),
            ws_max_size=max_message_bytes,
            ws_per_message_deflate=False,  # 60 KB could be a message of 60 MiB
            log_config=None,
            log_level="warning",  # its other lines tell every address with its ?token=
            access_log=False,
            # By default uvicorn believes every program of this machine that says who asks.
            proxy_headers=bool(os.environ.get("FORWARDED_ALLOW_IPS")),
            timeout_graceful_shutdown=_GRACE_S,
        )
        for name in _OF_CLIENTS:
            logging.getLogger(name).addFilter(_FEW_LINES)
        super().__init__(config)
        self.ready = threading.Event()
        self._on_shutdown = on_shutdown

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts to answer."""
        await super().startup(sockets)
        self.ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends."""
        self._on_shutdown()
        await super().shutdown(sockets)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        CommandError: The address is in use or not ours.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        # From here on connections wait for the server instead of being refused.
        both = host == "::" and socket.has_dualstack_ipv6()
        return socket.create_server((host, port), family=family, backlog=2048, dualstack_ipv6=both)
    except OSError as error:
        reason = str(error.strerror).partition(" (while")[0]  # what was tried is said before it
        problem = f"{host}:{port} cannot be served: {reason}. Choose another --port, or stop what uses it."
        raise CommandError(problem) from error


def bind_anyhow(host: str, port: int) -> socket.socket:
    """As `bind`, with a free port where that one is in use."""
    try:
        return bind(host, port)
    except CommandError:
        return bind(host, 0)


def url_of(bound: socket.socket) -> str:
    """Where this machine reaches the socket."""
    host, port = bound.getsockname()[:2]
    host = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104  (bound to every address, so to this one)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def serving(
    app: ASGIApp,
    max_message_bytes: int,
    bound: socket.socket,
    waits: Waits | None = None,
    on_shutdown: Callable[[], object] = lambda: None,
) -> Generator[str]:
    """Serves `app` from a thread while the block runs, and calls `on_shutdown` as `Server` does; yields its URL."""
    server = Server(app, max_message_bytes, on_shutdown, waits)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, name="server", daemon=True)
    thread.start()
    server.ready.wait()
    try:
        yield url_of(bound)
    finally:
        server.should_exit = True
        thread.join()
