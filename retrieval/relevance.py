"""Whether the documents answer a question at all, from what every search knows anyway.

The weights are those of a logistic regression, and the thresholds were read from its curve: `python -m
benchmarks.relevance` makes both, and docs/retrieval.md has the curve. Nothing is embedded or loaded for it.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Relevance = Literal["strong", "weak", "none"]

# Of the best passage's share of the question's words, of those that occur at all, and of the margin; then the constant.
_WITH_VECTORS = (3.85, 0.57, 7.95, -4.81)
_WORDS_ONLY = (5.24, 0.86, -3.13)

# Below the first, at most 5 % of the questions lie that have an answer, be they asked in other words; above the second
# most that have one, and few that have none.
_NONE, _STRONG = 0.1, 0.6

# The most where none of the first passages says such a thing as is asked for: `weak`, as it may say so in other words.
_UNSAID = 0.2

# Of fewer passages, the nearest stands out from nothing.
_BACKGROUND = 3


@dataclass(frozen=True)
class Evidence:
    """What speaks for an answer.

    Attributes:
        idf_share: How much of the question its best passage by words has, 0 to 1; see `LexicalIndex.idf_share`.
        known_share: How much of it occurs anywhere, 0 to 1; see `LexicalIndex.known_share`.
        margin: How far the nearest passage stands out, 0 to 1; see `margin`. None where there are no vectors.
        is_said: Whether the first passages say such a thing as is asked for; see `asked_for.is_said`.
    """

    idf_share: float
    known_share: float
    margin: float | None = None
    is_said: bool = True

    @property
    def confidence(self) -> float:
        """How likely it is that the documents have the answer, 0 to 1, in thousandths."""
        if self.margin is None:
            words, known, constant = _WORDS_ONLY
            found = _logistic(words * self.idf_share + known * self.known_share + constant)
        else:
            words, known, margin, constant = _WITH_VECTORS
            found = _logistic(words * self.idf_share + known * self.known_share + margin * self.margin + constant)
        return found if self.is_said else min(found, _UNSAID)


def margin(cosines: Collection[float]) -> float | None:
    """How far the nearest passage stands out from the background, as a share of what is possible; None without one.

    The background is the least similar of the passages that the vector store returned, up to 100: so neither how
    similar a model finds everything nor how large the corpus is decides much.
    """
    if len(cosines) < _BACKGROUND:
        return None
    background = min(cosines)
    return (max(cosines) - background) / max(1 - background, 1e-9)


def relevance(confidence: float) -> Relevance:
    """The confidence as a word."""
    if confidence < _NONE:
        return "none"
    return "strong" if confidence >= _STRONG else "weak"


def _logistic(value: float) -> float:
    return round(1 / (1 + math.exp(-value)), 3)
