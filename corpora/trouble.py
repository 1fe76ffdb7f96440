"""What the log says of a store that fails, which every request meets again."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import LiteralString

_AGAIN_AFTER_S = 60.0
_MOST_REASONS = 100


class Trouble:
    """Logs each reason of failing once a minute, whatever succeeds in between: of a full disk may still be read."""

    def __init__(self, logger: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._logger = logger
        self._clock = clock
        self._said: dict[str, float] = {}  # when, by reason

    def say(self, reason: str, message: LiteralString, *arguments: object) -> None:
        """Log a message and its arguments, as `Logger.info` does."""
        now = self._clock()
        if reason in self._said and now - self._said[reason] < _AGAIN_AFTER_S:
            return
        if len(self._said) >= _MOST_REASONS:
            self._said.clear()
        self._said[reason] = now
        self._logger.info(message, *arguments)
