"""uvicorn's connections with an end to waiting: for the head of a request, and for a client that does not read."""

import asyncio
import json
from asyncio import TimerHandle, Transport
from asyncio.transports import BaseTransport
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, cast

import uvicorn
from uvicorn._types import ASGI3Application, ASGIReceiveEvent
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
# Bytes of a socket that are taken apart at once; then the app looks at what was in them.
_TAKEN_APART_AT_ONCE = 2 * 2**10
_TOO_SLOW = "You did not read what was sent to you."
_POLICY_VIOLATION = 1008
_NO_ROOM = "The server is taking in as much as it has room for."
_TRY_AGAIN_LATER = 1013


class Sender(Protocol):
    """What the app keeps of a client's message that is not whole yet."""

    def has_room(self, size: int) -> bool:
        """Whether there is room, now that so many bytes have come."""
        ...

    def free(self) -> None:
        """It is whole, or comes no more."""
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


class _TooManyWaiting(Exception):
    """A client has sent too many requests before it had any answer."""


class _Http(HttpToolsProtocol):
    """Answers 408 where the head of a request takes too long, and 431 where it has too many bytes.

    Few requests may wait for the answer to another one.
    """

    config: Config
    cycle: RequestResponseCycle | None  # type: ignore[assignment]

    def connection_made(self, transport: BaseTransport) -> None:  # type: ignore[override]
        super().connection_made(cast("Transport", transport))
        self._reader = _Reader(self.transport, self.config.waits.reader_s, self.transport.abort)
        self.url = b""  # uvicorn has none before a request begins
        self._neither_head_nor_body = 0
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
        self._neither_head_nor_body += len(data)
        super().data_received(data)
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._has_head()
        elif self._neither_head_nor_body > _LONGEST_HEAD:
            self._refuse_head()
        elif self.cycle is not None and not self.cycle.response_complete:
            self._has_head()
        elif self._head_timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        self._neither_head_nor_body = 0
        if len(self.pipeline) >= _MOST_WAITING:
            raise _TooManyWaiting  # the parser stops there, and uvicorn answers 400 and closes
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Says what is too long; uvicorn's own sentence for whatever else is no request."""
        self._refuse_head() if len(self.url) >= _LONGEST_HEAD else super().send_400_response(msg)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.pipeline:  # uvicorn reads on after every answer, however many requests wait
            self.flow.pause_reading()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def on_body(self, body: bytes) -> None:
        self._neither_head_nor_body = 0
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
            body = json.dumps({"error": {"code": code, "message": message}}).encode()
            self.transport.write(
                b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%b"
                % (status, len(body), body)
            )
            self.transport.close()


class _Socket(WebSocketsSansIOProtocol):
    """Closes with 1008 where a client does not read; takes long messages only from clients who are known.

    Of many messages that come together the first go to the app before the next are taken apart.
    """

    config: Config

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        too_slow = partial(self._leave, _POLICY_VIOLATION, _TOO_SLOW)
        self._reader = _Reader(self.transport, self.config.waits.reader_s, too_slow)
        self._left = memoryview(b"")  # of what has come; while there is any, no more is read
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
        self._left = memoryview(b"".join((self._left, data)) if self._left else data)
        self._take_apart()

    async def receive(self) -> ASGIReceiveEvent:
        self._go_on_reading()
        message = await self.queue.get()
        if not self._left:
            self._go_on_reading()
        return message

    def _go_on_reading(self) -> None:
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self._take_apart()
            if not self.read_paused:
                self.transport.resume_reading()

    def _take_apart(self) -> None:
        """Until there is a message for the app, for which uvicorn stops reading, or nothing is left."""
        while self._left and not self.read_paused:
            part, self._left = self._left[:_TAKEN_APART_AT_ONCE], self._left[_TAKEN_APART_AT_ONCE:]
            super().data_received(bytes(part))
            if self._sender is None:
                self._take_short_messages()
            elif not self._sender.has_room((self.conn.current_size or 0) + len(self.conn.reader.buffer)):
                self._give_way()

    def _frame_received(self, frame: Frame) -> None:
        """After the first message a long one may follow in the same bytes; more come once the app has read it."""
        self._receive_frame(frame)
        if frame.fin and frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            self.conn.max_message_size = self._limit

    def _take_short_messages(self) -> None:
        self.conn.max_message_size = min(self._limit, _LONGEST_OF_UNKNOWN)

    def _take_long_messages(self, sender: Callable[[Callable[[], None]], Sender]) -> None:
        self._sender = sender(self._give_way)
        self.conn.max_message_size = self._limit

    def _give_way(self) -> None:
        self._left = memoryview(b"")
        self._leave(_TRY_AGAIN_LATER, _NO_ROOM)

    def _leave(self, code: int, reason: str) -> None:
        """Ends the client's turn now, and the connection as soon as it has read why, or soon."""
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code})
        self.disconnected = True
        self.writable.set()  # whoever waits to send learns that there is nobody
        if self.transport.is_closing():
            self.transport.abort()
            return
        if not self.close_sent:
            self.conn.send_close(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
        self.transport.close()
        self.loop.call_later(self.config.waits.farewell_s, self.transport.abort)
