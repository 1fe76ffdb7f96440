"""Threads that build: each workspace has one build at a time, so that none waits for all that another has to do."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Generic, TypeVar

from corpora import Shares

_Built = TypeVar("_Built")


class Builders(Generic[_Built]):
    """So many builds at the same time, of as many workspaces; each workspace's come in the order of asking.

    Once all `places` have been held for a second there are `further` ones, for whoever looks again.
    """

    def __init__(self, places: int, further: int = 0) -> None:
        self._threads = ThreadPoolExecutor(places + further, thread_name_prefix="bm25")
        self._shares = Shares(places, each=1, further=further)
        self._asked = set[Future[_Built]]()
        self._is_closed = False

    def submit(self, workspace: str, build: Callable[[], _Built]) -> Future[_Built]:
        """What the build returns or raises, cancelled if these close before; raises `RuntimeError` once they have."""
        if self._is_closed:
            raise RuntimeError("nothing is built any more")
        built = Future[_Built]()
        self._asked.add(built)
        built.add_done_callback(self._asked.discard)
        place = self._shares.ask(workspace)

        def build_it() -> None:
            try:
                if built.set_running_or_notify_cancel():
                    built.set_result(build())
            except BaseException as error:  # noqa: BLE001 - whoever asked is told, whatever it is
                built.set_exception(error)
            self._shares.give_back(place)

        place.granted.add_done_callback(partial(self._begin, build_it, built))
        return built

    def look(self) -> None:
        """Begins what is due by now."""
        self._shares.look()

    def close(self) -> None:
        """Begin nothing any more; waits for what is being built, and cancels the rest."""
        self._is_closed = True
        for built in tuple(self._asked):
            built.cancel()
        self._threads.shutdown(cancel_futures=True)

    def _begin(self, build_it: Callable[[], None], built: Future[_Built], _granted: Future[None]) -> None:
        try:
            self._threads.submit(build_it)
        except RuntimeError:  # closed
            built.cancel()
