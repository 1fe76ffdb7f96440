"""What an editor has done counts, also where the turn is stopped before its answer is read, or is told."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest

from agent import Event, Failure, Outcome, TurnContext
from agent.editing.execution import Execution
from agent.editing.reconciliation import as_reported
from agent.editing.shadow import Shadow
from arrow_project import ArrowProject, Operation, OperationResult, fingerprint, parse
from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.agent.story import NEXT_ID, story
from tests.agent.turn_runner import TurnRunner, unheard

COINS = [Operation("create_variable", {"name": f"coin{n}", "type": "num", "initial_value": n}) for n in range(3)]
LINE = Operation("create_insert_node", {"type": "content", "preset": {"content": "Rain."}, "scene_id": 0})
STEPS = (LINE, COINS[0])
CONNECTED = Operation(LINE.function, {**LINE.arguments, "connect_from": {"node_id": 3, "slot": 0}})


class Panel:
    """An editor that does all of a batch at once and shows its story."""

    takes_batches = True

    def __init__(self, project: ArrowProject) -> None:
        self.project = project

    async def apply(self, applied: OperationResult) -> Outcome:
        (outcome,) = await self.apply_together([applied])
        return outcome

    async def apply_together(self, applied: Sequence[OperationResult]) -> Sequence[Outcome]:
        results = [self.project.apply(one.operation).result for one in applied]
        outcomes = [Outcome(success=True, result=next(iter(result.values()), None)) for result in results]
        return [*outcomes[:-1], Outcome(success=True, content=self.project.to_text())]


class BreaksOff:
    """An editor that does two steps of an operation, and not the third."""

    def __init__(self, *, shows: bool) -> None:
        self.project, self._shows = story(), shows

    async def apply(self, applied: OperationResult) -> Outcome:
        self.project.apply_all(STEPS)
        content = self.project.to_text() if self._shows else None
        refusal = Failure("EDITOR_ERROR", "Slot taken.")
        return Outcome(success=False, failure=refusal, content=content, confirmed=STEPS, done=STEPS)


class HeldUp:
    """Work in a thread that goes on only once its task is stopped, or `ends` is called.

    Args:
        work: The work.
        is_meant: Whether it is this time that it is held up.
    """

    def __init__(self, work: Callable[..., Any], is_meant: Callable[[], bool] = lambda: True) -> None:
        self._work, self._is_meant = work, is_meant
        self._begun, self._may_go_on = threading.Event(), threading.Event()

    def __call__(self, *args: Any) -> Any:
        if self._is_meant():
            self._begun.set()
            assert self._may_go_on.wait(PATIENCE_S)
        return self._work(*args)

    async def begins(self) -> None:
        """Returns once it works."""
        assert await asyncio.to_thread(self._begun.wait, PATIENCE_S)

    def ends(self) -> None:
        """Lets it work to its end."""
        self._may_go_on.set()

    async def is_stopped(self, task: "asyncio.Task[Any]") -> None:
        """Stops the task while it works."""
        await self.begins()
        task.cancel()
        self.ends()
        await asyncio.wait((task,))
        assert task.cancelled()


def reading(monkeypatch: pytest.MonkeyPatch, *, after: int = 0) -> HeldUp:
    """An answer that takes long to read, after some that do not."""
    read = count()
    held_up = HeldUp(parse, lambda: next(read) >= after)
    monkeypatch.setattr("agent.editing.reconciliation.parse", held_up)
    return held_up


def large() -> ArrowProject:
    """A story whose text is read in a thread."""
    project = story()
    project.apply(Operation("update_node", {"node_id": 3, "data": {"content": "Rain. " * 2_000}}))
    return parse(project.to_text())


def context(project: ArrowProject) -> TurnContext:
    return TurnContext(project, None, (3,), (), (), ())


async def stopped(_event: Event) -> None:
    """The turn is stopped while this is told."""
    raise asyncio.CancelledError


async def test_what_was_done_together_is_known_where_the_turn_is_stopped_while_the_answer_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    editor, of, held_up = Panel(large()), context(large()), reading(monkeypatch)
    done = Execution(of, editor, "never", unheard)
    await held_up.is_stopped(asyncio.ensure_future(done.execute_together([*COINS, LINE, LINE])))
    assert done.executed == [*COINS, LINE, LINE]
    assert done.created == [NEXT_ID + 3, NEXT_ID + 4]
    assert fingerprint(of.project) == fingerprint(editor.project)


async def test_what_was_done_together_is_known_where_the_turn_is_stopped_while_the_first_of_it_is_told() -> None:
    editor, of = Panel(story()), context(story())
    done = Execution(of, editor, "never", stopped)
    with pytest.raises(asyncio.CancelledError):
        await done.execute_together([*COINS, LINE])
    assert done.executed == [*COINS, LINE]
    assert fingerprint(of.project) == fingerprint(editor.project)


async def test_what_was_done_together_is_known_where_the_turn_is_stopped_while_its_rehearsal_is_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    editor, of = Panel(large()), context(large())
    assert of.project is not None
    of.characters = 20_000
    held_up = HeldUp(of.project.rollback, lambda: len(editor.project.data.variables) > 1)
    monkeypatch.setattr(of.project, "rollback", held_up)
    done = Execution(of, editor, "never", unheard)
    await held_up.is_stopped(asyncio.ensure_future(done.execute_together([*COINS, LINE])))
    assert done.executed == [*COINS, LINE]
    assert fingerprint(of.project) == fingerprint(editor.project)


async def test_what_others_have_written_is_known_where_the_turn_is_stopped_while_the_answer_is_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    editor, of = Panel(large()), context(large())
    of.characters = 20_000
    editor.project.apply(Operation("update_node", {"node_id": 3, "data": {"content": "By hand."}}))
    held_up = HeldUp(as_reported)
    monkeypatch.setattr("agent.editing.shadow.as_reported", held_up)
    done = Execution(of, editor, "never", unheard)
    await held_up.is_stopped(asyncio.ensure_future(done.execute(COINS[0])))
    assert done.executed == [COINS[0]]
    assert done.shadow.is_shared


async def test_a_turn_that_is_stopped_while_an_answer_is_read_can_be_taken_back(
    runner: TurnRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of two batches is done; the second is the one whose answer is not read to its end."""
    uses = [Use(one.function, one.arguments) for one in COINS]
    first = [Use(one.function, {**one.arguments, "name": f"old_{one.arguments['name']}"}) for one in COINS]
    runner.model.add(first, uses, [Hang()])
    project = large()
    editor, held_up = Panel(parse(project.to_text())), reading(monkeypatch, after=1)
    turn = runner.turn("Add coins.", unheard, editor, project=project)
    await held_up.is_stopped(asyncio.ensure_future(turn.run()))
    assert len(editor.project.data.variables) == 7
    await runner.events("undo", editor, project=parse(editor.project.to_text()))
    assert [one["name"] for one in editor.project.data.variables.values()] == ["oil"]


