"""Which of a turn's operations wait for the user's yes."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager

from agent.editing.losses import TurnLosses
from agent.questions.confirmation import ConfirmationPolicy
from arrow_project import ArrowProject, Operation, OperationError, OperationResult, Selection


class Consent:
    """What the user is asked before, by policy and by what is lost; and what was agreed to already.

    Args:
        policy: When to ask first.
        holds_all: Once an operation needs a yes, all that follow wait for it as well.
    """

    def __init__(self, policy: ConfirmationPolicy, *, holds_all: bool = False) -> None:
        self._policy: ConfirmationPolicy = policy
        self._losses = TurnLosses()
        self._agreed: list[Operation] = []
        self._holds_all = holds_all

    def stop_asking(self) -> None:
        """The user has agreed to what follows."""
        self._policy = "never"

    @contextmanager
    def given(self) -> Generator[None]:
        """The user has agreed to what is executed within."""
        policy, self._policy = self._policy, "never"
        try:
            yield
        finally:
            self._policy = policy

    def agree_to(self, operations: Iterable[Operation]) -> None:
        """The user has agreed to these very operations, should they come."""
        self._agreed += operations

    def has_agreed_to(self, operation: Operation) -> bool:
        """Whether the user has; it is not used up by asking."""
        return operation in self._agreed

    def look_at(self, project: ArrowProject, *, is_waiting: bool) -> None:
        """Keeps the story as it is before an operation, for what it will lose."""
        if self._policy == "destructive" and not (self._holds_all and is_waiting):
            self._losses.look_at(project)

    def must_wait(
        self,
        tried: ArrowProject,
        operation: Operation,
        selection: Selection,
        planned: tuple[Operation, ...],
        *,
        is_waiting: bool,
    ) -> bool:
        """Whether the user is asked before an operation.

        Args:
            tried: The story with which it has been tried.
            operation: With its references resolved.
            selection: What words such as `selected` mean in `planned`.
            planned: What will follow it: all of it waits, or none.
            is_waiting: Whether an earlier operation of the turn waits already.
        """
        if operation in self._agreed:
            self._agreed.remove(operation)
            return False
        if (self._holds_all and is_waiting) or self._policy == "always":
            return True
        return self._policy == "destructive" and not self._losses.allow(_with(tried, planned, selection))

    def executed(self, applied: OperationResult, created: str | None) -> None:
        """What a turn has made itself is no loss; `created` is the kind of what it made, beside nodes."""
        self._losses.made(applied, created)


def _with(project: ArrowProject, planned: tuple[Operation, ...], selection: Selection) -> ArrowProject:
    """The story as it will be with what is planned."""
    tried = project.copy() if planned else project
    for operation in planned:
        try:
            tried.apply(operation, selection)
        except OperationError:  # it will be refused in its turn
            break
    return tried
