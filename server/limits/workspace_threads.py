"""Threads for what takes long: of one workspace only so many at a time, so that no other waits for them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar
from weakref import WeakValueDictionary

from corpora import working_for
from server.closing import ServerClosing

_Result = TypeVar("_Result")

_MANY = 10_000  # threads are begun only as they are needed


class WorkspaceThreads:
    """Runs work that waits most of the time.

    Args:
        name: What the threads are called.
        each: How many a workspace may have; what is more waits without a thread.
    """

    def __init__(self, name: str, each: int) -> None:
        self._threads = ThreadPoolExecutor(_MANY, thread_name_prefix=name)
        self._each = each
        # Whoever works or waits keeps its workspace's; nobody else does.
        self._free: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def run(self, workspace: str, work: Callable[[], _Result]) -> _Result:
        """What the work returns or raises; of a task that is cancelled the work goes on, and has its thread until then.

        Raises:
            ServerClosing: Nothing is begun any more.
        """
        free = self._free.setdefault(workspace, asyncio.Semaphore(self._each))
        await free.acquire()
        return await begun_in(self._threads, partial(working_for, workspace, work), free.release)

    def end(self) -> None:
        """Begins nothing any more; what is under way is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def close(self) -> None:
        """Waits for what is under way."""
        await asyncio.to_thread(self._threads.shutdown)


def begun_in(
    threads: ThreadPoolExecutor, work: Callable[[], _Result], give_back: Callable[[], None]
) -> asyncio.Future[_Result]:
    """The work under way; whatever becomes of whoever waits for it, its place is given back when it has ended.

    Raises:
        ServerClosing: The threads begin nothing any more.
    """
    try:
        working = asyncio.get_running_loop().run_in_executor(threads, work)
    except RuntimeError as error:
        give_back()
        raise ServerClosing from error

    def ended(done: asyncio.Future[_Result]) -> None:
        give_back()
        if not done.cancelled():
            done.exception()  # nobody may be left whom it would concern

    working.add_done_callback(ended)
    return asyncio.shield(working)
