"""A search says whether the documents answer at all; test_real_documents.py asks how often it is right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import Catalog, ProjectKey
from retrieval import Retriever
from retrieval.relevance import Evidence, margin, relevance
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
