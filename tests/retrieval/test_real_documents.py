"""Questions over real documents, each with the right page or with none; runs where they lie beside the repository."""

from collections.abc import Iterator

import numpy as np
import pytest

from corpora import Catalog, Originals, ProjectKey
from ingest import Ingestor, ReaderPool, scan
from retrieval import Embedder, Retriever, VectorStore
from tests.retrieval.answerable import DOCUMENTS, answerable_questions
from tests.retrieval.conftest import PaintingHere
from tests.retrieval.game_design import PageQuestion, page_questions

LIBRARY = ProjectKey("local", "library")
QUESTIONS = page_questions()

pytestmark = pytest.mark.skipif(not DOCUMENTS.is_dir(), reason="the documents are not here")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, minilm: Embedder) -> Iterator[Retriever]:
    folder = tmp_path_factory.mktemp("library")
    catalog, originals = Catalog(f"sqlite:///{folder / 'catalog'}"), Originals(folder / "originals")
    opened = Retriever(catalog, minilm, VectorStore(folder / "chroma"), originals, painter=PaintingHere())
    with ReaderPool() as readers:
        ingestor = Ingestor(catalog, originals, opened, readers)
        ingestor.add(LIBRARY, list(scan([DOCUMENTS])))
    ingestor.embed(LIBRARY)
    yield opened
    opened.close()
    catalog.close()


def test_questions_without_an_answer_are_told_from_those_with_one(library: Retriever) -> None:
    asked = [one for one in answerable_questions() if one.half == "held out"]
    sure = {one: library.answer(LIBRARY, one.question, 1) for one in asked}
    yes = np.array([found.confidence for one, found in sure.items() if one.answerable])
    no = np.array([found.confidence for one, found in sure.items() if not one.answerable])
    assert len(yes) == len(no) == 30
    assert np.mean((yes[:, None] > no) + 0.5 * (yes[:, None] == no)) >= 0.9
    denied = [one.question for one, found in sure.items() if one.answerable and found.relevance == "none"]
    assert len(denied) <= 0.05 * len(yes), denied
    assert np.mean(no < 0.6) >= 0.8


def found(library: Retriever, question: PageQuestion) -> bool:
    best = library.search(LIBRARY, question.question, 3, f"game-design/{question.document}")
    return any(question.answered_by(one.passage) for one in best)


# Of 31 and 20. BM25 alone finds 30 and 20 plain ones and 6 and 7 paraphrased ones; the vectors alone 29, 19, 23 and 17.
# docs/retrieval.md says why others are missed. One question of each is left to chance.
@pytest.mark.parametrize(
    ("half", "style", "at_least"),
    [("first", "plain", 30), ("first", "paraphrased", 22), ("held out", "plain", 19), ("held out", "paraphrased", 15)],
)
def test_the_right_page_is_among_the_first_three(library: Retriever, half: str, style: str, at_least: int) -> None:
    asked = [question for question in QUESTIONS if (question.half, question.style) == (half, style)]
    missed = [question.question for question in asked if not found(library, question)]
    assert len(asked) - len(missed) >= at_least, missed


@pytest.mark.parametrize(
    ("document", "page"), [("game-design/nightmarevania.pdf", 9), ("game-design/space-shooter-fabula.pdf", 5)]
)
def test_passages_are_marked_on_their_pages(library: Retriever, document: str, page: int) -> None:
    plain_page = library.page_picture(LIBRARY, document, page)
    passages = [one.passage for one in library.search(LIBRARY, "the game", 1000, document)]
    on_page = [passage for passage in passages if passage.page_from == page]
    assert on_page
    for passage in on_page[:2]:
        assert library.page_picture(LIBRARY, document, page, passage.id) != plain_page, passage.text
