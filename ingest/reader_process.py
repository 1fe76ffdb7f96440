"""One child process, with limits, that works on one document after the other."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar, cast

from ingest.extracted import ReadError
from ingest.readers import PageListener
from retrieval.freed_memory import give_back

if sys.platform != "win32":  # Windows has no limits for a process; the clock holds there too
    import resource

_Result = TypeVar("_Result")
Work = Callable[[PageListener], _Result]
"""What a child is to do; it is pickled, and told whom to tell the page that it has come to."""

_POLL_S = 0.1
_BEAT_S = 0.5  # how long whoever waits is left without a word, and so how soon it can end what it waits for
_START_S = 120  # a child starts within a second, on a machine that is busy within ten
_LAST_WORDS_S = 2
_PARENT_IS_SEEN_AFTER_S = 2
_NICENESS = 5  # whoever asks the server something is answered before a document is read on
_KEPT_BYTES = 200_000_000  # what libraries may keep of the documents that they have read
_PAGE_BITS = 32
_NOT_BEGUN = (1 << 64) - 1

_SPAWN = multiprocessing.get_context("spawn")
_children = threading.Lock()  # the list of them that `multiprocessing` keeps is not made for threads


@dataclass(frozen=True)
class Limits:
    """What one document may use: seconds by the clock without a page read, of computing, and bytes of memory.

    Pages whose text is recognised (OCR) have seconds of computing of their own. The clock holds everywhere, computing
    not on Windows, memory on Linux only.
    """

    wall_s: float = 120
    cpu_s: int = 90
    memory_bytes: int = 1 << 30


class NotBegun(Exception):
    """The child ended, or never came to life, before it had begun: that is not the document's fault."""


class ChildEnded(Exception):
    """The child ended in the midst of its work; a negative `exitcode` is that of a signal."""

    def __init__(self, exitcode: int | None) -> None:
        super().__init__(f"it ended with {exitcode}")
        self.exitcode = exitcode


class WorkFailed(Exception):
    """The work raised what is no `ReadError`; says what that was."""


class ReaderProcess:
    """A child process. What goes wrong with it goes wrong with it alone: nothing is shared with other children.

    It may be killed at any moment, by whomever: then its pipe, its shared memory and what it started go with it.
    """

    def __init__(self, limits: Limits, ocr_languages: str) -> None:
        """Start it; raises OSError where the system has no room for it."""
        self._limits = limits
        self.works = 0
        # Plain shared memory: a lock or a queue could be held by the child at the moment when it is killed.
        self._page = _SPAWN.RawValue("Q", _NOT_BEGUN)
        self._pipe, theirs = _SPAWN.Pipe()
        with theirs:
            self._process = _SPAWN.Process(
                target=_serve, args=(theirs, self._page, limits, ocr_languages), name="reader", daemon=True
            )
            with _children:
                self._process.start()

    @property
    def is_alive(self) -> bool:
        """Whether it can be given work."""
        with _children:
            return self._process.is_alive()

    def run(self, work: Work[_Result], progress: PageListener) -> _Result:
        """What the work returns; `progress` hears (page, of how many), and twice a second the same again.

        Raises `ReadError`, MemoryError and `WorkFailed` as the work does; `NotBegun`, `ChildEnded`, TimeoutError, and
        whatever `progress` raises: then the child is no more.
        """
        self.works += 1
        self._page.value = _NOT_BEGUN
        answer: Future[tuple[Any, BaseException | None]] = Future()
        # In a thread of its own: a child that is stopped neither takes what is written to it nor answers.
        threading.Thread(target=self._exchange, args=(work, answer), name="reader-pipe", daemon=True).start()
        try:
            self._follow(answer, progress)
        except BaseException:
            self.end()
            raise
        result, error = answer.result()
        if isinstance(error, EOFError):
            self._await_its_end()
            self.end()
            raise NotBegun if self._page.value == _NOT_BEGUN else ChildEnded(self._process.exitcode)
        if error is not None:
            del answer
            try:
                raise error
            finally:
                del error  # it keeps the frames that it went through, with the document: none of them may keep it
        return cast("_Result", result)

    def _await_its_end(self) -> None:
        """Its own exit code says more than that of being killed; but whoever has closed the pipe need not end."""
        give_up_at = monotonic() + _LAST_WORDS_S
        while self.is_alive and monotonic() < give_up_at:
            sleep(_POLL_S / 10)

    def end(self) -> None:
        """Kill it, and what it started."""
        # The group first: a process that has ended keeps its number until it is waited for.
        _end_group(self._process.pid)
        with _children:
            self._process.kill()
            self._process.join()

    def _exchange(self, work: Work[Any], answer: Future[tuple[Any, BaseException | None]]) -> None:
        with suppress(OSError):  # it is no more, or cannot take so much; it may have said so
            _send(self._pipe, work)
        try:
            answer.set_result(self._pipe.recv())
        except Exception as error:  # noqa: BLE001 - half an answer, of one that was killed, may raise anything
            answer.set_result((None, EOFError(str(error))))

    def _follow(self, answer: Future[Any], progress: PageListener) -> None:
        """Tell `progress` the pages that the child notes, until it is done; a child that stands still is ended."""
        last, since = _NOT_BEGUN, monotonic()
        told = since
        while not wait([answer], timeout=_POLL_S).done:
            page, now = self._page.value, monotonic()
            if page != last:
                last, since = page, now
                told = now - _BEAT_S
            elif now - since > (_START_S if page == _NOT_BEGUN else self._limits.wall_s):
                raise NotBegun if page == _NOT_BEGUN else TimeoutError
            if now - told >= _BEAT_S:
                told = now
                _tell(progress, page)
            if not self.is_alive:  # what it started may hold the pipe open
                _end_group(self._process.pid)
        if self._page.value != last:
            _tell(progress, self._page.value)


