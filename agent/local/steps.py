"""What a plan consists of: sentences for the user, and calls of tools."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal, TypeVar


@dataclass(frozen=True)
class Say:
    """Text for the user: an answer, what was done, or what was not done and why."""

    text: str
    outcome: Literal["answer", "done", "not_done"] = "answer"


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool; the generator that yields it is sent the tool's answer.

    Attributes:
        tool: An operation of `arrow_project`, or a reading tool such as `search_documents`.
        arguments: JSON values.
    """

    tool: str
    arguments: dict[str, Any]


Result = TypeVar("Result")
Steps = Generator[Say | ToolCall, dict[str, Any] | None, Result]
"""What every part of the planner returns: it yields steps, is sent the answers of calls, and ends with a result."""


class NotDone(Exception):
    """Something cannot be carried out; the message names the thing, the rule and the choices."""


class WordsMissing(NotDone):
    """A command is complete but for the words behind its colon; the message asks for them."""
