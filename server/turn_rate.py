"""How many turns a workspace may begin."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil


class TooManyTurns(Exception):
    """A workspace has used up its turns.

    Attributes:
        retry_after_s: When there is room for one again; whole seconds, at least 1.
    """

    code = "RATE_LIMITED"

    def __init__(self, per_minute: int, retry_after_s: int) -> None:
        super().__init__(
            f"A workspace may begin {per_minute} turns per minute here; try again in {retry_after_s} s. "
            "The operator's setting is FLETCHER_TURNS_PER_MINUTE."
        )
        self.retry_after_s = retry_after_s


@dataclass
class _Bucket:
    left: float
    filled_at: float


class TurnRate:
    """A bucket of turns per workspace, which fills evenly: a minute's turns may be begun at once.

    Args:
        per_minute: Turns per minute and workspace.
        now: The time in seconds.
    """

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._now = now
        self._buckets: dict[str, _Bucket] = {}  # one for each workspace of the token file

    def take(self, workspace: str) -> None:
        """Takes one turn.

        Raises:
            TooManyTurns: There is none left.
        """
        now, per_second = self._now(), self._per_minute / 60
        bucket = self._buckets.setdefault(workspace, _Bucket(self._per_minute, now))
        bucket.left = min(self._per_minute, bucket.left + (now - bucket.filled_at) * per_second)
        bucket.filled_at = now
        if bucket.left < 1:
            raise TooManyTurns(self._per_minute, max(1, ceil((1 - bucket.left) / per_second)))
        bucket.left -= 1
