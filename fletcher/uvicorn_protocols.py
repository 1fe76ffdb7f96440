"""uvicorn's connections with an end to waiting, and to work: what one client sends keeps nobody else waiting."""

import asyncio
import json
from asyncio import TimerHandle, Transport
from asyncio.transports import BaseTransport
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, cast

import uvicorn
from uvicorn._types import ASGI3Application, ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode

_LONGEST_HEAD = 64 * 2**10
# Bytes of a socket message while nobody knows whose it is.
_LONGEST_OF_UNKNOWN = 64 * 2**10
# Of what waits for a client it must take so much each time somebody looks.
_LEAST_TAKEN = 16 * 2**10
# Requests of a connection that wait for the answer to another; each is kept whole in memory.
_MOST_WAITING = 20
# Bytes that are taken apart at once; then somebody looks at what was in them.
_TAKEN_APART_AT_ONCE = 2 * 2**10
# Of what one connection has sent so much is taken apart in a turn of the event loop: so many bytes, or, as it is these
# that cost, so many pieces (lines of a head, chunks of a body, frames).
_BYTES_OF_TURN = 64 * 2**10
_PIECES_OF_TURN = 50
# A piece of fewer bytes that brings nothing to an end is small; whoever sends so many of them is cut off.
_SMALL = 64
_MOST_SMALL = 1000
_TOO_MANY_SMALL = "More than 1,000 pings, pongs and parts of under 64 bytes in 20 seconds; send each message whole."
_NO_HANDSHAKE = (
    "This opens no socket: ask with GET, without a body, with no more than 128 header fields, and no address or "
    "field of more than 8 KiB."
)
_TOO_SLOW = "You did not read what was sent to you."
_POLICY_VIOLATION = 1008
_NO_ROOM = "The server is taking in as much as it has room for."
_TRY_AGAIN_LATER = 1013


class Sender(Protocol):
    """What the app knows of a client's messages that have come, whole or not, and are not answered yet."""

    def has_room(self, size: int) -> bool:
        """Whether there is room, now that so many bytes have come."""
        ...

    def is_whole(self) -> None:
        """It is, and has its room until it is answered."""
        ...

    def free(self) -> None:
        """It is answered, or comes no more."""
        ...


@dataclass(frozen=True)
class Waits:
    """How long a connection is waited for, in seconds.

    Attributes:
        head_s: Until the head of a request is whole.
        reader_s: Until a client has taken some of what waits for it.
        farewell_s: Until a client that did not is cut off: if it reads again, it is told why.
    """

    head_s: float = 10.0
    reader_s: float = 20.0
    farewell_s: float = 5.0


class Config(uvicorn.Config):
    """uvicorn's, with connections that do not wait for ever."""

    def __init__(self, app: Any, waits: Waits, **options: Any) -> None:
        self.waits = waits
        self.turns = _Turns()
        super().__init__(app, http=_Http, ws=_Socket, **options)


