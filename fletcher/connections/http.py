"""Requests: their heads come in time and are short, and few wait for an answer."""

import json
from asyncio import TimerHandle, Transport
from asyncio.transports import BaseTransport
from typing import TYPE_CHECKING, cast

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from fletcher.connections.incoming import MOST_SMALL, SMALL, Flow, Incoming
from fletcher.connections.reader import Reader, WatchesReader

if TYPE_CHECKING:
    from fletcher.connections.config import Config

_LONGEST_HEAD = 64 * 2**10
_MOST_LINES = 200  # each takes two hundred bytes and more, however short it is
# Requests of a connection that wait for the answer to another; each is kept whole in memory.
_MOST_WAITING = 20


def refuse(transport: Transport, status: bytes, code: str, message: str) -> None:
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    transport.write(
        b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%b"
        % (status, len(body), body)
    )
    transport.close()


class _TooManyWaiting(Exception):
    """A client has sent too many requests before it had any answer."""


class _TooManyLines(Exception):
    """A head, or what follows a body, has too many."""


class Http(WatchesReader, HttpToolsProtocol):
    """Answers 408 where the head of a request takes too long, and 431 where it has too many bytes.

    Few requests may wait for the answer to another one. Who goes on with a request that is answered already may do so
    for as long as a head may take, and not in small pieces.
    """

    config: "Config"
    cycle: RequestResponseCycle | None  # type: ignore[assignment]

    def connection_made(self, transport: BaseTransport) -> None:  # type: ignore[override]
        super().connection_made(cast("Transport", transport))
        self._reader = Reader(self.transport, self.config.waits.reader_s, self.transport.abort)
        self._incoming = Incoming(
            self.transport, self.config.turns, self._take_apart, lambda: self.flow.read_paused, self._client
        )
        self.flow = Flow(self.transport, self._incoming)
        self.url = b""  # uvicorn has none before a request begins
        self._neither_head_nor_body = 0
        self._lines = 0  # of the head that is coming
        self._small_pieces = 0.0  # of a request that is answered already
        self._head_timer: TimerHandle | None = None
        self._answered: RequestResponseCycle | None = None  # or being answered
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_head()
        self._reader.keeps_up()
        self.pipeline.clear()
        if self._answered is not None:  # uvicorn tells only the last request, which may still wait
            self._answered.disconnected = True
            self._answered.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._incoming.comes(data)

    def _take_apart(self, data: bytes) -> None:
        self._neither_head_nor_body += len(data)
        super().data_received(data)
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._has_head()
            self._incoming.drop()
        elif self._neither_head_nor_body > _LONGEST_HEAD:
            self._refuse_head()
        elif self.cycle is not None and not self.cycle.response_complete:
            self._has_head()
        elif self._head_timer is None:
            self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._incoming.pieces += 1
        self._lines += 1
        if self._lines > _MOST_LINES:
            raise _TooManyLines  # the parser stops there, and uvicorn calls `send_400_response`
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._neither_head_nor_body = self._lines = 0
        self._small_pieces = 0
        if len(self.pipeline) >= _MOST_WAITING:
            raise _TooManyWaiting  # the parser stops there, and uvicorn answers 400 and closes
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Says what is too long; uvicorn's own sentence for whatever else is no request."""
        is_head = len(self.url) >= _LONGEST_HEAD or self._lines > _MOST_LINES
        self._refuse_head() if is_head else super().send_400_response(msg)

    def handle_websocket_upgrade(self) -> None:
        """Not before all is answered: who writes an answer is told by this connection, not by a socket, to wait."""
        if self.cycle is None or self.cycle.response_complete:
            super().handle_websocket_upgrade()
        else:
            self._refuse(
                b"400 Bad Request", "BAD_REQUEST", "Ask for a socket once all that you asked before is answered."
            )

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.pipeline:  # uvicorn reads on after every answer, however many requests wait
            self.flow.pause_reading()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def on_body(self, body: bytes) -> None:
        self._neither_head_nor_body = 0
        self._incoming.pieces += 1
        if self.cycle is None or self.cycle.response_complete:
            self._small_pieces = max(0, self._small_pieces + 1 - len(body) / SMALL)
            if self._small_pieces > MOST_SMALL:
                self.transport.close()
        super().on_body(body)

    def _client(self) -> str | None:
        """Whose the last request was that the app has let in, if it is one of those that have to show whose."""
        return None if self._answered is None else self._answered.scope.get("state", {}).get("workspace")

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.config.waits.head_s, self._is_late)

    def _has_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _is_late(self) -> None:
        self._head_timer = None
        if self._neither_head_nor_body:
            self._refuse(
                b"408 Request Timeout", "REQUEST_TIMEOUT", "The head of the request came too slowly; send it again."
            )
        else:  # nothing came at all, or only the rest of what was answered already
            self.transport.close()

    def _refuse_head(self) -> None:
        message = "The head of the request has more than 64 KiB; most of it is its address: send less in that."
        if self._lines > _MOST_LINES:
            message = f"The head of the request has more than {_MOST_LINES} lines; send fewer header fields."
        self._refuse(b"431 Request Header Fields Too Large", "HEAD_TOO_LARGE", message)

    def _refuse(self, status: bytes, code: str, message: str) -> None:
        self._has_head()
        if not self.transport.is_closing():
            refuse(self.transport, status, code, message)
