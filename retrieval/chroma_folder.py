"""A folder of Chroma's embedded client as a place of vectors: one that is damaged is set aside, and begun anew."""

from __future__ import annotations

import logging
import os
import re
import shutil
import threading
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, TypeVar

from retrieval.chroma_file import collections, is_damaged, prepare, segments
from retrieval.chroma_import import import_chroma
from retrieval.circuit_breaker import Patience
from retrieval.collections_in_use import CollectionsInUse
from retrieval.errors import VectorStoreDamaged, VectorStoreUnavailable

if TYPE_CHECKING:
    from uuid import UUID

    from chromadb.api import ServerAPI
    from chromadb.config import Settings, System

logger = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")

_DATABASE = "chroma.sqlite3"
_MOST_OPEN = 100
_AGAIN, _AGAIN_S = 3, 0.3  # how often, and after how long, what cannot be read is tried again
# Between two times that all indexes are let go of: because they are too many, or because much was dropped.
_SELDOM_S, _DROPPED_S = 300.0, 60.0
_IDLE_S = 2.0  # that a call waits for those under way to end, so that indexes may be let go of
_SEGMENT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FILES_OF_AN_INDEX = 10  # that are open at once while one is read, at most


class ChromaFolder:
    """Answers calls to Chroma on the files in `path`, which only one process may open at a time.

    They are opened at the first call. May be used from several threads.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._system: System | None = None
        self._changing = threading.Condition()
        self._in_use = CollectionsInUse()
        self._under_way = 0
        self._closes_when_idle = self._has_dropped_much = False
        self._dropped_until = 0.0
        self._open: dict[UUID, str | None] = {}  # for whom
        self._most_open = _MOST_OPEN
        self._asked: set[UUID] = set()  # since they were opened
        self._writing = threading.Lock()
        self._first_asked: defaultdict[str | None, threading.Lock] = defaultdict(threading.Lock)  # by workspace
        self._full_until = 0.0
        self._has_said_full = False
        self._is_prepared = self._was_set_aside = self._was_opened = False
        self._examining = threading.Lock()
        self._failure: VectorStoreUnavailable | None = None

    def call(self, work: Callable[[ServerAPI], _Answer], patience: Patience, *, again: int = _AGAIN) -> _Answer:
        """What `work` makes of the files, however long it takes: nobody else can hold them up.

        Raises:
            VectorStoreDamaged: They are damaged, and stand aside now; the next call finds an empty store.
            VectorStoreUnavailable: They cannot be used, as when the disk is full.
        """
        import_chroma()
        from chromadb.api import ServerAPI

        system: System | None = None
        try:
            with self._using() as system:
                answer = work(system.instance(ServerAPI))
        except BaseException as error:  # a panic of Chroma's Rust is no Exception
            if not self._is_failure(system, error):
                if "Error executing plan" in str(error):  # of this collection: to look at all would hold up everybody
                    logger.warning("a project is searched by text alone: %s", error)
                    raise self._unusable(error) from error
                raise
            if again and _of_an_index(error):  # there may have been no file to be had for a moment
                self._close_after(system)
                sleep(_AGAIN_S)
                return self.call(work, patience, again=again - 1)
            self._failure = self._examined(system, error)
            raise self._failure from error
        self._failure = None
        return answer

    def check(self) -> None:
        """Raise what the last call raised, if it did."""
        if self._failure is not None:
            raise self._failure.with_traceback(None)  # else it would grow with every check

    def let_go_of_dropped(self, *, memory: bool) -> None:
        """Remove the files of what was dropped.

        With `memory` let go of all files as soon as nobody uses them, and at most once a minute: it stays in memory
        until then, but whatever is searched afterwards has its index read again, and nobody gets on meanwhile.
        """
        try:
            _remove_dropped(self._path)
        except OSError as error:  # it is done at the next start as well
            logger.warning("the files of indexes that were dropped stay for now: %s", error)
        with self._changing:
            self._has_dropped_much |= memory
            self._close_if_idle()

    def remove(self, prefix: str) -> bool:
        """Remove the files, in which what was deleted can still be read; whether that was done.

        Not where there are collections of other names, or where this process has had the files open: Chroma closes
        them, and removes the one beside the database, a while after it says so.
        """
        database = self._path / _DATABASE
        with self._changing:
            names = None if self._was_opened else collections(database)
            if names is None or not all(name.startswith(prefix) for name in names):
                return False
            try:
                for ending in ("", "-wal", "-shm"):
                    database.with_name(_DATABASE + ending).unlink(missing_ok=True)
            except OSError:  # others have it open, where that matters
                return False
            for folder in self._path.iterdir():
                if _SEGMENT.fullmatch(folder.name):
                    shutil.rmtree(folder, ignore_errors=True)
        return True

    def uses(self, collection_id: UUID, workspace: str | None = None) -> None:
        """A call is about to use the collection, whose index stays in memory until the files are let go of.

        That is done before they are so many that Chroma 1.5 itself lets go of some: a small one has nothing on disk
        then, and is taken for damaged. Afterwards everybody's are read again, for seconds where they are large: for
        a `workspace`, who names as many as it likes, it is done seldom, and half of the places that others have left
        are for further ones.

        Raises:
            VectorStoreUnavailable: The workspace has to wait until they may be let go of again.
        """
        with self._changing:
            if collection_id in self._open:
                return
            if workspace is not None and self._is_full(workspace):
                if not self._has_said_full:
                    logger.warning("indexes of %s projects are open, and others wait", len(self._open))
                self._has_said_full = True
                raise VectorStoreUnavailable(
                    "The vectors of too many projects are in use; those of others are used in some minutes."
                )
            self._open[collection_id] = workspace
            if len(self._open) > self._most_open:
                self._full_until = monotonic() + _SELDOM_S
                self._closes_when_idle = True

    def _is_full(self, workspace: str) -> bool:
        if monotonic() >= self._full_until:
            return False
        whose = [one for one in self._open.values() if one is not None]
        own = whose.count(workspace)
        return own >= (self._most_open - (len(whose) - own)) // 2  # so there are some, however many are greedy

    def writing(self) -> AbstractContextManager[object]:
        """Held by whoever writes: to wait within Chroma holds up every thread of the process."""
        return self._writing

    @contextmanager
    def asking(self, collection_id: UUID) -> Generator[None]:
        """Held by whoever asks a collection.

        The first question has Chroma do again what is only in its log, which takes the place of a write, and takes up
        to a second; those of a workspace wait for each other, so that others wait for one of them.
        """
        if collection_id in self._asked:
            yield
            return
        with self._first_asked[self._open.get(collection_id)], self._writing:
            yield
        self._asked.add(collection_id)

    def ask_first(self, collection_id: UUID, ask: Callable[[], object]) -> None:
        """Asks the first question to a collection, if nobody has."""
        if collection_id not in self._asked:
            with self.asking(collection_id):
                ask()

    def using(self, name: str) -> AbstractContextManager[None]:
        """Held by whoever works in a collection that others may drop."""
        return self._in_use.shared(name)

    def changing(self, name: str) -> AbstractContextManager[None]:
        """Held while a collection is made or dropped: whoever reads it meanwhile takes half of it for damage."""
        return self._in_use.alone(name)

    def set_aside(self) -> bool:
        """Rename the folder, whatever is in it, so that the next call finds an empty store; whether that was done."""
        with self._changing:
            self._set_aside()
        return True

    def end(self) -> None:
        """Nobody waits for a folder for long."""

    def close(self) -> None:
        """Let go of the files; the next call opens them again."""
        with self._changing:
            self._close()

    def _is_failure(self, used: System | None, error: BaseException) -> bool:
        """Of Chroma, and not of whoever calls it."""
        from chromadb.errors import InternalError

        closed_meanwhile = isinstance(error, AttributeError) and used is not self._system
        return (
            closed_meanwhile or isinstance(error, InternalError | OSError) or type(error).__name__ == "PanicException"
        )

    @contextmanager
    def _using(self) -> Generator[System]:
        with self._changing:
            self._changing.wait_for(lambda: len(self._open) <= self._most_open, _IDLE_S)
            if self._system is None:
                database = self._path / _DATABASE
                is_new = not database.exists()
                if not self._is_prepared:
                    self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
                    prepare(database)
                    _remove_dropped(self._path)
                    self._is_prepared = True
                self._was_opened = True
                self._system, self._most_open = _started(self._path)
                if is_new:
                    prepare(database)
            system = self._system
            self._under_way += 1
        try:
            yield system
        finally:
            with self._changing:
                self._under_way -= 1
                self._close_if_idle()

    def _close_if_idle(self) -> None:
        drops = self._has_dropped_much and monotonic() >= self._dropped_until
        if (drops or self._closes_when_idle) and not self._under_way:
            if drops:
                self._dropped_until = monotonic() + _DROPPED_S
            self._closes_when_idle = self._has_dropped_much = False
            self._close()

    def _examined(self, used: System | None, error: BaseException) -> VectorStoreUnavailable:
        """What the failure means; who comes second finds that it was seen to."""
        has_files = _can_open_files()  # else that may be why, of which Chroma says nothing
        is_first = self._close_after(used)
        # Beside others, and one at a time: all that is in the files may have to be read.
        if is_first and has_files and not self._was_set_aside and self._examining.acquire(blocking=False):
            try:
                is_damaged = _is_damaged(self._path, error)
            finally:
                self._examining.release()
            with self._changing:
                if is_damaged and not self._was_set_aside:
                    # Once: what is damaged again after it was begun anew has a reason that this does not remove.
                    self._was_set_aside = True
                    return self._aside(error)
        return self._unusable(error)

    def _close_after(self, used: System | None) -> bool:
        """A panic leaves nothing to go on with; whether nobody has closed it yet."""
        with self._changing:
            is_first = used is self._system
            if is_first:
                self._close()
        return is_first

    def _unusable(self, error: BaseException) -> VectorStoreUnavailable:
        return VectorStoreUnavailable(
            f"The vectors in {self._path} cannot be used: {error}. Check the disk; they can be made anew with: "
            "fletcher reindex"
        )

    def _aside(self, error: BaseException) -> VectorStoreUnavailable:
        try:
            name = self._set_aside()
        except OSError as refused:
            return VectorStoreUnavailable(
                f"The vectors in {self._path} are damaged ({error}) and cannot be set aside: {refused}. Stop the "
                "server, rename the folder, and start it again."
            )
        message = (
            f"The vectors in {self._path} were damaged ({error}). They stand in {name} now, which may be deleted, and "
            "are made anew from the catalog; until then search goes by text."
        )
        logger.error(message)
        return VectorStoreDamaged(message)

    def _set_aside(self) -> Path:
        self._close()
        self._is_prepared = False
        name = self._path.with_name(f"{self._path.name}-damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")
        if self._path.exists():
            self._path.rename(name)
        return name

    def _close(self) -> None:
        system, self._system = self._system, None
        self._has_said_full = False
        self._asked.clear()
        self._open.clear()  # first: whoever waits for that must not wait for ever where Chroma cannot stop
        self._changing.notify_all()
        if system is not None:
            system.stop()


@cache
def _settings() -> Settings:
    """Of every folder: Chroma takes longer to work them out than to open the files."""
    from chromadb.config import Settings

    return Settings(
        _env_file=None,  # pyright: ignore[reportCallIssue] - that of the folder we happen to run in has no say
        anonymized_telemetry=False,
        chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
        is_persistent=True,
    )


def _started(path: Path) -> tuple[System, int]:
    """Chroma on the files, and of how many collections it may keep the indexes open."""
    from chromadb.api import ServerAPI
    from chromadb.config import System

    system = System(_settings().model_copy(update={"persist_directory": str(path)}))
    chroma: Any = system.instance(ServerAPI)
    # It keeps as many as the process may open files for; it is `uses` that lets go of them.
    most_open = min(_MOST_OPEN, chroma.hnsw_cache_size // 2)
    chroma.hnsw_cache_size *= 100
    system.start()
    return system, most_open


def _remove_dropped(path: Path) -> None:
    """Remove the folders of indexes that the database has no more: Chroma 1.5 leaves those of dropped collections."""
    database = path / _DATABASE
    if not database.is_file():
        return
    folders = [folder for folder in path.iterdir() if _SEGMENT.fullmatch(folder.name)]  # first: others may be made now
    if not folders or (kept := segments(database)) is None:
        return
    for folder in folders:
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)


def _of_an_index(error: BaseException) -> bool:
    """Whether the files of an index cannot be read: they are damaged, or the process could open no more files."""
    return "hnsw segment reader" in str(error)


def _can_open_files() -> bool:
    with ExitStack() as opened:
        try:
            for _ in range(_FILES_OF_AN_INDEX):
                opened.enter_context(open(os.devnull, "rb"))  # noqa: PTH123 - it is no path
        except OSError:
            return False
    return True


def _is_damaged(path: Path, error: BaseException) -> bool:
    """Whether the files are to blame, and not the disk or who locks them; SQLite is asked: Chroma says too little."""
    if _of_an_index(error):
        return True
    database = path / _DATABASE
    try:
        return (path.exists() and not database.is_file()) or is_damaged(database)
    except OSError:
        return False
