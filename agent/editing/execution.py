"""One turn's operations: tried on the shadow, confirmed where needed, executed by the editor, reconciled."""

import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from agent.editing.duplicates import find_duplicate
from agent.editing.editor import BatchingEditor, Editor, Failure, Outcome, Rehearsal, failure_of
from agent.editing.losses import TurnLosses
from agent.editing.reconciliation import (
    CREATED_BY,
    as_reported,
    compared,
    refusal,
    reported_id,
    reported_ids,
    reported_project,
    told,
)
from agent.editing.validation import find_schema_error
from agent.questions.confirmation import ConfirmationPolicy
from agent.turn.events import EventSink, OperationFinished
from agent.turn.request import TurnContext
from agent.turn.thread import in_thread
from arrow_project import ArrowProject, Operation, OperationError, OperationResult, Selection, renumbered

_Executed = TypeVar("_Executed")

logger = logging.getLogger(__name__)

_NO_PROJECT = Failure(
    "PERMISSION_DENIED",
    "There is no .arrow content to edit yet. The client has to send it first (file_sync, or arrow_content "
    "in the message).",
)
_NOT_RUN = Failure("NOT_RUN", "This was not run: the user is asked about an earlier call first.")
# What the results of operations call the ids of what they created.
_CREATED = (*CREATED_BY.values(), "entry_node_id", "last_node_id")


@dataclass
class Held:
    """Operations that wait for a yes: they were tried, one after the other, on a copy.

    Attributes:
        project: The story without them.
        operations: In order, references resolved.
    """

    project: ArrowProject
    operations: list[Operation]


