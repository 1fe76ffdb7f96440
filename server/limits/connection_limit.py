"""How many sockets may be open at once, and how many of those that have not said who they are."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import NoReturn

from server.limits.places import Places
from server.metrics import Metrics

TRY_AGAIN_LATER = 1013

# Of all sockets that may be open: so many more may wait for their hello, and so many of them from one address.
_SHARE_OF_UNKNOWN = 5
_SHARE_OF_ADDRESS = 2


class TooManyConnections(Exception):
    """There is no room for another socket; the message is short enough to be the reason in a close frame."""


class ConnectionLimit:
    """The places of the sockets of one server.

    Those who have not said who they are have places of their own: however many they are, whoever has a token gets in.

    Args:
        known: Places for sockets of clients that may be here.
        metrics: Where open sockets and refusals are counted.
    """

    def __init__(self, known: int, metrics: Metrics) -> None:
        self._most_known = known
        self._most_unknown = max(2, known // _SHARE_OF_UNKNOWN)
        self._most_of_address = max(1, self._most_unknown // _SHARE_OF_ADDRESS)
        self._metrics = metrics
        self._known = Places(known, known)
        self._unknown: dict[asyncio.Timeout, str] = {}  # with its address; the oldest first

    @contextmanager
    def known(self, workspace: str) -> Generator[None]:
        """A place for a client of a workspace, while the block runs.

        Raises:
            TooManyConnections: There is none.
        """
        if not self._known.take(workspace):
            self._refuse(f"{self._most_known} clients are connected; try again later.")
        self._metrics.connections.set(self._known.taken)
        try:
            yield
        finally:
            self._known.give_back(workspace)
            self._metrics.connections.set(self._known.taken)

    @asynccontextmanager
    async def unknown(self, address: str) -> AsyncGenerator[None]:
        """A place for a client that is still to say who it is, while the block runs.

        Where there is none, the one that has had its place for longest leaves: who has a token says so at once.

        Raises:
            TooManyConnections: A newcomer has taken the place; the block was cancelled.
        """
        self._make_room(address)
        place = asyncio.timeout(None)
        try:
            async with place:
                self._unknown[place] = address
                try:
                    yield
                finally:
                    self._unknown.pop(place, None)
        except TimeoutError:
            if not place.expired():
                raise
            self._refuse("Too many clients have not said who they are; connect with a token, or try again later.")

    def _make_room(self, address: str) -> None:
        of_address = [place for place, other in self._unknown.items() if other == address]
        if len(of_address) >= self._most_of_address:
            oldest = of_address[0]
        elif len(self._unknown) >= self._most_unknown:
            oldest = next(iter(self._unknown))
        else:
            return
        del self._unknown[oldest]
        oldest.reschedule(asyncio.get_running_loop().time())

    def _refuse(self, reason: str) -> NoReturn:
        self._metrics.refusals.labels("connections").inc()
        raise TooManyConnections(reason)
