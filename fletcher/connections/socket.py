"""Sockets: long messages come from who is known, and each has its room until it is answered."""

import asyncio
from asyncio.transports import BaseTransport
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from sys import getsizeof
from typing import TYPE_CHECKING, Protocol, cast

from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode

from fletcher.connections.http import refuse
from fletcher.connections.incoming import MOST_SMALL, SHORT_HEAD, SMALL, Incoming
from fletcher.connections.reader import Reader, WatchesReader

if TYPE_CHECKING:
    from fletcher.connections.config import Config

# Bytes of a socket message while nobody knows whose it is.
_LONGEST_OF_UNKNOWN = 64 * 2**10
_TOO_MANY_SMALL = "More than 1,000 pings, pongs and parts of under 64 bytes in 20 seconds; send each message whole."
_NO_HANDSHAKE = (
    "This opens no socket: ask with GET, without a body, with no more than 128 header fields, and no address or "
    "field of more than 8 KiB."
)
# Bytes that a client which is left has sent already, or goes on sending before it has read that it is.
_MOST_THROWN_AWAY = 256 * 2**20
# Bytes that wait to be read, at each connection.
_UNREAD = 64 * 2**10
_TOO_SLOW = "You did not read what was sent to you."
_POLICY_VIOLATION = 1008
_NO_ROOM = "The server is taking in as much as it has room for."
_TRY_AGAIN_LATER = 1013


class Sender(Protocol):
    """What the app knows of a client's messages that have come, whole or not, and are not answered yet."""

    workspace: str

    def has_room(self, size: int) -> bool:
        """Whether there is room, now that so many bytes have come."""
        ...

    def is_whole(self) -> None:
        """It is, and has its room until it is answered."""
        ...

    def stays(self, size: int) -> None:
        """No more comes, and so many bytes are not answered yet."""
        ...

    def free(self) -> None:
        """It is answered, or comes no more."""
        ...

    def room_to_answer(self, size: int, give_up: Callable[[], object]) -> AbstractContextManager[object]:
        """What counts so many bytes that the client has not read until the block ends; None where they find no room."""
        ...


class Messages(asyncio.Queue[ASGIReceiveEvent]):
    """Those that wait for the app.

    Attributes:
        unanswered: Bytes that they take, with the one that the app has. One emoji makes a text take four times what
            came.
    """

    unanswered = _answering = 0

    def answered(self) -> bool:
        """The app is done with what it had; whether that was anything."""
        was, self._answering = self._answering, 0
        self.unanswered -= was
        return was > 0

    def drop(self) -> None:
        """Nobody asks for them any more."""
        while not self.empty():
            self.get_nowait()
        self.unanswered = self._answering = 0

    def _put(self, item: ASGIReceiveEvent) -> None:
        self.unanswered += _size(item)
        super()._put(item)

    def _get(self) -> ASGIReceiveEvent:
        item = super()._get()
        self._answering = _size(item)
        return item


def _size(event: ASGIReceiveEvent) -> int:
    return getsizeof(event.get("text") or event.get("bytes")) if event["type"] == "websocket.receive" else 0


