"""What the planner reads of a running turn."""

from collections.abc import Sequence
from typing import Protocol

from arrow_project import ArrowProject


class PassageLike(Protocol):
    """A piece of a document."""

    @property
    def document(self) -> str:
        """Name of the document."""
        ...

    @property
    def page_from(self) -> int | None:
        """First physical page; None in formats without pages."""
        ...

    @property
    def page_to(self) -> int | None:
        """Last physical page; None in formats without pages."""
        ...

    @property
    def heading(self) -> Sequence[str]:
        """The headings above it, outermost first."""
        ...

    @property
    def text(self) -> str:
        """Its text."""
        ...


class CitedPassageLike(Protocol):
    """A passage with the number by which an answer cites it."""

    @property
    def number(self) -> int:
        """Counted from 1."""
        ...

    @property
    def passage(self) -> PassageLike:
        """The passage itself."""
        ...

    @property
    def score(self) -> float:
        """How well it fits the message."""
        ...


class DocumentLike(Protocol):
    """A design document of the project."""

    @property
    def name(self) -> str:
        """Path relative to the folder that was given."""
        ...

    @property
    def pages(self) -> int | None:
        """How many pages it has; None in formats without pages."""
        ...


class ExchangeLike(Protocol):
    """One earlier message and what was answered."""

    @property
    def message(self) -> str:
        """The user's words."""
        ...

    @property
    def output(self) -> str:
        """The answer."""
        ...


class PlanningContext(Protocol):
    """A turn as the planner sees it; `project` shows every change as soon as its call has been answered."""

    @property
    def project(self) -> ArrowProject | None:
        """The story; None when the client has not sent one."""
        ...

    @property
    def scene_id(self) -> int | None:
        """The open scene; None means the scene of the project's entry."""
        ...

    @property
    def selected_node_ids(self) -> tuple[int, ...]:
        """What is selected in the editor, the first selected first."""
        ...

    @property
    def passages(self) -> Sequence[CitedPassageLike]:
        """The passages retrieved for the message, best first."""
        ...

    @property
    def documents(self) -> Sequence[DocumentLike]:
        """All design documents."""
        ...

    @property
    def history(self) -> Sequence[ExchangeLike]:
        """Earlier exchanges, oldest first."""
        ...
