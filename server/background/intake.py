"""Where documents are taken in: on threads of their own, so that no turn waits for one."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import contextmanager
from copy import copy
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar
from weakref import WeakValueDictionary

from corpora import CorpusError, ProjectKey
from ingest import (
    Change,
    DocumentReport,
    Ingestor,
    IngestReport,
    Overwriting,
    Progress,
    ProgressListener,
    Refusal,
    Source,
    Unread,
)
from retrieval import ProviderAway, VectorStoreUnavailable
from server.background.embedding import EmbeddingWorker
from server.background.failures import Failures
from server.closing import ServerClosing
from server.limits.room import Room
from server.limits.workspace_threads import WorkspaceThreads
from server.metrics import Metrics

_Result = TypeVar("_Result")

_THREADS = 32  # of a workspace; they wait for readers and vectors most of the time
_LEAST = 4 * 2**10  # what a document takes at least until it is taken in, however short it is
_MOST = 256 * 2**20


class NoRoomForDocuments(CorpusError):
    """So many documents wait that there is no room for more.

    Attributes:
        retry_after_s: When there may be room; whole seconds.
    """

    code = "TOO_BUSY"
    retry_after_s = 5


class Intake:
    """Takes documents in for every session and route of a server, and takes them out.

    Args:
        ingestor: Does the work.
        metrics: Count what became of the documents.
        embedding: Is told of each project whose documents have changed.

    Attributes:
        failures: What could not be read.
    """

    def __init__(self, ingestor: Ingestor, metrics: Metrics, embedding: EmbeddingWorker) -> None:
        self._ingestor = ingestor
        self._metrics = metrics
        self._embedding = embedding
        self._room = Room(_MOST)
        self.failures = Failures()
        self._threads = WorkspaceThreads("intake", _THREADS)
        # Documents of one project come in one after the other; those that wait need no thread yet. A project that
        # nobody adds to has no lock: whoever holds one or waits for it keeps it.
        self._turns: WeakValueDictionary[ProjectKey, asyncio.Lock] = WeakValueDictionary()
        self._under_way: dict[ProjectKey, Counter[str]] = {}
        self._reading: dict[ProjectKey, Progress] = {}
        self._closing = False

    def reading(self, key: ProjectKey) -> Progress | None:
        """How far the document is that is being read in a project; None while none is."""
        progress = self._reading.get(key)
        return progress if progress is not None and progress.phase == "reading" else None

    def under_way(self, key: ProjectKey) -> tuple[str, ...]:
        """The documents of a project that are being read, or wait for it, by name."""
        return tuple(self._under_way.get(key, ()))

    async def add(
        self,
        key: ProjectKey,
        sources: Collection[Source | Refusal | Unread],
        *,
        replace: bool = False,
        overwriting: Overwriting | None = None,
        progress: ProgressListener | None = None,
    ) -> IngestReport:
        """`Ingestor.add`; `progress` is called in a thread. The vectors follow.

        Raises:
            ServerClosing: The server ends before it is done.
            NoRoomForDocuments: Too many others wait.
        """
        with self._held(key.workspace, sources):
            report = await self._added(key, sources, replace, progress, datetime.now(UTC), overwriting)
        self._metrics.add_report(report)
        return report

    async def index(
        self,
        key: ProjectKey,
        sources: Collection[Source | Refusal | Unread],
        *,
        replace: bool = False,
        progress: ProgressListener | None = None,
    ) -> IngestReport:
        """As `add`, and then waits for the project's vectors, which are made in their turn.

        Where the vector store or a provider is away, the documents stay `searchable`, and their vectors follow.

        Raises:
            ServerClosing: The server ends before all documents are in.
            NoRoomForDocuments: Too many others wait.
            CorpusError: The documents are in, and no vectors can be made; the error says what to do.
        """
        names, given_at = [source.name for source in sources], datetime.now(UTC)
        with self._held(key.workspace, sources):
            before = await self._threads.run(key.workspace, partial(self._ingestor.documents, key, names))
            report = await self._added(key, sources, replace, progress, given_at)
        await self._embedded(key, report, progress or _nobody)
        failure = self._embedding.failure(key)
        if failure is not None and not isinstance(failure, (ProviderAway, VectorStoreUnavailable)):
            raise copy(failure)  # the worker keeps it, and would keep with it what this request has in its hands
        report = await self._threads.run(key.workspace, partial(self._ingestor.settled, key, report, before))
        self._metrics.add_report(report)
        return report

    async def follow(self, key: ProjectKey, change: Change, progress: ProgressListener) -> IngestReport:
        """`Ingestor.follow`: what has changed in the project's linked folder; `progress` is called in a thread.

        Raises:
            ServerClosing: The server ends before it is done.
        """
        follow = partial(self._ingestor.follow, key, change, progress=self._listener(key, progress))
        report = await self._in_turn(key, change.sources.readable, follow)
        self._metrics.add_report(report)
        return report

    async def remove(self, key: ProjectKey, name_or_id: str) -> DocumentReport:
        """`Ingestor.remove`, once nobody adds to the project; whoever waits for that keeps no thread."""
        async with self._turns.setdefault(key, asyncio.Lock()):
            removed = await self._changed(key, partial(self._ingestor.take_out, key, name_or_id))
        await self._threads.run(key.workspace, partial(self._ingestor.forget_removed, key))
        return removed

    def end(self) -> None:
        """Ends what is under way, a document also in the midst of a page, and waits for nothing."""
        self._closing = True

    async def close(self) -> None:
        """Ends what is under way, and waits for it."""
        self.end()
        await self._threads.close()

    async def _added(
        self,
        key: ProjectKey,
        sources: Collection[Source | Refusal | Unread],
        replace: bool,
        progress: ProgressListener | None,
        given_at: datetime,
        overwriting: Overwriting | None = None,
    ) -> IngestReport:
        add = partial(
            self._ingestor.add,
            key,
            sources,
            replace=replace,
            overwriting=overwriting,
            given_at=given_at,  # and not when its turn comes
            progress=self._listener(key, progress),
        )
        return await self._in_turn(key, [source.name for source in sources], add)

    async def _in_turn(self, key: ProjectKey, names: Iterable[str], work: Callable[[], IngestReport]) -> IngestReport:
        """Runs `work` on the documents of these names once nobody else adds to the project."""
        with self._noted(key, names):
            async with self._turns.setdefault(key, asyncio.Lock()):
                report = await self._changed(key, work)
                self.failures.note(key, report)
                return report

    async def _changed(self, key: ProjectKey, work: Callable[[], _Result]) -> _Result:
        """Runs `work`, which changes documents; their vectors follow also where it fails midway or nobody waits."""
        loop, is_changed, is_left = asyncio.get_running_loop(), False, False

        def changed() -> None:
            nonlocal is_changed
            is_changed = True
            if is_left:
                self._embedding.submit(key)

        def change() -> _Result:
            try:
                return work()
            finally:
                loop.call_soon_threadsafe(changed)

        try:
            return await self._threads.run(key.workspace, change)
        finally:  # whoever waits hears of the vectors from the first one on
            is_left = True
            if is_changed:
                self._embedding.submit(key)

    async def _embedded(self, key: ProjectKey, report: IngestReport, progress: ProgressListener) -> None:
        # Of what is made sooner than anybody hears of it, the end is told.
        most = sum(document.passages - document.embedded for document in report.documents)
        while await self._embedding.batch(key):
            left = self._embedding.left(key)
            most = max(most, left)
            if most:
                progress(Progress("", "embedding", most - left, most))

    @contextmanager
    def _held(self, workspace: str, sources: Collection[Source | Refusal | Unread]) -> Generator[None]:
        """Counts what waits in memory, also where nobody waits for the answer any more."""
        size = sum(_LEAST + (source.held if isinstance(source, Unread) else 0) for source in sources)
        self._room.add(workspace, size)
        try:
            if size and not self._room.suffices(workspace, size):
                self._metrics.refusals.labels("uploads").inc()
                raise NoRoomForDocuments(
                    "The documents that wait to be taken in leave no room for more. Send these again in a few seconds."
                )
            yield
        finally:
            self._room.add(workspace, -size)

    @contextmanager
    def _noted(self, key: ProjectKey, of: Iterable[str]) -> Generator[None]:
        names = Counter(of)
        self._under_way.setdefault(key, Counter()).update(names)
        try:
            yield
        finally:
            # A folder that has lost documents, and has none to read, is under way without a name.
            left = self._under_way.pop(key, Counter()) - names
            if left:
                self._under_way[key] = left
            else:
                self._reading.pop(key, None)

    def _listener(self, key: ProjectKey, told: ProgressListener | None = None) -> ProgressListener:
        def listen(progress: Progress) -> None:
            if self._closing:
                raise ServerClosing
            self._reading[key] = progress
            if told is not None:
                told(progress)

        return listen


def _nobody(_: Progress) -> None:
    """Whom progress is told when nobody asked."""
