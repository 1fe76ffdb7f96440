"""Asking before something is lost: which changes need a yes, and what a reply to the question says."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from arrow_project import OPERATIONS, Operation

ConfirmationPolicy = Literal["always", "destructive", "never"]

_MANY_NODES = 20
_LINE = 80


@dataclass(frozen=True)
class Change:
    """What an operation that has been tried would do.

    Attributes:
        operation: The operation, references resolved.
        replaced: Texts that would be gone afterwards.
        changed_nodes: How many nodes that were there before the turn it would have changed, this operation included.
        cuts: Whether it removes connections, if only of choices that it takes away.
    """

    operation: Operation
    replaced: tuple[str, ...] = ()
    changed_nodes: int = 0
    cuts: bool = False

    @property
    def is_destructive(self) -> bool:
        """Whether it takes something away that somebody may have written."""
        return (
            _removes(self.operation)
            or self.cuts
            or self.operation.function == "set_project_entry"
            or any(is_written(text) for text in self.replaced)
            or self.changed_nodes > _MANY_NODES
        )


class Policy(Protocol):
    """Decides whether the user is asked before a change."""

    def asks(self, change: Change, /) -> bool:
        """Whether the user must say yes to it first."""
        ...


class Always:
    """Asks before every change."""

    def asks(self, _change: Change, /) -> bool:
        """Always."""
        return True


class Destructive:
    """Asks before a change that takes something away."""

    def asks(self, change: Change, /) -> bool:
        """Where something may be lost."""
        return change.is_destructive


class Never:
    """Asks before nothing."""

    def asks(self, _change: Change, /) -> bool:
        """Never."""
        return False


POLICIES: Mapping[ConfirmationPolicy, Policy] = {
    "always": Always(), "destructive": Destructive(), "never": Never(),
}  # fmt: skip


def is_written(text: str) -> bool:
    """Whether a text is longer than a line, so that nobody should lose it unasked."""
    return len(text) > _LINE or "\n" in text.strip()


def _removes(operation: Operation) -> bool:
    if operation.function == "update_node_map":
        connections: dict[str, Any] = operation.arguments.get("modifications", {}).get("io", {})
        return bool(connections.get("pop"))
    return OPERATIONS[operation.function].destructive or bool(operation.arguments.get("force"))


@dataclass(frozen=True)
class Reply:
    """What the user's answer to a question says.

    Attributes:
        agrees: Yes, to all of it or to what is left after the changes.
        changes: What should be different, in the user's words; empty for a plain yes or no.
        more: `changes` only add to it: all that was asked about is agreed to.
    """

    agrees: bool
    changes: str = ""
    more: bool = False

    @property
    def kind(self) -> Literal["yes", "no", "modify"]:
        """The reply in one word."""
        if self.changes:
            return "modify"
        return "yes" if self.agrees else "no"


_YES_WORDS = (
    r"(?:yes|yep|yeah|y|ok|okay|sure thing|sure|(?:just )?do (?:it|that)|go ahead|confirm|confirmed|please do"
    r"|apply(?: (?:it|that|this|them))?)"
)
_NO_WORDS = r"(?:no|nope|n)"
# What was asked about, named once more: "yes, delete it".
_THAT = r"(?:delete|remove|change|replace|overwrite|cut|undo|take) (?:it|that|this|them)(?: back)?"
_YES = re.compile(rf"{_YES_WORDS}(?:[\s,.!]+(?:{_YES_WORDS}|{_THAT}|please|thanks|thank you))*[.!]*", re.IGNORECASE)
_NO = re.compile(
    rf"{_NO_WORDS},? (?:thanks?|thank you)[.!]*|(?:{_NO_WORDS}[\s,.!]+)?(?:{_NO_WORDS}|cancel|stop"
    rf"|don['’]?t|do not|never ?mind|leave (?:it|that|them)|keep (?:it|that|them)"
    rf"|(?:don['’]?t|do not) (?:do (?:it|that)|{_THAT}))[.!]*",
    re.IGNORECASE,
)
_ADDED = re.compile(
    rf"(?P<yes>{_YES_WORDS})[ ,.;:!-]+(?P<changes>(?:and|then|also)\s+(?:please\s+|then\s+|also\s+)*"
    r"(?:add|create|connect|disconnect|delete|remove|rename|set|make|change|insert|put|move|write)\b.*)",
    re.IGNORECASE,
)
# "yes, but keep node 12", "no, only the second one", "all but 12", "keep Elena"
_CHANGED = re.compile(
    rf"(?:(?P<yes>{_YES_WORDS})|{_NO_WORDS})?[\s,.;:!-]*"
    r"(?P<changes>(?:(?:and|please|do)\s+)*(?:all\s+|everything\s+)?"
    r"(?:but|except|only|just|without|keep|leave|not|don['’]?t|instead)\b.*)",
    re.IGNORECASE | re.DOTALL,
)


def read_reply(message: str) -> Reply | None:
    """What a reply to a question says; None when it is no answer, and then it is an ordinary message."""
    words = message.strip()
    if _YES.fullmatch(words):
        return Reply(agrees=True)
    if _NO.fullmatch(words):
        return Reply(agrees=False)
    if added := _ADDED.fullmatch(words):
        return Reply(agrees=True, changes=added["changes"], more=True)
    changed = _CHANGED.fullmatch(words)
    if changed is None or words.endswith("?"):
        return None
    return Reply(agrees=changed["yes"] is not None, changes=changed["changes"])


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
