"""Vectors in the background: documents are searchable by text at once, and their vectors follow."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, aclosing

from corpora import ProjectKey
from ingest import Progress, ProgressListener

logger = logging.getLogger(__name__)


class EmbeddingWorker:
    """Embeds one project after the other, off the event loop; a project asked for twice is done once.

    Args:
        embed: Computes what vectors a project lacks and tells progress after every batch; called in a thread.
        repair: Makes a project's vector store equal to the catalog; called in a thread.
    """

    def __init__(
        self, embed: Callable[[ProjectKey, ProgressListener], object], repair: Callable[[ProjectKey], object]
    ) -> None:
        self._embed = embed
        self._repair = repair
        self._running: dict[ProjectKey, asyncio.Task[None]] = {}
        self._again: set[ProjectKey] = set()
        self._news: dict[ProjectKey, asyncio.Event] = {}  # set once, at the next batch, for whoever waits for it
        self._one_at_a_time = asyncio.Lock()
        self._closing = False

    def start(self, keys: Iterable[ProjectKey]) -> None:
        """Repairs what an earlier process may have left behind, and completes it."""
        for key in keys:
            self._begin(key, self._repair)

    def submit(self, key: ProjectKey) -> None:
        """Embeds what `key` lacks, or has the running task look once more when it is done."""
        if self._is_working(key):
            self._again.add(key)
        else:
            self._begin(key)

    def batches(self, key: ProjectKey) -> AbstractAsyncContextManager[AsyncGenerator[None]]:
        """Yields whenever more vectors of `key` have been made, until nobody makes any."""
        return aclosing(self._batches(key))

    async def close(self) -> None:
        """Waits for the batch under way; what is left is embedded at the next start."""
        self._closing = True
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def _begin(self, key: ProjectKey, first: Callable[[ProjectKey], object] | None = None) -> None:
        task = asyncio.create_task(self._work(key, first))
        self._running[key] = task
        task.add_done_callback(lambda _: self._announce(key))

    def _is_working(self, key: ProjectKey) -> bool:
        running = self._running.get(key)
        return running is not None and not running.done()

    async def _batches(self, key: ProjectKey) -> AsyncGenerator[None]:
        while self._is_working(key):
            await self._news.setdefault(key, asyncio.Event()).wait()
            yield

    def _announce(self, key: ProjectKey) -> None:
        if (news := self._news.pop(key, None)) is not None:
            news.set()

    async def _work(self, key: ProjectKey, first: Callable[[ProjectKey], object] | None) -> None:
        loop = asyncio.get_running_loop()

        def go_on(_progress: Progress) -> None:  # in a thread
            loop.call_soon_threadsafe(self._announce, key)
            if self._closing:
                raise _Closing

        try:
            if first is not None:
                await self._in_turn(lambda: first(key))
            self._again.add(key)
            while key in self._again:
                self._again.discard(key)
                await self._in_turn(lambda: self._embed(key, go_on))
        except _Closing:
            return
        except Exception:
            logger.exception("embedding project %s failed; its documents stay searchable by text", key.project_id)

    async def _in_turn(self, work: Callable[[], object]) -> None:
        async with self._one_at_a_time:
            if not self._closing:
                await asyncio.to_thread(work)


class _Closing(Exception):
    """Ends a thread that embeds, between two batches."""
