"""Operations that are given as a list: tried one after the other before any is done."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from agent.editing.editor import Failure, OperationRefused
from agent.editing.reconciliation import CREATED_BY
from agent.editing.validation import apply_checked
from arrow_project import ArrowProject, GoOn, Operation, Selection

_CREATED = re.compile(r"created_(\d+)")


def tried_in_order(
    project: ArrowProject, operations: Sequence[Operation], selection: Selection, go_on: GoOn = lambda: None
) -> list[Operation]:
    """The operations with ids in the place of words, as they can be done one after the other.

    `created_1` in the arguments of a later one is the id of what the first creates: a node, scene, variable or
    character. `go_on` is called before each.

    Raises:
        OperationRefused: One of them cannot be done; the failure says which.
    """
    tried, resolved, ids = project.copy(), list[Operation](), dict[str, int]()
    for number, operation in enumerate(operations, 1):
        go_on()
        try:
            applied = apply_checked(tried, _with_created(operation, ids), selection)
        except OperationRefused as refused:
            raise OperationRefused(_at(refused.failure, number, len(operations), operation.function)) from refused
        if (kind := CREATED_BY.get(applied.operation.function)) is not None:
            ids[str(number)] = applied.result[kind]
        if applied.created:
            selection = replace(selection, last_created=applied.created[-1])
        resolved.append(applied.operation)
    return resolved


def _at(failure: Failure, number: int, total: int, function: str) -> Failure:
    if total == 1:
        return failure
    where = f"Operation {number} of {total} ({function[:64]})"
    return Failure(failure.code, f"{where}: {failure.message} Nothing of the list was done.", failure.details)


def _with_created(operation: Operation, ids: Mapping[str, int]) -> Operation:
    return Operation(operation.function, cast("Mapping[str, Any]", _replaced(dict(operation.arguments), ids)))


def _replaced(value: Any, ids: Mapping[str, int]) -> Any:
    if isinstance(value, str) and (found := _CREATED.fullmatch(value)):
        if found[1] not in ids:
            made = ", ".join(f"created_{number}" for number in ids) or "none yet"
            message = f"{value!r} is nothing that an earlier operation of the list creates. Possible: {made}."
            raise OperationRefused(Failure("INVALID_ARGUMENTS", message))
        return ids[found[1]]
    if isinstance(value, dict):
        return {name: _replaced(item, ids) for name, item in cast("dict[str, Any]", value).items()}
    return [_replaced(item, ids) for item in cast("list[Any]", value)] if isinstance(value, list) else value
