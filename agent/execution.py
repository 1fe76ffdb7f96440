"""One turn's operations: tried on the shadow, confirmed where needed, executed by the editor, reconciled."""

import logging
from dataclasses import replace
from typing import Any, cast

from agent.confirmation import ConfirmationPolicy, needs_confirmation
from agent.editor import Editor, Failure, Outcome, failure_of
from agent.events import OperationFinished
from agent.request import TurnContext
from arrow_project import (
    ArrowProject,
    Operation,
    OperationError,
    OperationResult,
    ParseError,
    Selection,
    parse,
)

logger = logging.getLogger(__name__)

_NO_PROJECT = Failure(
    "PERMISSION_DENIED",
    "There is no .arrow content to edit yet. The client has to send it first (file_sync, or arrow_content "
    "in the message).",
)


# What the id is called in the result of an operation that creates something.
_CREATED_BY = {
    "create_insert_node": "node_id",
    "create_scene": "scene_id",
    "create_variable": "variable_id",
    "create_character": "character_id",
}


class ConfirmationNeeded(Exception):
    """The operation is right but takes something away, so the user has to be asked. Nothing was done."""

    def __init__(self, operation: Operation) -> None:
        super().__init__(operation.function)
        self.operation = operation


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
            project.rollback(checkpoint)
            raise ConfirmationNeeded(applied.operation)
        outcome = await self._editor.apply(applied)
        if outcome.success:
            applied = self._with_reported_id(project, checkpoint, operation, applied, outcome)
        else:
            project.rollback(checkpoint)
        if outcome.partial:
            self._keep_unconnected(project, applied.operation)
        self._reconcile(outcome)
        return self._conclude(applied, outcome)

    def _with_reported_id(
        self, project: ArrowProject, checkpoint: int, operation: Operation, applied: OperationResult, outcome: Outcome
    ) -> OperationResult:
        """The id that the editor gave is the right one, unless it is taken or impossible; then ours stands."""
        kind = _CREATED_BY.get(operation.function)
        reported = None if kind is None else _reported_id(outcome.result, kind)
        if kind is None or reported in (None, applied.result[kind]):
            return applied
        project.rollback(checkpoint)
        try:
            project.expect_id(reported)
        except OperationError as error:
            logger.warning("the editor reports id %s for %s: %s", reported, operation.function, error)
        return project.apply(operation, self._selection)

    def _keep_unconnected(self, project: ArrowProject, operation: Operation) -> None:
        """The editor has made the node and refused its connection, so that is what the shadow has, too."""
        arguments = {name: value for name, value in operation.arguments.items() if name != "connect_from"}
        kept = project.apply(Operation(operation.function, arguments), self._selection)
        self._selection = replace(self._selection, last_created=kept.created[-1])
        self._finish(kept.operation, kept.result, None)
        self.executed.append(kept.operation)

    def _conclude(self, applied: OperationResult, outcome: Outcome) -> OperationFinished:
        if not outcome.success:
            failure = outcome.failure or Failure("EDITOR_ERROR", "The editor refused and gave no reason.")
            if outcome.partial:
                made = applied.created[0]
                failure = replace(failure, message=f"Node {made} was created, but not connected: {failure.message}")
            return self._finish(applied.operation, None, failure)
        if applied.created:
            self._selection = replace(self._selection, last_created=applied.created[-1])
        self.executed.append(applied.operation)
        return self._finish(applied.operation, applied.result, None)

    def _finish(self, operation: Operation, result: Any, failure: Failure | None) -> OperationFinished:
        finished = OperationFinished(operation.function, operation.arguments, result, failure)
        self._finished.append(finished)
        return finished

    def _reconcile(self, outcome: Outcome) -> None:
        """The client's content is the truth: where it differs from the shadow, it replaces the shadow."""
        project = self._context.project
        if outcome.content is None or project is None:
            return
        reported = _parsed(outcome.content)
        if reported is not None and reported.to_text() != project.to_text():
            logger.info("the editor's project differs from what was expected; its content is adopted")
            self._context.project = reported


def _reported_id(result: Any, kind: str) -> int | None:
    """The new id in whatever a client answers: a number, a result with its name, or a text without one."""
    found = cast("dict[str, Any]", result).get(kind) if isinstance(result, dict) else result
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _parsed(content: str) -> ArrowProject | None:
    try:
        return parse(content)
    except ParseError as error:
        logger.warning("the editor reported content that is not an .arrow project: %s", error)
        return None
