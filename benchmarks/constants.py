"""What each constant of the ranking is worth: `python -m benchmarks.constants`, the tables of docs/retrieval.md.

Coverage is that of `fletcher evaluate`, on FairytaleQA's training split only. Plain and paraphrased are our questions
over real design documents, asked within the document: right page, or passage, among the first three.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from corpora import DataDirectory, Passage, ProjectKey
from evaluation.retrieval import Question, Span, measure, read_questions
from fletcher.settings import load_settings
from fletcher.wiring import Parts, open_parts
from ingest import Source, scan
from retrieval import Embedder
from retrieval.fusion import Fusion
from retrieval.lexical_index import LexicalIndex
from tests.retrieval.game_design import DOCUMENTS, PageQuestion, page_questions

TRAIN = DOCUMENTS.parents[1] / "fairytaleqa" / "train"
DEPTH = 12  # passages; more than 2,000 characters of any size

VALUES: dict[str, Sequence[float]] = {
    "neighbour": (0, 0.2, 0.3, 0.4, 0.5),
    "least": (0, 0.1, 0.2, 0.3, 0.4),
    "most": (0.2, 0.8, 0.95, 1.0),
    "middle": (0.35, 0.4, 0.45, 0.5, 0.55),
    "steepness": (5, 12, 20, 40),
    "pool": (20, 50, 100, 400),
}
SURROUNDINGS: Sequence[tuple[float, float]] = (
    (0, 0), (1, 0), (2, 0), (4, 0), (0, 0.5), (2, 0.2), (2, 0.5), (4, 0.5), (2, 1),
)  # fmt: skip

SAYING_NOTHING = ("Make it colder.", "Shorter, please.", "Could you go on from here?")

Vectors = NDArray[np.float32]


@dataclass
class Corpus:
    """The passages of a project with their vectors, and questions with theirs."""

    passages: list[Passage]
    vectors: Vectors
    questions: list[str]
    asked: Vectors
    index: LexicalIndex = field(init=False)

    def __post_init__(self) -> None:
        self.index = LexicalIndex(1, self.passages)
        self.lexical = [self.index.scores(question) for question in self.questions]
        self.cosines = self.asked @ self.vectors.T
        self.ids = {passage.document: passage.document_id for passage in self.passages}

    def ranked(
        self, number: int, document: str | None, fusion: Fusion, best_of: int = 3, around: str = ""
    ) -> list[Passage]:
        """The best passages for a question, as a search finds them."""
        index, scores = self.index, self.lexical[number]
        scope = index.scope(None if document is None else self.ids[document])
        cosines = self.cosines[number][scope]
        near = {int(row): float(cosines[row]) for row in np.argsort(-cosines)[: fusion.pool]}
        weight = fusion.vector_weight(index.idf_share(self.questions[number], scores, scope, best_of))
        documents = index.documents[scope]
        fused = fusion.fuse(scores[scope].astype(np.float64), near, weight, documents)
        if around:
            fused += fusion.surrounded(index.scores(around)[scope].astype(np.float64), weight, documents)
        first = np.argsort(-fused, kind="stable")[: fusion.pool]
        return [self.passages[scope[place]] for place in first[:DEPTH]]


@dataclass(frozen=True)
class Sets:
    """FairytaleQA's training split, and our own questions."""

    stories: Corpus
    story_questions: list[Question]
    design: Corpus
    page_questions: list[PageQuestion]

    def coverage(
        self, fusion: Fusion, within: bool, best_of: int = 3, around: Callable[[Question], str] = lambda _: ""
    ) -> float:
        """Mean coverage@2000 of the stories' questions."""
        found: list[float] = []
        for number, question in enumerate(self.story_questions):
            document = question.document if within else None
            passages = self.stories.ranked(number, document, fusion, best_of, around(question))
            spans = [Span(passage.document, passage.char_from, passage.char_to) for passage in passages]
            found.append(measure(question.document, question.gold, spans, ()).coverage)
        return float(np.mean(found))

    def pages(self, style: str, fusion: Fusion, best_of: int = 3) -> str:
        """How many of our questions of a style find their page among the first three."""
        asked = [(n, question) for n, question in enumerate(self.page_questions) if question.style == style]
        hits = [
            any(
                question.answered_by(passage)
                for passage in self.design.ranked(n, question.document, fusion, best_of)[:3]
            )
            for n, question in asked
        ]
        return f"{sum(hits)}/{len(hits)}"

    def sections(self, fusion: Fusion) -> str:
        """How often a message that says nothing finds the section that the open scene is named after."""
        titles = Counter(passage.heading[-1] for passage in self.design.passages if passage.heading)
        hits = [
            any(title in passage.heading for passage in self.design.ranked(number, None, fusion, around=title)[:3])
            for title in titles
            for number in range(len(self.page_questions), len(self.design.questions))
        ]
        return f"{sum(hits)}/{len(hits)}"

    def row(self, fusion: Fusion, best_of: int = 3) -> list[str]:
        """Coverage in all stories and within the story, plain, paraphrased."""
        coverages = [f"{self.coverage(fusion, within, best_of):.3f}" for within in (False, True)]
        return [*coverages, self.pages("plain", fusion, best_of), self.pages("paraphrased", fusion, best_of)]


