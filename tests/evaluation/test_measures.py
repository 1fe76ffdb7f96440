"""What a ranking is worth."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.retrieval import Measures, Span, mean, measure

GOLD = ((100, 200),)
PASSAGES = [Span("a.txt", start, start + 100) for start in range(0, 1000, 100)]


def test_the_right_passage_first_is_worth_everything():
    assert measure("a.txt", GOLD, [PASSAGES[1], PASSAGES[0]], PASSAGES) == Measures(1, 1, 1, 1, 1, 1)


def test_the_right_passage_third():
    found = measure("a.txt", GOLD, [PASSAGES[5], PASSAGES[4], PASSAGES[1]], PASSAGES)
    assert found == Measures(1, 1 / 3, 0, 1, 1, 1 / math.log2(4))


def test_the_same_span_of_another_document_is_worth_nothing():
    assert measure("a.txt", GOLD, [Span("b.txt", 100, 200)], PASSAGES) == Measures(0, 0, 0, 0, 0, 0)


def test_coverage_ends_after_two_thousand_characters():
    filler = Span("b.txt", 0, 1950)
    assert measure("a.txt", GOLD, [filler, PASSAGES[1]], PASSAGES).coverage == 0.5
    assert measure("a.txt", GOLD, [filler, Span("b.txt", 0, 50), PASSAGES[1]], PASSAGES).coverage == 0


def test_text_that_is_found_twice_counts_once():
    assert measure("a.txt", GOLD, [Span("a.txt", 50, 150), Span("a.txt", 100, 150)], PASSAGES).coverage == 0.5


def test_a_passage_that_only_touches_the_answer_is_not_relevant():
    assert measure("a.txt", GOLD, [Span("a.txt", 160, 360)], PASSAGES).mrr == 0
    assert measure("a.txt", GOLD, [Span("a.txt", 150, 250)], PASSAGES).mrr == 1


def test_the_mean_is_of_each_measure():
    assert mean([Measures(1, 1, 1, 1, 1, 1), Measures(0, 0.5, 0, 1, 1, 0)]) == Measures(0.5, 0.75, 0.5, 1, 1, 0.5)
    with pytest.raises(ValueError, match="nothing"):
        mean([])


@given(st.lists(st.sampled_from([*PASSAGES, Span("b.txt", 0, 300)]), unique=True))
def test_every_measure_lies_between_0_and_1(ranked: list[Span]):
    found = measure("a.txt", ((50, 250), (700, 730)), ranked, PASSAGES)
    assert all(0 <= value <= 1 for value in vars(found).values())
