"""What a ranking is worth: coverage of the gold, and the usual measures of rank."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import NamedTuple

# What a prompt takes of passages without a second thought.
COVERAGE_CHARACTERS = 2000
_NDCG_DEPTH = 10


class Span(NamedTuple):
    """A piece of a document: characters `[char_from, char_to)` of its extracted text."""

    document: str
    char_from: int
    char_to: int


@dataclass(frozen=True)
class Measures:
    """Each between 0 and 1.

    Attributes:
        coverage: Share of the gold's characters in the first 2,000 characters of the ranked passages.
        mrr: One over the rank of the first relevant passage.
        hit_1: Whether the first passage is relevant.
        hit_3: Whether one of the first three is.
        hit_10: Whether one of the first ten is.
        ndcg_10: Discounted gain of the first ten against the best possible order.
    """

    coverage: float
    mrr: float
    hit_1: float
    hit_3: float
    hit_10: float
    ndcg_10: float


def measure(
    document: str, gold: Sequence[tuple[int, int]], ranked: Sequence[Span], passages: Iterable[Span]
) -> Measures:
    """The measures of one ranking.

    A passage is relevant if half of it lies in the gold, or half of the gold in it.

    Args:
        document: Which document the gold is of.
        gold: Spans that answer the question.
        ranked: What was found, best first.
        passages: All passages of that document, which say how good a ranking could be.
    """
    relevant = [_is_relevant(document, gold, span) for span in ranked]
    first = relevant.index(True) + 1 if True in relevant else None
    possible = sum(_is_relevant(document, gold, span) for span in passages)
    return Measures(
        coverage=_coverage(document, gold, ranked),
        mrr=1 / first if first else 0.0,
        hit_1=float(first == 1),
        hit_3=float(first is not None and first <= 3),
        hit_10=float(first is not None and first <= 10),
        ndcg_10=_discounted(relevant) / _discounted([True] * possible) if possible else 0.0,
    )


def mean(measures: Sequence[Measures]) -> Measures:
    """The mean of each measure; raises `ValueError` for none."""
    if not measures:
        raise ValueError("There is nothing to take the mean of.")
    columns = zip(*(astuple(one) for one in measures), strict=True)
    return Measures(*(sum(column) / len(measures) for column in columns))


def _coverage(document: str, gold: Sequence[tuple[int, int]], ranked: Sequence[Span]) -> float:
    wanted = {position for start, end in gold for position in range(start, end)}
    found, room = set[int](), COVERAGE_CHARACTERS
    for span in ranked:
        if room <= 0:
            break
        if span.document == document:
            found.update(range(span.char_from, min(span.char_to, span.char_from + room)))
        room -= span.char_to - span.char_from
    return len(wanted & found) / len(wanted)


def _is_relevant(document: str, gold: Sequence[tuple[int, int]], span: Span) -> bool:
    if span.document != document:
        return False
    shared = sum(max(0, min(end, span.char_to) - max(start, span.char_from)) for start, end in gold)
    shorter = min(span.char_to - span.char_from, sum(end - start for start, end in gold))
    return 2 * shared >= shorter > 0


def _discounted(relevant: Sequence[bool]) -> float:
    return sum(1 / math.log2(rank + 1) for rank, is_relevant in enumerate(relevant[:_NDCG_DEPTH], 1) if is_relevant)
