"""Whoever stops what reads or plans in a story: nothing does so any more when that has ended, and it ends soon."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from agent import Citations, Threads, TurnContext, TurnReader, working_in
from agent.answering.planned_answer import PlannedAnswer
from agent.reading import story_reading
from agent.turn.direct import DirectCalls
from arrow_project import Operation, Selection, parse
from corpora import ProjectKey
from tests.agent.story import story_text

PATIENCE_S = 300.0
_KEY = ProjectKey("local", "1")


class Held:
    """Work in a thread that a test holds up."""

    def __init__(self) -> None:
        self.began, self.may_go_on = asyncio.Event(), threading.Event()
        self.steps = 0
        self._loop = asyncio.get_running_loop()

    def step(self) -> None:
        self.steps += 1
        self._loop.call_soon_threadsafe(self.began.set)
        assert self.may_go_on.wait(PATIENCE_S)
        assert self.steps < 100_000, "it has no end"

    def without_end(self, *_arguments: object) -> Iterator[Any]:
        while True:
            self.step()
            yield "a line"


async def _stopped(task: "asyncio.Task[Any]", held: Held) -> None:
    """Ends the task; fails if it ends while its work is still held up."""
    try:
        await asyncio.wait_for(held.began.wait(), PATIENCE_S)
        task.cancel()
        for _ in range(20):
            await asyncio.sleep(0)
        assert not task.done(), "its work still goes on"
    finally:
        held.may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task


def _reader(retriever: Any, project: Any) -> TurnReader:
    return TurnReader(retriever, _KEY, Citations(()), TurnContext(project, None, (), ()))


async def test_a_continuity_check_ends_with_the_next_step_of_whoever_stops_it() -> None:
    held = Held()

    def search(*_arguments: object) -> list[Any]:
        held.step()
        return []

    texts = [SimpleNamespace(text="Odile was born in Bray.")]
    retriever = SimpleNamespace(documents=lambda _key: [SimpleNamespace(id="a")], read_pages=lambda *_: texts)
    retriever.search, retriever.comparing, retriever.give_way = search, lambda *_: nullcontext(), lambda: None
    said = "".join(f"Odile{a}{b} was born in Cadder. " for a in "abcdefghij" for b in "abcdefghij")
    task = asyncio.ensure_future(_reader(retriever, parse(story_text(said))).call("check_continuity", {"scene_id": 0}))
    await _stopped(task, held)
    assert held.steps == 1


@pytest.mark.parametrize("tool", ["find_nodes", "get_scene"])
async def test_what_reads_a_scene_ends_with_the_next_node(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held()
    nodes = SimpleNamespace(values=held.without_end)
    scene = SimpleNamespace(id=0)
    monkeypatch.setattr(story_reading, "Story", lambda _: SimpleNamespace(nodes=nodes, scenes={0: scene}))
    monkeypatch.setattr(story_reading, "node_lines", held.without_end)
    reader = _reader(SimpleNamespace(), parse(story_text()))
    await _stopped(asyncio.ensure_future(reader.call(tool, {"scene_id": 0})), held)
    assert held.steps == 1


async def test_a_plan_ends_with_the_next_operation_that_it_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held()

    def tried(*_arguments: object) -> Any:
        held.step()
        return SimpleNamespace(result={"character_id": 100 + held.steps})

    monkeypatch.setattr("agent.local.draft.apply_checked", tried)
    project = parse(story_text())
    message = "create the characters " + " and ".join(f"Guard{number}" for number in range(50))
    context = TurnContext(project, 0, (), ())
    assignment: Any = SimpleNamespace(message=message, context=context, execution=None)
    await _stopped(asyncio.ensure_future(PlannedAnswer(assignment).run()), held)
    assert held.steps == 1


async def test_a_list_of_operations_ends_with_the_next_that_it_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an assistant that has hung up: a list may take half an hour."""
    held = Held()

    def tried(*_arguments: object) -> Any:
        held.step()
        return SimpleNamespace(operation=Operation("delete_node", {}), created=())

    monkeypatch.setattr("agent.editing.in_order.apply_checked", tried)
    project = parse(story_text())
    listed = [Operation("update_node", {"node_id": 2, "name": f"name {number}"}) for number in range(50)]
    run: Any = SimpleNamespace(context=TurnContext(project, 0, (), ()), _selection=Selection)
    await _stopped(asyncio.ensure_future(DirectCalls.run_all(run, listed)), held)
    assert held.steps == 1


async def test_who_only_waits_for_a_store_ends_at_once_and_the_store_has_no_story() -> None:
    asked, began = list[Any](), asyncio.Event()

    async def ask(work: Any) -> Any:
        asked.append(work)
        began.set()
        await asyncio.Event().wait()

    project = parse(story_text())
    is_kept = weakref.ref(project)
    with working_in(Threads(ask=ask)):
        task = asyncio.ensure_future(_reader(SimpleNamespace(), project).call("search_documents", {"query": "x"}))
    await began.wait()
    task.cancel()
    await asyncio.wait((task,))
    assert task.cancelled()
    del project, task
    gc.collect()
    assert asked
    assert is_kept() is None
