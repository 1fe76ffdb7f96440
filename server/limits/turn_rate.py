"""How many turns a workspace may begin."""

import time
from collections.abc import Callable

from server.limits.rate import Rate


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


class TurnRate:
    """Turns of each workspace.

    Args:
        per_minute: Turns per minute and workspace.
        now: The time in seconds.
    """

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._rate = Rate(per_minute, now)

    def take(self, workspace: str) -> None:
        """Takes one turn.

        Raises:
            TooManyTurns: There is none left.
        """
        wait_s = self._rate.take(workspace)
        if wait_s:
            raise TooManyTurns(self._per_minute, wait_s)
