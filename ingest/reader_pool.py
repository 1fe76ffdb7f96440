"""Reads documents in child processes, so that a document can cost nothing but itself."""

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import CancelledError, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Self

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from ingest import readers
from ingest.extracted import Extracted, ReadError
from ingest.ocr import what_is_missing

if sys.platform != "win32":  # Windows has no limits for a process; the clock holds there too
    import resource

logger = logging.getLogger(__name__)

PageListener = readers.PageListener
Read = Callable[[str, bytes, PageListener], Extracted]

_TASKS_OF_A_CHILD = 200
_POLL_S = 0.1
_START_S = 120  # a child starts within a second, on a machine that is busy within ten
_PARENT_IS_SEEN_AFTER_S = 2
_PAGE_BITS = 32
_NOT_BEGUN = (1 << 64) - 1
# Exit codes of a child that was ended by a signal; Windows has none.
_CPU_LIMIT, _KILLED = (-signal.SIGXCPU, -signal.SIGKILL) if sys.platform != "win32" else ("", "")


@dataclass(frozen=True)
class Limits:
    """What one document may use: seconds by the clock without a page read, of computing, and bytes of memory.

    Pages whose text is recognised (OCR) have seconds of computing of their own. The clock holds everywhere, computing
    not on Windows, memory on Linux only.
    """

    wall_s: float = 120
    cpu_s: int = 90
    memory_bytes: int = 1 << 30


class ReaderPool:
    """Reads documents in at most `workers` child processes; safe to use from several threads.

    Nothing is started before the first document is read, and this process never imports a reader's library.
    A document that hangs, crashes its reader, eats memory, writes files or starts processes raises a `ReadError`, or
    what it began ends with its reader; no other is affected.
    """

    def __init__(
        self,
        workers: int = 2,
        limits: Limits | None = None,
        read: Read = readers.read,
        ocr_languages: str = "eng",
    ) -> None:
        self._workers = workers
        self._limits = limits or Limits()
        self._read = read
        self._ocr_languages = ocr_languages
        self._lock = threading.Lock()
        self._pool: ProcessPool | None = None
        self._closed = self._warned = False
        # One place for each document that is being read, in which its child notes the page. It is plain
        # shared memory: a lock or a queue could be held by a child at the moment when it is killed.
        self._pages = RawArray("Q", workers)
        self._pids = RawArray("q", workers)
        self._groups: set[int] = set()
        self._places: SimpleQueue[int] = SimpleQueue()
        for place in range(workers):
            self._places.put(place)

    def read(self, name: str, data: bytes, progress: PageListener | None = None) -> Extracted:
        """Read one document, waiting for a free child; `progress` hears (page, of how many) while it is read.

        Raises:
            ReadError: the document could not be read; also TIMEOUT, OUT_OF_MEMORY and READER_CRASHED.
        """
        with self._place() as place:
            try:
                return self._read_once(place, name, data, progress)
            except BrokenProcessPool:  # a child died while idle: not this document's fault
                self._discard()
            try:
                return self._read_once(place, name, data, progress)
            except BrokenProcessPool as error:
                raise ReadError("READER_CRASHED", f"{name}: readers cannot be started ({error}).") from error

    def close(self) -> None:
        """End the children; a document that is being read then fails with READER_CRASHED."""
        self._closed = True
        self._discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _place(self) -> Generator[int]:
        place = self._places.get()
        self._pages[place] = _NOT_BEGUN
        try:
            yield place
        finally:
            self._places.put(place)

    def _read_once(self, place: int, name: str, data: bytes, progress: PageListener | None) -> Extracted:
        future = self._running_pool().schedule(_read_in_child, args=(self._read, place, name, data))
        try:
            self._follow(future, place, progress)
            # Not `result()`: what a child raises must not end this process, be it a KeyboardInterrupt.
            error = future.exception()
        except (TimeoutError, CancelledError) as stopped:
            error = stopped
        self._end_leftovers(self._pids[place])
        match error:
            case None:
                return future.result()
            case ReadError() | BrokenProcessPool():
                raise error
            case _:
                raise self._as_read_error(name, error) from error

    def _running_pool(self) -> ProcessPool:
        with self._lock:
            if self._closed:
                raise RuntimeError("the reader pool is closed")
            if self._pool is None:
                self._warn_once()
                self._pool = ProcessPool(
                    max_workers=self._workers,
                    max_tasks=_TASKS_OF_A_CHILD,
                    initializer=_begin,
                    initargs=(self._pages, self._pids, self._limits, self._ocr_languages),
                    context=multiprocessing.get_context("spawn"),
                )
            return self._pool

    def _warn_once(self) -> None:
        if not self._warned and (missing := what_is_missing(self._ocr_languages)):
            logger.warning("%s", missing)
        self._warned = True

    def _follow(self, future: ProcessFuture[Extracted], place: int, progress: PageListener | None) -> None:
        """Tell `progress` the pages that the child notes, until it is done; a child that stands still is ended."""
        last, since = _NOT_BEGUN, monotonic()
        done = False
        while not done:
            done = bool(wait([future], timeout=_POLL_S).done)
            page = self._pages[place]
            if page != last:
                last, since = page, monotonic()
                if progress and page:
                    progress(page >> _PAGE_BITS, page & ((1 << _PAGE_BITS) - 1))
            elif not done and page == _NOT_BEGUN and monotonic() - since > _START_S:
                future.cancel()
                raise CancelledError
            elif not done and page != _NOT_BEGUN and monotonic() - since > self._limits.wall_s:
                future.cancel()
                raise TimeoutError

    def _discard(self) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()
            pool.join()
            self._end_leftovers()

    def _end_leftovers(self, child: int = 0) -> None:
        """End the processes that were started by children that are no more; `child` has just read a document."""
        with self._lock:
            self._groups |= {child} - {0}
            gone = self._groups - {process.pid for process in multiprocessing.active_children()}
            self._groups -= gone
        for group in gone:
            _end_group(group)

    def _as_read_error(self, name: str, error: BaseException) -> ReadError:
        if isinstance(error, MemoryError):
            return ReadError("OUT_OF_MEMORY", f"{name}: it needs more memory than a reader may use; split it.")
        code = error.exitcode if isinstance(error, ProcessExpired) else None
        if isinstance(error, TimeoutError) or code == _CPU_LIMIT:
            allowed = (
                f"{self._limits.wall_s:g} seconds for a page, or {self._limits.cpu_s} seconds of computing for all"
            )
            return ReadError("TIMEOUT", f"{name}: reading it took longer than {allowed}; split it.")
        if code == _KILLED:
            return ReadError("OUT_OF_MEMORY", f"{name}: the system ended its reader, likely for memory; split it.")
        if isinstance(error, CancelledError):
            return ReadError("READER_CRASHED", f"{name}: reading was stopped; read it again.")
        detail = str(error) if isinstance(error, ProcessExpired) else f"{type(error).__name__}: {error}"[:200]
        return ReadError("READER_CRASHED", f"{name}: its reader crashed ({detail}); save or export it again.")


