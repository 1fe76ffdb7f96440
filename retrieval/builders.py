"""Threads that build: each workspace has one build at a time, so that none waits for all that another has to do."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

_Built = TypeVar("_Built")


class Builders(Generic[_Built]):
    """So many builds at the same time, of as many workspaces; each workspace's come in the order of asking."""

    def __init__(self, places: int) -> None:
        self._threads = ThreadPoolExecutor(places, thread_name_prefix="bm25")
        self._lock = threading.Lock()
        # The first of each workspace is with the threads, which take the workspaces in turn.
        self._asked: dict[str, deque[tuple[Callable[[], _Built], Future[_Built]]]] = {}

    def submit(self, workspace: str, build: Callable[[], _Built]) -> Future[_Built]:
        """What the build returns or raises; raises `RuntimeError` once closed."""
        built = Future[_Built]()
        with self._lock:
            if workspace not in self._asked:
                self._threads.submit(self._next, workspace)
                self._asked[workspace] = deque()
            self._asked[workspace].append((build, built))
        return built

    def close(self) -> None:
        """Begin nothing any more; waits for what is being built, and cancels the rest."""
        self._threads.shutdown(cancel_futures=True)
        with self._lock:
            for _, built in (one for asked in self._asked.values() for one in asked):
                built.cancel()
            self._asked.clear()

    def _next(self, workspace: str) -> None:
        with self._lock:
            build, built = self._asked[workspace].popleft()
        built.set_running_or_notify_cancel()
        try:
            built.set_result(build())
        except BaseException as error:  # noqa: BLE001 - whoever asked is told, whatever it is
            built.set_exception(error)
        with self._lock:
            if not self._asked[workspace]:
                del self._asked[workspace]
                return
            try:
                self._threads.submit(self._next, workspace)
            except RuntimeError:
                return  # closed: `close` cancels the rest
