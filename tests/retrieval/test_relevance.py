"""A search says whether the documents answer at all; and over real documents how often it is right."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import Catalog, Originals, ProjectKey
from ingest import Ingestor, ReaderPool, scan
from retrieval import Embedder, Retriever, VectorStore
from retrieval.relevance import Evidence, margin, relevance
from tests.retrieval.answerable import DOCUMENTS, answerable_questions
from tests.retrieval.conftest import Put

SHARES = st.floats(0, 1)


@given(SHARES, SHARES, st.none() | SHARES)
def test_a_confidence_is_a_share_and_more_evidence_never_lowers_it(
    share: float, known: float, nearest: float | None
) -> None:
    less, more = Evidence(share / 2, known / 2, nearest), Evidence(share, known, nearest)
    assert 0 <= less.confidence <= more.confidence <= 1
    if nearest is not None:
        assert Evidence(share, known, nearest / 2).confidence <= more.confidence


@given(st.lists(st.floats(-1, 1), max_size=20))
def test_a_margin_is_a_share_of_what_is_possible(cosines: list[float]) -> None:
    found = margin(cosines)
    assert (found is None) == (len(cosines) < 3)
    assert found is None or 0 <= found <= 1


def test_the_words_follow_the_confidence() -> None:
    assert [relevance(confidence) for confidence in (0, 0.09, 0.1, 0.59, 0.6, 1)] == [
        "none", "none", "weak", "weak", "strong", "strong",
    ]  # fmt: skip


@pytest.mark.parametrize("embedded", [False, True])
def test_an_answer_says_how_relevant_it_is(retriever: Retriever, key: ProjectKey, put: Put, embedded: bool) -> None:
    put(key, "bible.md", "Elena keeps the lighthouse.", "The ferry costs two crowns.", "Rain falls on the harbour.")
    put(key, "people.md", "Osk mends nets.", "The mayor sleeps late.")
    if embedded:
        retriever.embed_pending(key)
    found = retriever.answer(key, "Does the ferry cost two crowns?").as_dict()
    lost = retriever.answer(key, "Which submarine had zeppelin captains bought?").as_dict()
    assert (found["relevance"], lost["relevance"]) == ("strong", "none")
    assert 0 <= lost["confidence"] < 0.1 < 0.6 <= found["confidence"] <= 1
    assert retriever.retrieve(key, "Does the ferry cost two crowns?", 200).relevance == "strong"


@pytest.mark.parametrize("embedded", [False, True])
def test_a_name_that_is_there_without_what_is_asked_of_it_is_weak(
    retriever: Retriever, key: ProjectKey, put: Put, embedded: bool
) -> None:
    put(key, "bible.md", "Elena keeps the lighthouse.", "The ferry costs two crowns.", "Rain falls on the harbour.")
    if embedded:
        retriever.embed_pending(key)
    kept = retriever.answer(key, "Where is the Elena who keeps the lighthouse?")
    aged = retriever.answer(key, "How old is the Elena who keeps the lighthouse?")
    assert (kept.relevance, aged.relevance) == ("strong", "weak")
    assert [one.passage for one in aged.passages] == [one.passage for one in kept.passages]
    assert retriever.retrieve(key, "How old is the Elena who keeps the lighthouse?", 200).relevance == "weak"


def test_an_empty_project_has_no_answer(retriever: Retriever, key: ProjectKey, put: Put, catalog: Catalog) -> None:
    document = put(key, "bible.md", "Elena keeps the lighthouse.")
    catalog.remove_document(key, document.id)
    answer = retriever.answer(key, "Who keeps the lighthouse?")
    assert (answer.passages, answer.relevance, answer.confidence) == ((), "none", 0.0)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, minilm: Embedder) -> Iterator[Retriever]:
    if not DOCUMENTS.is_dir():
        pytest.skip("the documents are not here")
    folder = tmp_path_factory.mktemp("library")
    catalog, originals = Catalog(f"sqlite:///{folder / 'catalog'}"), Originals(folder / "originals")
    opened = Retriever(catalog, minilm, VectorStore(folder / "chroma"), originals)
    with ReaderPool() as readers:
        ingestor = Ingestor(catalog, originals, opened, readers)
        ingestor.add(LIBRARY, list(scan([DOCUMENTS])))
    ingestor.embed(LIBRARY)
    yield opened
    opened.close()
    catalog.close()


LIBRARY = ProjectKey("local", "library")


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
