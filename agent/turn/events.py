"""What happens in a turn, in order. Dialects, the command line and HTTP each show these their own way."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agent.editing.editor import Failure
from arrow_project import Operation
from retrieval import page_range


@dataclass(frozen=True)
class TextChunk:
    """A piece of the answer as the model produces it."""

    text: str


@dataclass(frozen=True)
class TextFinished:
    """A finished part of the answer, whole; its chunks have been sent before.

    `not_done`: it says what of the message was not done, and why.
    """

    text: str
    not_done: bool = False


@dataclass(frozen=True)
class OperationFinished:
    """An operation was executed by the editor, or refused; `reached_editor`: whether the editor was asked at all."""

    function: str
    arguments: Mapping[str, Any]
    result: Any
    failure: Failure | None
    reached_editor: bool = False

    @property
    def success(self) -> bool:
        """Whether the editor executed it."""
        return self.failure is None


@dataclass(frozen=True)
class Citation:
    """Where a number like `[2]` in the answer points. Pages are physical and start at 1.

    `also_in` names documents that say the same, such as the Word file of a PDF.
    """

    number: int
    document: str
    document_id: str
    page_from: int | None
    page_to: int | None
    passage_id: str
    text: str
    also_in: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """`bible.pdf, page 4`."""
        return self.document + page_range(self.page_from, self.page_to)


@dataclass(frozen=True)
class Cited:
    """The places that the answer cites, by number."""

    citations: tuple[Citation, ...]


@dataclass(frozen=True)
class Asked:
    """The turn waits for an answer: nothing of what `text` names has been done.

    `operations` are what a yes executes, and `diff` what they would change.
    """

    kind: Literal["confirmation", "parameters", "plan"]
    text: str
    pending_id: str
    diff: str = ""
    operations: tuple[Operation, ...] = ()


@dataclass(frozen=True)
class Suggestion:
    """Something to do next that can be executed as it stands: a function by name, with its parameters."""

    label: str
    function: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Suggested:
    """Up to three suggestions, just before the turn ends."""

    suggestions: tuple[Suggestion, ...]


@dataclass(frozen=True)
class Failed:
    """The turn could not go on. What was done before stays done."""

    failure: Failure


@dataclass(frozen=True)
class Usage:
    """What the turn cost: tokens as the provider counts them, requests, US dollars where the price is known."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


@dataclass(frozen=True)
class Timings:
    """Where a turn's time went, in seconds; what ran at the same time counts in each part."""

    retrieval_s: float = 0.0
    model_s: float = 0.0
    editor_s: float = 0.0
    total_s: float = 0.0


@dataclass(frozen=True)
class Ended:
    """The last event of every turn.

    Attributes:
        reason: How it ended.
        usage: What the model cost.
        timings: Where the time went.
        functions: What the editor has executed, in order.
        changed: Whether the story is another one than before the turn.
        unseen_before: The story before a turn that the editor has changed without showing how; None otherwise. Once
            it shows its story, `PendingStore.keep_before` lets the turn be taken back.
        kept: The id of what is kept from before the turn, by which it can be taken back; empty where that is nothing.
    """

    reason: Literal["done", "question", "error"]
    usage: Usage
    timings: Timings = Timings()
    functions: tuple[str, ...] = ()
    changed: bool = False
    unseen_before: str | None = None
    kept: str = ""


Event = TextChunk | TextFinished | OperationFinished | Cited | Asked | Suggested | Failed | Ended

# Takes a turn's events, one after the other; the turn waits until each is taken.
EventSink = Callable[[Event], Awaitable[None]]
