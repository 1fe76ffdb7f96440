"""The clients that have a story open, and an assistant of the user's own that works in one of them."""

from __future__ import annotations

from array import array
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent import ConfirmationPolicy, EventSink, Failure
from arrow_project import Operation

if TYPE_CHECKING:
    from server.socket.messages import FileSync, UserMessage
    from server.socket.open_editor import OpenEditor


@dataclass(frozen=True)
class Guest:
    """An assistant that works in a client's story over a connection of its own.

    Attributes:
        name: As the user knows it.
        doing: What it is about to do, in a line for the user.
        told: Hears the events of its turn, beside the client.
        operations: What it does; all or none.
        may_undo: The turn that it may take back unasked, as `TurnRequest` names it.
        brings_yes: It agrees to what was asked, with what it says are the user's words.
    """

    name: str
    doing: str
    told: EventSink
    operations: tuple[Operation, ...] = ()
    may_undo: str = ""
    brings_yes: bool = False

    @property
    def busy(self) -> Failure:
        """What the user is told whose message comes meanwhile."""
        return Failure("BUSY", f"{self.name} is working in this story just now. Wait for its end, or send stop.")


@dataclass(frozen=True)
class Situation:
    """What a client shows, as it has last said: open scene, selected nodes, and when its user is asked first."""

    scene_id: int | None = None
    # It stays as long as the connection: as objects, ten thousand numbers would take five times that.
    selected_node_ids: array[int] = field(default_factory=lambda: array("q"))
    confirm: ConfirmationPolicy | None = None

    @classmethod
    def of(cls, message: FileSync | UserMessage) -> Situation:
        """What a message says of it."""
        return cls(message.current_scene_id, selected_in(message), message.confirm)


def selected_in(message: FileSync | UserMessage) -> array[int]:
    """The nodes that a message says are selected."""
    return array("q", (node for node in message.selected_node_ids if node is not None))


class GuestRefused(Exception):
    """An assistant cannot work in a client's story now."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Editors:
    """The sessions of all sockets."""

    def __init__(self) -> None:
        self._sessions: dict[str, OpenEditor] = {}

    @contextmanager
    def present(self, session: OpenEditor) -> Generator[None]:
        """The session can be found while the block runs."""
        self._sessions[session.id] = session
        try:
            yield
        finally:
            del self._sessions[session.id]

    def of(self, workspace: str) -> list[OpenEditor]:
        """Those of a workspace that have shown a story, the first that came first.

        One whose dialect is not known yet is none of them: an assistant's calls would reach it in a form that it takes
        for another, and only its own user's message says which it is.
        """
        known = [one for one in self._sessions.values() if one.dialect_name]
        return [one for one in known if one.workspace == workspace and one.has_story]

    def get(self, workspace: str, editor_id: str) -> OpenEditor | None:
        """The one of that id; None where the workspace has none."""
        return next((one for one in self.of(workspace) if one.id == editor_id), None)
