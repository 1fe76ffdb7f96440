"""Questions with and without an answer in all documents that lie beside the repository.

They were written before the relevance of a search was calibrated, and half of them, `first`, took part in that; but for
`later` and `last`, which were written after it, before anything was asked of them. By `later` the rule about what a
question asks for was chosen (`retrieval/asked_for.py`), by `last` nothing.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.retrieval.game_design import DOCUMENTS as GAME_DESIGN

DOCUMENTS = GAME_DESIGN.parent
_FILE = Path(__file__).with_name("answerable_questions.jsonl")


@dataclass(frozen=True)
class AnswerableQuestion:
    """`document`, `pages` and `evidence` say where the answer stands, if there is one; `kind` is told in reports."""

    question: str
    answerable: bool
    half: str
    kind: str
    document: str = ""
    pages: tuple[int, ...] = ()
    evidence: str = ""


def answerable_questions() -> list[AnswerableQuestion]:
    """All of them: 120 with an answer, 120 without."""
    return [_question(json.loads(line)) for line in _FILE.read_text("utf-8").splitlines()]


def _question(line: dict[str, Any]) -> AnswerableQuestion:
    line["pages"] = tuple(line.get("pages", ()))
    return AnswerableQuestion(**line)