def _end_group(group: int) -> None:
    """End what is left of a process group: what a child started, and did not end."""
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


# What follows runs in the child.

_pages: Any = None
_pids: Any = None
_limits = Limits()


def _begin(pages: Any, pids: Any, limits: Limits, ocr_languages: str) -> None:
    global _pages, _pids, _limits
    os.environ["FLETCHER_OCR_LANGUAGES"] = ocr_languages
    # Libraries in C complain about documents there, amid the results and the progress bars of this process's parent.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    _pages, _pids, _limits = pages, pids, limits
    if sys.platform != "win32":
        os.setpgid(0, 0)  # what it starts can be ended with it
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_FSIZE, 0)  # no reader writes a file
    if sys.platform == "linux":  # macOS maps as much as it likes
        _limit(resource.RLIMIT_AS, _mapped_bytes() + limits.memory_bytes)


def _end_with(parent: int) -> None:
    """End this process, and what it started, when the one that it reads for was killed."""
    if sys.platform != "win32":
        while os.getppid() == parent:
            sleep(_PARENT_IS_SEEN_AFTER_S)
        os.killpg(0, signal.SIGKILL)


def _read_in_child(read: Read, place: int, name: str, data: bytes) -> Extracted:
    _pids[place] = os.getpid()
    if sys.platform != "win32":
        usage = resource.getrusage(resource.RUSAGE_SELF)
        _limit(resource.RLIMIT_CPU, int(usage.ru_utime + usage.ru_stime) + 1 + _limits.cpu_s)

    def note(page: int, pages: int) -> None:
        _pages[place] = page << _PAGE_BITS | pages

    note(0, 0)
    return read(name, data, note)


def _limit(kind: int, value: int) -> None:
    """Set a limit that can be moved later; the system's own, if lower, stays. A system that refuses has none."""
    if sys.platform != "win32":
        _, hard = resource.getrlimit(kind)
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _mapped_bytes() -> int:
    """How much address space this process has before it reads anything."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
