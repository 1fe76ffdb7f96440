"""Vectors in the background: documents are searchable by text at once, and their vectors follow."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from itertools import count

from corpora import CorpusError, ProjectKey, Shares
from ingest import Progress, ProgressListener

logger = logging.getLogger(__name__)

_SOMEBODY_ELSE_S = 0.5  # until it is asked again whether somebody else is done
_LOOK_S = 5.0
_FAILED_S = 60.0  # until what failed is tried again: twice as long after each time
_FAILED_AT_MOST_S = 900.0
_MOST_TRIED_AGAIN = 1_000  # projects of a workspace
_REPAIRED_AT_ONCE, _BETWEEN_REPAIRS_S = 50, 3.0
_SLICE_S = 1.0  # how long a project may be embedded while others wait
_PASSAGES_PER_S = 50


class EmbeddingWorker:
    """Embeds one project at a time, off the event loop; a project asked for twice is done once.

    While others wait, they take turns every second: workspace by workspace, what lacks few vectors first. What
    fails, as on a full disk, is tried again.

    Args:
        embed: Computes what vectors a project lacks and tells progress after every batch; called in a thread. False
            if another process is at it, or somebody writes to the project for long: then it is asked again.
        repair: Makes a project's vector store equal to the catalog; as `embed`, it tells after each step, but no more.
        unfinished: Projects that another server may have left; asked every few seconds, in a thread. None where
            there are no other servers.
        is_complete: Whether there is nothing to be done for a project; asked in a thread before it waits for its turn,
            as any number of projects may be named that there are not.
    """

    def __init__(
        self,
        embed: Callable[[ProjectKey, ProgressListener], bool],
        repair: Callable[[ProjectKey, Callable[[], None]], bool],
        unfinished: Callable[[], Iterable[ProjectKey]] | None = None,
        is_complete: Callable[[ProjectKey], bool] = lambda _: False,
    ) -> None:
        self._embed = embed
        self._repair = repair
        self._unfinished = unfinished
        self._is_complete = is_complete
        self._looking: asyncio.Task[None] | None = None
        self._repairing: asyncio.Task[None] | None = None
        self._not_before: dict[ProjectKey, float] = {}  # of what failed
        self._patience_s: dict[ProjectKey, float] = {}
        self._failures: dict[ProjectKey, Exception] = {}
        self._retries: dict[ProjectKey, asyncio.TimerHandle] = {}
        self._left: dict[ProjectKey, int] = {}  # vectors, as far as is known
        self._running: dict[ProjectKey, asyncio.Task[None]] = {}
        self._again: set[ProjectKey] = set()
        self._news: dict[ProjectKey, asyncio.Event] = {}  # set once, at the next batch, for whoever waits for it
        self._shares = Shares(places=1, each=1)
        self._closing = False

    def start(self, keys: Iterable[ProjectKey]) -> None:
        """Repairs what an earlier process may have left behind, and completes it: of very many projects some later.

        To look at what a project has opens its index, and of many opened ones all are let go of again and again.
        """
        every = [*keys]
        for key in every[:_REPAIRED_AT_ONCE]:
            self._begin(key, repairs=True)
        if further := every[_REPAIRED_AT_ONCE:]:
            self._repairing = asyncio.create_task(self._repair_further(further))
        if self._unfinished is not None:
            self._looking = asyncio.create_task(self._look_after(self._unfinished))

    def submit(self, key: ProjectKey) -> None:
        """Embeds what `key` lacks, or has the running task look once more when it is done."""
        self._not_before.pop(key, None)
        if (retry := self._retries.pop(key, None)) is not None:
            retry.cancel()
        if self._is_working(key):
            self._again.add(key)
        else:
            self._begin(key)

    async def batch(self, key: ProjectKey) -> bool:
        """Waits until more vectors of `key` have been made, or the work at them has ended; False if nobody is at it."""
        if not self._is_working(key):
            return False
        await self._news.setdefault(key, asyncio.Event()).wait()
        return True

    def left(self, key: ProjectKey) -> int:
        """How many vectors of `key` are still to be made, as far as is known."""
        return self._left.get(key, 0)

    def failure(self, key: ProjectKey) -> Exception | None:
        """Why vectors that `key` lacks were not made when that was last tried."""
        return self._failures.get(key)

    def end(self) -> None:
        """Begins no batch any more, and waits for nothing; what is left is embedded at the next start."""
        self._closing = True

    async def close(self) -> None:
        """Waits for the batch under way."""
        self.end()
        for retry in self._retries.values():
            retry.cancel()
        for task in filter(None, (self._looking, self._repairing)):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def _repair_further(self, keys: Iterable[ProjectKey]) -> None:
        later = list[ProjectKey]()
        for key in keys:
            try:
                is_complete = await asyncio.to_thread(self._is_complete, key)
            except CorpusError as error:
                logger.warning("whether project %s has its vectors is looked for later: %s", key.project_id, error)
                is_complete = True
            if is_complete:
                later.append(key)
            elif not self._is_working(key):
                self._begin(key, repairs=True)
        for key in later:
            await asyncio.sleep(_BETWEEN_REPAIRS_S)
            if not self._is_working(key):
                self._begin(key, repairs=True)

    def _begin(self, key: ProjectKey, *, repairs: bool = False) -> None:
        task = asyncio.create_task(self._work(key, repairs=repairs))
        self._running[key] = task
        task.add_done_callback(lambda done: self._ended(key, done))

    def _ended(self, key: ProjectKey, task: asyncio.Task[None]) -> None:
        if self._running[key] is task:  # and no other has been begun meanwhile
            del self._running[key]
            self._again.discard(key)
        self._announce(key)

    def _is_working(self, key: ProjectKey) -> bool:
        running = self._running.get(key)
        return running is not None and not running.done()

    def _announce(self, key: ProjectKey) -> None:
        if (news := self._news.pop(key, None)) is not None:
            news.set()

    async def _work(self, key: ProjectKey, *, repairs: bool) -> None:
        try:
            if repairs:
                step = Progress("", "embedding", 0, 0)
                await self._in_turn(key, lambda go_on: self._repair(key, lambda: go_on(step)))
            self._again.add(key)
            while key in self._again and not self._closing:
                self._again.discard(key)
                if await asyncio.to_thread(self._is_complete, key):
                    self._left.pop(key, None)
                else:
                    await self._in_turn(key, lambda go_on: self._embed(key, go_on))
        except _Closing:
            return
        except Exception as error:  # noqa: BLE001 - it is logged, with its place unless it is an operator's to mend
            self._try_later(key, error)
        else:
            self._patience_s.pop(key, None)
            self._failures.pop(key, None)

    def _try_later(self, key: ProjectKey, error: Exception) -> None:
        if self._closing and isinstance(error, CorpusError):
            logger.warning("project %s is embedded further at the next start: %s", key.project_id, error)
            return
        if key not in self._retries and self._tried_again(key.workspace) >= _MOST_TRIED_AGAIN:
            # Any number may be named that there are not. One that there is has its turn with the next document, or once
            # it is looked for.
            self._not_before[key] = asyncio.get_running_loop().time() + _FAILED_AT_MOST_S
            return
        self._failures[key] = error
        patience_s = self._patience_s.setdefault(key, _FAILED_S)
        loop = asyncio.get_running_loop()
        self._not_before[key] = loop.time() + patience_s
        if not self._closing:
            self._retries[key] = loop.call_later(patience_s, self._try_again, key)
        # What an operator can do about it is said in its sentence; where the fault is ours, the place matters.
        trace = None if isinstance(error, CorpusError) else error
        logger.error(
            "embedding project %s failed and is tried again in %.0f s; its documents stay searchable by text: %s",
            key.project_id,
            patience_s,
            error,
            exc_info=trace,
        )
        # It is kept, and raised to whoever asks: of where it was raised, and what was in hand there, nothing is.
        error.__traceback__ = error.__cause__ = error.__context__ = None

    def _tried_again(self, workspace: str) -> int:
        return sum(key.workspace == workspace for key in self._retries)

    def _try_again(self, key: ProjectKey) -> None:
        """Only such a try makes the next one wait longer: documents that come while a store is away do not."""
        self._patience_s[key] = min(2 * self._patience_s.get(key, _FAILED_S), _FAILED_AT_MOST_S)
        self.submit(key)

    async def _in_turn(self, key: ProjectKey, work: Callable[[ProgressListener], bool]) -> None:
        """Does the work, a slice at a time while others wait; and again while somebody else is at it."""
        while not self._closing:
            place = self._shares.ask(key.workspace, self._left.get(key, 0) / _PASSAGES_PER_S)
            try:
                await asyncio.wrap_future(place.granted)
                if self._closing or await asyncio.to_thread(work, self._listener(key)):
                    self._left.pop(key, None)
                    return
            except _OthersWait:
                continue
            finally:
                self._shares.give_back(place)
            await asyncio.sleep(_SOMEBODY_ELSE_S)

    def _listener(self, key: ProjectKey) -> ProgressListener:
        loop = asyncio.get_running_loop()
        until, told = loop.time() + _SLICE_S, count()

        def go_on(progress: Progress) -> None:  # in a thread
            self._left[key] = progress.total - progress.done
            loop.call_soon_threadsafe(self._announce, key)
            if self._closing:
                raise _Closing
            # First it is told how much there is to be done, however long that took; then after each step.
            if next(told) and loop.time() >= until and self._shares.is_wanted():
                raise _OthersWait

        return go_on

    async def _look_after(self, unfinished: Callable[[], Iterable[ProjectKey]]) -> None:
        """Takes up what another server has begun and does not go on with."""
        while True:
            await asyncio.sleep(_LOOK_S)
            try:
                found = await asyncio.to_thread(unfinished)
            except CorpusError as error:
                logger.warning("looking for unfinished projects failed: %s", error)
                continue
            now = asyncio.get_running_loop().time()
            for key in found:
                if now >= self._not_before.get(key, now) and not self._is_working(key):
                    (self._try_again if key in self._patience_s else self.submit)(key)
            for key in [key for key, then in self._not_before.items() if then < now and key not in self._retries]:
                del self._not_before[key]


class _Closing(Exception):
    """Ends a thread that embeds, between two batches."""


class _OthersWait(Exception):
    """Ends a thread that embeds, between two batches; the project is taken up again where it was."""
