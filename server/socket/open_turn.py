"""The turn that a session is working on."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field
from sys import getsizeof
from typing import Any, TypeVar

from agent import Turn, Usage
from arrow_project import ArrowProject
from server.dialects import EndReason
from server.ended_task import let_go
from server.limits.turn_room import StoryAtWork
from server.socket.editors import Guest
from server.socket.remote_editor import RemoteEditor

logger = logging.getLogger(__name__)

_Result = TypeVar("_Result")

# How long a stopped turn may take to notice before the client is told that it has ended. What works on a large story
# is rarely done within either.
_STOP_PATIENCE_S = 0.05
_STOP_PATIENCE_LARGE_S = 0.02
_LARGE_CHARACTERS = 200_000
_LARGE_NODES = 500


@dataclass
class OpenTurn:
    """A turn with its editor, and what a stop needs to know of it.

    Attributes:
        guest: Whose it is, where it is not the client's own.
        came: The number of the story that came with it, or that it begins with, as `Stories.comes` gives it.
        project: The story when the turn began, and `checkpoint`, where its journal stood then.
        shown: The story that the client has sent last, as far as the turn has taken it over.
        story: How its story counts; None as long as it does not.
        has_read: Set once the story is read that came with its message, or never will be.
        running: The turn itself, once its request is complete; None in a plan, which the client never sees executed.
        kept: What `Ended` says is kept from before it.
        has_no_end: The client is never told that it has begun, nor that it has ended: it takes its own last turn back.
    """

    id: str
    project_id: str
    editor: RemoteEditor
    guest: Guest | None = None
    came: int = 0
    task: asyncio.Task[Any] | None = None
    project: ArrowProject | None = None
    checkpoint: int = 0
    shown: ArrowProject | None = None
    story: StoryAtWork | None = None
    has_read: asyncio.Event = field(default_factory=asyncio.Event)
    running: Turn | None = None
    kept: str = ""
    has_no_end: bool = False
    reason: EndReason = "error"
    usage: Usage = field(default_factory=Usage)

    def begin(self, work: Coroutine[Any, Any, _Result]) -> asyncio.Task[_Result]:
        """It is run by `work`."""
        self.task = task = asyncio.create_task(work)
        task.add_done_callback(_note_failure)
        task.add_done_callback(let_go)
        task.add_done_callback(lambda _: self.has_read.set())
        return task

    def size(self, size: int, content: str | None = None) -> int:
        """What its story takes, of so many bytes in memory: of blanks its text, which the editor keeps, takes more."""
        return max(size, getsizeof(content or self.editor.last_content or ""))

    def weigh(self, size: int, content: str | None = None) -> None:
        """Its story is another one, of so many bytes in memory; raises as `StoryAtWork.weigh` does."""
        if self.story is not None:
            self.story.weigh(self.size(size, content))

    @property
    def has_ended(self) -> bool:
        """Whether nothing works on its story any more."""
        return self.task is None or self.task.done()

    async def cancel(self) -> None:
        """Stops it; what works on its story in a thread goes on for a while."""
        self.has_read.set()
        if self.task is not None:
            self.task.cancel()
            patience_s = _STOP_PATIENCE_LARGE_S if self._is_large() else _STOP_PATIENCE_S
            await asyncio.wait((self.task,), timeout=patience_s)

    async def ended(self) -> None:
        """Waits until nothing works on its story any more."""
        if self.task is None:
            return
        await asyncio.wait((self.task,))

    def _is_large(self) -> bool:
        """Whether the story, as the client has sent it or as it was known before, is."""
        if len(self.editor.last_content or "") > _LARGE_CHARACTERS:
            return True
        return self.project is not None and len(self.project.data.nodes) > _LARGE_NODES


def _note_failure(task: asyncio.Task[Any]) -> None:
    if not task.cancelled() and (failure := task.exception()) is not None:
        logger.error("a turn could not be brought to its end", exc_info=failure)
