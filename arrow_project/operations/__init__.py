"""The operations of the protocol, checked by its rules and done as Arrow does them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from arrow_project.document import Document
from arrow_project.errors import ErrorCode, OperationError
from arrow_project.names import near
from arrow_project.operation import Operation, OperationResult, OperationSpec, Selection
from arrow_project.operations import characters, connecting, nodes, scenes, variables
from arrow_project.operations.editing import Editing
from arrow_project.operations.function import Function

_MODULES = (nodes, connecting, scenes, variables, characters)
_FUNCTIONS: dict[str, Function] = {f.spec.name: f for module in _MODULES for f in module.FUNCTIONS}
# the name that the protocol's own examples use
_ALIASES = {"create_node": "create_insert_node"}

OPERATIONS: Mapping[str, OperationSpec] = MappingProxyType({name: f.spec for name, f in _FUNCTIONS.items()})
"""Every operation by name: what a model's tools are made of."""


def perform(document: Document, operation: Operation, selection: Selection) -> OperationResult:
    """Apply an operation completely or not at all.

    Raises:
        OperationError: it is refused; the document is unchanged.
    """
    called = _function(operation.function)
    editing = Editing(document, selection)
    before = document.journal.position
    try:
        arguments = called.arguments(operation.arguments)
        result = called.handler(editing, arguments)
    except BaseException:
        document.journal.rollback(before)
        raise
    if editing.remarks:
        result["remarks"] = editing.remarks
    resolved = Operation(called.spec.name, cast("dict[str, Any]", _resolved(arguments, editing.said)))
    return OperationResult(result, tuple(editing.created), resolved, tuple(editing.mind.calls))


def _function(name: str) -> Function:
    called = _FUNCTIONS.get(_ALIASES.get(name, name))
    if called is None:
        guess = near(str(name), _FUNCTIONS) or list(_FUNCTIONS)
        raise OperationError(
            ErrorCode.PERMISSION_DENIED, f"There is no operation {name!r}. Possible: {', '.join(guess)}."
        )
    return called


_PLACES = frozenset({
    "node_id", "scene_id", "from_node_id", "to_node_id", "from", "to", "variable_id", "character_id",
    "variable", "character", "macro", "id", "connect_from", "target", "value",
})  # fmt: skip


def _resolved(value: Any, said: Mapping[str, int], key: str = "") -> Any:
    """The arguments with words and names replaced by the ids they meant."""
    if isinstance(value, dict):
        return _resolved_record(cast("dict[str, Any]", value), said)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        connection = key in ("push", "pop") or key == "[]"
        return [
            _resolved(item, said, "[]" if key in ("push", "pop") else ("id" if connection else "")) for item in items
        ]
    if isinstance(value, str) and key in _PLACES:
        return said.get(value, value)
    return value


def _resolved_record(given: dict[str, Any], said: Mapping[str, int]) -> dict[str, Any]:
    # "value" is a name only where the operand says that it is a variable
    literal = given.get("type") != "variable"
    return {key: item if key == "value" and literal else _resolved(item, said, key) for key, item in given.items()}
