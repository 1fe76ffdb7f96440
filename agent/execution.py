"""One turn's operations: tried on the shadow, confirmed where needed, executed by the editor, reconciled."""

import logging
from dataclasses import replace
from typing import Any

from agent.confirmation import ConfirmationPolicy, needs_confirmation
from agent.editor import Editor, Failure, Outcome, failure_of
from agent.events import OperationFinished
from agent.reconciliation import as_reported, reported_id, reported_project, told
from agent.request import TurnContext
from arrow_project import ArrowProject, Operation, OperationError, OperationResult, Selection, diff

logger = logging.getLogger(__name__)

_NO_PROJECT = Failure(
    "PERMISSION_DENIED",
    "There is no .arrow content to edit yet. The client has to send it first (file_sync, or arrow_content "
    "in the message).",
)


class ConfirmationNeeded(Exception):
    """The operation is right but takes something away, so the user has to be asked. Nothing was done.

    `changes` says what it would do, a line for each change.
    """

    def __init__(self, operation: Operation, changes: str) -> None:
        super().__init__(operation.function)
        self.operation = operation
        self.changes = changes


class Execution:
    """Executes a turn's operations in order and keeps the shadow equal to the client's project."""

    def __init__(self, context: TurnContext, editor: Editor, confirm: ConfirmationPolicy) -> None:
        self._context = context
        self._editor = editor
        self._confirm: ConfirmationPolicy = confirm
        self._selection = Selection(context.scene_id, context.selected_node_ids)
        self.executed: list[Operation] = []
        self._finished: list[OperationFinished] = []

    def stop_asking(self) -> None:
        """The user has agreed to what follows."""
        self._confirm = "never"

    def take_finished(self) -> list[OperationFinished]:
        """What has finished since the last call, for the events of a turn."""
        finished, self._finished = self._finished, []
        return finished

    async def execute(self, operation: Operation) -> OperationFinished:
        """Tries the operation on the shadow, then has the editor execute it.

        Raises:
            ConfirmationNeeded: It is valid, and the policy asks the user first.
        """
        project = self._context.project
        if project is None:
            return self._finish(operation, None, _NO_PROJECT)
        checkpoint = project.checkpoint()
        try:
            applied = project.apply(operation, self._selection)
        except OperationError as error:
            return self._finish(operation, None, failure_of(error))
        if needs_confirmation(self._confirm, applied.operation):
            after = project.copy()
            project.rollback(checkpoint)
            raise ConfirmationNeeded(applied.operation, str(diff(project, after)))
        outcome = await self._editor.apply(applied)
        if outcome.success:
            return self._conclude(
                project, self._with_reported_id(project, checkpoint, operation, applied, outcome), outcome
            )
        project.rollback(checkpoint)
        return self._refused(project, applied, outcome)

    def _with_reported_id(
        self, project: ArrowProject, checkpoint: int, operation: Operation, applied: OperationResult, outcome: Outcome
    ) -> OperationResult:
        """The id that the editor gave is the right one, unless it is taken or impossible; then ours stands."""
        reported = reported_id(applied, outcome)
        if reported is None or reported == next(iter(applied.result.values())):
            return applied
        project.rollback(checkpoint)
        try:
            project.expect_id(reported)
        except OperationError as error:
            logger.warning("the editor reports id %s for %s: %s", reported, operation.function, error)
        return project.apply(operation, self._selection)

    def _conclude(self, project: ArrowProject, applied: OperationResult, outcome: Outcome) -> OperationFinished:
        """The client's content is the truth: where it differs from the shadow, it replaces the shadow."""
        reported = reported_project(outcome)
        if reported is not None and reported.to_text() != project.to_text():
            logger.info("the editor's project differs from what was expected; its content is adopted")
            applied = as_reported(applied, project, reported)
            self._context.project = reported
        if applied.created:
            self._selection = replace(self._selection, last_created=applied.created[-1])
        self.executed.append(applied.operation)
        confirmed = reported is not None or reported_id(applied, outcome) == next(iter(applied.result.values()), None)
        return self._finish(applied.operation, told(applied, outcome, confirmed=confirmed), None)

    def _refused(self, project: ArrowProject, applied: OperationResult, outcome: Outcome) -> OperationFinished:
        failure = outcome.failure or Failure("EDITOR_ERROR", "The editor refused and gave no reason.")
        if outcome.partial:
            made = self._keep_unconnected(project, applied.operation)
            failure = replace(failure, message=f"Node {made} was created, but not connected: {failure.message}")
        reported = reported_project(outcome)
        if reported is not None and reported.to_text() != project.to_text():
            self._context.project = reported
        return self._finish(applied.operation, None, failure)

    def _keep_unconnected(self, project: ArrowProject, operation: Operation) -> int:
        """The editor has made the node and refused its connection, so that is what the shadow has, too."""
        arguments = {name: value for name, value in operation.arguments.items() if name != "connect_from"}
        kept = project.apply(Operation(operation.function, arguments), self._selection)
        self._selection = replace(self._selection, last_created=kept.created[-1])
        self._finish(kept.operation, kept.result, None)
        self.executed.append(kept.operation)
        return kept.created[0]

    def _finish(self, operation: Operation, result: Any, failure: Failure | None) -> OperationFinished:
        finished = OperationFinished(operation.function, operation.arguments, result, failure)
        self._finished.append(finished)
        return finished
