"""The linked folders of all projects, kept in step while the server runs."""

import asyncio
import logging
import secrets
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple
from weakref import WeakValueDictionary

from corpora import (
    MOST_FOLDERS,
    MOST_FOLDERS_OF_WORKSPACE,
    Catalog,
    CorpusError,
    LinkedFolder,
    ProjectKey,
    Shares,
    printable,
)
from ingest import (
    MAY_PASS,
    Change,
    DocumentReport,
    FolderNotAllowed,
    FolderRoots,
    FolderUnusable,
    IngestReport,
    Problem,
    Progress,
    Watch,
)
from server.background.intake import Intake
from server.closing import ServerClosing
from server.limits.workspace_threads import WorkspaceThreads

logger = logging.getLogger(__name__)

_Result = TypeVar("_Result")
_Arguments = TypeVarTuple("_Arguments")

_LEASE_S = 20.0
_RENEW_S = 5.0
_AGAIN_S = 5.0  # after a failure that is not a document's, such as that of the database
_END_S = 5.0  # what a server that ends, or whoever changes a link, waits for looks at a drive, which may hang
_MOST_LOGGED = 100  # failures of one change; all are counted
_NO_NEWS = ("unchanged", "skipped")
# How many folders are looked into at the same time, and of a workspace; where drives hang, of each other one more.
_LOOKS, _LOOKS_EACH, _FURTHER_LOOKS = 4, 2, 100
_MOST_LATE = 5
_ADMITTED = 4  # folders of a workspace that are asked whether they may be linked
_MANY = 10_000  # threads are begun only as they are needed: one for each folder


# Links of an earlier version, or of a catalog from elsewhere.
_SURPLUS = Problem(
    "TOO_MANY_FOLDERS",
    f"The folder is not followed: of the linked folders the first {MOST_FOLDERS_OF_WORKSPACE} of a workspace and "
    f"{MOST_FOLDERS} of all are. Unlink others, and link it again.",
)


@dataclass
class _Follower:
    folder: LinkedFolder
    watch: Watch
    stop: threading.Event
    first: "asyncio.Future[IngestReport] | None"  # the report on all of the folder, until it is there
    task: "asyncio.Task[None]" = field(init=False)
    writes: bool = False  # what it has read goes into the catalog, for which it needs no drive any more


