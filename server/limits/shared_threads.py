"""Threads for what computes: few, and shared by the workspaces, so that none waits for all that another has to do."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from corpora import Shares, working_for
from server.limits.workspace_threads import begun_in

_Result = TypeVar("_Result")

_BEAT_S = 0.2
# What waits for a thread has its room in memory already, so these are bounded for the event loop's sake alone.
_FURTHER = 12


class SharedThreads:
    """Runs work that keeps the interpreter busy.

    More threads would be no faster, as one computes at a time, and each lets the event loop wait longer for its turn.

    Args:
        name: What the threads are called.
        places: How many compute at the same time.
        each: How many of them a workspace may have; the last goes to one that has none, and once all have been held for
            a second, each that has none gets one more, up to twelve.
    """

    def __init__(self, name: str, places: int, each: int) -> None:
        self._threads = ThreadPoolExecutor(places + _FURTHER, thread_name_prefix=name)
        self._shares = Shares(places, each, further=_FURTHER)
        self._looks = False

    async def run(self, workspace: str, work: Callable[[], _Result]) -> _Result:
        """What the work returns or raises; of a task that is cancelled the work goes on, and has its place until then.

        Raises:
            ServerClosing: Nothing is begun any more.
        """
        place = self._shares.ask(workspace)
        give_back = partial(self._shares.give_back, place)
        if not self._looks:
            self._look()
        try:
            await asyncio.wrap_future(place.granted)
        except BaseException:
            give_back()
            raise
        return await begun_in(self._threads, partial(working_for, workspace, work), give_back)

    def _look(self) -> None:
        """Again and again while anybody waits, as a further place is due at a time, and not where another one ends."""
        self._shares.look()
        self._looks = self._shares.is_wanted()
        if self._looks:
            asyncio.get_running_loop().call_later(_BEAT_S, self._look)

    def end(self) -> None:
        """Begins nothing any more; what is under way is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