class Socket(WatchesReader, WebSocketsSansIOProtocol):
    """Closes with 1008 where a client does not read; takes long messages only from clients who are known.

    Of many messages that come together the first go to the app before the next are taken apart. Frames that bring no
    message to an end are few, or long.
    """

    config: "Config"

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        too_slow = partial(self._leave, _POLICY_VIOLATION, _TOO_SLOW)
        self._reader = Reader(self.transport, self.config.waits.reader_s, too_slow)
        self._incoming = Incoming(
            self.transport, self.config.turns, self._take_apart, lambda: self.read_paused, self._client
        )
        # The library takes long for a head, and for hundreds of empty frames: while nobody knows whose they are, they
        # wait for their turn as long heads do.
        self._incoming.head = SHORT_HEAD
        self._small_frames = 0
        self._unread = ExitStack()  # the room of what the client has not read, which can be closed again and again
        self._has_sent = False  # anything since it was asked whether it is there
        self._last_frame = Frame(Opcode.PING, b"")
        self.queue = self._messages = Messages()
        self._limit = self.config.ws_max_size
        self._sender: Sender | None = None  # of a client that is known
        self._take_short_messages()
        self._receive_frame = self.conn.recv_frame
        self.conn.recv_frame = self._frame_received
        # The app finds them in the scope's state, and calls the first once it knows the client.
        self.app_state = {
            **self.app_state,
            "take_long_messages": self._take_long_messages,
            "until_read": self.writable.wait,
        }

    def connection_lost(self, exc: Exception | None) -> None:
        self._reader.keeps_up()
        self._unread.close()
        self._forget_what_comes()
        super().connection_lost(exc)

    def handle_parser_exception(self) -> None:
        if self.conn.close_sent is None:  # before it was let in: there is no connection yet whose end could be said
            self.transport.close()
            return
        self._leave(self.conn.close_sent.code, self.conn.close_sent.reason)

    def data_received(self, data: bytes) -> None:
        self._has_sent = True
        self._incoming.comes(data)

    def shutdown(self) -> None:
        if not self.transport.is_closing():  # else it has been told already
            super().shutdown()

    async def run_asgi(self) -> None:
        try:
            await super().run_asgi()
        finally:
            self._messages.drop()  # what has them stays for long
            if self._sender is not None:
                self._sender.free()
            self._abort_unread()

    async def receive(self) -> ASGIReceiveEvent:
        self._go_on_reading()
        if self._messages.answered():
            self._need_room()
        message = await self.queue.get()
        if not self._incoming.rest:
            self._go_on_reading()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        self._count_unread()
        # uvicorn reads on, as the client's own close is still to come.
        if self.close_sent and not self.transport.is_closing():
            self._forget_what_comes()
            self._end_soon()

    def resume_writing(self) -> None:
        self._unread.close()
        super().resume_writing()

    def handle_close(self, event: Frame) -> None:
        super().handle_close(event)
        self._abort_unread()

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
        self._has_sent = False
        super().send_keepalive_ping()

    def keepalive_timeout(self) -> None:
        """Not of who has sent something: nobody can answer in the midst of a message, or is heard as the app reads."""
        if (self._has_sent or self.read_paused) and self.ping_timeout is not None:
            self._has_sent = False
            self.pong_timer = self.loop.call_later(self.ping_timeout, self.keepalive_timeout)
        else:
            super().keepalive_timeout()
            self._abort_unread()

    def _go_on_reading(self) -> None:
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self._incoming.go_on()

    def _take_apart(self, data: bytes) -> None:
        super().data_received(data)
        self._last_frame.data = b""  # which the library keeps until the next one comes
        if self.transport.is_closing():
            return
        if not self.handshake_initiated and not self._incoming.rest:  # all of the head is here
            refuse(self.transport, b"400 Bad Request", "BAD_REQUEST", _NO_HANDSHAKE)
        elif self._small_frames > MOST_SMALL:
            self._leave(_POLICY_VIOLATION, _TOO_MANY_SMALL)
        elif self._sender is None:
            self._take_short_messages()
        else:
            self._need_room()

    def _need_room(self) -> None:
        if self._sender is None:
            return
        if self.disconnected or self.transport.is_closing():
            self._sender.stays(self._messages.unanswered)
            return
        coming = (self.conn.current_size or 0) + len(self.conn.reader.buffer)
        if not self._sender.has_room(self._messages.unanswered + coming):
            self._leave(_TRY_AGAIN_LATER, _NO_ROOM)
        elif self.read_paused:  # for the app, and not because the client is slow
            self._sender.is_whole()

    def _frame_received(self, frame: Frame) -> None:
        """After the first message a long one may follow in the same bytes; more come once the app has read it."""
        self._receive_frame(frame)
        self._last_frame = frame
        self._incoming.pieces += 1
        is_of_message = frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT)
        if is_of_message and frame.fin:
            self.conn.max_message_size = self._limit
        elif not is_of_message or len(frame.data) < SMALL:
            self._small_frames += 1

    def _take_short_messages(self) -> None:
        self.conn.max_message_size = min(self._limit, _LONGEST_OF_UNKNOWN)

    def _take_long_messages(self, sender: Callable[[Callable[[], None]], Sender]) -> None:
        self._sender = sender(partial(self._leave, _TRY_AGAIN_LATER, _NO_ROOM))
        self.conn.max_message_size = self._limit
        self._incoming.head = 0
        self._incoming.is_known()

    def _client(self) -> str | None:
        return self._sender.workspace if self._sender is not None else None

    def _leave(self, code: int, reason: str) -> None:
        """Ends the client's turn now, and the connection as soon as it has read why, or soon."""
        self._forget_what_comes()
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
            if self.conn.close_sent is None:
                self.conn.send_close(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
        self._end_soon()

    def _forget_what_comes(self) -> None:
        """What the app has by now stays counted until it is done with that."""
        self._incoming.drop()
        # The library's parts know each other, and so stay for long: not with what has come, nor with the trace of an
        # error that has it.
        self.conn.reader.buffer.clear()
        self.conn.events.clear()
        self.conn.parser_exc = None
        self.frames.clear()
        if self._sender is not None:
            self._sender.stays(self._messages.unanswered)

    def _end_soon(self) -> None:
        """Ends the connection as soon as the client has read that it is closed, or soon.

        What it has still to send is thrown away until it has: where that is not read, a system cuts the connection at
        once, and the reason is lost.
        """
        self.stop_keepalive()
        if self.transport.can_write_eof():
            self.transport.write_eof()
            self._incoming.throw_away(_MOST_THROWN_AWAY)
        else:
            self.transport.close()
        self._abort_soon()

    def _abort_unread(self) -> None:
        """A connection that is closed waits for its client to read all, but not for long."""
        if self.transport.get_write_buffer_size():
            self._abort_soon()

    def _abort_soon(self) -> None:
        # uvicorn's own timer: while it runs, the end of the app is not that of the connection.
        if self.close_timer is not None:
            self.close_timer.cancel()
        self.close_timer = self.loop.call_later(self.config.waits.farewell_s, self.transport.abort)

    def _count_unread(self) -> None:
        """What is sent takes room until it is read: as little as waits for every connection counts nowhere."""
        self._unread.close()
        size = self.transport.get_write_buffer_size()
        if self._sender is None or size <= _UNREAD or self.disconnected:
            return
        too_slow = partial(self._leave, _POLICY_VIOLATION, _TOO_SLOW)
        if self._unread.enter_context(self._sender.room_to_answer(size, too_slow)) is None:
            too_slow()
