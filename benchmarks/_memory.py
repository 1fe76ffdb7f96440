"""How much memory a process and its children have together."""

import subprocess
import threading
from types import TracebackType
from typing import Self

import psutil

_EVERY_S = 0.1


def memory_of(root: psutil.Process) -> int:
    """Bytes of a process and of all below it; on Linux pages that several of them share count once."""
    return sum(map(_own, [root, *_below(root)]))


def written_memory_of(root: psutil.Process) -> int:
    """As `memory_of`, of what they have written only.

    The pages of libraries count with whoever else has these open just now, and go when the system needs room: they
    would make two looks at different times differ for reasons that are not the process's.
    """
    return sum(map(written_by, [root, *_below(root)]))


def written_by(process: psutil.Process) -> int:
    """The bytes that a process alone has written; all that it has where the system does not tell them apart."""
    try:
        memory = process.memory_info()
    except psutil.Error:  # it has ended, or is none of ours
        return 0
    return memory.rss - getattr(memory, "shared", 0)


class PeakMemory:
    """The most that a tree of processes had at a time, looked at ten times a second while this is open.

    `megabytes` is None before the first look.
    """

    def __init__(self, process: subprocess.Popen[str] | psutil.Process) -> None:
        self._root = psutil.Process(process.pid)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._bytes = 0

    @property
    def megabytes(self) -> float | None:
        return self._bytes / 2**20 if self._bytes else None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(_EVERY_S):
            self._bytes = max(self._bytes, memory_of(self._root))


def _below(root: psutil.Process) -> list[psutil.Process]:
    try:
        return root.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _own(process: psutil.Process) -> int:
    try:
        memory = process.memory_full_info()
    except psutil.Error:  # it has ended, or is none of ours
        return 0
    return getattr(memory, "pss", memory.uss)
