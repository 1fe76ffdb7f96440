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

_LONGEST_HEAD = 64 * 2**10  # a search may have most of it in its address's query
# One that asks for a socket is taken apart once more, slowly; the cookies of everything on a machine may be in it.
_LONGEST_OF_SOCKET = 16 * 2**10
_LONGEST_LINE = 8 * 2**10  # and path; a socket's may be no longer
# Of the fields by which a socket is asked for: the library takes them apart word by word, slowly.
_LONGEST_OPTIONS = 256
_OPTIONS = (b"connection", b"upgrade", b"sec-websocket-extensions", b"sec-websocket-protocol")
_MOST_LINES = 200  # each takes two hundred bytes and more, however short it is
_MOST_PARAMETERS = 200
_MOST_PARTS = 300  # of a path: a document's name may have 250, and a file is looked for in the square of their time
_TOO_LONG = "more than 64 KiB; send less in its address and cookies"
_LONG_LINE = "a header field, or a path, of more than 8 KiB; send less in that"
_LONG_COOKIES = (
    "more than 8 KiB of cookies. Browsers send those of everything on a machine, whatever its port: delete this "
    "machine's in the browser's settings, or ask it by another name (127.0.0.1 for localhost)"
)
_TOO_LONG_OF_SOCKET = "more than 16 KiB, which is too much for a socket's; send fewer header fields or cookies"
_LONG_OPTIONS = f"more than {_LONGEST_OPTIONS} bytes in the fields that ask for a socket; send less in them"
_TOO_MANY_LINES = f"more than {_MOST_LINES} lines; send fewer header fields"
_TOO_MANY_PARTS = f"more than {_MOST_PARTS} parts in its address's path; send fewer"
_TOO_MANY_PARAMETERS = f"more than {_MOST_PARAMETERS} parameters in its address; send fewer"
_BLANK_LINE = b"\r\n\r\n"
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


class _HeadTooLarge(Exception):
    """Of something there is too much in a head, or in what follows a body."""