def as_it_is(data: bytes) -> bytes:
    """Bytes in the arguments of some work, which the child gets as such, and which are not pickled."""
    return cast("bytes", pickle.PickleBuffer(data))


def _send(pipe: Connection[Any, Any], work: Work[Any]) -> None:
    """What is pickled is in memory once more."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(work, buffer_callback=buffers.append, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.send((head, len(buffers)))
    for buffer in buffers:
        pipe.send_bytes(buffer.raw())


def _tell(progress: PageListener, page: int) -> None:
    progress(*((0, 0) if page == _NOT_BEGUN else (page >> _PAGE_BITS, page & ((1 << _PAGE_BITS) - 1))))


def _end_group(group: int | None) -> None:
    if sys.platform != "win32" and group:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


# What follows runs in the child.


def _serve(pipe: Connection[Any, Any], page: Any, limits: Limits, ocr_languages: str) -> None:
    _begin(limits, ocr_languages)

    def note(number: int, pages: int) -> None:
        page.value = number << _PAGE_BITS | pages

    most_kept = _mapped_bytes() + _KEPT_BYTES
    while _mapped_bytes() < most_kept:
        try:
            work = _received(pipe)
        except EOFError:
            return
        except BaseException as error:  # noqa: BLE001 - likely the document alone takes more memory than there is
            pipe.send((None, _told(error)))
            return
        _answer(pipe, limits, work, note)
        del work
        gc.collect()  # a parser's tree is full of cycles: it would stay until the next document
        gc.freeze()  # what is left are libraries, and to go through them each time takes longer than many a document
        give_back()


def _received(pipe: Connection[Any, Any]) -> Work[Any]:
    head, count = pipe.recv()
    return pickle.loads(head, buffers=[pipe.recv_bytes() for _ in range(count)])  # noqa: S301 - of our parent


def _answer(pipe: Connection[Any, Any], limits: Limits, work: Work[Any], note: PageListener) -> None:
    try:
        _allow_computing(limits.cpu_s)
        note(0, 0)
        answer = work(note), None
    except BaseException as error:  # noqa: BLE001 - whatever a library raises is the document's, and is told
        answer = None, _told(error)
    try:
        pipe.send(answer)
    except (MemoryError, TypeError, AttributeError, ValueError) as error:  # it cannot be pickled
        pipe.send((None, _told(error)))


def _told(error: BaseException) -> BaseException:
    """The error as it can be told to the parent: one that is pickled for sure."""
    if isinstance(error, ReadError):
        return ReadError(error.code, error.message)
    if isinstance(error, MemoryError):
        return MemoryError()
    return WorkFailed(f"{type(error).__name__}: {error}"[:200])


def _begin(limits: Limits, ocr_languages: str) -> None:
    os.environ["FLETCHER_OCR_LANGUAGES"] = ocr_languages
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    # Libraries in C complain about documents there, amid the results and the progress bars of this process's parent.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    if sys.platform != "win32":
        os.setpgid(0, 0)  # what it starts can be ended with it
        os.nice(_NICENESS)
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_FSIZE, 0)  # no reader writes a file
    if sys.platform == "linux":
        _limit(resource.RLIMIT_AS, _mapped_bytes() + limits.memory_bytes)


def _end_with(parent: int) -> None:
    """End this process, and what it started, when the one that it reads for was killed."""
    if sys.platform != "win32":
        while os.getppid() == parent:
            sleep(_PARENT_IS_SEEN_AFTER_S)
        os.killpg(0, signal.SIGKILL)


def _allow_computing(seconds: int) -> None:
    if sys.platform != "win32":
        usage = resource.getrusage(resource.RUSAGE_SELF)
        _limit(resource.RLIMIT_CPU, int(usage.ru_utime + usage.ru_stime) + 1 + seconds)


def _limit(kind: int, value: int) -> None:
    """Set a limit that can be moved later; the system's own, if lower, stays. A system that refuses has none."""
    if sys.platform != "win32":
        _, hard = resource.getrlimit(kind)
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _mapped_bytes() -> int:
    """How much address space this process has; 0 where it has no limit."""
    if sys.platform != "linux":  # macOS maps as much as it likes
        return 0
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
