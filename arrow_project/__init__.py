"""The .arrow file as Arrow 3.1 understands it: read, check, edit, describe, write.

Imports nothing else of Fletcher.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from arrow_project.errors import ArrowProjectError, ErrorCode, OperationError, ParseError
from arrow_project.operation import Finding, NativeCall, Operation, OperationResult, OperationSpec, Selection
from arrow_project.operations import OPERATIONS
from arrow_project.project import ArrowProject, lower, parse


@dataclass(frozen=True)
class Diff:
    """What differs between two states of a project, one readable line per change."""

    lines: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not self.lines

    def __str__(self) -> str:
        return "\n".join(self.lines)


def outline(
    project: ArrowProject,
    scene_id: int | None = None,
    selected: Iterable[int] = (),
    max_characters: int | None = None,
) -> str:
    """The project as text for a language model, the open scene and the selection first."""
    raise NotImplementedError


def check(project: ArrowProject) -> list[Finding]:
    """Every broken rule, then the warnings."""
    raise NotImplementedError


def check_text(text: str | bytes) -> list[Finding]:
    """As ``check``, for a text that may not even load."""
    raise NotImplementedError


def diff(before: ArrowProject, after: ArrowProject) -> Diff:
    """What changed between two states."""
    raise NotImplementedError


__all__ = [
    "OPERATIONS",
    "ArrowProject",
    "ArrowProjectError",
    "Diff",
    "ErrorCode",
    "Finding",
    "NativeCall",
    "Operation",
    "OperationError",
    "OperationResult",
    "OperationSpec",
    "ParseError",
    "Selection",
    "check",
    "check_text",
    "diff",
    "lower",
    "outline",
    "parse",
]
