"""Who answers a message: a model, or the planner without one."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from agent.editing.editor import OperationRefused
from agent.editing.execution import Execution
from agent.reading.reading_tools import TurnReader
from agent.turn.events import EventSink, Usage
from agent.turn.request import TurnContext
from arrow_project import Operation


class AnswerFailed(OperationRefused):
    """Whoever answers could not, or not to the end; the user is told why."""


class ParametersMissing(Exception):
    """A call lacks what its schema requires, and the user can be asked for it."""

    def __init__(self, operation: Operation) -> None:
        super().__init__(operation.function)
        self.operation = operation


@dataclass(frozen=True)
class OpenQuestion:
    """A question that the message may answer.

    Attributes:
        calls: What was asked about, a line for each.
        decide: Does what the decision says, once, and returns what the model is told of it.
    """

    calls: str
    decide: Callable[[str], Awaitable[dict[str, Any]]]


@dataclass(frozen=True)
class Assignment:
    """A message to answer, and what with. What needs a yes is left in `execution.held`.

    Attributes:
        context_tokens: How much of a prompt outline and passages may take.
        question: The one that is open; whoever answers sees it instead of any material, as nothing that is quoted can
            answer it.
    """

    message: str
    context: TurnContext
    execution: Execution
    reader: TurnReader
    tell: EventSink
    context_tokens: int
    question: OpenQuestion | None = None


class Answering(Protocol):
    """The answer to one message, given once."""

    @property
    def usage(self) -> Usage:
        """What it has cost so far."""
        ...

    @property
    def model_s(self) -> float:
        """How long a model has taken so far, in seconds."""
        ...

    async def run(self) -> None:
        """Tells the answer as it comes, and at its end what did not work.

        Raises:
            AnswerFailed: It could not be given, or not to the end.
            ParametersMissing: It is known what to call, and not everything that the call needs.
        """
        ...


class Answerer(ABC):
    """Answers messages.

    Attributes:
        name: As configured, for messages and the log.
        converses: Whether it reads a reply in any words, and goes on with the rest of a message after a yes. Whoever
            does not has planned the whole message beforehand: once an operation needs a yes, all after it wait, too.
    """

    name: str
    converses: ClassVar[bool]

    async def needs_passages(self, message: str) -> bool:  # noqa: ARG002
        """Whether passages are looked for before it answers."""
        return True

    async def get_ready(self) -> None:  # noqa: B027 - most are
        """Loads what the first answer needs, beside the event loop."""

    @abstractmethod
    def answer(self, assignment: Assignment) -> Answering:
        """The answer, which has not begun."""