def main() -> None:
    """Prints the tables."""
    console = Console(width=100)
    if not TRAIN.is_dir():
        console.print(f"{TRAIN} is not here: nothing to measure.")
        return
    with tempfile.TemporaryDirectory() as folder:
        data_dir = Path(folder)
        with open_parts(load_settings(data_dir=data_dir), DataDirectory(data_dir)) as parts:
            sets, headless = _sets(parts)
    fusion = Fusion()
    _print(console, "arm", _arms(sets, headless, fusion))
    for name, values in VALUES.items():
        rows = ((_marked(value, getattr(fusion, name)), sets.row(replace(fusion, **{name: value}))) for value in values)
        _print(console, name, rows)
    _print(console, "idf_share looked for in the best", ((_marked(n, 3), sets.row(fusion, n)) for n in (1, 3, 10)))
    scopes = ("its scene", "another scene", "says nothing")
    _print(console, "surroundings: document, passage", _surroundings(sets, fusion), scopes)


def _arms(sets: Sets, headless: Sets, fusion: Fusion) -> Iterator[tuple[str, list[str]]]:
    yield "as it is", sets.row(fusion)
    yield "BM25 alone", sets.row(replace(fusion, least=0, most=0))
    yield "BM25 alone, without neighbours", sets.row(replace(fusion, least=0, most=0, neighbour=0))
    yield "vectors alone", sets.row(replace(fusion, least=1, most=1))
    yield "without headings", headless.row(fusion)


def _surroundings(sets: Sets, fusion: Fusion) -> Iterator[tuple[str, list[str]]]:
    """Asked with the scene of the story open, or with that of another: its title, and who is named most.

    The last column asks nothing ("Shorter, please.") in a scene that is named as a section of the design documents is:
    how often that section is among the first three passages.
    """
    texts = Counter[str]()
    names: dict[str, Counter[str]] = {}
    for passage in sets.stories.passages:
        texts[passage.document] += len(passage.text)
        found = re.findall(r"(?<=[a-z,;] )[A-Z][a-z]{2,}", passage.text)
        names.setdefault(passage.document, Counter()).update(found)
    scenes = {
        story: " ".join([Path(story).stem.replace("-", " "), *(name for name, _ in counted.most_common(5))])
        for story, counted in names.items()
    }
    others = dict(zip(scenes, [*list(scenes.values())[7:], *list(scenes.values())[:7]], strict=True))
    for document, passage in SURROUNDINGS:
        tried = replace(fusion, about_document=document, about_passage=passage)
        chosen = (fusion.about_document, fusion.about_passage)
        yield (
            _marked((document, passage), chosen),
            [
                *(
                    f"{sets.coverage(tried, False, around=lambda q, of=of: of[q.document]):.3f}"
                    for of in (scenes, others)
                ),
                sets.sections(tried),
            ],
        )


def _marked(value: object, chosen: object) -> str:
    return f"{value} *" if value == chosen else f"{value}"


def _print(
    console: Console,
    title: str,
    rows: Iterable[tuple[str, list[str]]],
    columns: Sequence[str] = ("all stories", "within", "plain", "paraphrased"),
) -> None:
    table = Table(title, *columns)
    for name, values in rows:
        table.add_row(name, *values)
    console.print(table)


def _sets(parts: Parts) -> tuple[Sets, Sets]:
    """As passages are embedded, and without their headings."""
    story_questions, asked = read_questions(TRAIN / "questions.jsonl"), page_questions()
    stories, design = ProjectKey("local", "stories"), ProjectKey("local", "design")
    parts.ingestor.index(stories, scan([TRAIN / "documents"]))
    names = sorted({question.document for question in asked})
    parts.ingestor.index(design, [Source(name, (DOCUMENTS / name).read_bytes()) for name in names])
    of_pages = [*(question.question for question in asked), *SAYING_NOTHING]
    of_stories = [question.text for question in story_questions]
    made: list[Sets] = []
    for headings in (True, False):
        corpora = [_corpus(parts, *pair, headings) for pair in ((stories, of_stories), (design, of_pages))]
        made.append(Sets(corpora[0], story_questions, corpora[1], asked))
    return made[0], made[1]


def _corpus(parts: Parts, key: ProjectKey, questions: list[str], headings: bool) -> Corpus:
    passages = parts.catalog.passages(key)
    if not headings:
        passages = [replace(passage, heading=()) for passage in passages]
    embedder: Embedder = parts.embedder
    vectors = embedder.embed_passages([passage.embedding_text for passage in passages])
    return Corpus(passages, vectors, questions, embedder.embed_passages(questions))


if __name__ == "__main__":
    main()
