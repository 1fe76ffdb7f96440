"""What uvicorn says of its connections, and is worth a line of the log."""

import logging
import time
from asyncio import CancelledError
from collections import Counter
from collections.abc import Callable

_LINES_PER_MINUTE = 60
# A text that is no UTF-8, of which the client is told; whoever still waited when the server's patience to end was over.
_NO_FAULTS = (UnicodeDecodeError, CancelledError)


class FewLines(logging.Filter):
    """Of what any client can cause few lines a minute, and no traceback.

    Args:
        now: The time in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._until = 0.0
        self._lines: Counter[int] = Counter()  # of this minute, by their level

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is logged."""
        if record.exc_info is not None and isinstance(record.exc_info[1], _NO_FAULTS):
            return False
        if self._now() >= self._until:
            self._until = self._now() + 60
            self._lines.clear()
        self._lines[record.levelno] += 1
        return self._lines[record.levelno] <= _LINES_PER_MINUTE