class _Reader:
    """What waits for one client, and whether it takes any of it."""

    def __init__(self, transport: Transport, wait_s: float, give_up: Any) -> None:
        # So the protocol is told to pause as soon as anything has to wait, and to resume when nothing does.
        transport.set_write_buffer_limits(high=0)
        self._transport = transport
        self._wait_s = wait_s
        self._give_up = give_up
        self._timer: TimerHandle | None = None
        self._waiting = 0

    def falls_behind(self) -> None:
        self._waiting = self._transport.get_write_buffer_size()
        self._timer = asyncio.get_running_loop().call_later(self._wait_s, self._look)

    def keeps_up(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        waiting = self._transport.get_write_buffer_size()
        if waiting > self._waiting - _LEAST_TAKEN:
            self._give_up()
        else:
            self.falls_behind()


class _Turns:
    """Whose rest is taken apart next: in each turn of the event loop that of one connection."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def wait(self, take: Callable[[], None]) -> None:
        self._waiting.append(take)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        try:
            self._waiting[0]()
        finally:
            self._waiting.popleft()
            if self._waiting:
                asyncio.get_running_loop().call_soon(self._next)


class _Incoming:
    """What has come over a connection: some is taken apart at once, the rest when it is the connection's turn.

    While there is a rest, nothing more is read.

    Args:
        transport: Whence it comes.
        turns: Of all connections.
        take: Takes a part of it apart, and counts `pieces`.
        is_held: Whether it has to wait for the app, which then calls `go_on`.

    Attributes:
        pieces: How many were in what was taken apart in this turn.
        rest: What is still to be taken apart.
    """

    def __init__(
        self, transport: Transport, turns: _Turns, take: Callable[[bytes], object], is_held: Callable[[], bool]
    ) -> None:
        self._transport = transport
        self._turns = turns
        self._take = take
        self._is_held = is_held
        self._waits = False
        self.pieces = 0
        self.rest = memoryview(b"")

    def comes(self, data: bytes) -> None:
        self.rest = memoryview(b"".join((self.rest, data)) if self.rest else data)
        if not self._waits:
            self._take_some()

    def go_on(self) -> None:
        """Reads on, once what has come is taken apart."""
        if self.rest and not self._waits:
            self._waits = True
            self._turns.wait(self._has_its_turn)
        elif not self.rest and not self._transport.is_closing():
            self._transport.resume_reading()

    def drop(self) -> None:
        self.rest = memoryview(b"")

    def _has_its_turn(self) -> None:
        self._waits = False
        try:
            self._take_some()
        except BaseException:  # as the event loop does where data cannot be taken
            self._transport.abort()
            raise
        if not self._is_held():
            self.go_on()

    def _take_some(self) -> None:
        self.pieces = size = 0
        while self.rest and not self._is_held():
            if self._transport.is_closing():
                self.drop()
                return
            if size >= _BYTES_OF_TURN or self.pieces >= _PIECES_OF_TURN:
                self._transport.pause_reading()
                self.go_on()
                return
            part, self.rest = self.rest[:_TAKEN_APART_AT_ONCE], self.rest[_TAKEN_APART_AT_ONCE:]
            size += len(part)
            self._take(bytes(part))


class _Flow(FlowControl):
    """uvicorn's, which reads on once what has come is taken apart."""

    def __init__(self, transport: Transport, incoming: _Incoming) -> None:
        super().__init__(transport)
        self._incoming = incoming

    def resume_reading(self) -> None:
        if self.read_paused:
            self.read_paused = False
            self._incoming.go_on()


def _refuse(transport: Transport, status: bytes, code: str, message: str) -> None:
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    transport.write(
        b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%b"
        % (status, len(body), body)
    )
    transport.close()


class _TooManyWaiting(Exception):
    """A client has sent too many requests before it had any answer."""


class _Http(HttpToolsProtocol):
    """Answers 408 where the head of a request takes too long, and 431 where it has too many bytes.

    Few requests may wait for the answer to another one. Who goes on with a request that is answered already may do so
    for as long as a head may take, and not in small pieces.
    """

    config: Config
    cycle: RequestResponseCycle | None  # type: ignore[assignment]

    def connection_made(self, transport: BaseTransport) -> None:  # type: ignore[override]
        super().connection_made(cast("Transport", transport))
        self._reader = _Reader(self.transport, self.config.waits.reader_s, self.transport.abort)
        self._incoming = _Incoming(self.transport, self.config.turns, self._take_apart, lambda: self.flow.read_paused)
        self.flow = _Flow(self.transport, self._incoming)
        self.url = b""  # uvicorn has none before a request begins
        self._neither_head_nor_body = 0
        self._small_pieces = 0.0  # of a request that is answered already
        self._head_timer: TimerHandle | None = None
        self._answered: RequestResponseCycle | None = None
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
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._neither_head_nor_body = 0
        self._small_pieces = 0
        if len(self.pipeline) >= _MOST_WAITING:
            raise _TooManyWaiting  # the parser stops there, and uvicorn answers 400 and closes
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Says what is too long; uvicorn's own sentence for whatever else is no request."""
        self._refuse_head() if len(self.url) >= _LONGEST_HEAD else super().send_400_response(msg)

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
            self._small_pieces = max(0, self._small_pieces + 1 - len(body) / _SMALL)
            if self._small_pieces > _MOST_SMALL:
                self.transport.close()
        super().on_body(body)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reader.falls_behind()

    def resume_writing(self) -> None:
        self._reader.keeps_up()
        super().resume_writing()

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
        self._refuse(b"431 Request Header Fields Too Large", "HEAD_TOO_LARGE", message)

    def _refuse(self, status: bytes, code: str, message: str) -> None:
        self._has_head()
        if not self.transport.is_closing():
            _refuse(self.transport, status, code, message)


class _Socket(WebSocketsSansIOProtocol):
    """Closes with 1008 where a client does not read; takes long messages only from clients who are known.

    Of many messages that come together the first go to the app before the next are taken apart. Frames that bring no
    message to an end are few, or long.
    """

    config: Config

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        too_slow = partial(self._leave, _POLICY_VIOLATION, _TOO_SLOW)
        self._reader = _Reader(self.transport, self.config.waits.reader_s, too_slow)
        self._incoming = _Incoming(self.transport, self.config.turns, self._take_apart, lambda: self.read_paused)
        self._small_frames = 0
        self._unread = 0  # bytes of messages that are whole, until the app has answered them
        self._limit = self.config.ws_max_size
        self._sender: Sender | None = None  # of a client that is known
        self._take_short_messages()
        self._receive_frame = self.conn.recv_frame
        self.conn.recv_frame = self._frame_received
        # The app finds it in the scope's state, and calls it once it knows the client.
        self.app_state = {**self.app_state, "take_long_messages": self._take_long_messages}

    def connection_lost(self, exc: Exception | None) -> None:
        self._reader.keeps_up()
        if self._sender is not None:
            self._sender.free()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reader.falls_behind()

    def resume_writing(self) -> None:
        self._reader.keeps_up()
        super().resume_writing()

    def handle_parser_exception(self) -> None:
        if self.conn.close_sent is None:  # before it was let in: there is no connection yet whose end could be said
            self.transport.close()
            return
        super().handle_parser_exception()

    def data_received(self, data: bytes) -> None:
        self._incoming.comes(data)

    def shutdown(self) -> None:
        if not self.transport.is_closing():  # else it has been told already
            super().shutdown()

    async def receive(self) -> ASGIReceiveEvent:
        self._go_on_reading()
        if self._unread and self.queue.empty():
            self._unread = 0
            self._need_room()
        message = await self.queue.get()
        if not self._incoming.rest:
            self._go_on_reading()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if self.close_sent:  # uvicorn reads on, as the client's own close is still to come
            self._incoming.go_on()

    def send_receive_event_to_app(self) -> None:
        if not self.close_sent:
            self._unread += len(self.frames[0])
        super().send_receive_event_to_app()

    def handle_cont(self, event: Frame) -> None:
        """Joins the parts of a message as they come: to keep each of them would take more than what is in it."""
        begun = self.frames[0]
        message = begun if isinstance(begun, bytearray) else bytearray(begun)
        message += event.data
        self.frames = [bytes(message) if event.fin else cast("bytes", message)]
        if event.fin:
            self.send_receive_event_to_app()

    def send_keepalive_ping(self) -> None:
        self._small_frames = 0
        super().send_keepalive_ping()

    def _go_on_reading(self) -> None:
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self._incoming.go_on()

    def _take_apart(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.is_closing():
            return
        if not self.handshake_initiated and not self._incoming.rest:  # all of the head is here
            _refuse(self.transport, b"400 Bad Request", "BAD_REQUEST", _NO_HANDSHAKE)
        elif self._small_frames > _MOST_SMALL:
            self._leave(_POLICY_VIOLATION, _TOO_MANY_SMALL)
        elif self._sender is None:
            self._take_short_messages()
        else:
            self._need_room()

    def _need_room(self) -> None:
        if self._sender is None or self.transport.is_closing():
            return
        coming = (self.conn.current_size or 0) + len(self.conn.reader.buffer)
        if not self._sender.has_room(self._unread + coming):
            self._leave(_TRY_AGAIN_LATER, _NO_ROOM)
        elif self.read_paused:  # for the app, and not because the client is slow
            self._sender.is_whole()

    def _frame_received(self, frame: Frame) -> None:
        """After the first message a long one may follow in the same bytes; more come once the app has read it."""
        self._receive_frame(frame)
        self._incoming.pieces += 1
        is_of_message = frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT)
        if is_of_message and frame.fin:
            self.conn.max_message_size = self._limit
        elif not is_of_message or len(frame.data) < _SMALL:
            self._small_frames += 1

    def _take_short_messages(self) -> None:
        self.conn.max_message_size = min(self._limit, _LONGEST_OF_UNKNOWN)

    def _take_long_messages(self, sender: Callable[[Callable[[], None]], Sender]) -> None:
        self._sender = sender(partial(self._leave, _TRY_AGAIN_LATER, _NO_ROOM))
        self.conn.max_message_size = self._limit

    def _leave(self, code: int, reason: str) -> None:
        """Ends the client's turn now, and the connection as soon as it has read why, or soon."""
        self._incoming.drop()
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code})
        self.disconnected = True
        self.writable.set()  # whoever waits to send learns that there is nobody
        if self.transport.is_closing():
            self.transport.abort()
            return
        if not self.handshake_complete:  # there is no connection yet whose end could be said
            self.transport.close()
            return
        if not self.close_sent:
            self.conn.send_close(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
        self.transport.close()
        self.loop.call_later(self.config.waits.farewell_s, self.transport.abort)
