"""Vectors in the background: documents are searchable by text at once, and their vectors follow."""

import asyncio
import logging
from collections.abc import Callable

from corpora import ProjectKey

logger = logging.getLogger(__name__)


class EmbeddingWorker:
    """Embeds one project after the other, off the event loop; a project asked for twice is done once.

    Args:
        embed: Computes what vectors a project lacks; called in a thread.
    """

    def __init__(self, embed: Callable[[ProjectKey], object]) -> None:
        self._embed = embed
        self._running: dict[ProjectKey, asyncio.Task[None]] = {}
        self._again: set[ProjectKey] = set()
        self._one_at_a_time = asyncio.Lock()

    def submit(self, key: ProjectKey) -> "asyncio.Task[None]":
        """Starts embedding what `key` lacks, or has the running task look once more when it is done."""
        running = self._running.get(key)
        if running is not None and not running.done():
            self._again.add(key)
            return running
        task = asyncio.create_task(self._work(key))
        self._running[key] = task
        return task

    async def close(self) -> None:
        """Waits for the batch under way; what is left is embedded at the next start."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, key: ProjectKey) -> None:
        while True:
            self._again.discard(key)
            async with self._one_at_a_time:
                try:
                    await asyncio.to_thread(self._embed, key)
                except Exception:
                    logger.exception(
                        "embedding project %s failed; its documents stay searchable by text", key.project_id
                    )
                    return
            if key not in self._again:
                return
