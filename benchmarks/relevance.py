"""Whether the documents answer a question at all: `python -m benchmarks.relevance`.

Fits the weights of `retrieval/relevance.py` and prints the curve of docs/retrieval.md. Calibrated on one half of our
own questions, on those about design documents, and on FairytaleQA's training split: every second question asked of all
stories, and of all but its own; every eighth also of the design documents. The others of our own are only measured.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.constants import TRAIN, Vectors
from corpora import DataDirectory, Passage, ProjectKey
from evaluation.retrieval import read_questions
from fletcher.settings import load_settings
from fletcher.wiring import Parts, open_parts
from ingest import scan
from retrieval.asked_for import SAYING, is_said
from retrieval.fusion import Fusion
from retrieval.lexical_index import LexicalIndex
from retrieval.relevance import Evidence, margin, relevance
from retrieval.top import top
from tests.retrieval.answerable import DOCUMENTS, answerable_questions
from tests.retrieval.game_design import page_questions

_THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
_RIDGE = 1e-4  # the groups can nearly be told apart, and then weights without a penalty grow for ever

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AskedQuestion:
    """A question, what speaks for an answer, and whether there is one."""

    evidence: Evidence
    answerable: bool


Groups = dict[str, list[AskedQuestion]]


class _Corpus:
    def __init__(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        self.passages = passages
        self.vectors = vectors
        self._index = LexicalIndex(1, passages)

    def evidence(self, question: str, vector: Vectors) -> Evidence:
        """What a search in all documents knows."""
        index, cosines, fusion = self._index, self.vectors @ vector, Fusion()
        lexical, nearest = index.scores(question), top(cosines, fusion.pool)
        share = index.idf_share(question, lexical, index.scope(None))
        near = {int(row): float(cosines[row]) for row in nearest}
        scores = fusion.fuse(lexical.astype(np.float64), near, fusion.vector_weight(share), index.documents)
        first = [self.passages[row] for row in top(scores, SAYING)]
        return Evidence(share, index.known_share(question), margin(near.values()), is_said(question, first))

    def without(self, document: str) -> _Corpus:
        """The corpus without one of its documents."""
        kept = [row for row, passage in enumerate(self.passages) if passage.document != document]
        return _Corpus([self.passages[row] for row in kept], self.vectors[kept])


def main() -> None:
    """Prints weights and curve."""
    console = Console(width=120)
    if not TRAIN.is_dir() or not DOCUMENTS.is_dir():
        console.print(f"{TRAIN} or {DOCUMENTS} is not here: nothing to measure.")
        return
    with tempfile.TemporaryDirectory() as folder:
        data_dir = Path(folder)
        with open_parts(load_settings(data_dir=data_dir), DataDirectory(data_dir)) as parts:
            groups = _groups(parts)
    calibration = [asked for name, asked in groups.items() if name not in _MEASURED]
    for name, with_margin in (("with vectors", True), ("words only", False)):
        console.print(f"{name}: {', '.join(f'{weight:.2f}' for weight in _fitted(calibration, with_margin))}")
    _print(console, groups)


def _groups(parts: Parts) -> Groups:
    designs, stories = _corpus(parts, "designs", DOCUMENTS), _corpus(parts, "stories", TRAIN / "documents")
    own, about = answerable_questions(), page_questions()
    told = read_questions(TRAIN / "questions.jsonl")
    questions = [*(one.question for one in own), *(one.question for one in about), *(one.text for one in told)]
    vectors = dict(zip(questions, parts.embedder.embed_passages(questions), strict=True))

    def asked(corpus: _Corpus, question: str, answerable: bool) -> AskedQuestion:
        return AskedQuestion(corpus.evidence(question, vectors[question]), answerable)

    def without_their_own() -> Iterator[AskedQuestion]:
        for story in sorted({one.document for one in told}):
            others = stories.without(story)
            yield from (asked(others, one.text, False) for one in told[::2] if one.document == story)

    halves = {half: [asked(designs, q.question, q.answerable) for q in own if q.half == half] for half in _HALVES}
    return {
        "own": halves["first"],
        "designs": [
            *(asked(designs, one.question, True) for one in about),
            *(asked(designs, one.text, False) for one in told[::8]),
        ],
        "stories": [*(asked(stories, one.text, True) for one in told[::2]), *without_their_own()],
        "own, held out": halves["held out"],
        "own, later": halves["later"],
        "own, last": halves["last"],
    }


_HALVES = ("first", "held out", "later", "last")
_MEASURED = ("own, held out", "own, later", "own, last")


def _corpus(parts: Parts, name: str, folder: Path) -> _Corpus:
    key = ProjectKey("local", name)
    parts.ingestor.add(key, list(scan([folder])))
    passages = parts.catalog.passages(key)
    return _Corpus(passages, parts.embedder.embed_passages([passage.embedding_text for passage in passages]))


def _fitted(groups: Sequence[Sequence[AskedQuestion]], with_margin: bool) -> Array:
    """Logistic regression by Newton's method; each group counts for the same, and in it both kinds of question."""
    rows = np.array([_row(one, with_margin) for group in groups for one in group])
    wanted = np.array([one.answerable for group in groups for one in group], dtype=np.float64)
    counts = np.concatenate([_counts(group) for group in groups]) / len(groups)
    penalty = 2 * _RIDGE * np.diag([*[1.0] * (rows.shape[1] - 1), 0.0])
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        said = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (counts * (said - wanted)) + penalty @ weights
        curve = (rows * (counts * said * (1 - said))[:, None]).T @ rows + penalty
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def _row(asked: AskedQuestion, with_margin: bool) -> list[float]:
    evidence = asked.evidence
    margins = [evidence.margin or 0.0] if with_margin else []
    return [evidence.idf_share, evidence.known_share, *margins, 1.0]


def _counts(group: Sequence[AskedQuestion]) -> Array:
    answerable = np.array([one.answerable for one in group])
    return np.where(answerable, 0.5 / answerable.sum(), 0.5 / (~answerable).sum())


def _print(console: Console, groups: Groups) -> None:
    table = Table("confidence below", *(f"{name}: answerable, not" for name in groups))
    for threshold in _THRESHOLDS:
        cells = [
            f"{_share_below(group, threshold, True):.2f}, {_share_below(group, threshold, False):.2f}"
            for group in groups.values()
        ]
        table.add_row(f"{threshold} ({relevance(threshold - 1e-9)})", *cells)
    table.add_row("AUROC", *(f"{auroc(group):.3f}" for group in groups.values()))
    console.print(table)


def _share_below(group: Sequence[AskedQuestion], threshold: float, answerable: bool) -> float:
    return float(np.mean([one.evidence.confidence < threshold for one in group if one.answerable == answerable]))


def auroc(group: Sequence[AskedQuestion]) -> float:
    """How often a question with an answer has the higher confidence of a pair, 0 to 1; equals count half."""
    yes = np.array([one.evidence.confidence for one in group if one.answerable])
    no = np.array([one.evidence.confidence for one in group if not one.answerable])
    return float(np.mean((yes[:, None] > no) + 0.5 * (yes[:, None] == no)))


if __name__ == "__main__":
    main()
