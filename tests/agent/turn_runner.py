"""Turns for tests: a scripted model, an editor in memory, and pendings in a dict."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from agent import (
    Assistant,
    Before,
    Editor,
    Event,
    EventSink,
    InMemoryEditor,
    LocalPlanner,
    Origin,
    PendingQuestion,
    Turn,
    TurnRequest,
)
from arrow_project import Operation
from corpora import ProjectKey
from ingest import Ingestor, Source
from retrieval import Retriever
from tests.agent.scripted_model import ScriptedModel
from tests.agent.story import story


async def unheard(_event: Event) -> None:
    """Nobody listens."""


class Pendings:
    """Keeps questions, and stories from before a turn, in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, PendingQuestion] = {}
        self.before: list[tuple[str, Before]] = []
        self.undone, self.count = "", 0

    def put(
        self,
        kind: str,
        operations: Sequence[Operation],
        content_sha256: str,
        origin: Origin | None = None,
        seeds: Mapping[int, int] | None = None,
        undoes: str = "",
    ) -> str:
        pending_id = f"pending_{len(self.kept)}"
        kept = PendingQuestion(pending_id, kind, tuple(operations), content_sha256, origin, seeds or {}, undoes)
        self.kept[pending_id] = kept
        return pending_id

    def take(self, pending_id: str) -> PendingQuestion | None:
        return self.kept.pop(pending_id, None)

    def keep_before(self, before: Before, content_sha256: str, *, forgets: bool = True) -> str:
        self.count += 1
        self.before.append((content_sha256, replace(before, id=f"before_{self.count}")))
        return self.before[-1][1].id

    def find_before(self, content_sha256: str) -> Before | None:
        return next((before for after, before in reversed(self.before) if after == content_sha256), None)

    def move_before(self, before: Before, content_sha256: str) -> None:
        self.before = [(content_sha256, before) if one.id == before.id else (after, one) for after, one in self.before]

    def drop_before(self, before_id: str) -> None:
        self.before = [(after, before) for after, before in self.before if before.id != before_id]

    def note_undone(self, before: Before, content_sha256: str) -> None:
        self.undone = content_sha256

    def is_undone(self, content_sha256: str) -> bool:
        return self.undone == content_sha256

    def last_before(self) -> Before | None:
        return self.before[-1][1] if self.before else None


@dataclass
class TurnRunner:
    """Runs turns on the story of these tests, with documents of its own and a scripted model."""

    retriever: Retriever
    ingestor: Ingestor
    model: ScriptedModel
    key: ProjectKey
    pendings: Pendings = field(default_factory=Pendings)
    context_tokens: int = 12_000
    is_local: bool = False

    def put(self, name: str, text: str) -> None:
        """Puts a document into the corpus."""
        self.ingestor.index(self.key, [Source(name, text.encode())])

    def turn(self, message: str, sink: EventSink, editor: Editor | None = None, **fields: Any) -> Turn:
        """A turn on the story of these tests, or on the one of an editor in memory."""
        shown = editor.project if isinstance(editor, InMemoryEditor) else story()
        asked: dict[str, Any] = {"key": self.key, "message": message, "project": shown}
        request = TurnRequest(**(asked | fields))
        answerer = LocalPlanner() if self.is_local else self.model.answerer()
        assistant = Assistant(self.retriever, answerer, self.context_tokens)
        return assistant.turn(request, editor or InMemoryEditor(shown), self.pendings, sink)

    async def events(self, message: str, editor: Editor | None = None, **fields: Any) -> list[Event]:
        """The events of a whole turn."""
        events: list[Event] = []

        async def note(event: Event) -> None:
            events.append(event)

        await self.turn(message, note, editor, **fields).run()
        return events

    @asynccontextmanager
    async def stopped_turn(
        self, message: str, editor: Editor | None = None, **fields: Any
    ) -> AsyncGenerator[asyncio.Queue[Event]]:
        """The events of a turn as they come; it is stopped at the end of the block."""
        events = asyncio.Queue[Event]()
        running = asyncio.create_task(self.turn(message, events.put, editor, **fields).run())
        yield events
        running.cancel()
        await asyncio.wait((running,))
