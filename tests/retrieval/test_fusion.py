import numpy as np
import pytest

from retrieval.fusion import Fusion

FUSION = Fusion()


def test_the_vectors_count_more_the_less_of_the_question_is_found() -> None:
    weights = [FUSION.vector_weight(idf_share) for idf_share in (0, 0.21, 0.4, 0.6, 1)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == pytest.approx(1, abs=0.001)
    assert weights[-1] == pytest.approx(0.2, abs=0.001)


APART = np.arange(4)  # each passage in a document of its own


def test_each_arm_wins_where_its_weight_is() -> None:
    lexical = np.array([9.0, 1.0, 0.0, 0.0])
    similarities = {0: 0.1, 1: 0.2, 2: 0.9, 3: 0.1}
    assert np.argmax(FUSION.fuse(lexical, similarities, 0.2, APART)) == 0
    assert np.argmax(FUSION.fuse(lexical, similarities, 0.95, APART)) == 2


def test_what_the_vector_store_did_not_return_is_as_far_as_the_last_that_it_did() -> None:
    fused = FUSION.fuse(np.zeros(4), {0: 0.9, 1: 0.4}, 1.0, APART)
    assert fused[3] == fused[2] == fused[1] < fused[0]


def test_equal_scores_say_nothing() -> None:
    assert FUSION.fuse(np.zeros(4), dict.fromkeys(range(4), 0.5), 0.5, APART).tolist() == [0, 0, 0, 0]


def test_a_passage_is_lifted_by_its_neighbours_of_the_same_document() -> None:
    scores = np.array([0.0, 1.0, 0.0, 0.0, 2.0])
    lifted = FUSION.with_neighbours(scores, np.array([7, 7, 7, 8, 8]))
    assert lifted.tolist() == pytest.approx([0.4, 1.0, 0.4, 0.8, 2.0])


def test_only_bm25_is_spread_to_neighbours() -> None:
    one_document = np.zeros(4, dtype=np.intp)
    near = {0: 0.9, 1: 0.1, 2: 0.1, 3: 0.1}
    assert len(set(FUSION.fuse(np.zeros(4), near, 1.0, one_document)[1:])) == 1
    lexical = FUSION.fuse(np.array([9.0, 0.0, 0.0, 0.0]), dict.fromkeys(range(4), 0.5), 0.0, one_document)
    assert lexical[0] > lexical[1] > lexical[2]


def test_a_single_passage_has_no_neighbours() -> None:
    assert FUSION.with_neighbours(np.array([1.0]), np.array([0])).tolist() == [1.0]


def test_without_vectors_bm25_decides() -> None:
    assert np.argsort(-FUSION.fuse(np.array([0.0, 2.0, 1.0, 0.0]), {}, 0.0, APART)).tolist()[:2] == [1, 2]


def test_the_surroundings_lift_the_document_that_is_about_them() -> None:
    documents = np.array([0, 0, 1, 1])
    gained = FUSION.surrounded(np.array([4.0, 0.0, 1.0, 0.0]), 0.0, documents)
    assert gained.tolist() == pytest.approx([2.0, 2.0, 0.5, 0.5])
    passages = FUSION.surrounded(np.array([4.0, 0.0, 1.0, 0.0]), 1.0, documents)
    assert passages[0] > passages[1]
    assert FUSION.surrounded(np.zeros(4), 1.0, documents).tolist() == [0, 0, 0, 0]
