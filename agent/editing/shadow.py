"""The turn's own copy of the story, which follows what the editor has really done."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agent.editing.consent import Consent
from agent.editing.editor import Failure, Outcome
from agent.editing.meanwhile import WrittenMeanwhile
from agent.editing.reconciliation import (
    CREATED_BY,
    as_reported,
    ids_made,
    is_there,
    reported_ids,
    result_for_model,
    surprises,
)
from agent.editing.validation import weight
from agent.turn.events import EventSink, OperationFinished
from agent.turn.request import TurnContext
from agent.turn.thread import in_thread_if_large
from arrow_project import (
    MOST_WRITTEN,
    ArrowProject,
    Operation,
    OperationError,
    OperationResult,
    Selection,
    changed_ids,
    losses,
    tables_of,
)

_NOT_SHOWN = (
    "The project came anew while the editor did this, and does not show what came of it: look at it before you go on."
)
_RENAMING = ("update_variable", "update_character")

logger = logging.getLogger(__name__)


class Shadow:
    """Keeps the context's story equal to the editor's, operation by operation, and tells of each.

    Attributes:
        selection: What words such as `last_created` mean in the next operation.
        executed: What the editor has executed, in order.
        created: The nodes that came of it.
        is_shared: Somebody else has changed the story meanwhile, or the editor has done more than it was asked to do.
        shows_all: Whether the last story that the client has sent has all of what the editor is asked for just now.
    """

    def __init__(self, context: TurnContext, consent: Consent, tell: EventSink) -> None:
        self._context = context
        self._consent = consent
        self._tell = tell
        self._lost_sight_of: ArrowProject | None = None
        self.selection = Selection(context.scene_id, context.selected_node_ids)
        self.executed: list[Operation] = []
        self.created: list[int] = []
        self.is_shared = self.shows_all = False

    @property
    def is_known(self) -> bool:
        """Whether the story is the editor's, as far as anybody can tell."""
        return self._lost_sight_of is None or self._lost_sight_of is not self._context.project

    def lose_sight(self) -> None:
        """What the editor has now cannot be told."""
        self._lost_sight_of, self.is_shared = self._context.project, True

    def with_given_ids(
        self, project: ArrowProject, checkpoint: int, operation: Operation, applied: OperationResult, outcome: Outcome
    ) -> OperationResult:
        """The operation with the ids that the editor gave, unless they are taken or impossible; then ours stand."""
        reported = reported_ids(applied, outcome)
        if reported == tuple(applied.result.values())[: len(reported)]:
            return applied
        project.rollback(checkpoint)
        for given in (reported, reported[:1]):  # of a scene at least its own
            try:
                project.expect_id(*given)
                break
            except OperationError as error:
                logger.warning("the editor reports ids %s for %s: %s", given, operation.function, error.code)
        return project.apply(operation, self.selection)

    def brought_along(
        self, project: ArrowProject, checkpoint: int, applied: OperationResult, outcome: Outcome
    ) -> OperationResult:
        """Sees to it that a story which the client has sent while its editor did the operation has it, too.

        Where it is not certain what that is there, or it would take away what has come into the story, nobody knows the
        story as it is now.
        """
        newer = self._context.project
        if newer is None or newer is project:
            return applied
        ids = ids_made(applied)
        project.rollback(checkpoint)
        before = project.copy()
        project.expect_id(*ids)
        project.apply(applied.operation, self.selection)
        if is_there(newer, project, applied, outcome) if ids else _came_of_it(before, project, newer):
            return applied
        meanwhile = WrittenMeanwhile(before)
        meanwhile.look_at(newer, tables_of(newer))
        start = newer.checkpoint()
        try:
            if reported_ids(applied, outcome):
                newer.expect_id(*ids)
            done = newer.apply(applied.operation, self.selection)
            if not changed_ids(applied.result, done.result) and not any(meanwhile.taken_away(newer)):
                return applied
        except OperationError as error:
            logger.info("what the editor has done does not fit the story that came meanwhile: %s", error.code)
        newer.rollback(start)
        self.lose_sight()
        return replace(applied, result=applied.result | {"remark": _NOT_SHOWN}, created=())

    def follow(
        self, project: ArrowProject, applied: OperationResult, outcome: Outcome, reported: ArrowProject | None
    ) -> tuple[OperationResult, list[str]]:
        """Notes what the editor has done, and whether others have written meanwhile: what differs is returned."""
        expected = applied
        if reported is not None:
            applied = as_reported(applied, outcome, project, reported)
        self.note(applied, project, changed_ids(applied.result, expected.result))
        return applied, self._differences(project, reported)

    async def conclude(
        self, applied: OperationResult, outcome: Outcome, reported: ArrowProject | None, differences: list[str]
    ) -> OperationFinished:
        """Tells of what has been followed, and the model of what differs."""
        confirmed = reported is not None or bool(reported_ids(applied, outcome))
        result = result_for_model(applied, outcome, differences, confirmed=confirmed)
        return await self.finish(applied.operation, result, None, reached_editor=True)

    async def refuse(
        self,
        project: ArrowProject,
        checkpoint: int,
        applied: OperationResult,
        outcome: Outcome,
        reported: ArrowProject | None,
        failure: Failure,
    ) -> OperationFinished:
        """Tells of what the editor had done of it before, and that the rest was not done."""
        characters = self._context.characters + weight(applied.operation, *(outcome.done or ()))
        done = await in_thread_if_large(characters, self.keep_done, project, checkpoint, outcome, reported)
        if failure.code == "TIMEOUT" and not self.shows_all:  # what was shown meanwhile may be from before it was done
            self.lose_sight()
        for operation, result in done:
            await self.finish(operation, result, None, reached_editor=True)
        return await self.finish(applied.operation, None, failure, reached_editor=True)

    def keep_done(
        self, project: ArrowProject, checkpoint: int, outcome: Outcome, reported: ArrowProject | None
    ) -> list[tuple[Operation, Any]]:
        """What the editor had done before it failed counts, with what came of it; the rest is taken back.

        Where nothing shows that, the story is unknown.
        """
        project.rollback(checkpoint)
        if reported is None and outcome.done is not None:
            return list(self._kept(project, outcome.done))
        if reported is not None:
            with suppress(OperationError):  # then more than that has changed
                for operation in outcome.done or ():
                    project.apply(operation, self.selection)
        elif outcome.confirmed:
            self._lost_sight_of = project
        self.executed += outcome.confirmed
        self._differences(project, reported)
        return [(operation, None) for operation in outcome.confirmed]

    def _differences(self, expected: ArrowProject, reported: ArrowProject | None) -> list[str]:
        differences = [] if reported is None else surprises(expected, reported)
        self.is_shared = self.is_shared or bool(differences)
        return differences

    def note(self, applied: OperationResult, project: ArrowProject, expected_ids: Mapping[int, int]) -> None:
        """The editor has executed it; `project` is as it should be then, with what is new under `expected_ids`."""
        created = CREATED_BY.get(applied.operation.function, "")
        is_certain = applied.result.get("remark") is None
        kind = created.removesuffix("_id") if created and is_certain else None
        self._consent.executed(applied, kind, project, expected_ids)
        self.count(applied.operation)
        self.select(applied)
        self.created += applied.created
        self.executed.append(applied.operation)

    def count(self, operation: Operation) -> None:
        """What an operation may have made the story longer by counts from now on."""
        self._context.characters += MOST_WRITTEN if operation.function in _RENAMING else weight(operation)

    def select(self, applied: OperationResult) -> None:
        """What an operation has created is the last created from now on."""
        if applied.created:
            self.selection = replace(self.selection, last_created=applied.created[-1])

    async def finish(
        self, operation: Operation, result: Any, failure: Failure | None, *, reached_editor: bool = False
    ) -> OperationFinished:
        """Tells what has become of an operation."""
        finished = OperationFinished(operation.function, operation.arguments, result, failure, reached_editor)
        await self._tell(finished)
        return finished

    def _kept(self, project: ArrowProject, done: Iterable[Operation]) -> Iterator[tuple[Operation, Any]]:
        for operation in done:
            try:
                kept = project.apply(operation, self.selection)
            except OperationError as error:
                logger.warning("what the editor has done of an operation cannot be followed: %s", error.code)
                return
            self.note(kept, project, {})
            yield kept.operation, kept.result


def _came_of_it(before: ArrowProject, after: ArrowProject, newer: ArrowProject) -> bool:
    """Whether a newer story has what an operation has brought, and lacks what it has taken away."""
    was, expected, shown = tables_of(before), tables_of(after), tables_of(newer)
    # By their hashes, which nobody can choose: a small story can lose two million values.
    made, gone = set(map(hash, losses(expected, was))), set(map(hash, losses(was, expected)))
    is_told = bool(made or gone)  # where a scene begins, for instance, is nobody's loss
    return (
        is_told and made.isdisjoint(map(hash, losses(expected, shown))) and gone <= set(map(hash, losses(was, shown)))
    )
