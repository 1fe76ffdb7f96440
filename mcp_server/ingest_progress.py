"""How far an ingest is, told to the client that asked for it; and its end where the client asks for that."""

import asyncio
import threading
from types import TracebackType
from typing import Any

from mcp.server.context import ServerRequestContext

from ingest import Progress

_STEPS = 100


class Cancelled(Exception):
    """The client does not want it any more."""


class IngestProgress:
    """Tells of one ingest while the block runs; whoever is cancelled in it ends the ingest, also within a document.

    Documents that were read before stay, as each is a whole.
    """

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._is_over = threading.Event()
        self._told: asyncio.Queue[tuple[float, float, str] | None] = asyncio.Queue()
        self._last = 0.0

    async def __aenter__(self) -> "IngestProgress":
        self._telling = asyncio.create_task(self._tell())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._told.put_nowait(None)
        if error is not None:
            self._telling.cancel()
        await asyncio.gather(self._telling, return_exceptions=True)

    def listen(self, progress: Progress) -> None:
        """Takes one event in, in a thread.

        Raises:
            Cancelled: The block has been left.
        """
        if self._is_over.is_set():
            raise Cancelled
        part = progress.page / progress.pages if progress.pages else 0.0
        done = round(progress.done + part * (progress.phase == "reading"), 2)
        if done > self._last and (done - self._last) * _STEPS >= progress.total:
            self._last = done  # it has to grow from notice to notice
            words = f"{progress.document}: {progress.phase}" if progress.document else progress.phase
            self._loop.call_soon_threadsafe(self._told.put_nowait, (done, float(progress.total), words))

    async def _tell(self) -> None:
        while (notice := await self._told.get()) is not None:
            await self._context.session.report_progress(*notice)