class Http(WatchesReader, HttpToolsProtocol):
    """Answers 408 where the head of a request takes too long, and 431 where it is too large.

    Few requests may wait for the answer to another one. Who goes on with a request that is answered already may do so
    for as long as a head may take, and not in small pieces.
    """

    config: "Config"
    cycle: RequestResponseCycle | None  # type: ignore[assignment]

    def connection_made(self, transport: BaseTransport) -> None:  # type: ignore[override]
        super().connection_made(cast("Transport", transport))
        self._reader = Reader(self.transport, self.config.waits.reader_s, self.transport.abort)
        self._incoming = Incoming(
            self.transport, self.config.turns, self._take_apart, self._is_held, self._client, self._head_in
        )
        self.flow = Flow(self.transport, self._incoming)
        self.url = b""  # uvicorn has none before a request begins
        self._neither_head_nor_body = 0
        self._lines = 0  # of the head that is coming
        self._too_large: str | None = None  # what of it is
        self._asks_for_socket = False
        self._small_pieces = 0.0  # of a request that is answered already
        self._head_timer: TimerHandle | None = None
        self._answered: RequestResponseCycle | None = None  # or being answered
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_head()
        self._reader.keeps_up()
        begun = [*(cycle for cycle, _ in self.pipeline), self._answered, self.cycle]
        self.pipeline.clear()
        if self._answered is not None:  # uvicorn tells only the last request, which may still wait
            self._answered.disconnected = True
            self._answered.message_event.set()
        super().connection_lost(exc)
        # What has come is kept no longer than whoever works on it does: these refer to each other, and are seldom
        # looked through.
        self._incoming.drop()
        for cycle in filter(None, begun):
            cycle.body = bytearray()
        self.headers = []
        self.scope = self.cycle = self._answered = None  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        self._incoming.comes(data)

    def _head_in(self, part: bytes) -> int:
        """The length of the head that a part begins with, or goes on with, as far as it is there.

        Of many heads that come together nobody is to wait for all.
        """
        is_of_head = self.cycle is None or (self.cycle.response_complete and not self.cycle.more_body)
        return end + len(_BLANK_LINE) if is_of_head and (end := part.find(_BLANK_LINE)) >= 0 else len(part)

    def _take_apart(self, data: bytes) -> None:
        self._neither_head_nor_body += len(data)
        super().data_received(data)
        self._incoming.head = self._neither_head_nor_body
        if self.transport.is_closing() or self not in self.connections:
            self._has_head()
            self._incoming.drop()
        elif self._neither_head_nor_body > _LONGEST_HEAD:
            self._refuse_head(_TOO_LONG)
        elif self.cycle is not None and not self.cycle.response_complete:
            self._has_head()
        elif self._head_timer is None:
            self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._incoming.pieces += 1
        self._lines += 1
        if self._lines > _MOST_LINES:
            self._too_large = _TOO_MANY_LINES
            raise _HeadTooLarge  # the parser stops there, and uvicorn calls `send_400_response`
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._neither_head_nor_body = self._lines = 0
        self._small_pieces = 0
        self._too_large = self._found_too_large()
        if self._too_large is not None:
            raise _HeadTooLarge
        if len(self.pipeline) >= _MOST_WAITING:
            raise _TooManyWaiting  # the parser stops there, and uvicorn answers 400 and closes
        super().on_headers_complete()
        if not self._asks_for_socket:
            self.url, self.headers = b"", []  # all of it is in the scope, which others let go

    def send_400_response(self, msg: str) -> None:
        """Says what is too large; uvicorn's own sentence for whatever else is no request."""
        self._refuse_head(self._too_large) if self._too_large is not None else super().send_400_response(msg)

    def _found_too_large(self) -> str | None:
        """What a head has too much of, before anything of it is decoded."""
        path, _, query = self.url.partition(b"?")
        lines = [len(path), *(len(name) + len(value) for name, value in self.headers)]
        size = sum(lines) + len(query)
        if size > _LONGEST_HEAD:
            return _TOO_LONG
        if max(lines) > _LONGEST_LINE:
            cookies = sum(len(name) + len(value) for name, value in self.headers if name == b"cookie")
            return _LONG_COOKIES if cookies > _LONGEST_LINE else _LONG_LINE
        if path.count(b"/") + path.upper().count(b"%2F") > _MOST_PARTS:
            return _TOO_MANY_PARTS
        if query.count(b"&") >= _MOST_PARAMETERS:
            return _TOO_MANY_PARAMETERS
        if sum(len(value) for name, value in self.headers if name in _OPTIONS) > _LONGEST_OPTIONS:
            return _LONG_OPTIONS
        self._asks_for_socket = super()._should_upgrade()
        return _TOO_LONG_OF_SOCKET if size > _LONGEST_OF_SOCKET and self._asks_for_socket else None

    def _should_upgrade(self) -> bool:
        """As its head said; uvicorn would look through that again at each chunk of a body."""
        return self._asks_for_socket

    def handle_websocket_upgrade(self) -> None:
        """Not before all is answered: who writes an answer is told by this connection, not by a socket, to wait."""
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.get_write_buffer_size():
            super().handle_websocket_upgrade()
        else:
            self._refuse(
                b"400 Bad Request",
                "BAD_REQUEST",
                "Ask for a socket once you have read the answers to what you asked before.",
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

    def _is_held(self) -> bool:
        """Whether nothing more is read: the app is still to take what came, or a socket reads now."""
        return self.flow.read_paused or self not in self.connections

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

    def _refuse_head(self, too_large: str) -> None:
        message = f"The head of the request has {too_large}."
        self._refuse(b"431 Request Header Fields Too Large", "HEAD_TOO_LARGE", message)

    def _refuse(self, status: bytes, code: str, message: str) -> None:
        self._has_head()
        if not self.transport.is_closing():
            refuse(self.transport, status, code, message)
