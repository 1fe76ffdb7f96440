"""Operations of large stories: computed beside the event loop, where a stop or a newer story may come meanwhile."""

import asyncio
import json
import sys
import threading
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from agent import Before, Failure, InMemoryEditor, Outcome, TurnContext
from agent.editing.consent import Consent
from agent.editing.execution import Execution
from agent.editing.validation import weight
from agent.prompt.query import Query, build_query
from agent.turn.thread import in_thread
from arrow_project import ArrowProject, Operation, OperationResult, Selection, fingerprint, parse
from arrow_project.journal import Journal
from tests.agent.story import story, story_text
from tests.agent.turn_runner import TurnRunner, unheard

PATIENCE_S = 300  # ends what hangs
GOLD = Operation("create_variable", {"name": "gold", "type": "num", "initial_value": 10})


class Held:
    """An edit that has been done in a thread, and does not end before it may."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.is_done = asyncio.Event()
        self.may_end = threading.Event()
        self.threads: list[int] = []

    def hold(self) -> None:
        self.threads.append(threading.get_ident())
        self.loop.call_soon_threadsafe(self.is_done.set)
        self.may_end.wait(PATIENCE_S)


@pytest.fixture
async def held(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Held]:
    edit, apply = Held(), ArrowProject.apply

    def slow(project: ArrowProject, operation: Operation, selection: Selection) -> OperationResult:
        try:
            return apply(project, operation, selection)
        finally:
            edit.hold()

    monkeypatch.setattr(ArrowProject, "apply", slow)
    yield edit
    edit.may_end.set()


def of(project: ArrowProject, characters: int = sys.maxsize) -> tuple[TurnContext, Execution]:
    context = TurnContext(project, None, (), (), (), (), characters=characters)
    return context, Execution(context, InMemoryEditor(project), "never", unheard)


async def reached(held: Held) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await held.is_done.wait()


async def test_an_edit_is_computed_in_a_thread(held: Held) -> None:
    held.may_end.set()
    context, execution = of(story())

    assert (await execution.execute(GOLD)).success

    assert held.threads
    assert threading.get_ident() not in held.threads
    assert context.project is not None
    assert "gold" in context.project.to_text()


async def test_what_comes_of_an_edit_is_noted_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = list[int]()

    def noted(consent: Consent, *given: Any) -> None:
        threads.append(threading.get_ident())
        executed(consent, *given)

    executed = Consent.executed
    monkeypatch.setattr(Consent, "executed", noted)
    _, execution = of(story())

    assert (await execution.execute(GOLD)).success

    assert threads
    assert threading.get_ident() not in threads


async def test_what_a_long_operation_takes_away_is_looked_for_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = list[int]()

    def asked(consent: Consent, *given: Any, **options: Any) -> bool:
        threads.append(threading.get_ident())
        return must_wait(consent, *given, **options)

    must_wait = Consent.must_wait
    monkeypatch.setattr(Consent, "must_wait", asked)
    _, execution = of(story(), characters=0)

    await execution.execute(Operation("update_node", {"node_id": 2, "notes": "Short."}))
    await execution.execute(Operation("update_node", {"node_id": 2, "notes": "[b]" * 5_000}))

    assert [thread == threading.get_ident() for thread in threads] == [True, False]


async def test_what_an_editor_had_done_before_it_failed_is_followed_in_a_thread(held: Held) -> None:
    class Failing(InMemoryEditor):
        async def apply(self, applied: OperationResult) -> Outcome:
            return Outcome(success=False, failure=Failure("EDITOR_ERROR", "No."), done=(applied.operation,) * 3)

    held.may_end.set()
    project = story()
    context = TurnContext(project, None, (), (), (), (), characters=sys.maxsize)
    connect = Operation("update_node", {"node_id": 2, "notes": "Said by nobody."})

    finished = await Execution(context, Failing(project), "never", unheard).execute(connect)

    assert not finished.success
    assert len(held.threads) == 4
    assert threading.get_ident() not in held.threads


@pytest.mark.parametrize("stops", [1, 3])
async def test_a_stop_waits_for_the_edit_and_takes_it_back(held: Held, stops: int) -> None:
    project = story()
    _, execution = of(project)
    task = asyncio.create_task(execution.execute(GOLD))
    await reached(held)

    for _ in range(stops):
        task.cancel()
        for _ in range(3):
            await asyncio.sleep(0)
        assert not task.done()
    held.may_end.set()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    assert project.to_text() == story_text()
    assert not execution.executed


async def test_a_stop_before_a_question_is_asked_takes_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    project, edit, copy = story(), Held(), ArrowProject.copy

    def slow(copied: ArrowProject) -> ArrowProject:
        edit.hold()
        return copy(copied)

    monkeypatch.setattr(ArrowProject, "copy", slow)
    execution = Execution(TurnContext(project, None, (), (), (), ()), InMemoryEditor(project), "destructive", unheard)
    task = asyncio.create_task(execution.execute(Operation("delete_node", {"node_id": 2})))
    await reached(edit)
    task.cancel()
    edit.may_end.set()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    assert project.to_text() == story_text()


async def test_a_stop_ends_the_way_back_at_its_next_step(runner: TurnRunner, held: Held) -> None:
    raw = json.loads(story_text())
    for key, name in enumerate(("silver", "copper"), 50):
        raw["resources"]["variables"][str(key)] = {"name": name, "type": "num", "init": 1}
    made = parse(json.dumps(raw))
    runner.pendings.keep_before(Before(story_text()), fingerprint(made))

    async with runner.stopped_turn("undo", InMemoryEditor(made)):
        await reached(held)
        asyncio.get_running_loop().call_later(0, held.may_end.set)

    assert len(held.threads) == 1
    assert "silver" in made.to_text()


async def test_what_the_client_sends_meanwhile_is_edited_instead(held: Held) -> None:
    older, newer = story(), story("Another Lamp")
    context, execution = of(older)
    task = asyncio.create_task(execution.execute(GOLD))
    await reached(held)

    context.project = newer
    held.may_end.set()
    assert (await task).success

    assert older.to_text() == story_text()
    assert context.project is newer
    assert "gold" in newer.to_text()


async def test_a_copy_has_the_whole_of_an_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    project, edit, put = story(), Held(), Journal.put

    def slow(journal: Journal, table: dict[Any, Any], key: Any, value: Any) -> None:
        put(journal, table, key, value)
        edit.hold()

    monkeypatch.setattr(Journal, "put", slow)
    edited = asyncio.create_task(in_thread(project.apply, GOLD))
    await reached(edit)
    copied = asyncio.create_task(in_thread(project.copy))
    await asyncio.sleep(0)
    edit.may_end.set()
    await edited

    assert (await copied).to_text() == project.to_text()


async def test_what_is_looked_for_is_computed_in_a_thread(runner: TurnRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = list[int]()

    def noted(message: str, context: TurnContext) -> Query:
        threads.append(threading.get_ident())
        return build_query(message, context)

    monkeypatch.setattr("agent.turn.turn.build_query", noted)
    runner.put("bible.md", "The lamp burns on the pier.")
    runner.model.otherwise = ["Yes."]
    await runner.events("Where is the lamp?")
    assert threads
    assert threading.get_ident() not in threads


class Edits:
    """How many edits of stories were computed on the event loop, and how many beside it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.here, self.beside = 0, 0
        apply, loop = ArrowProject.apply, threading.get_ident()

        def noted(project: ArrowProject, operation: Operation, selection: Selection) -> OperationResult:
            is_here = threading.get_ident() == loop
            self.here, self.beside = self.here + is_here, self.beside + (not is_here)
            return apply(project, operation, selection)

        monkeypatch.setattr(ArrowProject, "apply", noted)