class Execution:
    """Executes a turn's operations in order and keeps the shadow equal to the client's project.

    Args:
        context: The running turn; its project is the shadow.
        editor: Who executes.
        confirm: When to ask first.
        tell: Hears of every operation that has been done or refused.
        holds_all: Once an operation needs a yes, all that follow wait for it as well, and the turn goes on on a
            copy. Otherwise only those that need one do, and others are refused.
    """

    def __init__(
        self,
        context: TurnContext,
        editor: Editor,
        confirm: ConfirmationPolicy,
        tell: EventSink,
        *,
        holds_all: bool = False,
    ) -> None:
        self._context = context
        self._editor = editor
        self._confirm: ConfirmationPolicy = confirm
        self._tell = tell
        self._holds_all = holds_all
        self._selection = Selection(context.scene_id, context.selected_node_ids)
        self._losses = TurnLosses()
        self._agreed: list[Operation] = []
        self._lost_sight_of: ArrowProject | None = None
        self._before_batch = 0
        self.executed: list[Operation] = []
        self.created: list[int] = []
        self.given_ids: dict[int, int] = {}
        self.held: Held | None = None
        self.before: str | None = None
        self.editor_s = 0.0

    @property
    def only_tried(self) -> int:
        """How many operations the story does not have yet: they wait for a yes, or belong to a plan."""
        if isinstance(self._editor, Rehearsal):
            return len(self.executed)
        return len(self.held.operations) if self.held is not None else 0

    @property
    def knows_story(self) -> bool:
        """Whether the turn's story is the editor's, as far as anybody can tell."""
        return self._lost_sight_of is None or self._lost_sight_of is not self._context.project

    def look_again(self) -> None:
        """The context has another scene or another selection."""
        self._selection = Selection(self._context.scene_id, self._context.selected_node_ids)

    def stop_asking(self) -> None:
        """The user has agreed to what follows."""
        self._confirm = "never"

    def agree_to(self, operations: Iterable[Operation]) -> None:
        """The user has agreed to these very operations, should they come."""
        self._agreed += operations

    def release(self) -> tuple[Held, ArrowProject]:
        """What waits for a yes, and the story as it would be; the turn's story is again the one without it."""
        assert self.held is not None
        after = self._context.project
        assert after is not None
        held, self.held = self.held, None
        self._context.project = held.project
        return held, after

    async def replay(
        self, operations: Sequence[Operation], after_each: Callable[[OperationFinished], Awaitable[None]] | None = None
    ) -> Failure | None:
        """Executes operations that the user has agreed to; ids of what they create follow what the editor gives.

        It ends with the first that fails, and returns why; `after_each` hears of those that did not.
        `given_ids` then has the ids that came out differently than expected.
        """
        project = self._context.project
        expected = await in_thread(project.copy) if project and len(operations) > 1 else None
        selection, ids = self._selection, dict[int, int]()
        self.given_ids = ids
        confirm, self._confirm = self._confirm, "never"
        try:
            for operation in operations:
                finished = await self.execute(renumbered(operation, ids))
                if finished.failure is not None:
                    return finished.failure
                if expected is not None:
                    ids.update(_given_ids(expected.apply(operation, selection), finished))
                if after_each is not None:
                    await after_each(finished)
            return None
        finally:
            self._confirm = confirm

    async def execute_together(self, operations: Sequence[Operation]) -> list[OperationFinished]:
        """Executes the first operations, one or more: all that the editor takes in one message; what became of each."""
        batch = await self._rehearsed(operations) if self._takes_batches(operations) else []
        if len(batch) > 1 and isinstance(self._editor, BatchingEditor):
            project = self._context.project
            assert project is not None
            try:
                outcomes = await self._timed(self._editor.apply_together(batch))
            finally:
                project.rollback(self._before_batch)
            if outcomes is not None:
                return await self._conclude_all(project, batch, outcomes)
        elif batch and self._context.project is not None:
            self._context.project.rollback(self._before_batch)
        return [await self.execute(operations[0])]

    def _takes_batches(self, operations: Sequence[Operation]) -> bool:
        editor = self._editor
        return len(operations) > 1 and self.held is None and isinstance(editor, BatchingEditor) and editor.takes_batches

    async def _rehearsed(self, operations: Sequence[Operation]) -> list[OperationResult]:
        """The first operations, tried on the story one after the other, up to one that fails or needs a yes."""
        if self._context.project is None:
            return []
        project = await self._kept(self._context.project)
        self._before_batch, selection = project.checkpoint(), self._selection
        batch: list[OperationResult] = []
        try:
            for operation in operations:
                checkpoint = project.checkpoint()
                takes_away = operation.function.startswith("delete_") and operation.function != "delete_connection"
                if takes_away or find_schema_error(operation) or find_duplicate(project, operation):
                    break  # what is gone at the end cannot be spoken of before
                applied = project.apply(operation, self._selection)
                if applied.operation not in self._agreed and self._must_wait(project, applied.operation):
                    project.rollback(checkpoint)
                    break
                batch.append(applied)
                if applied.created:
                    self._selection = replace(self._selection, last_created=applied.created[-1])
        except OperationError:
            pass  # the model is told when it is this operation's turn
        finally:
            self._selection = selection
        return batch

    async def _conclude_all(
        self, project: ArrowProject, batch: Sequence[OperationResult], outcomes: Sequence[Outcome]
    ) -> list[OperationFinished]:
        """As if each had been executed by itself; ids follow what the editor has really given."""
        reported = await reported_project(outcomes[-1])
        failure = refusal(batch[-1], outcomes[-1], reported)
        if failure is not None:
            return [await self._refused(project, one, outcomes[-1], reported, failure) for one in batch]
        ids, finished = dict[int, int](), list[OperationFinished]()
        for expected, outcome in zip(batch, outcomes, strict=True):
            operation = renumbered(expected.operation, ids)
            checkpoint = project.checkpoint()
            applied = project.apply(operation, self._selection)
            applied = self._with_reported_id(project, checkpoint, operation, applied, outcome)
            shown = reported if outcome is outcomes[-1] else None
            finished.append(await self._conclude(project, applied, outcome, shown))
            ids |= _given_ids(expected, finished[-1])
        return finished

    async def _timed(self, executing: Awaitable[_Executed]) -> _Executed:
        started = time.monotonic()
        try:
            return await executing
        finally:
            self.editor_s += time.monotonic() - started

    async def execute(self, operation: Operation) -> OperationFinished:
        """Tries the operation on the shadow, then has the editor execute it, or holds it for a yes."""
        project = self._context.project
        if project is None:
            return await self._finish(operation, None, _NO_PROJECT)
        failure = find_schema_error(operation) or find_duplicate(project, operation)
        if failure is not None:
            return await self._finish(operation, None, failure)
        project = await self._kept(project)
        checkpoint = project.checkpoint()
        try:
            applied = project.apply(operation, self._selection)
        except OperationError as error:
            return await self._finish(operation, None, failure_of(error))
        if self._must_wait(project, applied.operation):
            return await self._hold(project, checkpoint, applied)
        if self.held is not None:
            project.rollback(checkpoint)
            return OperationFinished(operation.function, operation.arguments, None, _NOT_RUN)
        try:
            outcome = await self._timed(self._editor.apply(applied))
        except BaseException:  # stopped: nobody knows that it was done
            project.rollback(checkpoint)
            raise
        try:
            reported = await reported_project(outcome)
        except BaseException:  # stopped, and done it is
            if refusal(applied, outcome, None) is None:
                self._note(applied)
            raise
        failure = refusal(applied, outcome, reported)
        if failure is not None:
            project.rollback(checkpoint)
            return await self._refused(project, applied, outcome, reported, failure)
        applied = self._with_reported_id(project, checkpoint, operation, applied, outcome)
        return await self._conclude(project, applied, outcome, reported)

    async def _kept(self, project: ArrowProject) -> ArrowProject:
        """The story, which is looked at before an operation changes it; the client may send a newer one meanwhile."""
        while True:
            before = await in_thread(self._look_at, project)
            current = self._context.project
            if current is None or current is project:
                self.before = before
                return project
            project = current

    def _look_at(self, project: ArrowProject) -> str | None:
        """The text from before the turn's first operation."""
        if self._confirm == "destructive" and not self._holds_the_rest:
            self._losses.look_at(project)
        return project.to_text() if self.before is None and self.held is None else self.before

    @property
    def _holds_the_rest(self) -> bool:
        return self._holds_all and self.held is not None

    def _must_wait(self, project: ArrowProject, operation: Operation) -> bool:
        """Whether the user is asked before the operation that the story has been tried with."""
        if operation in self._agreed:
            self._agreed.remove(operation)
            return False
        if self._holds_the_rest or self._confirm == "always":
            return True
        return self._confirm == "destructive" and not self._losses.allow(self._with_what_is_planned(project))

    def _with_what_is_planned(self, project: ArrowProject) -> ArrowProject:
        """The story as it will be with what is planned together with the operation: all of it waits, or none."""
        planned, self._context.planned = self._context.planned[1:], ()
        tried = project.copy() if planned else project
        for operation in planned:
            try:
                tried.apply(operation, self._selection)
            except OperationError:  # it will be refused in its turn
                break
        return tried

    async def _hold(self, project: ArrowProject, checkpoint: int, applied: OperationResult) -> OperationFinished:
        """Keeps an operation until the user has agreed; what follows it is tried on a copy that has it."""
        if self.held is None:
            after = await in_thread(project.copy)
            project.rollback(checkpoint)
            self.held = Held(project, [])
            self._context.project = after
        self.held.operations.append(applied.operation)
        if applied.created:
            self._selection = replace(self._selection, last_created=applied.created[-1])
        return OperationFinished(applied.operation.function, applied.operation.arguments, applied.result, None)

    def _with_reported_id(
        self, project: ArrowProject, checkpoint: int, operation: Operation, applied: OperationResult, outcome: Outcome
    ) -> OperationResult:
        """The ids that the editor gave are the right ones, unless they are taken or impossible; then ours stand."""
        reported = reported_ids(applied, outcome)
        if reported == tuple(applied.result.values())[: len(reported)]:
            return applied
        project.rollback(checkpoint)
        for given in (reported, reported[:1]):  # of a scene at least its own
            try:
                project.expect_id(*given)
                break
            except OperationError as error:
                logger.warning("the editor reports ids %s for %s: %s", given, operation.function, error)
        return project.apply(operation, self._selection)

    async def _conclude(
        self, project: ArrowProject, applied: OperationResult, outcome: Outcome, reported: ArrowProject | None
    ) -> OperationFinished:
        """The client's content is the truth: it replaces the shadow, and the model learns what differs."""
        differences: list[str] = []
        if reported is not None:
            applied = as_reported(applied, project, reported)
            self._context.project = reported
        self._note(applied)
        if reported is not None:
            differences = await compared(project, reported, outcome)
        confirmed = reported is not None or reported_id(applied, outcome) == next(iter(applied.result.values()), None)
        result = told(applied, outcome, differences, confirmed=confirmed)
        return await self._finish(applied.operation, result, None, reached_editor=True)

    async def _refused(
        self,
        project: ArrowProject,
        applied: OperationResult,
        outcome: Outcome,
        reported: ArrowProject | None,
        failure: Failure,
    ) -> OperationFinished:
        """What the editor had done of it before counts; where nothing shows what came of that, the story is unknown."""
        if reported is not None:
            self._context.project = reported
        elif outcome.done is not None:
            await self._keep(project, outcome.done)
        if reported is not None or outcome.done is None:
            for operation in outcome.confirmed:
                self.executed.append(operation)
                await self._finish(operation, None, None, reached_editor=True)
        if reported is None and outcome.done is None and outcome.confirmed:
            self._lost_sight_of = project
        return await self._finish(applied.operation, None, failure, reached_editor=True)

    async def _keep(self, project: ArrowProject, done: Iterable[Operation]) -> None:
        """The editor has done these before it failed, so the shadow has them, too."""
        for operation in done:
            try:
                kept = project.apply(operation, self._selection)
            except OperationError as error:
                logger.warning("what the editor has done of an operation cannot be followed: %s", error)
                return
            self._note(kept)
            await self._finish(kept.operation, kept.result, None, reached_editor=True)

    def _note(self, applied: OperationResult) -> None:
        """The editor has executed it."""
        created = CREATED_BY.get(applied.operation.function)
        self._losses.made(applied, created.removesuffix("_id") if created else None)
        if applied.created:
            self._selection = replace(self._selection, last_created=applied.created[-1])
            self.created += applied.created
        self.executed.append(applied.operation)

    async def _finish(
        self, operation: Operation, result: Any, failure: Failure | None, *, reached_editor: bool = False
    ) -> OperationFinished:
        finished = OperationFinished(operation.function, operation.arguments, result, failure, reached_editor)
        await self._tell(finished)
        return finished


def _given_ids(expected: OperationResult, finished: OperationFinished) -> dict[int, int]:
    """The ids that the editor has given, by those that were expected."""
    return {
        expected.result[name]: finished.result[name]
        for name in _CREATED
        if name in expected.result and name in finished.result and expected.result[name] != finished.result[name]
    }


def tool_result(finished: OperationFinished) -> dict[str, Any]:
    """What whoever called a tool reads of an operation: its result, which begins with the id, or the error."""
    if finished.failure is not None:
        return {"error": finished.failure.as_dict()}
    return finished.result if isinstance(finished.result, dict) else {"result": finished.result}
