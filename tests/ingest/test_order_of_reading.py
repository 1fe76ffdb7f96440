"""Who is read next when one workspace has far more to read than another: order, not time."""

import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

import pytest

from ingest import ReaderPool
from ingest.extracted import ReadError
from tests.waiting import eventually

PATIENCE_S = 300


class Turnstile(ReaderPool):
    """A pool whose children are so slow that each document takes until it is let go."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.begun: SimpleQueue[str] = SimpleQueue()
        self._go: dict[str, threading.Event] = {}

    def _tried(self, work: Callable[..., Any], listen: Callable[[int, int], None]) -> Any:
        name = work(listen)
        self._go[name] = threading.Event()
        self.begun.put(name)
        assert self._go[name].wait(PATIENCE_S)

    def let_go(self, name: str) -> str:
        """Ends the reading of a document, and returns which began instead."""
        self._go[name].set()
        return self.begun.get(timeout=PATIENCE_S)

    def waiting(self) -> int:
        return sum(map(len, list(self._shares._waiting.values())))  # pyright: ignore[reportPrivateUsage]


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_book_that_takes_for_ever_delays_nobody_elses_documents() -> None:
    threads: list[threading.Thread] = []
    pool = Turnstile(workers=1)

    def ask(name: str, workspace: str, seconds: float) -> None:
        def read() -> None:
            with suppress(ReadError):  # when the pool is closed at the end
                pool.run(name, lambda: lambda _: name, workspace=workspace, seconds=seconds)

        threads.append(threading.Thread(target=read))
        threads[-1].start()

    ask("book", "greedy", 90)
    assert pool.begun.get(timeout=PATIENCE_S) == "book"
    for number in range(20):
        ask(f"large {number}", "greedy", 90)
    for number in range(2):
        ask(f"small {number}", "greedy", 0.1)
    eventually(lambda: pool.waiting() == 22)
    for number in range(3):
        ask(f"note {number}", "patient", 0.1)
    eventually(lambda: pool.waiting() == 24)  # the first has a place that was kept for whoever had none

    note = pool.begun.get(timeout=PATIENCE_S)
    for _ in range(2):
        note = pool.let_go(note)
        assert note.startswith("note"), "the greedy workspace's 22 are not before it"
    small = pool.let_go("book")
    assert small.startswith("small"), "what is small is not behind 20 that are large"
    assert pool.let_go(small).startswith("small")
    pool.close()
    for event in list(pool._go.values()):  # pyright: ignore[reportPrivateUsage]
        event.set()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert not any(thread.is_alive() for thread in threads)
