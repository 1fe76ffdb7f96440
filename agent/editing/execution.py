"""One turn's operations: tried on the shadow, held for a yes where needed, executed by the editor."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, ParamSpec, TypeVar

from agent.editing.consent import Consent
from agent.editing.editor import BatchingEditor, Editor, Failure, OperationRefused, Outcome, Rehearsal, failure_of
from agent.editing.reconciliation import refusal, reported_project
from agent.editing.shadow import Shadow
from agent.editing.unread import Unread
from agent.editing.validation import apply_checked, weight
from agent.questions.confirmation import ConfirmationPolicy
from agent.turn.events import EventSink, OperationFinished
from agent.turn.request import TurnContext
from agent.turn.thread import in_thread, in_thread_if_large
from arrow_project import (
    ArrowProject,
    Loss,
    Operation,
    OperationError,
    OperationResult,
    Selection,
    changed_ids,
    renumbered,
)

_Arguments = ParamSpec("_Arguments")
_Executed = TypeVar("_Executed")

_NO_PROJECT = Failure(
    "PERMISSION_DENIED",
    "There is no .arrow content to edit yet. The client has to send it first (file_sync, or arrow_content "
    "in the message).",
)
_NOT_RUN = Failure("NOT_RUN", "This was not run: the user is asked about an earlier call first.")
_UNREADABLE = Failure(
    "CONFLICT",
    "What the editor shows of the project since its last change cannot be read. Nothing more is done in this turn.",
)
_UNEXPECTED = "The project has been changed meanwhile, and which ids the rest means is not certain"


@dataclass
class Held:
    """Operations that wait for a yes: they were tried, one after the other, on a copy.

    Attributes:
        project: The story without them.
        operations: In order, references resolved.
        newer: What the client has sent since they were tried; None where nothing came.
    """

    project: ArrowProject
    operations: list[Operation]
    newer: ArrowProject | None = None


class Execution:
    """Executes a turn's operations in order and keeps the shadow equal to the client's project.

    Args:
        context: The running turn; its project is the shadow.
        editor: Who executes.
        confirm: When to ask first.
        tell: Hears of every operation that has been done or refused.
        holds_all: Once an operation needs a yes, all that follow wait for it as well, and the turn goes on on a
            copy. Otherwise only those that need one do, and others are refused.
        taken: What earlier turns have taken away, where that counts.
        is_outdated: The user sees another story, which cannot be read.
        unread: Stories that the client shows by now: nothing is asked of the editor before they are known.
    """

    def __init__(
        self,
        context: TurnContext,
        editor: Editor,
        confirm: ConfirmationPolicy,
        tell: EventSink,
        *,
        holds_all: bool = False,
        taken: set[Loss] | None = None,
        is_outdated: bool = False,
        unread: Unread | None = None,
    ) -> None:
        self._context = context
        self._editor = editor
        self.consent = Consent(confirm, holds_all=holds_all, taken=taken, is_outdated=is_outdated)
        self.shadow = Shadow(context, self.consent, tell)
        self.executed, self.created = self.shadow.executed, self.shadow.created
        self.given_ids: dict[int, int] = {}
        self.held: Held | None = None
        self.before: str | None = None
        self._looked_at: ArrowProject | None = None  # another may be larger than `before`
        self.editor_s = 0.0
        self.under_way: tuple[Operation, ...] = ()  # what the editor is asked for
        self.tried: tuple[ArrowProject, int] | None = None  # the story with that, and its checkpoint without it
        self.half = -1  # the number of a story that may have half of what was under way, see `Turn.note_half`
        # Of the same story: after how many operations it stood at which checkpoint.
        self._stood: tuple[ArrowProject | None, dict[int, int]] = None, {}
        self.is_uncertain = False  # whether that was done, as the turn was stopped meanwhile
        self._unread = Unread() if unread is None else unread
        self.came = 0  # the number of what the editor has shown last of what the story has; 0 as it began
        self.refusal: Failure | None = None  # of whatever comes now

    @property
    def only_tried(self) -> int:
        """How many operations the story does not have yet: they wait for a yes, or belong to a plan."""
        if isinstance(self._editor, Rehearsal):
            return len(self.executed)
        return len(self.held.operations) if self.held is not None else 0

    def look_again(self) -> None:
        """The context has another scene or another selection."""
        self.shadow.selection = Selection(self._context.scene_id, self._context.selected_node_ids)

    def release(self) -> tuple[Held, ArrowProject]:
        """What waits for a yes, and the story as it would be; the turn's story is again the one without it."""
        held, after, without = self.held, self._context.project, self.story
        assert held is not None
        assert after is not None
        self.held, self._context.project = None, without
        return held, after

    @property
    def story(self) -> ArrowProject | None:
        """The client's, as far as it is known: without what waits for a yes."""
        return self._context.project if self.held is None else self.held.newer or self.held.project

    def stood_before(self, operations: int) -> int | None:
        """The checkpoint of the story without the last of those executed, and what is under way; None: nobody knows."""
        project, checkpoints = self._stood
        return checkpoints.get(len(self.executed) - operations) if project is self.story else None

    def _try(self, project: ArrowProject, checkpoint: int) -> None:
        self.tried, self.shadow.shows_all = (project, checkpoint), False
        if self._stood[0] is not project:
            self._stood = project, {}
        self._stood[1][len(self.executed)] = checkpoint

    def take(self, project: ArrowProject, came: int) -> None:
        """The client has sent its story, which is newer than the turn's."""
        self.consent.is_outdated = False
        self.came = came
        if self.held is None:
            self._context.project = project
        else:
            self.held.newer = project

    async def keep_known(self) -> None:
        """The story as it is known is from `before` the turn, unless an operation has changed it already."""
        if self.before is None and self.story is not None:
            with suppress(RuntimeError, KeyError):  # one changes it at this moment, and what was before that is kept
                known = await in_thread_if_large(self._context.characters, self.story.to_text)
                self.before = self.before or known

    async def replay(
        self,
        operations: Sequence[Operation],
        after_each: Callable[[OperationFinished], Awaitable[None]] | None = None,
        *,
        agreed: ArrowProject | None = None,
        seeds: Mapping[int, int] | None = None,
        restores: bool = False,
    ) -> Failure | None:
        """Executes operations that the user has agreed to; ids of what they create follow what the editor gives.

        It ends with the first that fails, or that would take away what others have written since, and returns why;
        `after_each` hears of those that did not. `given_ids` then has the ids that came out differently than expected.
        What was `agreed` to is about that story, by default the one as it is now, and what it makes has the ids that
        come of these `seeds`, by default those of now. What `restores` an earlier state may name files that were named.
        """
        agreed = agreed or self._context.project
        with self.consent.given(agreed, restores=restores):
            return await self.execute_in_order(operations, after_each, agreed=agreed, seeds=seeds)

    async def execute_all(
        self,
        project: ArrowProject,
        operations: Sequence[Operation],
        after_each: Callable[[OperationFinished], Awaitable[None]],
    ) -> Failure | None:
        """`replay` of all, or all are left in `held`: what the user is asked about is what they come to in `project`.

        So none is left for a question once another one is done.
        """
        if await in_thread(self.consent.asks_about, project, tuple(operations), self.shadow.selection):
            return await self.execute_in_order(operations, after_each, agreed=project)
        return await self.replay(operations, after_each, agreed=project)

    async def execute_in_order(
        self,
        operations: Sequence[Operation],
        after_each: Callable[[OperationFinished], Awaitable[None]] | None = None,
        *,
        agreed: ArrowProject | None = None,
        seeds: Mapping[int, int] | None = None,
    ) -> Failure | None:
        """`replay` of operations that the user may have to be asked about first: those are left in `held`."""
        # another story may come at any moment, and what it has made by itself has ids that are meant here
        project = agreed or self._context.project
        expected = await in_thread(project.copy) if project and len(operations) > 1 else None
        if expected is not None:
            expected.draw_from(seeds or {})
        selection, ids = self.shadow.selection, dict[int, int]()
        self.given_ids = ids
        for place, operation in enumerate(operations, 1):
            was_known = self.shadow.is_known
            finished = await self.execute(renumbered(operation, ids))
            if finished.failure is not None:
                return finished.failure
            if after_each is not None:
                await after_each(finished)
            if expected is None or place == len(operations):
                continue
            if was_known and not self.shadow.is_known:
                return Failure("CONFLICT", f"{_UNEXPECTED}.")
            try:
                alone = await self._computed(expected.apply, operation, selection)
            except OperationError as error:
                return Failure("CONFLICT", f"{_UNEXPECTED}: {failure_of(error).message}")
            expected.commit()
            ids.update(changed_ids(alone.result, finished.result))
        return None

    async def execute_together(self, operations: Sequence[Operation]) -> list[OperationFinished]:
        """Executes the first operations, one or more: all that the editor takes in one message; what became of each."""
        project = self._context.project
        if project is not None and self.refusal is None and self._takes_batches(operations):
            await self._unread.all_read()
            project = await self._kept(self._context.project or project)
            checkpoint = project.checkpoint()
            outcomes = None
            try:
                batch = await self._rehearsed(project, operations)
                self._try(project, checkpoint)
                is_known = self._context.project is project and not self._unread.is_any
                outcomes = await self._done_together(batch) if is_known else None
            finally:
                if outcomes is None:
                    await self._roll_back(project, checkpoint, *operations)
            if outcomes is not None:
                return await self._conclude_all(project, checkpoint, batch, outcomes)
        return [await self.execute(operations[0])]

    def _takes_batches(self, operations: Sequence[Operation]) -> bool:
        editor = self._editor
        return len(operations) > 1 and self.held is None and isinstance(editor, BatchingEditor) and editor.takes_batches

    async def _done_together(self, batch: Sequence[OperationResult]) -> Sequence[Outcome] | None:
        if len(batch) < 2 or not isinstance(self._editor, BatchingEditor):
            return None
        try:
            return await self._timed(self._editor.apply_together(batch), *batch)
        except asyncio.CancelledError:
            self.is_uncertain = True
            raise

    async def _rehearsed(self, project: ArrowProject, operations: Sequence[Operation]) -> list[OperationResult]:
        """The first operations, tried on the story one after the other, up to one that fails or needs a yes."""
        selection = self.shadow.selection
        batch: list[OperationResult] = []
        try:
            for operation in operations:
                checkpoint = project.checkpoint()
                if operation.function.startswith("delete_") and operation.function != "delete_connection":
                    break  # what is gone at the end cannot be spoken of before
                applied = await self._computed(apply_checked, project, operation, self.shadow.selection)
                if await self._must_wait(project, applied):
                    await self._roll_back(project, checkpoint, operation)
                    break
                batch.append(applied)
                self.shadow.select(applied)
        except OperationRefused:
            pass  # the model is told when it is this operation's turn
        finally:
            self.shadow.selection = selection
        return batch

    async def _conclude_all(
        self, project: ArrowProject, checkpoint: int, batch: Sequence[OperationResult], outcomes: Sequence[Outcome]
    ) -> list[OperationFinished]:
        """As if each had been executed by itself, on the story as it was at the checkpoint."""
        try:
            await self._roll_back(project, checkpoint, *(one.operation for one in batch))
            reported = await self._reported(outcomes[-1])
        except BaseException:  # stopped, and done they are
            self.is_uncertain = self._is_unread(project, outcomes[-1], None)
            if refusal(batch[-1], outcomes[-1], None) is None:
                await in_thread(self._follow_all, project, batch, outcomes, None)
            raise
        failure = refusal(batch[-1], outcomes[-1], reported)
        if failure is not None:
            told = (outcomes[-1], reported, failure)
            return [await self.shadow.refuse(project, checkpoint, one, *told) for one in batch]
        followed = await in_thread(self._follow_all, project, batch, outcomes, reported)
        return [await self.shadow.conclude(*each) for each in followed]

    def _follow_all(
        self,
        project: ArrowProject,
        batch: Sequence[OperationResult],
        outcomes: Sequence[Outcome],
        reported: ArrowProject | None,
    ) -> list[tuple[OperationResult, Outcome, ArrowProject | None, list[str]]]:
        """Notes all that the editor has done, before anybody is told; ids follow what it has really given.

        Returns what `Shadow.conclude` is to tell of each.
        """
        ids, followed = dict[int, int](), list[tuple[OperationResult, Outcome, ArrowProject | None, list[str]]]()
        for expected, outcome in zip(batch, outcomes, strict=True):
            operation = renumbered(expected.operation, ids)
            checkpoint = project.checkpoint()
            applied = project.apply(operation, self.shadow.selection)
            applied = self.shadow.with_given_ids(project, checkpoint, operation, applied, outcome)
            if reported is None:
                applied = self.shadow.brought_along(project, checkpoint, applied, outcome)
            shown = reported if outcome is outcomes[-1] else None
            applied, differences = self.shadow.follow(project, applied, outcome, shown)
            followed.append((applied, outcome, shown, differences))
            ids |= changed_ids(expected.result, applied.result)
        return followed

    async def _timed(self, executing: Awaitable[_Executed], *applied: OperationResult) -> _Executed:
        started, self.under_way = time.monotonic(), tuple(each.operation for each in applied)
        try:
            return await executing
        finally:
            self.under_way, self.tried = (), None
            self.editor_s += time.monotonic() - started

    async def execute(self, operation: Operation) -> OperationFinished:
        """Tries the operation on the shadow, then has the editor execute it, or holds it for a yes."""
        project = self._context.project
        if project is None:
            return await self.shadow.finish(operation, None, _NO_PROJECT)
        if self.refusal is not None:
            return await self.shadow.finish(operation, None, self.refusal)
        try:
            project, checkpoint, applied, must_wait = await self._tried(project, operation)
        except OperationRefused as refused:
            return await self.shadow.finish(operation, None, refused.failure)
        if must_wait:
            return await self._hold(project, checkpoint, applied)
        if self.held is not None:
            await self._roll_back(project, checkpoint, operation)
            return OperationFinished(operation.function, operation.arguments, None, _NOT_RUN)
        outcome = await self._done(project, checkpoint, applied)
        reported = None
        try:
            reported = await self._reported(outcome)
            failure = refusal(applied, outcome, reported)
            if failure is None:
                shadow = self.shadow
                applied = await self._computed(shadow.with_given_ids, project, checkpoint, operation, applied, outcome)
                if reported is None:
                    applied = await self._computed(shadow.brought_along, project, checkpoint, applied, outcome)
        except BaseException:  # stopped, and the editor has answered
            self.is_uncertain = self._is_unread(project, outcome, reported)
            if refusal(applied, outcome, reported) is None:
                await self._computed(self.shadow.follow, project, applied, outcome, reported)
            else:
                await self._computed(self.shadow.keep_done, project, checkpoint, outcome, reported)
            raise
        if failure is not None:
            return await self.shadow.refuse(project, checkpoint, applied, outcome, reported, failure)
        applied, differences = await self._computed(self.shadow.follow, project, applied, outcome, reported)
        return await self.shadow.conclude(applied, outcome, reported, differences)

    def _is_unread(self, project: ArrowProject, outcome: Outcome, reported: ArrowProject | None) -> bool:
        """Whether the editor has shown more with an answer than the story has to which that is noted."""
        return self._context.project is not (reported or project) or (bool(outcome.content) and reported is None)

    async def _done(self, project: ArrowProject, checkpoint: int, applied: OperationResult) -> Outcome:
        """What the editor has made of an operation that the story has been tried with."""
        self._try(project, checkpoint)
        try:
            return await self._timed(self._editor.apply(applied), applied)
        except BaseException as error:
            await self._roll_back(project, checkpoint, applied.operation)
            self.is_uncertain = isinstance(error, asyncio.CancelledError)
            raise

    async def _reported(self, outcome: Outcome) -> ArrowProject | None:
        """The client's content, which replaces the shadow at once: what comes from now on is newer."""
        if outcome.came < self.came:  # of an earlier call of the operation, and the client has sent a newer one since
            return None
        if outcome.content is None and outcome.came > self.came:  # as well, and it is not known what came of the rest
            self.consent.is_outdated = True
        known = self._context.project
        reported = await reported_project(outcome)
        if self._context.project is not known:  # what the client has sent while this was read is newer
            return None
        if reported is not None:
            self._context.project, self.came = reported, outcome.came
            self.consent.is_outdated = False
            self._context.characters = max(self._context.characters, len(outcome.content or ""))
        elif outcome.content is not None:
            self.refusal = _UNREADABLE  # what the user has written there is not known
            self.shadow.lose_sight()
        return reported

    async def _tried(
        self, project: ArrowProject, operation: Operation
    ) -> tuple[ArrowProject, int, OperationResult, bool]:
        """The story with the operation, where it was without it, and whether the user is asked first."""
        planned = self._context.planned
        while True:
            await self._unread.all_read()
            project = await self._kept(self._context.project or project)
            checkpoint = project.checkpoint()
            try:
                selection, restores = self.shadow.selection, self.consent.restores
                applied = await self._computed(apply_checked, project, operation, selection, restores=restores)
                must_wait = await self._must_wait(project, applied)
            except BaseException:  # refused, or stopped
                await self._roll_back(project, checkpoint, operation)
                raise
            current = self._context.project
            if current is None or (current is project and not self._unread.is_any):
                return project, checkpoint, applied, must_wait
            await self._roll_back(project, checkpoint, operation)  # the client has sent a newer one meanwhile
            project, self._context.planned = current, planned

    async def _kept(self, project: ArrowProject) -> ArrowProject:
        """The story, which is looked at before an operation changes it; the client may send a newer one meanwhile."""
        while True:
            characters = len(self.before) if self.before and project is self._looked_at else self._context.characters
            before = await in_thread_if_large(characters, self._look_at, project)
            current = self._context.project
            if current is None or current is project:
                self.before, self._looked_at = self.before or before, project  # one may have been kept meanwhile
                return project
            project = current

    def _look_at(self, project: ArrowProject) -> str | None:
        """The text from before the turn's first operation."""
        self.consent.look_at(project, is_waiting=self.held is not None)
        return project.to_text() if self.before is None and self.held is None else self.before

    async def _must_wait(self, project: ArrowProject, tried: OperationResult) -> bool:
        """Whether the user is asked before the operation that the story has been tried with."""
        self.consent.refuse_changes(tried.operation)
        planned, self._context.planned = self._context.planned[1:], ()
        asked, selection = self.consent.must_wait, self.shadow.selection
        # All of what is planned is tried at once.
        characters = sys.maxsize if planned else self._context.characters + weight(tried.operation)
        work = partial(asked, project, selection, planned, is_waiting=self.held is not None)
        return await in_thread_if_large(characters, work)

    async def _computed(
        self, work: Callable[_Arguments, _Executed], *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> _Executed:
        """What `work` on the story returns; stopped meanwhile, it is done when this ends."""
        operations = (one.operation if isinstance(one, OperationResult) else one for one in args)
        given = weight(*(one for one in operations if isinstance(one, Operation)))
        return await in_thread_if_large(self._context.characters + given, work, *args, **kwargs)

    async def _roll_back(self, project: ArrowProject, checkpoint: int, *operations: Operation) -> None:
        """The story is again without the operations; it may be copied in a thread just now, and waits for that."""
        await in_thread_if_large(self._context.characters + weight(*operations), project.rollback, checkpoint)

    async def _hold(self, project: ArrowProject, checkpoint: int, applied: OperationResult) -> OperationFinished:
        """Keeps an operation until the user has agreed; what follows it is tried on a copy that has it."""
        if self.held is None:
            try:
                after = await in_thread(project.copy)
            finally:  # also where it is stopped
                await self._roll_back(project, checkpoint, applied.operation)
            current = self._context.project
            self.held = Held(project, [], None if current is project else current)
            self._context.project = after
        self.held.operations.append(applied.operation)
        self.shadow.count(applied.operation)
        self.shadow.select(applied)
        return OperationFinished(applied.operation.function, applied.operation.arguments, applied.result, None)


def tool_result(finished: OperationFinished) -> dict[str, Any]:
    """What whoever called a tool reads of an operation: its result, which begins with the id, or the error."""
    if finished.failure is not None:
        return {"error": finished.failure.as_dict()}
    return finished.result if isinstance(finished.result, dict) else {"result": finished.result}
