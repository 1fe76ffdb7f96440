"""Whether the database server answers; while it does not, nobody waits for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)

_ASKED_EVERY_S = 1.0


class Presence:
    """What all connections to one server know of it.

    A server whose processes are stopped, or whose machine hangs, refuses nothing: it is silent, and the system below
    goes on to acknowledge what is sent to it. Who finds it silent asks it for a new connection; without an answer it
    counts as away for everybody, until it has answered the one thread that goes on asking.

    Args:
        answers: Asks, for a few seconds at most, and says whether there was any answer.
    """

    def __init__(self, answers: Callable[[], bool]) -> None:
        self._answers = answers
        self._asking = threading.Lock()
        self._closed = threading.Event()
        self.is_away = False

    def ask(self) -> None:
        """Find out whether it is away, unless another thread is about to."""
        self._unless_asked(self._answers)

    def lose(self) -> None:
        """A new connection had no answer: it is away, and need not be asked."""
        self._unless_asked(lambda: False)

    def _unless_asked(self, answers: Callable[[], bool]) -> None:
        if self._asking.acquire(blocking=False):
            try:
                if not self.is_away and not answers():
                    self._go_on_asking()
            finally:
                self._asking.release()

    def close(self) -> None:
        """Ask no more."""
        self._closed.set()

    def _go_on_asking(self) -> None:
        logger.error("The catalog's database does not answer; what needs it is refused until it does.")
        self._closed.clear()
        self.is_away = True
        threading.Thread(target=self._ask_until_it_answers, name="catalog-presence", daemon=True).start()

    def _ask_until_it_answers(self) -> None:
        while not self._closed.wait(_ASKED_EVERY_S):
            if self._answers():
                logger.warning("The catalog's database answers again.")
                break
        self.is_away = False
