"""Asking before something is lost: which operations need a yes, and what counts as one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from arrow_project import OPERATIONS, Operation

ConfirmationPolicy = Literal["always", "destructive", "never"]

_YES = re.compile(
    r"(yes|yes,? please|yep|yeah|y|ok|okay|sure|do it|go ahead|confirm|confirmed|please do)[.!]*",
    re.IGNORECASE,
)
_NO = re.compile(
    r"(no|no,? thanks?|no,? thank you|nope|n|cancel|stop|don'?t|do not|never ?mind|leave it)[.!]*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Pending:
    """What waits for an answer.

    Attributes:
        id: Names it over HTTP and on the command line.
        kind: `confirmation` or `plan`.
        operations: What a yes executes, in this order.
        content_sha256: The `.arrow` content it was asked for; another content makes it obsolete.
    """

    id: str
    kind: str
    operations: tuple[Operation, ...]
    content_sha256: str


class PendingStore(Protocol):
    """Keeps what waits for an answer, for one project of one workspace."""

    def put(self, kind: str, operations: Sequence[Operation], content_sha256: str) -> str:
        """Keeps the operations and returns the id that answers name."""
        ...

    def take(self, pending_id: str) -> Pending | None:
        """Hands it out once; None when there is no such id in this project."""
        ...


def needs_confirmation(policy: ConfirmationPolicy, operation: Operation) -> bool:
    """Whether the user must say yes to `operation` first."""
    if policy == "always":
        return True
    return policy == "destructive" and is_destructive(operation)


def is_destructive(operation: Operation) -> bool:
    """Whether the operation takes something away that the user may have written."""
    if operation.function == "update_node_map":
        connections: dict[str, Any] = operation.arguments.get("modifications", {}).get("io", {})
        return bool(connections.get("pop"))
    return OPERATIONS[operation.function].destructive or bool(operation.arguments.get("force"))


def read_reply(message: str) -> Literal["yes", "no"] | None:
    """What a reply to a question says; None when it is neither, and then it is an ordinary message."""
    words = message.strip()
    if _YES.fullmatch(words):
        return "yes"
    return "no" if _NO.fullmatch(words) else None


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