class LinkedFolders:
    """Follows each linked folder; of several servers with one database, one follows each.

    Args:
        catalog: Knows the links.
        intake: Takes documents in.
        roots: Which folders may be linked.
        shared: Other servers use the same database.
    """

    def __init__(self, catalog: Catalog, intake: Intake, roots: FolderRoots, *, shared: bool) -> None:
        self._catalog = catalog
        self._intake = intake
        self._roots = roots
        self._shared = shared
        self._watcher = secrets.token_hex(8)
        self._threads = ThreadPoolExecutor(_MANY, thread_name_prefix="linked-folder")
        self._admitting = WorkspaceThreads("admitting", _ADMITTED)  # a drive may hang, however often somebody asks
        self._looks = Shares(_LOOKS, _LOOKS_EACH, further=_FURTHER_LOOKS)
        self._followers: dict[ProjectKey, _Follower] = {}
        self._late: dict[str, set[asyncio.Task[None]]] = {}  # of folders that are not linked any more, by the workspace
        self._changing: WeakValueDictionary[ProjectKey, asyncio.Lock] = WeakValueDictionary()
        self._keeper: asyncio.Task[None] | None = None
        self._keeping: dict[str, asyncio.Task[bool]] = {}  # by the workspace
        self._keeps_again = False  # something has changed that it may have passed already
        self._closing = asyncio.Event()

    def start(self) -> None:
        """Begins to follow, and to make up for what happened while no server ran."""
        self._keeper = asyncio.create_task(self._keep_following())

    async def link(self, key: ProjectKey, path: str, *, by_owner: bool) -> IngestReport:
        """Makes a folder the project's; the report on all of it, once it is searchable.

        A server that has not been started brings it in and does not follow it.

        Raises:
            FolderNotAllowed: It is not below the workspace's roots; without any, `by_owner` is needed.
            FolderUnusable: It is no folder, cannot be read, or is the data directory.
            WorkspaceFull: So many other projects have one, of its workspace or of all.
            ServerClosing: The server ended, or the folder was unlinked, before all was read.
        """
        admit = partial(self._roots.admit, path, key.workspace, by_owner=by_owner)
        admitted = str(await self._admitting.run(key.workspace, admit))
        async with self._changed(key):
            write = partial(self._catalog.link_folder, key, admitted, self._watcher, _LEASE_S, by_owner=by_owner)
            await self._in_thread(write)
            first = await self._begin(LinkedFolder(key, admitted, by_owner=by_owner), ())
        return await first

    async def unlink(self, key: ProjectKey) -> LinkedFolder:
        """Forgets the project's folder, and leaves its documents; raises `FolderNotFound`."""
        async with self._changed(key):
            return await self._in_thread(self._catalog.unlink_folder, key)

    async def close(self) -> None:
        """Ends what is under way, and waits for it; another server may go on at once."""
        self._closing.set()
        if self._keeper is not None:
            await self._keeper
        await _ended_within(_END_S, self._keeping.values())
        for follower in self._followers.values():
            follower.stop.set()
        await _ended_within(_END_S, [follower.task for follower in self._followers.values()])
        if self._shared:
            await asyncio.to_thread(self._catalog.release_folders, self._watcher)
        self._admitting.end()
        self._threads.shutdown(wait=False, cancel_futures=True)

    @asynccontextmanager
    async def _changed(self, key: ProjectKey) -> AsyncGenerator[None]:
        """Nobody follows the project's folder meanwhile; where its link could not be changed, it is followed again."""
        try:
            async with self._changes(key):
                await self._end(key)
                yield
        except BaseException:
            self._keep_again()
            raise

    def _keep_again(self) -> None:
        self._keeps_again = True
        if self._keeper is not None and self._keeper.done():
            self._keeper = asyncio.create_task(self._keep_following())

    def _changes(self, key: ProjectKey) -> asyncio.Lock:
        """Held by whoever changes which folder of the project is followed; a project that nobody changes has none."""
        return self._changing.setdefault(key, asyncio.Lock())

    async def _keep_following(self) -> None:
        """Follows all folders; with a shared database, looks for those that nobody follows any more."""
        while not self._closing.is_set():
            self._keeps_again = False
            try:
                kept = await self._keep_all(await self._in_thread(self._catalog.linked_folders))
            except CorpusError as error:
                logger.warning("linked folders: %s", error)
            except Exception:
                logger.exception("linked folders could not be followed")
            else:
                if kept and not self._shared and not self._keeps_again:
                    return
            await self._pause(_RENEW_S if self._shared else _AGAIN_S)

    async def _keep_all(self, folders: Sequence[LinkedFolder]) -> bool:
        """Whether that is done that is to be done; where a drive hangs, only its workspace waits."""
        followed = _within_limits(folders)
        for workspace in {folder.key.workspace for folder in folders} - self._keeping.keys():
            own = [folder for folder in folders if folder.key.workspace == workspace]
            self._keeping[workspace] = asyncio.create_task(self._keep_of(own, followed))
        if self._keeping:
            await asyncio.wait(self._keeping.values(), timeout=_RENEW_S)
        ended = [task for task in self._keeping.values() if task.done()]
        self._keeping = {workspace: task for workspace, task in self._keeping.items() if task not in ended}
        kept = await asyncio.gather(*ended, return_exceptions=True)
        for problem in kept:
            if isinstance(problem, BaseException):
                raise problem
        return all(kept) and not self._keeping

    async def _keep_of(self, own: Sequence[LinkedFolder], followed: Collection[ProjectKey]) -> bool:
        return all([await self._kept(folder, is_followed=folder.key in followed) for folder in own])

    async def _kept(self, folder: LinkedFolder, *, is_followed: bool) -> bool:
        """Whether that is done that is to be done with it; one that fails keeps none of the others waiting."""
        try:
            await (self._keep(folder) if is_followed else self._note(folder, _SURPLUS))
        except CorpusError:  # as that of the database, which is all of theirs
            raise
        except Exception:
            logger.exception("the linked folder %s could not be followed", folder.path)
            return False
        return True

    async def _keep(self, folder: LinkedFolder) -> None:
        """Renews our lease on a folder, or takes it over; waits for no ingest, as other leases have to be renewed."""
        changes = self._changes(folder.key)
        if changes.locked():
            await self._may_follow(folder)
            return
        async with changes:
            if not await self._lacks_follower(folder):
                return
        refusal = await self._refusal(folder)  # a drive that hangs keeps nobody from changing the link
        if not changes.locked():  # whoever changes it has it followed
            async with changes:
                if await self._lacks_follower(folder):
                    await self._take_over(folder, refusal)

    async def _lacks_follower(self, folder: LinkedFolder) -> bool:
        """Whether it is ours to follow and nobody does."""
        follower = self._followers.get(folder.key)
        if follower is None or follower.task.done():
            return await self._may_follow(folder)
        if not await self._may_follow(follower.folder):  # of what was listed, a link may be another by now
            follower.stop.set()
        return False

    async def _take_over(self, folder: LinkedFolder, refusal: Problem | None) -> None:
        if refusal is not None:
            await self._note(folder, refusal)
        elif not self._closing.is_set():
            # Whoever linked it, by an older version perhaps: the operator sees what of the machine is read.
            logger.info(
                "project %s of workspace %s: follows %s", folder.key.project_id, folder.key.workspace, folder.path
            )
            documents = await self._in_thread(self._catalog.folder_documents, folder.key)
            await self._begin(folder, documents)

    async def _may_follow(self, folder: LinkedFolder) -> bool:
        """Whether it is ours to follow, for some seconds at least; another link may have taken its place."""
        if self._shared:
            return await self._in_thread(self._catalog.claim_folder, folder, self._watcher, _LEASE_S)
        linked = await self._in_thread(self._catalog.linked_folder, folder.key)
        return linked is not None and linked.path == folder.path

    async def _refusal(self, folder: LinkedFolder) -> Problem | None:
        """Why it may not be read: roots, links and the data directory may be others than when it was linked."""

        def require() -> None:
            self._roots.require_allowed(Path(folder.path), folder.key.workspace, by_owner=folder.by_owner)
            self._roots.require_apart(Path(folder.path))

        try:
            await self._in_thread(require)
        except (FolderNotAllowed, FolderUnusable) as error:
            return Problem(error.code, error.message)
        return None

    async def _begin(self, folder: LinkedFolder, documents: Collection[str]) -> "asyncio.Future[IngestReport]":
        stop, first = threading.Event(), asyncio.get_running_loop().create_future()

        def go_on() -> None:
            if stop.is_set():
                raise _ended()

        known = {"documents": documents, "was_doubted": folder.problem is not None}
        turn = partial(self._looks.taken, folder.key.workspace, go_on)
        watch = await self._in_thread(partial(Watch, [folder.path], stop, **known, real=True, turn=turn))
        follower = _Follower(folder, watch, stop, first)
        self._followers[folder.key] = follower
        follower.task = asyncio.create_task(self._follow(follower))
        return first

    async def _end(self, key: ProjectKey) -> None:
        if (follower := self._followers.get(key)) is None:
            return
        follower.stop.set()
        # Not cancelled: what a drive keeps longer changes nothing any more, and has the project's turn until then.
        await asyncio.wait([follower.task], timeout=_END_S)
        if follower.writes:
            await asyncio.wait([follower.task])
        _tell(follower, _ended())
        if not follower.task.done():
            late = self._late.setdefault(key.workspace, set())
            if len(late) >= _MOST_LATE:  # each keeps the names of all files in memory
                follower.task.add_done_callback(lambda _: self._keep_again())  # its folder is linked on
                raise FolderUnusable(
                    f"The drive of {printable(follower.folder.path)} does not answer, as those of {_MOST_LATE} other "
                    "folders of the workspace; try again when one does."
                )
            late.add(follower.task)
            follower.task.add_done_callback(late.discard)
        del self._followers[key]

    async def _follow(self, follower: _Follower) -> None:
        try:
            while await self._step(follower) and self._keeper is not None:
                pass
        finally:
            follower.watch.close()
            _tell(follower, _ended())

    async def _step(self, follower: _Follower) -> bool:
        """Waits for one change and takes it in; False if there is to be no other."""
        follower.writes = False
        try:
            change = await self._in_thread(follower.watch.wait)
            if change is None or not await self._may_follow(follower.folder):
                return False
            refusal = await self._refusal(follower.folder)
            if follower.stop.is_set():
                return False
            if refusal is not None:
                await self._note(follower.folder, refusal)
                return False
            report = await self._take_in(follower, change)
        except ServerClosing:
            return False
        except Exception as error:
            is_known = isinstance(error, CorpusError)
            logger.error("%s is tried again: %s", follower.folder.path, error, exc_info=None if is_known else error)
            _tell(follower, error.with_traceback(None))  # which keeps it
            await self._in_thread(follower.stop.wait, _AGAIN_S)
            return True
        again = {document.name for document in report.documents if document.error and document.error.code in MAY_PASS}
        await self._in_thread(follower.watch.done, change, again)
        if (first := _taken_from(follower)) is not None:
            first.set_result(report)
        return True

    async def _take_in(self, follower: _Follower, change: Change) -> IngestReport:
        follower.folder = folder = await self._note(follower.folder, next(iter(change.problems), None))

        def go_on(progress: Progress) -> None:  # in a thread, also once a document has been read from the drive
            if follower.stop.is_set():
                raise _ended()
            follower.writes = progress.phase == "reading" or progress.done == progress.total

        report = await self._intake.follow(folder.key, change, go_on)
        _log(folder, report)
        return report

    async def _note(self, folder: LinkedFolder, problem: Problem | None) -> LinkedFolder:
        """Keeps what is wrong with a folder for whoever asks, and says it once."""
        code, message = (problem.code, problem.message) if problem else (None, None)
        if (folder.problem_code, folder.problem) == (code, message):
            return folder
        await self._in_thread(self._catalog.note_folder_problem, folder, code, message)
        if message:
            logger.warning("project %s: %s", folder.key.project_id, message)
        else:
            logger.info("project %s: the linked folder %s can be read again", folder.key.project_id, folder.path)
        return replace(folder, problem_code=code, problem=message)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # not `wait_for`, which in Python 3.11 may forget that it is cancelled
                await self._closing.wait()

    async def _in_thread(self, work: Callable[[*_Arguments], _Result], *arguments: *_Arguments) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)


