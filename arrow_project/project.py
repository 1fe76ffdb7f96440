"""The parsed .arrow file and the way to change it."""

from arrow_project.operation import Operation, OperationResult, Selection


class ArrowProject:
    """An Arrow document in memory."""

    def to_text(self) -> str:
        """The document exactly as Arrow would save it."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """The project's title."""
        raise NotImplementedError

    @property
    def entry(self) -> int:
        """Id of the node where the story begins."""
        raise NotImplementedError

    def copy(self) -> "ArrowProject":
        """An independent copy without history."""
        raise NotImplementedError

    def checkpoint(self) -> int:
        """A token for ``rollback``."""
        raise NotImplementedError

    def rollback(self, token: int) -> None:
        """Undo everything since the checkpoint; the bytes of ``to_text`` are what they were."""
        raise NotImplementedError

    def apply(self, operation: Operation, selection: Selection = Selection()) -> OperationResult:
        """Apply one operation, completely or not at all.

        Raises:
            OperationError: the operation is refused; the project is unchanged.
        """
        raise NotImplementedError
