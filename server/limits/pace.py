"""How fast one workspace's pages may go on: what they are told to draw holds up everybody meanwhile."""

import asyncio
from collections.abc import Callable
from time import monotonic, thread_time

_LONGEST_REST_S, _MOMENT_S = 1.0, 0.001


class Pace:
    """Lets messages in one at a time, each once the event loop has rested for as long as it has worked since the last.

    Whose work it was does not matter: where everybody has much to do, a page waits, but never for long.

    Args:
        now: The time.
        worked: The time in which the thread of the event loop has computed.
    """

    def __init__(self, now: Callable[[], float] = monotonic, worked: Callable[[], float] = thread_time) -> None:
        self._now = now
        self._worked = worked
        self._last = float("-inf"), 0.0
        self._next = asyncio.Lock()

    async def wait(self) -> None:
        """Returns when it is the caller's turn."""
        async with self._next:
            for rest in iter(self._rest, 0.0):
                await asyncio.sleep(rest)
            self._last = self._now(), self._worked()

    def _rest(self) -> float:
        passed, worked = self._now() - self._last[0], self._worked() - self._last[1]
        rest = min(2 * worked, _LONGEST_REST_S) - passed
        return rest if rest > _MOMENT_S else 0.0