async def _ended_within(seconds: float, tasks: Collection["asyncio.Task[Any]"]) -> None:
    """Waits for tasks; those that a drive keeps longer are given up."""
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=seconds)
        for task in late:
            task.cancel()


def _within_limits(folders: Sequence[LinkedFolder]) -> set[ProjectKey]:
    """Those that are followed, however many there are: a server that runs out of descriptors serves nobody."""
    followed: set[ProjectKey] = set()
    of_workspace: Counter[str] = Counter()
    for folder in folders:
        if len(followed) < MOST_FOLDERS and of_workspace[folder.key.workspace] < MOST_FOLDERS_OF_WORKSPACE:
            of_workspace[folder.key.workspace] += 1
            followed.add(folder.key)
    return followed


def _ended() -> ServerClosing:
    return ServerClosing("The server ended, or another link took its place, before the folder was read; link it again.")


def _taken_from(follower: _Follower) -> "asyncio.Future[IngestReport] | None":
    """Who waits for the first report, once: it may name 20,000 files that are no documents."""
    first, follower.first = follower.first, None
    return None if first is None or first.done() else first


def _tell(follower: _Follower, error: Exception) -> None:
    if (first := _taken_from(follower)) is not None:
        first.set_exception(error)
        first.exception()  # nobody may be waiting


def _is_told(document: DocumentReport) -> bool:
    """Whether somebody may miss it; other kinds of files are in every folder."""
    return document.status == "failed" or (document.error is not None and document.error.code == "OLDER_VERSION")


def _log(folder: LinkedFolder, report: IngestReport) -> None:
    counts = Counter(document.status for document in report.documents)
    changes = ", ".join(f"{number} {status}" for status, number in counts.items() if status not in _NO_NEWS)
    if changes:
        logger.info("project %s, linked folder %s: %s", folder.key.project_id, folder.path, changes)
    told = (document.error for document in report.documents if document.error and _is_told(document))
    for error in islice(told, _MOST_LOGGED):
        logger.info("project %s, linked folder: %s", folder.key.project_id, error.message)
