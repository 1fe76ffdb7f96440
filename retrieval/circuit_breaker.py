"""Calls to a server that may hang: each has a thread of the server's own and a time limit."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from retrieval.answer_limit import LATE, MOST_BYTES, AnswerWithoutEnd, within

logger = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")

_THREADS = 8
# A call that nobody waits for any more keeps its thread until its client gives up, and some never do. A few are left
# each time that a server hangs and is back; with so many, it counts as away until one of them ends.
_MOST_HANGING = 32
_ENDED = "we end, and do not wait for its answer"
_PROBE_S = 2.0  # that a call waits whether the server is back
# Somebody waits for an answer that is still not there: is anybody there at all? A probe is answered in no time.
_SILENT_S = 0.25
_THERE_S = 0.5
_PROBE_ENDS_S = 5.0  # where its client has the hooks of `answer_limit`
# Another one may hang as a call does, and the server answer whoever asks it anew. Each is waited for twice as long as
# the one before: few threads hang, and a server is found again after at most as long as it was away.
_PROBE_HANGS_S = 10.0


@dataclass(frozen=True)
class Patience:
    """How long a call may take, in seconds, from a server that is there, and how long each answer may be.

    One that `asks_again` first waits a moment whether a server that is away is back, and then for its answer whatever
    happens. Of any other somebody waits for the end: it is given up as soon as the server is found away.
    """

    limit_s: float
    asks_again: bool = False
    most_bytes: int = MOST_BYTES


class NoAnswer(Exception):
    """The server did not answer in time, or is known to be away; the sentence says which."""


class CircuitBreaker:
    """Calls are refused at once from the first that gets no answer until a probe gets one.

    So a server that hangs holds up a call or two of ours, and then nobody. A call that is not answered soon sends a
    probe after it: a server that is busy answers that at once, and is waited for; one that hangs is not. A probe is
    also sent off whenever a call is refused, and few calls wait for it. May be used from several threads.

    Args:
        name: The server, as the log names it.
        probe: Asks the server for any answer.
        lost: The errors that say that the server cannot be reached; others are answers, but for `AnswerWithoutEnd`.
        doubtful: Those that may say it, or that it does not take what it was asked: a probe shows which.
    """

    def __init__(
        self,
        name: str,
        probe: Callable[[], object],
        lost: tuple[type[Exception], ...] = (),
        doubtful: tuple[type[Exception], ...] = (),
    ) -> None:
        self._name = name
        self._probe = probe
        self._lost, self._doubtful = (*lost, AnswerWithoutEnd), doubtful
        self._free = threading.Semaphore(_THREADS)
        self._hanging: set[Future[Any]] = set()
        self._ended: Future[Any] = Future()
        self._lock = threading.Lock()
        self._away: str | None = None
        self._probing: Future[bool] | None = None
        self._probed_at = self._hangs_at = 0.0
        self._probe_s = _PROBE_HANGS_S

    def call(self, work: Callable[[], _Answer], patience: Patience) -> _Answer:
        """What `work` returns or raises; `NoAnswer` when patience ends, and at once while the server is away."""
        if self._away is not None:
            probing = self._look_again()
            if patience.asks_again:  # and nobody has waited for this probe before
                wait([probing, self._ended], max(0, self._probed_at + _PROBE_S - time.monotonic()), FIRST_COMPLETED)
        if self._away is not None:
            raise NoAnswer(self._away)
        return self._within(work, patience)

    def is_away(self) -> bool:
        """Whether the last call got no answer; waits for nothing, and sends a probe if so."""
        if self._away is None:
            return False
        self._look_again()
        return True

    def end(self) -> None:
        """Gives up what is under way, and refuses whatever comes."""
        with self._lock:
            if not self._ended.done():
                self._ended.set_result(None)
                self._free.release()  # whoever waits for a thread gives up, one after the other

    def _within(self, work: Callable[[], _Answer], patience: Patience) -> _Answer:
        if not self._comes(lambda seconds: self._free.acquire(timeout=seconds), patience):
            raise self._opened(f"{_THREADS} calls wait for its answer")
        try:
            if self._ended.done():
                raise NoAnswer(_ENDED)
            if self._away is not None:  # those that were waited for have found it out
                raise NoAnswer(self._away)
            return self._answer(work, patience)
        finally:
            self._free.release()

    def _answer(self, work: Callable[[], _Answer], patience: Patience) -> _Answer:
        future = in_thread(lambda: within(patience.limit_s, work, patience.most_bytes))
        either: list[Future[Any]] = [future, self._ended]
        try:
            came = self._comes(lambda seconds: bool(wait(either, seconds, FIRST_COMPLETED).done), patience)
            if not future.done():
                self._hanging.add(future)
                future.add_done_callback(self._hanging.discard)
                raise NoAnswer(_ENDED) if came else self._opened(LATE)
            return future.result()
        except NoAnswer:
            raise
        except self._lost as error:
            raise self._opened(str(error) or type(error).__name__) from error
        except self._doubtful as error:
            reason = str(error) or type(error).__name__
            raise (NoAnswer(reason) if self._is_there(_PROBE_S) else self._opened(reason)) from error
        finally:
            either.clear()
            del future  # else its error would have itself, and the answer that it came of, for long

    def _comes(self, waited: Callable[[float], bool], patience: Patience) -> bool:
        """Whether it comes before patience ends; `waited` waits so long for it, and says whether it is there."""
        if patience.asks_again or patience.limit_s <= _SILENT_S:
            return waited(patience.limit_s)
        return waited(_SILENT_S) or waited(patience.limit_s - _SILENT_S if self._is_there() else 0)

    def _is_there(self, seconds: float = _THERE_S) -> bool:
        probing = self._look_again()
        wait([probing, self._ended], seconds, FIRST_COMPLETED)
        return probing.done() and probing.result()

    def _opened(self, reason: str) -> NoAnswer:
        with self._lock:
            if self._away is None:
                logger.warning("%s is away: %s", self._name, reason)
            self._away = reason
        return NoAnswer(reason)

    def _look_again(self) -> Future[bool]:
        with self._lock:
            now = time.monotonic()
            if self._probing is None or self._probing.done():
                self._probe_s = _PROBE_HANGS_S
            elif now >= self._hangs_at:
                self._probe_s *= 2
            else:
                return self._probing
            self._probed_at, self._hangs_at = now, now + self._probe_s
            self._probing = in_thread(self._looked)
            return self._probing

    def _looked(self) -> bool:
        """Whether it answers."""
        with suppress(Exception):  # it is away still, or will be found so
            within(_PROBE_ENDS_S, self._probe)
            if len(self._hanging) >= _MOST_HANGING:
                return False
            with self._lock:
                was_away, self._away = self._away, None
            if was_away:
                logger.warning("%s answers again", self._name)
            return True
        return False


def in_thread(work: Callable[[], _Answer]) -> Future[_Answer]:
    """What `work` will have returned or raised, in a thread that the end of the process does not wait for."""
    future: Future[_Answer] = Future()

    def run(future: Future[_Answer]) -> None:
        try:
            answer = work()
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
            future.set_exception(error)
        else:
            future.set_result(answer)
        del future  # as above

    threading.Thread(target=run, args=(future,), name="store", daemon=True).start()
    return future
