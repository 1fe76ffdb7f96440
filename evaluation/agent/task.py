"""A task: what is said, in which state, and what must be true in the end."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.agent.story_state import StoryState


@dataclass(frozen=True)
class Ask:
    """One message of the user, or one direct function call.

    A message that follows a question is its answer, as in a chat.

    Attributes:
        message: The user's words.
        selected: The selected nodes.
        scene: The open scene; None is the scene of the project's entry.
        plan: Ask for a plan instead of a change.
        function: Called directly, with `params`.
        as_long_as_asked: Ask it again for every further question; say nothing where there is no question.
    """

    message: str = ""
    selected: tuple[int, ...] = ()
    scene: int | None = None
    plan: bool = False
    function: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    as_long_as_asked: bool = False


YES = Ask("yes", as_long_as_asked=True)
"""Agrees to whatever is asked."""


@dataclass(frozen=True)
class CitedPlace:
    """Where an answer says that it has something from; pages are physical and start at 1."""

    document: str
    page_from: int | None
    page_to: int | None

    def __str__(self) -> str:
        return self.document if self.page_from is None else f"{self.document} page {self.page_from}"


@dataclass(frozen=True)
class Done:
    """One operation of a turn."""

    function: str
    success: bool


@dataclass(frozen=True)
class AskedBack:
    """What a turn ended with instead of a change: `confirmation`, `parameters` or `plan`."""

    kind: str
    text: str
    pending_id: str


@dataclass(frozen=True)
class TurnResult:
    """What one turn said and did, and the document afterwards.

    Attributes:
        not_done: What the turn itself says of what it has not done, a sentence each; a model says it in its text.
        failed: Whether the turn could not go on.
    """

    text: str
    citations: tuple[CitedPlace, ...]
    operations: tuple[Done, ...]
    question: AskedBack | None
    failed: bool
    after: StoryState
    not_done: tuple[str, ...] = ()

    @property
    def declined(self) -> bool:
        """Whether the turn says so by its outcome: something was not done, or is asked for, or the turn failed."""
        asked_back = self.question is not None and self.question.kind == "parameters"
        return asked_back or self.failed or bool(self.not_done)

    @property
    def only_declined(self) -> bool:
        """Whether the turn's outcome is that something was not done, and it has done nothing else."""
        return bool(self.not_done or self.failed) and not any(operation.success for operation in self.operations)


@dataclass(frozen=True)
class TaskRun:
    """What checks judge: the document before and after, and every answer."""

    before: StoryState
    after: StoryState
    answers: tuple[TurnResult, ...]

    @property
    def text(self) -> str:
        """Everything that was said."""
        return "\n\n".join(answer.text for answer in self.answers)


Check = Callable[[TaskRun], Iterable[str]]
"""Yields one sentence for each thing that is not as it must be."""


@dataclass(frozen=True)
class Task:
    """One task of the suite.

    Attributes:
        id: Names it on the command line.
        start: The name of the state it starts from.
        says: The conversation.
        checks: What must be true; all of them.
        in_grammar: Whether it is written in the grammar of the planner without weights.
        held_out: Whether it was written before that grammar and is never used to shape it.
    """

    id: str
    start: str
    says: tuple[Ask, ...]
    checks: tuple[Check, ...]
    in_grammar: bool = True
    held_out: bool = False
