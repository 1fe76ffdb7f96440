"""The design documents that one client sends: taken in beside its turns, each answered once."""

import asyncio
import binascii
import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from agent import Failure, in_thread
from corpora import CorpusError, ProjectKey
from ingest import IngestReport, Phase, Progress, Refusal, Source, Unread, too_large, unnamed
from server.dialects import Dialect
from server.dialects.dialect import Frame
from server.http.base64_content import decode_base64, decoded_size
from server.services import Services
from server.socket.messages import DesignDocSync

logger = logging.getLogger(__name__)

_NO_BASE64 = "file_content is not base64; send the file's bytes encoded as base64."
_NO_ROOM = "The server is taking in as much as it has room for. Send it again in a few seconds."
# What a document counts as at least, in characters, until it is answered: a task and its place in the queue.
_LEAST = 32 * 1024
_STEPS = 20  # how often a client is told of one phase of one document


class Uploads:
    """Runs a client's uploads in the background.

    Args:
        send: Sends one frame to the client.
        dialect: Returns the client's wire form, as it is known by now.
        workspace: Returns what the client's token opened.
        services: The parts of the server.
    """

    def __init__(
        self,
        send: Callable[[Frame], Awaitable[None]],
        dialect: Callable[[], Dialect],
        workspace: Callable[[], str],
        services: Services,
    ) -> None:
        self._send = send
        self._dialect = dialect
        self._workspace = workspace
        self._services = services
        self._running: dict[asyncio.Task[None], DesignDocSync] = {}
        self._waiting = 0  # characters that are counted for them
        self._followed: dict[ProjectKey, dict[str, _Steps]] = {}  # by the ids of documents
        self._followers: set[asyncio.Task[None]] = set()

    async def start(self, message: DesignDocSync) -> None:
        """Begins to take a document in; the client is told how far it is, and what became of it."""
        if not message.file_content.isascii():  # else it would take up to four bytes a character while it waits
            await self._fail(message, "INVALID_BASE64", _NO_BASE64)
            return
        workspace, room = self._workspace(), self._services.upload_room
        size = max(len(message.file_content), _LEAST)
        room.add(workspace, size)
        problem = self._too_many(size) or ("" if room.suffices(workspace, size) else _NO_ROOM)
        if problem:
            room.add(workspace, -size)
            self._services.metrics.refusals.labels("uploads").inc()
            await self._fail(message, "TOO_MANY_UPLOADS", problem)
            return
        task = asyncio.create_task(self._take_in(workspace, message))
        self._running[task] = message
        self._waiting += size
        task.add_done_callback(self._running.pop)
        task.add_done_callback(lambda _: self._answered(workspace, size))

    def _answered(self, workspace: str, size: int) -> None:
        self._waiting -= size
        self._services.upload_room.add(workspace, -size)

    def _too_many(self, size: int) -> str:
        """What is wrong with so many characters more of this client; empty where nothing is."""
        limit = self._services.limits.upload_bytes
        if not self._running or self._waiting + size <= limit:
            return ""
        return (
            f"{len(self._running)} documents are still being taken in, and together with them it has more than "
            f"{limit} characters; each counts as {_LEAST} at least. Send it again when they have been answered."
        )

    async def settled(self, project_id: str) -> None:
        """Waits for the uploads to this project that have been started by now."""
        running = [task for task, message in self._running.items() if message.project_id == project_id]
        if running:
            await asyncio.wait(running)

    async def close(self) -> None:
        """Waits until everything that the client sent is taken in; its vectors are made without it."""
        await asyncio.gather(*self._running, return_exceptions=True)
        for task in self._followers:
            task.cancel()
        await asyncio.gather(*self._followers, return_exceptions=True)

    async def _take_in(self, workspace: str, message: DesignDocSync) -> None:
        try:
            key = ProjectKey(workspace, message.project_id)
            # Nothing is waited for before its place in the queue: of two versions the later one is to stay. Who has no
            # name is called by its content, and has no other version.
            source = _unread(message) if message.file_name else await in_thread(_source, message)
            await self._answer(key, await self._add(key, source))
        except binascii.Error:
            await self._fail(message, "INVALID_BASE64", _NO_BASE64)
        except CorpusError as error:
            await self._fail(message, error.code, str(error))
        except Exception:
            logger.exception("an upload failed unexpectedly")
            await self._fail(message, "INTERNAL", "it could not be taken in; the server's log has the details.")

    async def _add(self, key: ProjectKey, source: Source | Refusal | Unread) -> IngestReport:
        loop, told = asyncio.get_running_loop(), asyncio.Queue[Progress | None]()
        steps = _Steps()

        def listen(progress: Progress) -> None:  # in a thread, which does not wait for the client
            if progress.phase == "reading" and steps.is_next(progress.page, progress.pages):
                loop.call_soon_threadsafe(told.put_nowait, progress)

        adding = asyncio.create_task(self._services.intake.add(key, [source], progress=listen))
        adding.add_done_callback(lambda _: told.put_nowait(None))
        # Looked at here, as nobody is left to do so when the server ends before the document is in.
        adding.add_done_callback(lambda task: task.cancelled() or task.exception())
        await self._tell(source.name, "queued")
        while (progress := await told.get()) is not None:
            await self._tell(progress.document, "reading", progress.page, progress.pages)
        try:
            return await adding
        finally:
            del adding  # what it has failed with refers to this place, which has the document in its hands

    async def _answer(self, key: ProjectKey, report: IngestReport) -> None:
        (document,) = report.documents
        if document.id is not None and document.error is None:
            await self._tell(document.name, "searchable", document.embedded, document.passages)
        await self._send_all(self._dialect().corpus_report(report))
        if document.id is not None and document.error is None:
            self._begin_to_follow(key, document.id)

    def _begin_to_follow(self, key: ProjectKey, document_id: str) -> None:
        """All documents of a project have one follower; one that is sent again is followed anew, by the same."""
        if key not in self._followed:
            self._followed[key] = {}
            task = asyncio.create_task(self._follow(key, self._followed[key]))
            self._followers.add(task)
            task.add_done_callback(self._followers.discard)
        self._followed[key][document_id] = _Steps()

    async def _follow(self, key: ProjectKey, followed: dict[str, "_Steps"]) -> None:
        """Tells how many of the documents' vectors are made, until all are or nobody makes any more."""
        try:
            while followed:
                await self._follow_a_batch(key, followed)
        finally:
            del self._followed[key]

    async def _follow_a_batch(self, key: ProjectKey, followed: dict[str, "_Steps"]) -> None:
        goes_on = await self._services.embedding.batch(key)
        asked = followed.copy()
        find = partial(self._services.catalog.documents, key, asked)
        try:
            found = {document.id: document for document in await self._services.asking.run(key.workspace, find)}
        except CorpusError:  # as while the catalog is away: they are asked about again at the next batch
            if goes_on:
                return
            found = {}
        for document_id, steps in asked.items():
            if followed.get(document_id) is not steps:
                continue  # it was sent again meanwhile, and what was found may be what it was before
            document = found.get(document_id)
            is_done = document is None or document.embedded == document.passages
            if is_done or not goes_on:
                del followed[document_id]
            if document is None:
                continue  # it was removed
            if is_done or (goes_on and steps.is_next(document.embedded, document.passages)):
                phase = "done" if is_done else "embedding"
                await self._tell(document.name, phase, document.embedded, document.passages)
                await asyncio.sleep(0)  # sending to a client that reads lets nobody else have a turn

    async def _tell(self, document: str, phase: Phase, done: int = 0, total: int = 0) -> None:
        await self._send_all(self._dialect().corpus_progress(document, phase, done, total))

    async def _fail(self, message: DesignDocSync, code: str, problem: str) -> None:
        name = _name(message)
        await self._send_all(self._dialect().error(Failure(code, f"{name}: {problem}", {"document": name})))

    async def _send_all(self, frames: Iterable[Frame]) -> None:
        for frame in frames:
            await self._send(frame)


class _Steps:
    """Thins out what is counted one by one."""

    def __init__(self) -> None:
        self._last = -1

    def is_next(self, done: int, total: int) -> bool:
        """Whether `done` of `total` is worth another message."""
        step = done * _STEPS // total if total else 0
        if step == self._last:
            return False
        self._last = step
        return True


def _name(message: DesignDocSync) -> str:
    return message.file_name or "the document"


def _unread(message: DesignDocSync) -> Unread:
    return Unread(message.file_name, partial(_source, message), size=decoded_size(message.file_content))


def _source(message: DesignDocSync) -> Source | Refusal:
    if refusal := too_large(_name(message), decoded_size(message.file_content)):
        return refusal
    data = decode_base64(message.file_content)
    return Source(message.file_name, data) if message.file_name else unnamed(data)
