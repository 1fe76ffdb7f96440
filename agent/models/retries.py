"""How long a turn waits for a provider that is busy, and when it gives up."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
)

PASSING_ERRORS = (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)
"""What the same request may get past a moment later: 429, 503, 529, 5xx, a connection that was reset."""

_FIRST_WAIT_S = 0.5
_LONGEST_BACKOFF_S = 16.0
# Nobody listens at that address: unlike a provider that is busy, this rarely passes.
_TRIES_TO_CONNECT = 2


@dataclass(frozen=True)
class Retries:
    """Retries of one model request.

    Attributes:
        tries: How often a request is sent at most.
        longest_wait_s: A provider that asks for a longer wait than this is given up at once; the user is told.
        sleep: Waits that many seconds.
    """

    tries: int = 6
    longest_wait_s: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def wait_s(self, failures: int, error: ModelAPIError) -> float | None:
        """Seconds to wait after `failures` failed requests in a row, or None to give up.

        What the provider asks for counts (`retry-after`); otherwise each wait is about twice the last, not quite the
        same for every turn, so that many that failed together do not come back together.
        """
        unreachable = isinstance(error, ModelConnectionError) and error.phase == "connect"
        if failures >= (_TRIES_TO_CONNECT if unreachable else self.tries):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest_wait_s else None
        spread = random.uniform(0.75, 1.25)  # noqa: S311 (nothing to guess here)
        return min(_FIRST_WAIT_S * 2 ** (failures - 1), _LONGEST_BACKOFF_S) * spread
