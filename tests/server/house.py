"""A whole server on a loopback port: real catalog, Chroma and sockets; a scripted model."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from starlette.types import ASGIApp, Receive, Scope, Send

from agent import Assistant, ConfirmationPolicy, LocalPlanner
from agent.models.retries import Retries
from corpora import Catalog, ProjectKey
from fletcher.app import KeptStoryFile
from fletcher.connections.reader import Waits
from fletcher.loopback import bind, serving
from ingest import FolderRoots, Ingestor, Painter, ReadError, Source
from ingest.extracted import Extracted
from ingest.readers import read
from mcp_server import serve_mcp
from retrieval import Retriever, VectorStore
from server import Access, EmbeddingWorker, Limits, Services, create_app
from tests.agent.scripted_model import PATIENCE_S, ScriptedModel
from tests.empty_data import data_directory
from tests.retrieval.small_embedder import SmallEmbedder
from tests.server.client import Client, connected

_CONTEXT_TOKENS = 12_000
_MAX_MESSAGE_BYTES = 8 * 2**20
_WEB_SERVERS_OWN = ("Server.serve", "LifespanOn.main", "run_asgi", "RequestResponseCycle", "keepalive", "Protocol.")


class Readers:
    """Reads in this process; a test can hold it up."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.reading = threading.Event()

    def read(
        self, name: str, data: bytes, progress: Callable[[int, int], None] | None = None, *, workspace: str = ""
    ) -> Extracted:
        self.reading.set()
        if not self.may_go_on.wait(PATIENCE_S):
            raise ReadError("TIMEOUT", "the test never let it go on.")
        return read(name, data, progress)


class Watched:
    """The app, and when its sockets are done with."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.loop: asyncio.AbstractEventLoop | None = None
        self.sockets_done = threading.Semaphore(0)
        self._sockets: set[asyncio.Task[Any] | None] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.loop = asyncio.get_running_loop()
        is_socket = scope["type"] == "websocket"
        if is_socket:
            self._sockets.add(asyncio.current_task())
        try:
            await self._app(scope, receive, send)
        finally:
            if is_socket:
                self._sockets.discard(asyncio.current_task())
                self.sockets_done.release()

    def tasks(self) -> set[str]:
        """What runs on the server's loop now, the web server's own tasks left out."""
        assert self.loop is not None

        async def running() -> set[str]:
            return {repr(task.get_coro()) for task in _running()}

        return asyncio.run_coroutine_threadsafe(running(), self.loop).result(PATIENCE_S)

    def wait_until_idle(self) -> None:
        """Until all that clients have begun who are gone has ended."""
        if self.loop is None:  # nobody has asked for anything
            return

        async def until_idle() -> None:
            while running := _running() | set(filter(None, self._sockets)):  # an open one may begin something yet
                await asyncio.wait(running)

        asyncio.run_coroutine_threadsafe(until_idle(), self.loop).result(PATIENCE_S)
        while self.sockets_done.acquire(blocking=False):
            pass


def _running() -> set[asyncio.Task[Any]]:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    return {task for task in others if not any(name in repr(task.get_coro()) for name in _WEB_SERVERS_OWN)}


@dataclass
class House:
    """A running server and the parts that a test looks into; its clients are those of one workspace."""

    url: str
    model: ScriptedModel
    catalog: Catalog
    retriever: Retriever
    ingestor: Ingestor
    readers: Readers
    watched: Watched
    services: Services
    key: ProjectKey = field(default_factory=lambda: ProjectKey("local", "1"))
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def ws_url(self) -> str:
        return self.url.replace("http", "ws", 1) + "/ws/chat"

    def client(self, path: str = "/ws/chat", **options: object) -> contextlib.AbstractContextManager[Client]:
        """A connected client."""
        return connected(self.url.replace("http", "ws", 1) + path, **{"additional_headers": self.headers} | options)

    def http(self, **headers: str) -> httpx.Client:
        """An HTTP client with the server's address."""
        return httpx.Client(base_url=self.url, headers={**self.headers, **headers}, timeout=PATIENCE_S, trust_env=False)

    def put(self, name: str, text: str, key: ProjectKey | None = None) -> None:
        """Puts a document into the corpus, without the server."""
        self.ingestor.index(key or self.key, [Source(name, text.encode())])

    def until_embedded(self) -> None:
        """Waits until the server works at no vectors of the project any more."""
        loop = self.watched.loop
        assert loop is not None

        async def until_nobody_works() -> None:
            while await self.services.embedding.batch(self.key):
                pass

        asyncio.run_coroutine_threadsafe(until_nobody_works(), loop).result(PATIENCE_S)


@contextmanager
def house(
    path: Path,
    *script: object,
    access: Access | None = None,
    confirm: ConfirmationPolicy = "destructive",
    limits: Limits | None = None,
    context_tokens: int = _CONTEXT_TOKENS,
    local: bool = False,
    roots: Mapping[str, tuple[Path, ...]] | None = None,
    waits: Waits | None = None,
    completes: bool = True,
) -> Generator[House]:
    """Serves from the data directory `path` while the block runs.

    `local`: the planner answers, not the script. Without `completes`, nothing goes on that nobody has asked for.
    """
    model = ScriptedModel(*script)  # type: ignore[arg-type]
    directory = data_directory(path)
    with ExitStack() as opened:
        catalog = opened.enter_context(closing(Catalog(directory.catalog_url)))
        painter = opened.enter_context(Painter())
        vectors = VectorStore(directory.chroma_path)
        retriever = opened.enter_context(
            closing(Retriever(catalog, SmallEmbedder(), vectors, directory.originals, painter=painter))
        )
        readers = Readers()
        ingestor = Ingestor(catalog, directory.originals, retriever, readers)
        services = Services(
            catalog=catalog,
            retriever=retriever,
            ingestor=ingestor,
            assistant=Assistant(
                retriever,
                # A script has one answer to each request.
                LocalPlanner() if local else model.answerer(Retries(tries=1)),
                context_tokens,
            ),
            embedding=EmbeddingWorker(ingestor.embed_if_free, retriever.repair, is_complete=ingestor.is_embedded),
            roots=FolderRoots(path, roots or {}),
            confirm=confirm,
            limits=limits or Limits(call_timeout_s=PATIENCE_S, turns_per_minute=1_000_000),
        )
        app = create_app(services, access or Access(), completes=completes)
        serve_mcp(app, services, partial(KeptStoryFile, folder=path / "stories"))
        watched = Watched(app)
        url = opened.enter_context(serving(watched, _MAX_MESSAGE_BYTES, bind("127.0.0.1", 0), waits))
        opened.callback(readers.may_go_on.set)
        yield House(url, model, catalog, retriever, ingestor, readers, watched, services)
