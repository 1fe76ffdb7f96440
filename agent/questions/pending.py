"""What waits for the user's answer, and what an undo goes back to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import TypeAdapter

from agent.turn.request import Exchange
from arrow_project import Operation

KEPT_TURNS = 20
"""How many turns of a story can be taken back."""


@dataclass(frozen=True)
class Origin:
    """The message that led to a question, so that the rest of it is not lost with the answer.

    Attributes:
        message: The user's words.
        history: The conversation before it.
        scene_id: The scene that was open.
        selected_node_ids: What was selected.
        texts: What the assistant had said before it asked.
        executed: What it had done before it asked, a line for each operation.
    """

    message: str
    history: tuple[Exchange, ...] = ()
    scene_id: int | None = None
    selected_node_ids: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    executed: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The origin as JSON values."""
        return _ORIGIN.dump_python(self, mode="json")

    @staticmethod
    def from_dict(values: dict[str, Any]) -> "Origin":
        """The origin that `as_dict` wrote."""
        return _ORIGIN.validate_python(values)


_ORIGIN = TypeAdapter(Origin)


@dataclass(frozen=True)
class PendingQuestion:
    """What waits for an answer.

    Attributes:
        id: Names it over HTTP and on the command line.
        kind: `confirmation`, `parameters` or `plan`.
        operations: What a yes executes, in this order; for `parameters` the one that is not complete yet.
        content_sha256: The fingerprint of the story it was asked for; another story makes it obsolete.
        origin: The message that a model goes on with afterwards; None where nothing of it is left.
        seeds: Those of the story that the ids are from which the operations make.
        undoes: Of an undo, the turn that it takes back, by the id of what is kept from before it.
    """

    id: str
    kind: str
    operations: tuple[Operation, ...]
    content_sha256: str
    origin: Origin | None = None
    seeds: Mapping[int, int] = field(default_factory=dict[int, int])
    undoes: str = ""


@dataclass(frozen=True)
class Before:
    """What an undo goes back to.

    Attributes:
        content: The `.arrow` text from before the turn.
        is_shared: Somebody else has changed the story during the turn, too, which an undo would take back as well.
        by_assistant: The turn was an assistant's.
        id: As the store names it that hands it out.
        left: Where the turn has left the nodes that it moved; whatever is elsewhere has been moved by hand.
    """

    content: str
    is_shared: bool = False
    by_assistant: bool = False
    id: str = ""
    left: Mapping[int, Sequence[float]] = field(default_factory=dict[int, Sequence[float]], hash=False)


class PendingStore(Protocol):
    """Keeps what waits for an answer and what can be taken back, for one project of one workspace."""

    def put(
        self,
        kind: str,
        operations: Sequence[Operation],
        content_sha256: str,
        origin: Origin | None = None,
        seeds: Mapping[int, int] | None = None,
        undoes: str = "",
    ) -> str:
        """Keeps the operations and returns the id that answers name."""
        ...

    def take(self, pending_id: str) -> PendingQuestion | None:
        """Hands it out once; None when there is no such id in this project."""
        ...

    def keep_before(self, before: Before, content_sha256: str, *, forgets: bool = True) -> str:
        """Keeps what was before a turn that has led to the story with this fingerprint; returns its id.

        It `forgets` what the turns before the last `KEPT_TURNS` began with.
        """
        ...

    def find_before(self, content_sha256: str) -> Before | None:
        """What was before the turn that led to this story, which stays kept; None when there is none.

        Of several it is the last, but no turn that had been taken back already when an undo came to this story.
        """
        ...

    def move_before(self, before: Before, content_sha256: str) -> None:
        """Keeps this one, as it is now, in its place, for the story with this fingerprint."""
        ...

    def drop_before(self, before_id: str) -> None:
        """Keeps this one no more."""
        ...

    def note_undone(self, before: Before, content_sha256: str) -> None:
        """An undo takes a turn back, to what was found for it, which has this fingerprint.

        What was found stays kept: whoever asked may be gone before it is answered, or find no room to write what it
        came to, and asks again with the story that it led to. Then it is the same turn that is found.
        """
        ...

    def is_undone(self, content_sha256: str) -> bool:
        """Whether an undo came to this story."""
        ...

    def last_before(self) -> Before | None:
        """What was before the last turn that is kept, whatever it led to; None when there is none."""
        ...
