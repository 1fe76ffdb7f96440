"""Guessing at tokens: written into the log, and slowed down for the address that guesses."""

import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable

from corpora import network_of
from server.limits.rate import Rate

logger = logging.getLogger(__name__)

_PER_MINUTE = 10
_LINES_PER_MINUTE = 60
_MOST_KNOWN = 10_000


class WrongTokens:
    """The wrong tokens of each address.

    An address that has used up its guesses waits, and its tokens are not looked at meanwhile: or else the answer to
    a right guess would tell it from the others. Clients that are in already go on, because tokens that have opened
    from that address are: behind a proxy, all clients may have one address.

    Args:
        now: The time in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._guesses = Rate(_PER_MINUTE, now)
        self._lines = Rate(_LINES_PER_MINUTE, now)
        self._opened: OrderedDict[tuple[str, bytes], None] = OrderedDict()  # the last used last

    def wait_s(self, address: str, token: str) -> int:
        """For how many seconds this token is not looked at; 0 where it is."""
        if (network_of(address), _digest(token)) in self._opened:
            return 0
        return self._guesses.wait_s(network_of(address))

    def add_right(self, address: str, token: str) -> None:
        """This token has opened."""
        key = (network_of(address), _digest(token))
        self._opened[key] = None
        self._opened.move_to_end(key)
        if len(self._opened) > _MOST_KNOWN:
            self._opened.popitem(last=False)

    def add_wrong(self, address: str) -> None:
        """A token has not."""
        self._guesses.take(network_of(address))
        if self._lines.take("") == 0:
            logger.warning("a wrong token came from %s", address or "an unknown address")


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
