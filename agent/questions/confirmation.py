"""When the user is asked before a change, and what is asked about in words."""

from typing import Any, Literal

from arrow_project import Operation

ConfirmationPolicy = Literal["always", "destructive", "never"]
"""Before every change; before one that takes more than a little away (`agent.editing.losses`); before none."""


def describe(operation: Operation) -> str:
    """The operation in one readable line, for questions and reports."""
    arguments = ", ".join(
        f"{key} {_short(value)}" for key, value in operation.arguments.items() if value not in (None, "")
    )
    return (
        f"{operation.function.replace('_', ' ')} ({arguments})" if arguments else operation.function.replace("_", " ")
    )


def _short(value: Any, limit: int = 80) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
