"""A turn for the planner: a real project executes its calls, and documents in memory answer its searches."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.local import Call, Say, plan
from agent.local.story import Story
from arrow_project import OPERATIONS, ArrowProject, Operation, OperationError, Selection


@dataclass(frozen=True)
class Passage:
    document: str
    text: str
    heading: tuple[str, ...] = ()
    page_from: int | None = None
    page_to: int | None = None


@dataclass(frozen=True)
class CitedPassage:
    number: int
    passage: Passage
    score: float = 1.0


@dataclass(frozen=True)
class Document:
    name: str
    pages: int | None = None


@dataclass(frozen=True)
class Exchange:
    message: str
    output: str


@dataclass
class Turn:
    """The context of a plan, and who answers its calls.

    `texts` is the whole text of each document; `paged` are the pages of those of which two are shown at a time;
    `refused` answers tools by name with an error.
    """

    project: ArrowProject | None = None
    scene_id: int | None = None
    selected_node_ids: tuple[int, ...] = ()
    passages: Sequence[CitedPassage] = ()
    texts: dict[str, str] = field(default_factory=dict[str, str])
    paged: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    refused: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    history: Sequence[Exchange] = ()
    calls: list[Call] = field(default_factory=list[Call])
    said: list[str] = field(default_factory=list[str])

    @property
    def documents(self) -> Sequence[Document]:
        return [Document(name) for name in (*self.texts, *self.paged)]

    @property
    def text(self) -> str:
        return "\n\n".join(self.said)

    def run(self, message: str) -> "Turn":
        self.calls, self.said = [], []
        steps = plan(message, self)
        answer: dict[str, Any] | None = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration:
                return self
            if isinstance(step, Say):
                self.said.append(step.text)
                answer = None
            else:
                self.calls.append(step)
                answer = self.answer(step)

    def answer(self, call: Call) -> dict[str, Any]:
        if call.tool in self.refused:
            return {"error": self.refused[call.tool]}
        if call.tool == "search_documents":
            return {"passages": self._passages(call.arguments)}
        if call.tool == "read_document":
            return self._read(call.arguments["document"], call.arguments.get("part", 1))
        assert call.tool in OPERATIONS, call.tool
        assert self.project is not None
        selection = Selection(self.scene_id, self.selected_node_ids)
        try:
            return self.project.apply(Operation(call.tool, call.arguments), selection).result
        except OperationError as error:
            return {"error": {"code": error.code, "message": error.message}}

    @property
    def story(self) -> Story:
        assert self.project is not None
        return Story(self.project)

    @property
    def connections(self) -> set[tuple[int, int, int, int]]:
        return {(link.from_id, link.from_slot, link.to_id, link.to_slot) for link in self.story.connections}

    @property
    def edits(self) -> list[str]:
        return [call.tool for call in self.calls if call.tool in OPERATIONS]

    def _read(self, document: str, part: int) -> dict[str, Any]:
        if document in self.texts:
            return {"document": document, "pages": [{"page": None, "text": self.texts[document]}]}
        numbered = [{"page": number, "text": text} for number, text in enumerate(self.paged[document], start=1)]
        shown = {"document": document, "pages": numbered[2 * part - 2 : 2 * part]}
        return shown | {"part": part, "of_parts": -(-len(numbered) // 2)}

    def _passages(self, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        wanted = arguments.get("document")
        return [
            {
                "number": cited.number,
                "document": cited.passage.document,
                "pages": [cited.passage.page_from, cited.passage.page_to],
                "heading": list(cited.passage.heading),
                "text": cited.passage.text,
            }
            for cited in self.passages
            if wanted in (None, cited.passage.document)
        ]
