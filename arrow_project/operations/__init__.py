"""The operations of the protocol, checked by its rules and done as Arrow does them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.names import near
from arrow_project.node_types.kinds import has_control, mismatch
from arrow_project.operation import Operation, OperationResult, OperationSpec, Selection
from arrow_project.operations import characters, connecting, inserting, scenes, updating, variables
from arrow_project.operations.editing import Editing
from arrow_project.operations.function import Function
from arrow_project.operations.resolving import with_ids
from arrow_project.project_data import ProjectData
from arrow_project.values import TOO_LONG, shown, text, too_long

_MODULES = (inserting, updating, connecting, scenes, variables, characters)
_FUNCTIONS: dict[str, Function] = {f.spec.name: f for module in _MODULES for f in module.FUNCTIONS}
# the name that the protocol's own examples use
_ALIASES = {"create_node": "create_insert_node"}
# Bytes that are kept of what was there before the operations that can still be rolled back. Making a deleted node again
# takes some, and whatever was deleted, an undo makes again in one turn.
_MOST_KEPT = 64 * 2**20
_MOST_KEPT_FOR_A_NODE = 4096

OPERATIONS: Mapping[str, OperationSpec] = MappingProxyType({name: f.spec for name, f in _FUNCTIONS.items()})
"""Every operation by name: what a model's tools are made of."""


def perform(project: ProjectData, operation: Operation, selection: Selection) -> OperationResult:
    """Apply an operation completely or not at all.

    Raises:
        OperationError: it is refused; the project is unchanged.
        TypeError: it is no Operation.
    """
    if not isinstance(cast("object", operation), Operation):
        raise TypeError(f"An Operation is applied, not {type(operation).__name__}.")
    called = _function(operation.function)
    _refuse_too_many_changes(project)
    if called.asks_for_users:
        # before the transaction, so that taking it back does not lose the index
        project.usage.prepare()
    editing = Editing(project, selection)
    before = project.journal.position
    try:
        arguments = called.arguments(operation.arguments)
        if found := too_long(arguments):
            raise mismatch(f"{shown(found)} has {TOO_LONG}")
        if has_control(arguments):
            editing.remark("Control characters and halves of characters were removed; a text holds none in Arrow.")
        result = called.handler(editing, arguments)
        editing.mind.write_references()
    except BaseException:
        project.journal.rollback(before)
        raise
    if editing.remarks:
        result["remarks"] = list(editing.remarks)
    resolved = Operation(called.spec.name, with_ids(called.spec.name, arguments, editing.said))
    return OperationResult(result, tuple(editing.created), resolved, tuple(editing.mind.calls))


def _refuse_too_many_changes(project: ProjectData) -> None:
    if project.journal.kept > _MOST_KEPT + _MOST_KEPT_FOR_A_NODE * len(project.nodes):
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"The changes so far take {project.journal.kept // 2**20} MiB until they need not be undone any more. "
            "Do the rest in another turn.",
        )


def _function(name: object) -> Function:
    called = _FUNCTIONS.get(_ALIASES.get(name, name)) if isinstance(name, str) else None
    if called is None:
        guess = near(text(name), _FUNCTIONS) or list(_FUNCTIONS)
        raise OperationError(
            ErrorCode.PERMISSION_DENIED, f"There is no operation {shown(name)}. Possible: {', '.join(guess)}."
        )
    return called
