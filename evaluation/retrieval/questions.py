"""Questions with the places in the documents that answer them."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError


class QuestionsError(Exception):
    """`questions.jsonl` cannot be used; the message names the line and the rule."""


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        id: Names it in reports.
        document: The name of the document that answers it.
        text: The question.
        gold: The spans `[from, to)` of the document's extracted text that answer it; none before it is `located`.
        gold_text: Or their words.
    """

    id: str
    document: str
    text: str
    gold: tuple[tuple[int, int], ...]
    gold_text: str = ""


class _Line(BaseModel):
    id: str
    document: str
    question: str = Field(min_length=1)
    gold: list[tuple[int, int]] | None = Field(default=None, min_length=1)
    gold_text: str = ""


def read_questions(path: Path) -> list[Question]:
    """The questions of a file with one JSON object a line: `id`, `document`, `question`, `gold` or `gold_text`.

    Raises:
        QuestionsError: The file cannot be read, is empty, or a line is not such an object.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError as error:
        raise QuestionsError(
            f"{path} cannot be read, as it is not there: it must have one object "
            '{"id", "document", "question", "gold_text"} a line, and beside it must be the folder documents/.'
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"{path} cannot be read: {error}.") from error
    questions = [_question(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not questions:
        raise QuestionsError(f"{path} has no questions; each line must be a JSON object.")
    return questions


def _question(path: Path, number: int, line: str) -> Question:
    try:
        value: Any = json.loads(line)
        read = _Line.model_validate(value)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors())
        raise QuestionsError(f"{path}, line {number}: {problems}.") from error
    except ValueError as error:
        raise QuestionsError(f"{path}, line {number}: not JSON ({error}).") from error
    gold = tuple(read.gold or ())
    if any(start < 0 or end <= start for start, end in gold):
        raise QuestionsError(f"{path}, line {number}: each span of gold must be [from, to] with 0 <= from < to.")
    if not gold and not read.gold_text.strip():
        raise QuestionsError(
            f"{path}, line {number}: needs gold_text, the words of the document that answer the question, or gold, "
            "their places [[from, to]] in its text."
        )
    return Question(read.id, read.document, read.question, gold, read.gold_text)


def located(question: Question, text: str) -> Question:
    """The question with the places of its `gold_text`, where it has no other.

    Args:
        question: About the document.
        text: The document's extracted text; any white space in it is as good as any other.

    Raises:
        QuestionsError: The words are not in it.
    """
    if question.gold:
        return question
    words = r"\s+".join(map(re.escape, question.gold_text.split()))
    gold = tuple(found.span() for found in re.finditer(words, text))
    if not gold:
        raise QuestionsError(
            f"question {question.id}: its gold_text is not in {question.document} as Fletcher reads it: "
            f"{question.gold_text!r}. Give words that follow one another there."
        )
    return replace(question, gold=gold)
