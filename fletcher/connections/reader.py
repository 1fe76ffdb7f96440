"""Whether a client takes what is sent to it."""

import asyncio
from asyncio import TimerHandle, Transport
from dataclasses import dataclass
from typing import Any

# Of what waits for a client it must take so much each time somebody looks.
_LEAST_TAKEN = 16 * 2**10


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


class Reader:
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


class WatchesReader(asyncio.Protocol):
    """A protocol that notices whether its client takes what is sent to it."""

    _reader: Reader

    def pause_writing(self) -> None:
        """Something has to wait for the client."""
        super().pause_writing()
        self._reader.falls_behind()

    def resume_writing(self) -> None:
        """Nothing has, any more."""
        self._reader.keeps_up()
        super().resume_writing()