async def test_long_arguments_are_read_in_a_thread_whatever_the_story(monkeypatch: pytest.MonkeyPatch) -> None:
    _, execution = of(story(), characters=1_000)
    edits = Edits(monkeypatch)
    assert (await execution.execute(GOLD)).success
    assert (edits.here, edits.beside) == (1, 0)

    lines = {"character": 21, "lines": ["word"] * 10_000}
    assert (await execution.execute(Operation("create_insert_node", {"type": "dialog", "preset": lines}))).success
    assert (edits.here, edits.beside) == (1, 1)


async def test_patterns_of_a_story_are_tried_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python takes three millionths of a second for a character: of a fairly short story's, a quarter of a second."""
    project = story()
    preset = {"character": 21, "key": "mood", "patterns": ["(a)" * 666] * 12, "regex": True}
    (node_id,) = project.apply(Operation("create_insert_node", {"type": "tag_match", "preset": preset})).created
    _, execution = of(project, len(project.to_text()))
    edits = Edits(monkeypatch)
    assert (await execution.execute(Operation("update_node", {"node_id": node_id, "data": {"key": "tone"}}))).success
    assert (edits.here, edits.beside) == (0, 1)


async def test_what_is_planned_is_tried_in_a_thread_whatever_the_story(monkeypatch: pytest.MonkeyPatch) -> None:
    project = story()
    context = TurnContext(project, None, (), (), (), (), characters=1_000)
    execution = Execution(context, InMemoryEditor(project), "destructive", unheard)
    edits = Edits(monkeypatch)
    context.planned = (GOLD, *(Operation("create_scene", {"name": f"part {number}"}) for number in range(3)))
    assert (await execution.execute(GOLD)).success
    assert (edits.here, edits.beside) == (1, 3)


async def test_a_story_that_grows_during_its_turn_counts_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    _, execution = of(story(), characters=1_000)
    edits = Edits(monkeypatch)
    for _ in range(10):
        text = {"content": "word " * 2_000}
        assert (await execution.execute(Operation("create_insert_node", {"type": "content", "preset": text}))).success
    beside = edits.beside
    assert (await execution.execute(GOLD)).success
    assert edits.beside == beside + 1


async def test_of_a_story_in_which_something_was_renamed_nobody_knows_the_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, execution = of(story(), characters=1_000)
    edits = Edits(monkeypatch)
    assert (await execution.execute(Operation("update_variable", {"by_name": "oil", "name": "fish"}))).success
    assert (await execution.execute(GOLD)).success
    assert (edits.here, edits.beside) == (1, 1)


@pytest.mark.parametrize(
    "operations",
    [
        [Operation("update_node", {"node_id": 2, "data": {"lines": ["\x7f" * 1_000_000] * 20}})],
        [Operation("update_node", {"node_id": 2, "name": "x" * 5_000})] * 10_000,
    ],
)
async def test_long_arguments_are_not_written_out_to_know_that_they_are_long(operations: list[Operation]) -> None:
    tracemalloc.start()
    try:
        assert weight(*operations) > 1_000_000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert weight(GOLD) < 1_000
