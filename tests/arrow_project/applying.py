"""Applying single operations in tests."""

from typing import Any

import pytest

from arrow_project import ArrowProject, Operation, OperationError, Selection


def do(project: ArrowProject, function: str, selection: Selection | None = None, **arguments: Any) -> dict[str, Any]:
    """Apply an operation and give its result."""
    return project.apply(Operation(function, arguments), selection or Selection()).result


def refusal(project: ArrowProject, function: str, **arguments: Any) -> OperationError:
    """The error of an operation that must be refused and change nothing."""
    before = project.to_text()
    with pytest.raises(OperationError) as caught:
        project.apply(Operation(function, arguments))
    assert project.to_text() == before
    return caught.value
