"""Reads documents in child processes, so that a document can cost nothing but itself."""

import logging
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self, TypeVar

from corpora import Shares
from ingest import readers
from ingest.extracted import Extracted, ReadError
from ingest.ocr import what_is_missing
from ingest.reader_process import ChildEnded, Limits, NotBegun, ReaderProcess, Work, WorkFailed, as_it_is
from ingest.readers.named import VARIABLE, check, named_reader, named_readers
from ingest.source import BYTES_PER_S

logger = logging.getLogger(__name__)

_Result = TypeVar("_Result")
PageListener = readers.PageListener
Read = Callable[[str, bytes, PageListener], Extracted]

_WORKS_OF_A_CHILD = 200
_TRIES = 3
_FOR_NEWCOMERS, _FURTHER = 2, 4
# Exit codes of a child that was ended by a signal; Windows has none.
_CPU_LIMIT, _KILLED = (-signal.SIGXCPU, -signal.SIGKILL) if sys.platform != "win32" else ("", "")


class ReaderPool:
    """Reads documents in child processes, `workers` for a workspace; safe to use from several threads.

    Two children more are for those who have none, and where these are busy, four for what is read within a second: so
    greedy workspaces keep nobody waiting. Nothing is started before the first document is read, and this process never
    imports a reader's library. A document that hangs, crashes its reader, eats memory, writes files or starts processes
    raises a `ReadError`, or what it began ends with its reader; no other is affected. A child that was killed is
    replaced, whether it was idle or not, and so is one that keeps much of what it has read.
    """

    def __init__(
        self,
        workers: int = 2,
        limits: Limits | None = None,
        read: Read = readers.read,
        ocr_languages: str = "eng",
    ) -> None:
        self._limits = limits or Limits()
        self._read = read
        self._ocr_languages = ocr_languages
        self._shares = Shares(workers + _FOR_NEWCOMERS, workers, _FOR_NEWCOMERS, _FURTHER)
        self._lock = threading.Lock()
        self._idle: list[ReaderProcess] = []
        self._busy: set[ReaderProcess] = set()
        self._closed = self._warned = False

    def read(self, name: str, data: bytes, progress: PageListener | None = None, *, workspace: str = "") -> Extracted:
        """Read one document, waiting for a free child; `progress` hears (page, of how many) while it is read.

        It hears the same again twice a second, also while it waits, and what it raises ends the reading.

        Raises:
            ReadError: the document could not be read; also TIMEOUT, OUT_OF_MEMORY and READER_CRASHED.
        """
        self._warn_once()
        with TemporaryDirectory(prefix="fletcher-") if (named := named_reader(name)) else nullcontext() as folder:

            def prepare() -> Work[Extracted]:
                if named is None or folder is None:
                    return partial(self._read, name, as_it_is(data))
                return partial(readers.read_by_named, name, named, _written(Path(folder), name, data))

            return self.run(name, prepare, workspace=workspace, seconds=len(data) / BYTES_PER_S, progress=progress)

    def check_named(self) -> None:
        """Raise `ReadError` (READER_UNAVAILABLE) for a reader of `FLETCHER_READERS` that cannot be used."""
        for suffix, class_name in named_readers().items():
            try:
                self.run(f"{VARIABLE} ({suffix})", lambda named=class_name: partial(check, named))
            except ReadError as error:
                problem = error.message if error.message.startswith(VARIABLE) else f"{VARIABLE}: {error.message}"
                raise ReadError(error.code, problem) from error

    def run(
        self,
        name: str,
        prepare: Callable[[], Work[_Result]],
        *,
        workspace: str = "",
        seconds: float = 0.0,
        progress: PageListener | None = None,
    ) -> _Result:
        """Do any work on a document as `read` does; `seconds` is what it will likely take.

        What takes memory is prepared when it is its turn: many may wait.

        Raises:
            ReadError: as `read` does; its message begins with `name`.
        """
        if self._closed:
            raise RuntimeError("the reader pool is closed")
        listen = progress or _nobody

        def beat() -> None:
            self._require_open(name)
            listen(0, 0)

        with self._shares.taken(workspace, beat, seconds):
            self._require_open(name)
            try:
                return self._tried(prepare(), listen)
            except (NotBegun, ChildEnded, TimeoutError, MemoryError, WorkFailed, OSError) as error:
                raise self._as_read_error(name, error) from error

    def close(self) -> None:
        """End the children; a document that is being read then fails with READER_CRASHED."""
        with self._lock:
            self._closed = True
            children = [*self._idle, *self._busy]
            self._idle.clear()
        for child in children:
            child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _require_open(self, name: str) -> None:
        if self._closed:
            raise _stopped(name)

    def _tried(self, work: Work[_Result], listen: PageListener) -> _Result:
        for tried in range(1, _TRIES + 1):
            with self._child(may_be_old=tried == 1) as child:
                try:
                    return child.run(work, listen)
                except NotBegun:
                    if tried == _TRIES or self._closed:
                        raise
                except (MemoryError, ReadError) as error:
                    if child.works == 1 or not _is_of_memory(error):
                        raise
                    child.end()  # what it was short of is what others' documents have left in it
        raise AssertionError("the last try returns or raises")

    @contextmanager
    def _child(self, *, may_be_old: bool) -> Generator[ReaderProcess]:
        """A child that nobody else has meanwhile; afterwards it is kept if it can be used again."""
        child = self._idle_child() if may_be_old else None
        child = child or ReaderProcess(self._limits, self._ocr_languages)
        with self._lock:
            self._busy.add(child)
        is_sound = False
        try:
            if self._closed:  # while it was started
                raise NotBegun
            yield child
            is_sound = child.works < _WORKS_OF_A_CHILD
        except (ReadError, WorkFailed) as error:
            is_sound = child.works < _WORKS_OF_A_CHILD and not _is_of_memory(error)
            raise
        finally:
            with self._lock:
                self._busy.discard(child)
                is_kept = is_sound and not self._closed and child.is_alive
                if is_kept:
                    self._idle.append(child)
            if not is_kept:
                child.end()

    def _idle_child(self) -> ReaderProcess | None:
        """One that lives; those that were killed while nobody needed them are forgotten."""
        with self._lock:
            while self._idle:
                if (child := self._idle.pop()).is_alive:
                    return child
                child.end()
        return None

    def _warn_once(self) -> None:
        if not self._warned and (missing := what_is_missing(self._ocr_languages)):
            logger.warning("%s", missing)
        self._warned = True

    def _as_read_error(self, name: str, error: Exception) -> ReadError:
        if self._closed:
            return _stopped(name)
        code = error.exitcode if isinstance(error, ChildEnded) else None
        if isinstance(error, MemoryError):
            return ReadError("OUT_OF_MEMORY", f"{name}: it needs more memory than a reader may use; split it.")
        if isinstance(error, TimeoutError) or code == _CPU_LIMIT:
            allowed = (
                f"{self._limits.wall_s:g} seconds for a page, or {self._limits.cpu_s} seconds of computing for all"
            )
            return ReadError("TIMEOUT", f"{name}: reading it took longer than {allowed}; split it.")
        if code == _KILLED:
            return ReadError("OUT_OF_MEMORY", f"{name}: the system ended its reader, likely for memory; split it.")
        if isinstance(error, (NotBegun, OSError)):
            reason = f" ({error})" if str(error) else ""
            return ReadError("READER_CRASHED", f"{name}: readers cannot be started{reason}; send it again later.")
        return ReadError("READER_CRASHED", f"{name}: its reader crashed ({error}); save or export it again.")


def _is_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or (isinstance(error, ReadError) and error.code == "OUT_OF_MEMORY")


def _written(folder: Path, name: str, data: bytes) -> Path:
    """The document as a file: named readers want one, and their process writes none. Its name is not the sender's."""
    file = folder / f"document{PurePosixPath(name).suffix.lower()}"
    file.write_bytes(data)
    return file


def _stopped(name: str) -> ReadError:
    return ReadError("READER_CRASHED", f"{name}: reading was stopped; read it again.")


def _nobody(page: int, pages: int) -> None: ...
