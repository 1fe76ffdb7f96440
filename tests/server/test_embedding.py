"""Vectors in the background, beside other processes that make vectors too."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from weakref import ref

import pytest

from corpora import CorpusError, ProjectKey
from ingest import Progress, ProgressListener
from server import EmbeddingWorker

ONE, TWO, THREE = ProjectKey("local", "1"), ProjectKey("other", "2"), ProjectKey("local", "3")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.background.embedding._SOMEBODY_ELSE_S", 0.01)
    monkeypatch.setattr("server.background.embedding._LOOK_S", 0.01)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - what it waits for happens in threads
            await asyncio.sleep(0)


async def test_while_another_process_is_at_a_project_the_others_have_their_turn() -> None:
    asked: list[ProjectKey] = []

    def embed(key: ProjectKey, _progress: object) -> bool:
        asked.append(key)
        return key == TWO or TWO in asked

    worker = EmbeddingWorker(embed, lambda *_: True)
    worker.submit(ONE)
    await until(lambda: asked == [ONE])
    worker.submit(TWO)
    await until(lambda: asked.count(ONE) > 1 and asked[-1] == ONE and TWO in asked)
    while await worker.batch(ONE):
        pass
    await worker.close()


async def test_of_very_many_projects_those_that_lack_nothing_are_repaired_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To look at what one has opens its index, and of many all are let go of, whoever searches them."""
    monkeypatch.setattr("server.background.embedding._REPAIRED_AT_ONCE", 2)
    monkeypatch.setattr("server.background.embedding._BETWEEN_REPAIRS_S", 1000)
    keys, repaired = [ProjectKey("local", str(number)) for number in range(10)], set[ProjectKey]()

    def repair(key: ProjectKey, _beat: object) -> bool:
        repaired.add(key)
        return True

    def is_complete(key: ProjectKey) -> bool:
        if key == keys[5]:
            raise CorpusError("the catalog is away")
        return key != keys[7] or key in repaired

    worker = EmbeddingWorker(lambda *_: True, repair, is_complete=is_complete)
    worker.start(keys)
    await until(lambda: keys[7] in repaired)
    assert repaired == {keys[0], keys[1], keys[7]}
    monkeypatch.setattr("server.background.embedding._BETWEEN_REPAIRS_S", 0)
    await worker.close()


async def test_nothing_is_kept_of_a_project_that_is_done() -> None:
    key = ProjectKey("local", "4")
    kept = ref(key)
    worker = EmbeddingWorker(lambda *_: True, lambda *_: True)
    for _ in range(2):  # the second time while it is at it
        worker.submit(key)
    del key

    await until(lambda: kept() is None)
    await worker.close()


async def test_a_project_that_lacks_nothing_does_not_wait_for_its_turn() -> None:
    may_end, embedded = threading.Event(), list[ProjectKey]()

    def embed(key: ProjectKey, _progress: object) -> bool:
        embedded.append(key)
        return may_end.wait(60)

    worker = EmbeddingWorker(embed, lambda *_: True, is_complete=lambda key: key != ONE)
    worker.submit(ONE)
    await until(lambda: embedded == [ONE])
    unknown = [ProjectKey("blue", f"unknown-{number}") for number in range(100)]
    for key in unknown:
        worker.submit(key)
        worker.submit(key)
    for key in unknown:
        while await worker.batch(key):
            pass
    assert embedded == [ONE]
    may_end.set()
    await worker.close()


async def test_what_another_server_leaves_is_taken_up() -> None:
    left = {ONE}

    def embed(key: ProjectKey, _progress: object) -> bool:
        left.discard(key)
        return True

    worker = EmbeddingWorker(embed, lambda *_: True, lambda: list(left))
    worker.start([])
    await until(lambda: not left)
    left.add(TWO)
    await until(lambda: not left)
    await worker.close()


async def test_what_fails_is_not_tried_over_and_over() -> None:
    tried: list[ProjectKey] = []
    looks: list[int] = []

    def embed(key: ProjectKey, _progress: object) -> bool:
        tried.append(key)
        raise RuntimeError("no model")

    def unfinished() -> list[ProjectKey]:
        looks.append(1)
        return [ONE]

    worker = EmbeddingWorker(embed, lambda *_: True, unfinished)
    worker.start([])
    await until(lambda: len(looks) > 5)
    assert tried == [ONE]
    worker.submit(ONE)  # but somebody may ask again
    await until(lambda: len(tried) == 2)
    await worker.close()


async def test_what_fails_is_tried_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.background.embedding._FAILED_S", 0.01)
    tried: list[ProjectKey] = []

    def embed(key: ProjectKey, _progress: object) -> bool:
        tried.append(key)
        raise RuntimeError("no model")

    worker = EmbeddingWorker(embed, lambda *_: True, lambda: [ONE])
    worker.start([])
    await until(lambda: len(tried) > 2)
    await worker.close()


