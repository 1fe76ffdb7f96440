"""Questions over real design documents, plain and paraphrased; runs where the documents lie beside the repository."""

from collections.abc import Iterator

import pytest

from corpora import Catalog, Originals, ProjectKey
from ingest import Ingestor, ReaderPool, Source
from retrieval import Embedder, Retriever, VectorStore
from tests.retrieval.conftest import PaintingHere
from tests.retrieval.game_design import DOCUMENTS, PageQuestion, page_questions

KEY = ProjectKey("local", "game-design")
QUESTIONS = page_questions()

pytestmark = pytest.mark.skipif(not DOCUMENTS.is_dir(), reason="the game design documents are not here")


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory, minilm: Embedder) -> Iterator[Retriever]:
    folder = tmp_path_factory.mktemp("game-design")
    catalog, originals = Catalog(f"sqlite:///{folder / 'catalog'}"), Originals(folder / "originals")
    retriever = Retriever(catalog, minilm, VectorStore(folder / "chroma"), originals, painter=PaintingHere())
    names = {question.document for question in QUESTIONS}
    with ReaderPool() as readers:
        ingestor = Ingestor(catalog, originals, retriever, readers)
        ingestor.add(KEY, [Source(name, (DOCUMENTS / name).read_bytes()) for name in sorted(names)])
    ingestor.embed(KEY)
    yield retriever
    retriever.close()
    catalog.close()


def found(retriever: Retriever, question: PageQuestion) -> bool:
    best = retriever.search(KEY, question.question, 3, question.document)
    return any(question.answered_by(one.passage) for one in best)


# Of 31 and 20. BM25 alone finds 30 and 20 plain ones and 6 and 7 paraphrased ones; the vectors alone 29, 19, 23 and 17.
# docs/retrieval.md says why others are missed. One question of each is left to chance.
@pytest.mark.parametrize(
    ("half", "style", "at_least"),
    [("first", "plain", 30), ("first", "paraphrased", 22), ("held out", "plain", 19), ("held out", "paraphrased", 15)],
)
def test_the_right_page_is_among_the_first_three(retriever: Retriever, half: str, style: str, at_least: int) -> None:
    asked = [question for question in QUESTIONS if (question.half, question.style) == (half, style)]
    missed = [question.question for question in asked if not found(retriever, question)]
    assert len(asked) - len(missed) >= at_least, missed


@pytest.mark.parametrize(("document", "page"), [("nightmarevania.pdf", 9), ("space-shooter-fabula.pdf", 5)])
def test_passages_are_marked_on_their_pages(retriever: Retriever, document: str, page: int) -> None:
    plain_page = retriever.page_picture(KEY, document, page)
    passages = [one.passage for one in retriever.search(KEY, "the game", 1000, document)]
    on_page = [passage for passage in passages if passage.page_from == page]
    assert on_page
    for passage in on_page[:2]:
        assert retriever.page_picture(KEY, document, page, passage.id) != plain_page, passage.text
