"""Calls to a server that may hang: each has a thread of the server's own and a time limit."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")

# A call that nobody waits for any more keeps its thread until the server answers or its connection gives up.
_THREADS = 8
_ENDED = "we end, and do not wait for its answer"
_PROBE_S = 2.0  # that a call waits whether the server is back


@dataclass(frozen=True)
class Patience:
    """How long a call may take, in seconds, and whether a server that is away is asked again first."""

    limit_s: float
    asks_again: bool = False


class NoAnswer(Exception):
    """The server did not answer in time, or is known to be away; the sentence says which."""


class CircuitBreaker:
    """Calls are refused at once from the first that gets no answer until a probe gets one.

    So a server that hangs holds up a call or two of ours, and then nobody. A probe is sent off whenever a call is
    refused, and few calls wait for it. May be used from several threads.

    Args:
        name: The server, as the log names it.
        probe: Asks the server for any answer.
        lost: The errors that say that the server cannot be reached; others are answers.
    """

    def __init__(self, name: str, probe: Callable[[], object], lost: tuple[type[Exception], ...]) -> None:
        self._name = name
        self._probe = probe
        self._lost = lost
        self._free = threading.Semaphore(_THREADS)
        self._ended: Future[Any] = Future()
        self._lock = threading.Lock()
        self._away: str | None = None
        self._probing: Future[object] | None = None

    def call(self, work: Callable[[], _Answer], patience: Patience) -> _Answer:
        """What `work` returns or raises; `NoAnswer` when patience ends, and at once while the server is away."""
        if self._away is not None:
            probing = self._look_again()
            if patience.asks_again:
                wait([probing, self._ended], _PROBE_S, FIRST_COMPLETED)
        if self._away is not None:
            raise NoAnswer(self._away)
        return self._within(work, patience.limit_s)

    def end(self) -> None:
        """Gives up what is under way, and refuses whatever comes."""
        with self._lock:
            if not self._ended.done():
                self._ended.set_result(None)
                self._free.release()  # whoever waits for a thread gives up, one after the other

    def _within(self, work: Callable[[], _Answer], limit_s: float) -> _Answer:
        if not self._free.acquire(timeout=limit_s):
            raise self._opened(f"{_THREADS} calls wait for its answer")
        if self._ended.done():
            self._free.release()
            raise NoAnswer(_ENDED)
        future = in_thread(work, self._free.release)
        either: tuple[Future[Any], ...] = (future, self._ended)
        wait(either, limit_s, FIRST_COMPLETED)
        if not future.done() and self._ended.done():
            raise NoAnswer(_ENDED)
        if not future.done():
            raise self._opened(f"it did not answer within {limit_s:g} s")
        try:
            return future.result()
        except self._lost as error:
            raise self._opened(str(error) or type(error).__name__) from error

    def _opened(self, reason: str) -> NoAnswer:
        with self._lock:
            if self._away is None:
                logger.warning("%s is away: %s", self._name, reason)
            self._away = reason
        return NoAnswer(reason)

    def _look_again(self) -> Future[object]:
        with self._lock:
            if self._probing is None or self._probing.done():
                self._probing = in_thread(self._looked)
            return self._probing

    def _looked(self) -> None:
        with suppress(Exception):  # it is away still, which has been said
            self._probe()
            with self._lock:
                self._away = None
            logger.warning("%s answers again", self._name)


def in_thread(work: Callable[[], _Answer], done: Callable[[], object] = lambda: None) -> Future[_Answer]:
    """What `work` will have returned or raised, in a thread that the end of the process does not wait for."""
    future: Future[_Answer] = Future()

    def run() -> None:
        try:
            answer = work()
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
            future.set_exception(error)
        else:
            future.set_result(answer)
        finally:
            done()

    threading.Thread(target=run, name="store", daemon=True).start()
    return future