@pytest.mark.parametrize("shows", [True, False])
async def test_what_was_done_before_a_refusal_is_known_where_the_turn_is_stopped_while_it_is_told(
    *, shows: bool
) -> None:
    editor, of = BreaksOff(shows=shows), context(story())
    done = Execution(of, editor, "never", stopped)
    with pytest.raises(asyncio.CancelledError):
        await done.execute(CONNECTED)
    assert done.executed == [*STEPS]
    assert fingerprint(of.project) == fingerprint(editor.project)


async def test_what_was_done_before_a_refusal_is_known_where_the_turn_is_stopped_while_the_answer_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    editor, of, held_up = BreaksOff(shows=True), context(large()), reading(monkeypatch)
    editor.project = large()
    done = Execution(of, editor, "never", unheard)
    await held_up.is_stopped(asyncio.ensure_future(done.execute(CONNECTED)))
    assert done.executed == [*STEPS]
    assert fingerprint(of.project) == fingerprint(editor.project)


async def test_a_deletion_that_the_story_shows_counts_where_the_turn_is_stopped_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The editor has answered `false`, and deleted it all the same."""
    theirs, of, removal = story(), context(story()), Operation("delete_node", {"node_id": 3})
    theirs.apply(removal)

    class Answers:
        async def apply(self, applied: OperationResult) -> Outcome:
            return Outcome(success=True, result=False, content=theirs.to_text())

    def stop(*_: object) -> OperationResult:
        raise asyncio.CancelledError

    monkeypatch.setattr("agent.editing.shadow.Shadow.with_given_ids", stop)
    done = Execution(of, Answers(), "never", unheard)
    with pytest.raises(asyncio.CancelledError):
        await done.execute(removal)
    assert done.executed == [removal]
    assert fingerprint(of.project) == fingerprint(theirs)


@pytest.mark.parametrize("together", [False, True])
async def test_a_story_that_comes_while_an_operation_is_followed_is_newer_than_its_answer(
    monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    editor, of, given = Panel(large()), context(large()), Shadow.with_given_ids
    turn = Execution(of, editor, "never", unheard)
    newer = large()
    newer.apply(Operation("update_node", {"node_id": 3, "data": {"content": "What the user writes."}}))

    def comes(shadow: Shadow, *arguments: Any) -> OperationResult:
        turn.take(newer, 1)
        return given(shadow, *arguments)

    monkeypatch.setattr(Shadow, "with_given_ids", comes)
    await (turn.execute_together(COINS) if together else turn.execute(COINS[0]))
    assert of.project is newer
    assert turn.executed == [*COINS][: None if together else 1]


async def test_a_story_that_comes_while_an_answer_is_read_is_newer_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    editor, of, held_up = Panel(large()), context(large()), reading(monkeypatch)
    turn = Execution(of, editor, "never", unheard)
    executing = asyncio.ensure_future(turn.execute(COINS[0]))
    await held_up.begins()
    newer = editor.project.copy()
    newer.apply(Operation("update_node", {"node_id": 3, "data": {"content": "What the user writes."}}))
    turn.take(newer, 1)
    held_up.ends()
    await executing
    assert of.project is newer
    assert turn.executed == [COINS[0]]
