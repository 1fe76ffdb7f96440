"""A Chroma server as a place of vectors: what it does not do is an error of ours, in time."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

from retrieval.answer_limit import hooks
from retrieval.chroma_import import import_chroma
from retrieval.circuit_breaker import CircuitBreaker, NoAnswer, Patience
from retrieval.errors import VectorStoreUnavailable

if TYPE_CHECKING:
    from uuid import UUID

    from chromadb.api import ServerAPI

logger = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")

_CHECK = Patience(5.0, asks_again=True)
_CONNECT_S = 2.0
_READ_S = 30.0  # a server that falls silent


class ChromaServer:
    """Answers calls to the server at `url`; connects at the first. May be used from several threads."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        self._api: ServerAPI | None = None
        self._breaker: CircuitBreaker | None = None

    def call(self, work: Callable[[ServerAPI], _Answer], patience: Patience) -> _Answer:
        """What `work` makes of the server.

        Raises:
            VectorStoreUnavailable: The server does not answer, or not as a Chroma server does.
        """
        import_chroma()
        try:
            api, breaker = self._opened()
            return breaker.call(lambda: work(api), patience)
        except NoAnswer as error:
            raise self._unavailable(error) from error
        except Exception as error:  # Chroma's client raises whatever an answer that it does not understand leads to
            logger.warning("%s gave an answer that is of no use", self._name, exc_info=error)
            raise self._unavailable(error) from error

    def check(self) -> None:
        """Raise `VectorStoreUnavailable` unless the server answers now."""
        self.call(lambda api: api.heartbeat(), _CHECK)

    def let_go_of_dropped(self, *, memory: bool) -> None:
        """Nothing: what a server keeps of what was dropped is not ours to remove."""

    def remove(self, _prefix: str) -> bool:
        """A server's files are its own."""
        return False

    def uses(self, collection_id: UUID, workspace: str | None = None) -> None:
        """Nothing: what a server keeps in memory is its own."""

    def writing(self) -> AbstractContextManager[object]:
        """A server sees to its own."""
        return nullcontext()

    def asking(self, _collection_id: UUID) -> AbstractContextManager[None]:
        """A server sees to its own."""
        return nullcontext()

    def ask_first(self, _collection_id: UUID, _ask: Callable[[], object]) -> None:
        """A server sees to its own."""

    def using(self, _name: str) -> AbstractContextManager[None]:
        """A server sees to its own."""
        return nullcontext()

    def changing(self, _name: str) -> AbstractContextManager[None]:
        """A server sees to its own."""
        return nullcontext()

    def set_aside(self) -> bool:
        """A server's files are its own."""
        return False

    def end(self) -> None:
        """Whoever waits for an answer is told that there is none; what was sent may still be done."""
        if self._breaker is not None:
            self._breaker.end()

    def close(self) -> None:
        """Nothing is kept open that would have to be closed."""

    def _opened(self) -> tuple[ServerAPI, CircuitBreaker]:
        if self._api is None or self._breaker is None:
            from httpx import InvalidURL, TransportError

            self._api = _client(self._url)
            self._breaker = CircuitBreaker(self._name, self._api.heartbeat, (TransportError, InvalidURL))
        return self._api, self._breaker

    @property
    def _name(self) -> str:
        return f"the Chroma server {_without_password(self._url)}"

    def _unavailable(self, error: Exception) -> VectorStoreUnavailable:
        reason = str(error).rstrip(".") or type(error).__name__
        stop = "" if reason.endswith(("?", "!")) else "."
        return VectorStoreUnavailable(
            f"T{self._name[1:]} failed: {reason}{stop} Check that it runs and that FLETCHER_CHROMA_URL is its address; "
            "what it holds can be made anew with: fletcher reindex"
        )


def _client(url: SplitResult) -> ServerAPI:
    """Chroma's client for HTTP, without what goes around it: that asks the server before a limit can be set."""
    from chromadb.api.fastapi import FastAPI
    from chromadb.config import Settings, System
    from httpx import Timeout

    headers: dict[str, str] = {}
    if url.username is not None:  # for a proxy that asks for it: Chroma itself asks nobody
        credentials = f"{unquote(url.username)}:{unquote(url.password or '')}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(credentials).decode()}"
    settings = Settings(
        _env_file=None,  # pyright: ignore[reportCallIssue] - that of the folder we happen to run in has no say
        anonymized_telemetry=False,
        chroma_api_impl="chromadb.api.fastapi.FastAPI",
        chroma_server_host=_without_password(url),
        chroma_server_http_port=url.port or (443 if url.scheme == "https" else 80),
        chroma_server_ssl_enabled=url.scheme == "https",
        chroma_server_headers=headers,
    )
    client = FastAPI(System(settings))
    # No setting leads there, and as it comes it waits for ever and reads whatever comes.
    session = client._session  # pyright: ignore[reportPrivateUsage]
    session.timeout = Timeout(_READ_S, connect=_CONNECT_S)
    session.event_hooks = hooks()
    return client


def _without_password(url: SplitResult) -> str:
    return url._replace(netloc=url.netloc.rpartition("@")[2]).geturl()
