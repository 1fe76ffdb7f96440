"""A turn for the planner: a real project executes its calls, and documents in memory answer its searches."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from agent.local import Say, ToolCall, plan
from agent.turn.request import TurnContext
from arrow_project import OPERATIONS, ArrowProject, Operation, OperationError, Selection, Story
from retrieval import CitedPassage, Document, Passage


def cited(
    number: int, document: str, text: str, heading: tuple[str, ...] = (), page: int | None = None, score: float = 1.0
) -> CitedPassage:
    """A passage as the turn has it."""
    passage = Passage(str(number), document, document, page, page, heading, 0, len(text), text)
    return CitedPassage(number, passage, score)


@dataclass
class Turn:
    """The context of a plan, and who answers its calls.

    `texts` is the whole text of each document; `paged` are the pages of those of which two are shown at a time;
    `refused` answers tools by name with an error.
    """

    project: ArrowProject | None = None
    scene_id: int | None = None
    selected: tuple[int, ...] = ()
    passages: Sequence[CitedPassage] = ()
    texts: dict[str, str] = field(default_factory=dict[str, str])
    paged: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    refused: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    said: list[str] = field(default_factory=list[str])
    not_done: bool = False
    being_read: Sequence[str] = ()

    @property
    def text(self) -> str:
        return "\n\n".join(self.said)

    def run(self, message: str) -> "Turn":
        self.calls, self.said, self.not_done = [], [], False
        names = (*self.texts, *self.paged)
        documents = [Document(name, name, "txt", "", 0, None, (), 1, 1, datetime.now(UTC)) for name in names]
        context = TurnContext(self.project, self.scene_id, self.selected, (), tuple(self.passages), documents)
        steps = plan(message, context)
        answer: dict[str, Any] | None = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration:
                return self
            if isinstance(step, Say):
                self.said.append(step.text)
                self.not_done |= step.outcome == "not_done"
                answer = None
            else:
                self.calls.append(step)
                answer = self.answer(step)

    def answer(self, call: ToolCall) -> dict[str, Any]:
        if call.tool in self.refused:
            return {"error": self.refused[call.tool]}
        if call.tool == "search_documents":
            return {"passages": self._passages(call.arguments)}
        if call.tool == "read_document":
            return self._read(call.arguments["document"], call.arguments.get("part", 1))
        if call.tool == "check_continuity":
            return {"text": "Nothing disagrees."}
        assert call.tool in OPERATIONS, call.tool
        assert self.project is not None
        try:
            return self.project.apply(
                Operation(call.tool, call.arguments), Selection(self.scene_id, self.selected)
            ).result
        except OperationError as error:
            return {"error": {"code": error.code, "message": error.message}}

    @property
    def story(self) -> Story:
        assert self.project is not None
        return Story(self.project)

    @property
    def connections(self) -> set[tuple[int, int, int, int]]:
        return {(link.from_id, link.from_slot, link.to_id, link.to_slot) for link in self.story.links}

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
                "number": one.number,
                "document": one.passage.document,
                "pages": [one.passage.page_from, one.passage.page_to],
                "heading": list(one.passage.heading),
                "text": one.passage.text,
            }
            for one in self.passages
            if wanted in (None, one.passage.document)
        ]
