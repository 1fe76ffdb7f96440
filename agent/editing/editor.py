"""The editor: whoever executes operations and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from arrow_project import ArrowProject, Operation, OperationError, OperationResult


@dataclass(frozen=True)
class Failure:
    """Why an operation, or a whole turn, did not succeed.

    Attributes:
        code: One of the protocol's error codes, such as `INVALID_NODE_ID`.
        message: The thing, the rule and the remedy, for the model and the user.
        details: What else helps, such as `referenced_by` with node ids.
    """

    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict[str, Any])

    def as_dict(self) -> dict[str, Any]:
        """The failure as the protocol writes it."""
        return {"code": self.code, "message": self.message, **self.details}


@dataclass(frozen=True)
class Outcome:
    """What became of one operation.

    Attributes:
        success: Whether the editor executed it.
        result: What the editor answered; None when it only said that it succeeded.
        failure: Why not, when it did not.
        content: The editor's whole `.arrow` text afterwards; None when it does not report it.
        came: The number of that among all that the editor has shown: of two the higher is the newer one.
        confirmed: Of an operation that failed on the way, the calls that the editor had executed before, as it was
            asked.
        done: The same as operations of ours; None where none says it.
        remarks: What else the editor told with its result, such as `affected_nodes`.
    """

    success: bool
    result: Any = None
    failure: Failure | None = None
    content: str | None = None
    came: int = 0
    confirmed: tuple[Operation, ...] = ()
    done: tuple[Operation, ...] | None = None
    remarks: Mapping[str, Any] = field(default_factory=dict[str, Any])


class OperationRefused(Exception):
    """Something was not done, or not to the end; what was done before stays."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Editor(Protocol):
    """What a turn edits with: a real Arrow behind the socket, or one in memory."""

    async def apply(self, applied: OperationResult) -> Outcome:
        """Executes one operation and waits for the answer.

        Args:
            applied: The operation as the shadow has executed it: references resolved, new ids predicted.
        """
        ...


@runtime_checkable
class BatchingEditor(Editor, Protocol):
    """An editor that may take several operations in one message."""

    @property
    def takes_batches(self) -> bool:
        """Whether it does."""
        ...

    async def apply_together(self, applied: Sequence[OperationResult]) -> Sequence[Outcome] | None:
        """Executes all operations or none; an outcome for each, or one for all that says why not.

        None where they do not fit into one message; nothing was done then.
        """
        ...


class Rehearsal:
    """The editor of a turn that is only a plan: what the shadow has tried is all that is done."""

    async def apply(self, applied: OperationResult) -> Outcome:
        """Answers as an editor would that has done it."""
        return Outcome(success=True, result=applied.result)


class InMemoryEditor:
    """The editor of a turn whose shadow is all there is of the story, such as over HTTP.

    Attributes:
        project: The story, the same object that the turn's request has.
    """

    def __init__(self, project: ArrowProject) -> None:
        self.project = project

    async def apply(self, applied: OperationResult) -> Outcome:
        """Answers as an editor would that has done it; the shadow has."""
        return Outcome(success=True, result=applied.result)


def failure_of(error: OperationError) -> Failure:
    """The engine's refusal as the model and the clients see it."""
    return Failure(error.code, str(error), dict(error.details))
