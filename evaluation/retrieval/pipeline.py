"""A pipeline under evaluation, and the run over all questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from evaluation.retrieval.measures import Measures, Span, mean, measure
from evaluation.retrieval.questions import Question


@dataclass(frozen=True)
class DocumentText:
    """A document as every pipeline gets it: its name and its extracted text."""

    name: str
    text: str


class Pipeline(Protocol):
    """Something that ranks passages."""

    @property
    def name(self) -> str:
        """How reports call it."""
        ...

    def search(self, question: str, document: str | None) -> list[Span]:
        """Passages of all documents or of one, best first; enough for the measures."""
        ...

    def passages(self, document: str) -> Sequence[Span]:
        """All passages of a document."""
        ...


def evaluate(
    pipeline: Pipeline, questions: Sequence[Question], *, within_document: bool, asked: Callable[[], object]
) -> Measures:
    """The mean over all questions.

    Args:
        pipeline: What is measured.
        questions: At least one.
        within_document: Search in the question's document only.
        asked: Called after each question.
    """
    measures: list[Measures] = []
    for question in questions:
        found = pipeline.search(question.text, question.document if within_document else None)
        measures.append(measure(question.document, question.gold, found, pipeline.passages(question.document)))
        asked()
    return mean(measures)
