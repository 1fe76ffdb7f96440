"""When the user is asked before a change, and what is asked about in words."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, cast

from arrow_project import Operation

ConfirmationPolicy = Literal["always", "destructive", "never"]
"""Before every change; before one that takes more than a little away (`agent.editing.consent`); before none."""

_SHOWN = 80  # characters of a value


def describe(operation: Operation) -> str:
    """The operation in one readable line, for questions and reports."""
    given = {key: value for key, value in operation.arguments.items() if value not in (None, "")}
    arguments = ", ".join(_said(key, value) for key, value in given.items())
    return f"{_name(operation)} ({arguments})" if arguments else _name(operation)


def summarize(operations: Sequence[Operation]) -> str:
    """What was done, in a sentence: one operation with its arguments, of several only how often each."""
    if len(operations) == 1:
        return f"Done: {describe(operations[0])}."
    counts = Counter(map(_name, operations)).items()
    steps = ", ".join(name if count == 1 else f"{name} ({count} times)" for name, count in counts)
    return f"Done, {len(operations)} steps: {steps}."


def _name(operation: Operation) -> str:
    return operation.function.replace("_", " ")


def _said(key: str, value: Any) -> str:
    said = _words(value)
    text = f"{key}: {said}" if isinstance(value, dict | list) else f"{key} {said}"
    return text if len(said) <= _SHOWN else text[: len(key) + _SHOWN - 1] + "…"


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(_said(str(key), item) for key, item in cast("dict[Any, Any]", value).items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, cast("Sequence[Any]", value)))
    return value if isinstance(value, str) else json.dumps(value)
