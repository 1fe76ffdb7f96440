"""kill -9 of readers, idle and busy: python -m tests.ingest.reader_kills [TIMES]

Each time all readers of a pool are killed, by turns while they wait for a document and while they read one. What an
idle one was killed for must be noticed by nobody; a document in the midst of which its reader was killed fails, and
the next one is read.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from time import sleep

from ingest.extracted import Extracted, ReadError
from ingest.reader_pool import ReaderPool
from ingest.readers import PageListener, read

LONG = "long.txt"
"""A document that takes until its reader is killed."""


def read_slowly(name: str, data: bytes, progress: PageListener) -> Extracted:
    """Reads; what is called long takes until its reader is killed."""
    if name == LONG:
        progress(1, 2)
        sleep(600)
    return read(name, data, progress)


def kill_readers(times: int) -> None:
    """Kills them so often; raises AssertionError if a document is lost that should not have been."""
    with ReaderPool(read=read_slowly) as pool:
        for number in range(times):
            (_kill_idle if number % 2 else _kill_busy)(pool)
            text = pool.read("bible.md", b"# Bell\n\nIt rings twice.").text
            assert "rings twice" in text, f"after {number + 1} kills"
    assert not _children()


def _kill_idle(_pool: ReaderPool) -> None:
    for child in _children():
        os.kill(child, signal.SIGKILL)


def _kill_busy(pool: ReaderPool) -> None:
    begun = threading.Event()

    def note(page: int, _pages: int) -> None:
        if page:
            begun.set()

    def read_it() -> None:
        try:
            pool.read(LONG, b"words", note)
        except ReadError as error:
            codes.append(error.code)

    codes: list[str] = []
    reading = threading.Thread(target=read_it)
    reading.start()
    assert begun.wait(120)
    _kill_idle(pool)
    reading.join(120)
    assert codes == ["OUT_OF_MEMORY"], codes


def _children() -> list[int]:
    return [child.pid for child in multiprocessing.active_children() if child.name == "reader" and child.pid]


if __name__ == "__main__":
    kill_readers(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
