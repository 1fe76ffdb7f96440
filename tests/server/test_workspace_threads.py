"""A workspace's threads: how many work at a time does not depend on whether anybody still waits for what they do."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent import ask_drive, ask_store, look_at_drive, working_in
from server.limits import shared_threads, workspace_threads
from server.limits.shared_threads import SharedThreads
from server.limits.workspace_threads import WorkspaceThreads
from tests.server.house import house
from tests.server_process import PATIENCE_S


@pytest.mark.parametrize(
    ("module", "make"),
    [
        (workspace_threads, lambda: WorkspaceThreads("asking", each=1)),
        (shared_threads, lambda: SharedThreads("computing", places=2, each=1)),
    ],
)
async def test_work_that_nobody_waits_for_any_more_keeps_its_thread_until_it_ends(
    module: Any, make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, begin = list[object](), workspace_threads.begun_in
    monkeypatch.setattr(module, "begun_in", lambda *arguments: (begun.append(arguments), begin(*arguments))[1])
    threads, may_end, holds = make(), threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work() -> None:
        loop.call_soon_threadsafe(holds.set)
        assert may_end.wait(PATIENCE_S)
        raise ValueError("nobody hears of it")

    try:
        first = asyncio.create_task(threads.run("ada", work))
        await holds.wait()
        first.cancel()
        second = asyncio.create_task(threads.run("ada", lambda: "done"))
        for _ in range(20):
            await asyncio.sleep(0)
        assert first.cancelled()
        assert len(begun) == 1
        may_end.set()
        assert await second == "done"
    finally:
        may_end.set()
        threads.end()


async def test_whoever_waits_for_a_drive_that_hangs_keeps_no_store_waiting(tmp_path: Path) -> None:
    """However often an assistant asks for a story there: a search of its workspace has its thread all the same."""
    answers = threading.Event()
    with house(tmp_path / "data") as home:
        threads = home.services.threads_of("ada")
        with working_in(threads):
            waiting = [asyncio.create_task(look_at_drive(answers.wait, PATIENCE_S)) for _ in range(50)]
            waiting += [asyncio.create_task(ask_drive(answers.wait, PATIENCE_S)) for _ in range(50)]
            try:
                await asyncio.sleep(0)
                assert await ask_store(lambda: "there") == "there"
            finally:
                answers.set()
                await asyncio.gather(*waiting)
