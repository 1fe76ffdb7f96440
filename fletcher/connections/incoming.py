"""What has come over a connection, taken apart some at a time."""

import asyncio
from asyncio import Transport
from collections import OrderedDict, deque
from collections.abc import Callable

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.utils import get_remote_addr

from corpora import network_of

# Bytes that are taken apart at once; then somebody looks at what was in them.
_TAKEN_APART_AT_ONCE = 2 * 2**10
# A head that has more ends when it is its connection's turn: what is made of a long one takes milliseconds.
SHORT_HEAD = _TAKEN_APART_AT_ONCE
# Of what one connection has sent so much is taken apart in a turn of the event loop: so many bytes, or, as it is these
# that cost, so many pieces (lines of a head, chunks of a body, frames).
_BYTES_OF_TURN = 64 * 2**10
_PIECES_OF_TURN = 50
# A piece of fewer bytes that brings nothing to an end is small; whoever sends so many of them is cut off.
SMALL = 64
MOST_SMALL = 1000


class Turns:
    """Whose rest is taken apart next: in each turn of the event loop that of one connection.

    Clients have it one after the other, however many connections each has. All whom nobody knows are one client; of
    these, as of any client's, the addresses have it one after the other.
    """

    def __init__(self) -> None:
        # by client and address, the next first
        self._waiting: OrderedDict[str | None, OrderedDict[str, deque[Callable[[], None]]]] = OrderedDict()
        self._goes_on = False

    def wait(self, client: str | None, address: str, take: Callable[[], None]) -> None:
        """Calls `take` when it is its turn, once."""
        self._waiting.setdefault(client, OrderedDict()).setdefault(address, deque()).append(take)
        if not self._goes_on:
            self._goes_on = True
            asyncio.get_running_loop().call_soon(self._next)

    def move(self, client: str | None, address: str, take: Callable[[], None], to: str | None) -> None:
        """What waits among a client's waits among another's instead."""
        addresses = self._waiting[client]
        addresses[address].remove(take)
        if not addresses[address]:
            del addresses[address]
        if not addresses:
            del self._waiting[client]
        self.wait(to, address, take)

    def _next(self) -> None:
        try:
            if self._waiting:
                client, addresses = self._waiting.popitem(last=False)
                address, waiting = addresses.popitem(last=False)
                take = waiting.popleft()
                if waiting:
                    addresses[address] = waiting  # as the last
                if addresses:
                    self._waiting[client] = addresses
                take()
        finally:
            self._goes_on = bool(self._waiting)
            if self._goes_on:
                asyncio.get_running_loop().call_soon(self._next)


class Incoming:
    """What has come over a connection: some is taken apart at once, the rest when it is the connection's turn.

    While there is a rest, nothing more is read.

    Args:
        transport: Whence it comes.
        turns: Of all connections.
        take: Takes a part of it apart, and counts `pieces`.
        is_held: Whether it has to wait for the app, which then calls `go_on`.
        whose: The client, if the app knows it by now.
        first: How many bytes of a part are taken apart first, and only in its next turn what is behind them.

    Attributes:
        head: How many bytes of a head are taken apart that is not whole yet.
        pieces: How many were in what was taken apart in this turn.
        rest: What is still to be taken apart.
    """

    def __init__(
        self,
        transport: Transport,
        turns: Turns,
        take: Callable[[bytes], object],
        is_held: Callable[[], bool],
        whose: Callable[[], str | None],
        first: Callable[[bytes], int] = len,
    ) -> None:
        self._transport = transport
        self._turns = turns
        self._take = take
        self._is_held = is_held
        self._whose = whose
        self._first = first
        self._address = network_of((get_remote_addr(transport) or ("",))[0])
        self._client: str | None = None  # as whose it waits
        self._waits = False
        self._left_to_throw_away: int | None = None
        self.head = self.pieces = 0
        self.rest = memoryview(b"")

    def comes(self, data: bytes) -> None:
        if self._left_to_throw_away is not None:
            self._left_to_throw_away -= len(data)
            if self._left_to_throw_away < 0:
                self._transport.abort()
            return
        self.rest = memoryview(b"".join((self.rest, data)) if self.rest else data)
        if not self._waits:
            self._take_some()

    def go_on(self) -> None:
        """Reads on, once what has come is taken apart."""
        if self.rest and not self._waits:
            self._waits = True
            self._client = self._whose()
            self._turns.wait(self._client, self._address, self._has_its_turn)
        elif not self.rest and not self._transport.is_closing():
            self._transport.resume_reading()

    def is_known(self) -> None:
        """The app may have found out whose it is: then it waits with that client's others."""
        if self._waits and self._client != (client := self._whose()):
            self._turns.move(self._client, self._address, self._has_its_turn, client)
            self._client = client

    def drop(self) -> None:
        self.rest = memoryview(b"")

    def throw_away(self, most: int) -> None:
        """From now on, so many bytes; who sends more is cut off."""
        self.drop()
        self._left_to_throw_away = most
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def _has_its_turn(self) -> None:
        self._waits = False
        try:
            self._take_some(has_turn=True)
        except BaseException:  # as the event loop does where data cannot be taken
            self._transport.abort()
            raise
        if not self._is_held():
            self.go_on()

    def _take_some(self, *, has_turn: bool = False) -> None:
        self.pieces = size = 0
        while self.rest and not self._is_held():
            if self._transport.is_closing():
                self.drop()
                return
            part = bytes(self.rest[:_TAKEN_APART_AT_ONCE])
            is_of_long_head = self.head + len(part) > SHORT_HEAD
            if size >= _BYTES_OF_TURN or self.pieces >= _PIECES_OF_TURN or (is_of_long_head and not has_turn):
                self._wait()
                return
            end = self._first(part)
            self.rest = self.rest[end:]
            size += end
            self._take(part[:end])
            has_turn = has_turn and self.head > 0
            if end < len(part) and not self._is_held():
                self._wait()
                return

    def _wait(self) -> None:
        self._transport.pause_reading()
        self.go_on()


class Flow(FlowControl):
    """uvicorn's, which reads on once what has come is taken apart."""

    def __init__(self, transport: Transport, incoming: Incoming) -> None:
        super().__init__(transport)
        self._incoming = incoming

    def resume_reading(self) -> None:
        self._incoming.is_known()
        if self.read_paused:
            self.read_paused = False
            self._incoming.go_on()
