"""How much memory a process and its children have together. Linux only: read from /proc."""

import subprocess
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

_EVERY_S = 0.1


class PeakMemory:
    """The most that the tree of processes below one had at a time, looked at ten times a second while this is open.

    Pages that several processes share count once (PSS). `megabytes` is None where there is no /proc.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._root = process.pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._kilobytes = 0

    @property
    def megabytes(self) -> float | None:
        return self._kilobytes / 1024 if self._kilobytes else None

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
            self._kilobytes = max(self._kilobytes, sum(map(_proportional_kilobytes, _tree(self._root))))


def _tree(root: int) -> list[int]:
    found = [root]
    for process in found:
        for children in Path("/proc").glob(f"{process}/task/*/children"):
            try:
                found += map(int, children.read_text(encoding="ascii").split())
            except OSError:  # it has ended
                continue
    return found


def _proportional_kilobytes(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