async def test_of_a_workspace_so_many_projects_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the catalog is away any number may be named that there are not."""
    monkeypatch.setattr("server.background.embedding._MOST_TRIED_AGAIN", 2)
    asked = list[ProjectKey]()

    def is_complete(key: ProjectKey) -> bool:
        asked.append(key)
        raise CorpusError("The catalog cannot be read.")

    worker = EmbeddingWorker(lambda *_: True, lambda *_: True, is_complete=is_complete)
    named = [*(ProjectKey("local", str(number)) for number in range(5)), TWO]
    for key in named:
        worker.submit(key)
    await until(lambda: len(asked) == len(named) and worker.failure(TWO) is not None)
    await worker.close()
    assert sum(worker.failure(key) is not None for key in named) == 2 + 1


async def test_those_beyond_them_are_not_tried_over_and_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.background.embedding._MOST_TRIED_AGAIN", 1)
    tried, looks = Counter[ProjectKey](), list[int]()
    named = [ProjectKey("local", str(number)) for number in range(3)]

    def is_complete(key: ProjectKey) -> bool:
        tried[key] += 1
        raise CorpusError("The catalog cannot be read.")

    def unfinished() -> list[ProjectKey]:
        looks.append(1)
        return named

    worker = EmbeddingWorker(lambda *_: True, lambda *_: True, unfinished, is_complete)
    worker.start([])
    await until(lambda: len(looks) > 9 and len(tried) == 3)
    assert set(tried.values()) == {1}
    await worker.close()


async def test_repairing_gives_way_to_others_as_embedding_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.background.embedding._SLICE_S", 0)
    done, embedded = list[ProjectKey](), asyncio.Event()
    loop = asyncio.get_running_loop()

    def repair(key: ProjectKey, beat: Callable[[], None]) -> bool:
        if key == ONE and not embedded.is_set():
            for _ in range(1_000_000):
                beat()
        done.append(key)
        return True

    def embed(key: ProjectKey, _progress: object) -> bool:
        if key == TWO:
            loop.call_soon_threadsafe(embedded.set)
        return True

    worker = EmbeddingWorker(embed, repair)
    worker.start([ONE])
    worker.submit(TWO)
    await until(lambda: done == [ONE])
    assert embedded.is_set()
    await worker.close()


async def test_a_worker_that_waits_for_another_process_ends_when_it_is_closed() -> None:
    asked: list[ProjectKey] = []

    def embed(key: ProjectKey, _progress: object) -> bool:
        asked.append(key)
        return False

    worker = EmbeddingWorker(embed, lambda *_: True)
    worker.submit(ONE)
    await until(lambda: len(asked) > 1)
    await worker.close()


async def test_a_large_project_does_not_keep_others_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.background.embedding._SLICE_S", 0)
    batches: list[ProjectKey] = []
    left = {ONE: 50, THREE: 50, TWO: 2}
    may_begin = threading.Event()

    def embed(key: ProjectKey, progress: ProgressListener) -> bool:
        assert may_begin.wait(60)
        total = left[key]
        progress(Progress("", "embedding", 0, total))
        for done in range(1, total + 1):
            batches.append(key)
            left[key] -= 1
            progress(Progress("", "embedding", done, total))
        return True

    worker = EmbeddingWorker(embed, lambda *_: True)
    for key in (ONE, THREE, TWO):  # the first two are one workspace's
        worker.submit(key)
    for _ in range(5):  # all have asked for their turn
        await asyncio.sleep(0)
    may_begin.set()
    await until(lambda: not any(left.values()))
    await worker.close()
    assert TWO in batches[:3]
    assert batches.index(TWO) < len(batches) - batches[::-1].index(TWO) <= 6
    assert set(batches[-10:]) <= {ONE, THREE}


async def test_what_failed_is_tried_again_without_being_asked(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("server.background.embedding._FAILED_S", 0.01)
    monkeypatch.setattr("server.background.embedding._FAILED_AT_MOST_S", 0.03)
    tried: list[ProjectKey] = []

    def embed(key: ProjectKey, _progress: object) -> bool:
        tried.append(key)
        if len(tried) < 4:
            raise OSError("No space left on device")
        return True

    worker = EmbeddingWorker(embed, lambda *_: True)
    worker.submit(ONE)
    await until(lambda: len(tried) == 4)
    await worker.close()
    assert [message.count("tried again in") for message in caplog.messages] == [1, 1, 1]


async def test_who_asks_again_while_it_fails_makes_nobody_wait_longer(caplog: pytest.LogCaptureFixture) -> None:
    def embed(_key: ProjectKey, _progress: object) -> bool:
        raise OSError("No space left on device")

    worker = EmbeddingWorker(embed, lambda *_: True)
    for number in range(4):
        worker.submit(ONE)
        await until(lambda: len(caplog.messages) > number)  # noqa: B023
    await worker.close()
    assert all("tried again in 60 s" in message for message in caplog.messages)


async def test_a_worker_that_is_closed_tries_nothing_again() -> None:
    tried: list[ProjectKey] = []

    def embed(key: ProjectKey, _progress: object) -> bool:
        tried.append(key)
        raise OSError("No space left on device")

    worker = EmbeddingWorker(embed, lambda *_: True)
    worker.submit(ONE)
    await until(lambda: len(tried) == 1)
    await worker.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}, "nobody is left who would try it again"
    assert all(retry.cancelled() for retry in worker._retries.values())  # pyright: ignore[reportPrivateUsage]
