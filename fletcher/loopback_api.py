"""The API that a long command answers on a loopback port while it owns the data directory."""

import logging
import threading
from types import TracebackType

from corpora import Ownership
from fletcher.errors import CommandError
from fletcher.loopback import Server, bind, url_of
from fletcher.settings import Settings
from fletcher.wiring import Parts

logger = logging.getLogger(__name__)


class LoopbackApi:
    """Serves the corpus to other command lines from a thread; a context manager that ends it.

    It is started when the command turns out to be long, because it brings FastAPI and the model SDKs.
    """

    def __init__(self, settings: Settings, parts: Parts, ownership: Ownership) -> None:
        self._settings = settings
        self._parts = parts
        self._ownership = ownership
        self._thread: threading.Thread | None = None
        self._server: Server | None = None
        self._closing = False
        self._guard = threading.Lock()

    def start(self) -> None:
        """Begins to serve, without waiting for it; a second time does nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="loopback-api", daemon=True)
            self._thread.start()

    def __enter__(self) -> "LoopbackApi":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._guard:
            self._closing = True
            if self._server is not None:
                self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            self._serve()
        except CommandError as error:
            logger.warning("other command lines cannot be answered while this one runs: %s", error)
        except Exception:
            logger.exception("other command lines cannot be answered while this one runs")

    def _serve(self) -> None:
        from fletcher.app import build_app
        from fletcher.wiring import build_services
        from server import Access

        listening = bind("127.0.0.1", 0)
        with listening:
            owner = self._ownership.owner
            services = build_services(self._settings, self._parts)
            with self._guard:
                if self._closing:
                    return
                owner = self._ownership.announce(url_of(listening))
                # Only command lines of this user, who read the key, know of this port.
                access = Access(tokens=self._settings.read_tokens(), owner_key=owner.key, requires_key=True)
                # The command itself embeds and shows how far it is.
                app = build_app(self._settings, services, access, completes=False)
                self._server = Server(app, self._settings.max_message_bytes)
            self._server.run(sockets=[listening])
