"""Turns for tests: a scripted model, an editor in memory, and pendings in a dict."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent import Assistant, Editor, Event, InMemoryEditor, Pending, Turn, TurnRequest
from arrow_project import Operation
from corpora import ProjectKey
from ingest import Ingestor, Source
from retrieval import Retriever
from tests.agent.scripted_model import ScriptedModel
from tests.agent.story import story


class Pendings:
    """Keeps questions in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, Pending] = {}

    def put(self, kind: str, operations: Sequence[Operation], content_sha256: str) -> str:
        pending_id = f"pending_{len(self.kept)}"
        self.kept[pending_id] = Pending(pending_id, kind, tuple(operations), content_sha256)
        return pending_id

    def take(self, pending_id: str) -> Pending | None:
        return self.kept.pop(pending_id, None)


@dataclass
class Desk:
    """What turns work with."""

    retriever: Retriever
    ingestor: Ingestor
    model: ScriptedModel
    key: ProjectKey
    pendings: Pendings = field(default_factory=Pendings)
    context_tokens: int = 12_000

    def put(self, name: str, text: str) -> None:
        """Puts a document into the corpus."""
        self.ingestor.index(self.key, [Source(name, text.encode())])

    def turn(self, message: str, editor: Editor | None = None, **fields: Any) -> Turn:
        """A turn on the story of these tests."""
        asked: dict[str, Any] = {"key": self.key, "message": message, "project": story()}
        request = TurnRequest(**(asked | fields))
        assistant = Assistant(self.retriever, self.model.source, "scripted", self.context_tokens)
        return assistant.turn(request, editor or InMemoryEditor(story()), self.pendings)

    async def events(self, message: str, editor: Editor | None = None, **fields: Any) -> list[Event]:
        """The events of a whole turn."""
        return [event async for event in self.turn(message, editor, **fields).run()]
