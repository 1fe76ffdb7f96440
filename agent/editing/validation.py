"""An operation before the editor sees it: its arguments against its schema, and all of it on a story."""

import sys
from functools import cache
from typing import Any, cast

from jsonschema import Draft202012Validator

from agent.editing.duplicates import find_duplicate
from agent.editing.editor import Failure, OperationRefused, failure_of
from agent.editing.loaded_files import brackets_in, find_bracket, find_file
from arrow_project import (
    OPERATIONS,
    ArrowProject,
    ErrorCode,
    Operation,
    OperationError,
    OperationResult,
    Selection,
    is_within,
)

# The engine says better what is missing, unknown or not among the choices: it knows near names and other spellings.
_LEFT_TO_THE_ENGINE = ("required", "additionalProperties", "enum")


# To read and check a character of arguments takes as long as so many of a story.
_WEIGHT = 5
_LONG = 10_000  # characters


def weight(*operations: Operation) -> int:
    """How many characters of a story operations are worth, by their arguments: see `in_thread_if_large`.

    Of long ones, or many, no more is told than that they go to a thread: to write them out takes a second.
    """
    length = 0
    for operation in operations:
        if length > _LONG or not is_within(dict(operation.arguments), _LONG):
            return sys.maxsize
        length += len(str(operation.arguments))
    return _WEIGHT * length


def apply_checked(
    project: ArrowProject, operation: Operation, selection: Selection, *, restores: bool = False
) -> OperationResult:
    """Executes the operation on a story; one that `restores` what was there may name the files that were named there.

    Raises:
        OperationRefused: It would be no good; the story is as it was.
    """
    failure = find_schema_error(operation) or find_duplicate(project, operation)
    if failure is None and not restores:
        failure = find_file(project, operation)
    if failure is not None:
        raise OperationRefused(failure)
    checkpoint = project.checkpoint()
    try:
        applied = project.apply(operation, selection)
        if restores or not (brackets := brackets_in(project, applied.calls)):
            return applied
        project.rollback(checkpoint)
        if (failure := find_bracket(project, operation, brackets)) is not None:
            raise OperationRefused(failure)
        return project.apply(operation, selection)
    except OperationError as error:
        raise OperationRefused(failure_of(error)) from error


def find_schema_error(operation: Operation) -> Failure | None:
    """What in the arguments has the wrong form, with its place; None when nothing has."""
    spec = OPERATIONS.get(operation.function)
    if spec is None:
        return None
    given = {name: value for name, value in operation.arguments.items() if value is not None}
    for error in cast("Any", _validator(operation.function)).iter_errors(given):
        if error.validator not in _LEFT_TO_THE_ENGINE:
            place = ".".join(str(part) for part in error.absolute_path)
            return Failure(
                ErrorCode.TYPE_MISMATCH,
                f'{operation.function}: "{place}" is wrong: {error.message[:300]}. The form is {_form(error.schema)}.',
            )
    return None


@cache
def _validator(function: str) -> Draft202012Validator:
    return Draft202012Validator(OPERATIONS[function].parameters)


def _form(schema: dict[str, Any]) -> str:
    kinds = schema.get("type", "any")
    named = " or ".join(cast("list[str]", kinds)) if isinstance(kinds, list) else str(kinds)
    return f"{named} ({schema['description']})" if "description" in schema else named
