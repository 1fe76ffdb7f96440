"""Questions with the places in the documents that answer them."""

import json
from dataclasses import dataclass
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
        gold: The spans `[from, to)` of the document's extracted text that answer it.
    """

    id: str
    document: str
    text: str
    gold: tuple[tuple[int, int], ...]


class _Line(BaseModel):
    id: str
    document: str
    question: str = Field(min_length=1)
    gold: list[tuple[int, int]] = Field(min_length=1)


def read_questions(path: Path) -> list[Question]:
    """The questions of a file with one JSON object a line: `id`, `document`, `question`, `gold: [[from, to], ...]`.

    Raises:
        QuestionsError: The file cannot be read, is empty, or a line is not such an object.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError as error:
        raise QuestionsError(
            f"{path} cannot be read, as it is not there: it must have one object "
            '{"id", "document", "question", "gold": [[from, to]]} a line, and beside it must be the folder documents/.'
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
    if any(start < 0 or end <= start for start, end in read.gold):
        raise QuestionsError(f"{path}, line {number}: each span of gold must be [from, to] with 0 <= from < to.")
    return Question(read.id, read.document, read.question, tuple(read.gold))
