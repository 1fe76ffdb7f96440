"""The turn that a session is working on."""

import asyncio
import traceback
from dataclasses import dataclass, field

from agent import Turn, Usage
from arrow_project import ArrowProject
from server.dialects import EndReason
from server.remote_editor import RemoteEditor


@dataclass
class OpenTurn:
    """A turn with its editor, and what a stop needs to know of it.

    Attributes:
        project: The story when the turn began, and `checkpoint`, where its journal stood then.
        running: The turn itself, once its request is complete; None in a plan, which the client never sees executed.
    """

    id: str
    project_id: str
    editor: RemoteEditor
    task: asyncio.Task[None] | None = None
    project: ArrowProject | None = None
    checkpoint: int = 0
    running: Turn | None = None
    reason: EndReason = "error"
    usage: Usage = field(default_factory=Usage)

    @property
    def has_ended(self) -> bool:
        """Whether nothing works on its story any more."""
        return self.task is None or self.task.done()

    async def ended(self) -> None:
        """Waits until nothing works on its story any more."""
        if self.task is None:
            return
        await asyncio.wait((self.task,))
        try:
            self.task.result()
        except asyncio.CancelledError as stopped:
            # Where it was stopped refers to itself: only the garbage collector would free it, and the stories with it.
            traceback.clear_frames(stopped.__traceback__)
