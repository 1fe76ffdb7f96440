"""What can go wrong: a text that is no Arrow document, an operation that Arrow's rules forbid."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class ErrorCode(StrEnum):
    """The twelve codes of the protocol."""

    INVALID_NODE_TYPE = "INVALID_NODE_TYPE"
    INVALID_NODE_ID = "INVALID_NODE_ID"
    INVALID_SCENE_ID = "INVALID_SCENE_ID"
    INVALID_VARIABLE_ID = "INVALID_VARIABLE_ID"
    INVALID_CHARACTER_ID = "INVALID_CHARACTER_ID"
    INVALID_CONNECTION = "INVALID_CONNECTION"
    RESOURCE_IN_USE = "RESOURCE_IN_USE"
    INVALID_POSITION = "INVALID_POSITION"
    TYPE_MISMATCH = "TYPE_MISMATCH"
    CIRCULAR_REFERENCE = "CIRCULAR_REFERENCE"
    PARSE_ERROR = "PARSE_ERROR"
    PERMISSION_DENIED = "PERMISSION_DENIED"


class ArrowProjectError(Exception):
    """Base of everything this package raises on purpose.

    Attributes:
        code: one of the protocol's error codes.
        message: names the thing, the rule and the remedy.
        details: ids and names that a program may want, e.g. ``{"referenced_by": [15, 16]}``.
    """

    def __init__(self, code: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = str(code)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})


class ParseError(ArrowProjectError):
    """The text is not a document that Arrow would load.

    Attributes:
        rule: the number of the broken invariant.
        place: where in the document, e.g. ``resources.scenes.0.map``.
    """

    def __init__(self, message: str, rule: int, place: str = "document") -> None:
        super().__init__(ErrorCode.PARSE_ERROR, message, {"rule": rule, "place": place})
        self.rule = rule
        self.place = place


class OperationError(ArrowProjectError):
    """An operation that was refused; the project is as it was before."""
