"""BM25 and vector similarity become one score.

The constants are measured. "Coverage": share of the gold section's characters in the first 2,000 characters, over the
1,310 questions of FairytaleQA's training split with all stories in one project. "Plain" and "paraphrased": right page
among the first three, within the document, of 31 questions each on real design documents, with the page's words and
without. BM25 alone: coverage .603, plain 31, paraphrased 6; vectors alone: .436, 29, 23; as it is here: .655, 30, 23.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from retrieval.top import top

Array = NDArray[np.float64]

# How many of each arm's best passages set the scale of the scores. Coverage with 20 .656, 100 .655, all passages .650.
# What the vector store does not return counts as similar as the last that it does.
POOL = 100

# Share of a neighbour's BM25 that a passage gets: 0 .614, .3 .653, .4 .657, .5 .649 (coverage, middle of the curve at
# .4). The vectors' scores are not spread: it gains nothing there, and costs three paraphrased questions.
_NEIGHBOUR = 0.4


def vector_weight(coverage: float) -> float:
    """How much the vectors count, by how much of the question's idf mass BM25's best passages have.

    Where the words of the question are found, BM25 is the better judge; where they are not (a paraphrase), the vectors
    are. Middle of the curve at .4: coverage .657, paraphrased 21; .45: .655, 23; .5: .655, 23, but .003 less on the
    validation split and one plain question lost. A constant .3 finds 12 paraphrased.
    """
    return 0.2 + 0.75 / (1 + math.exp(12 * (coverage - 0.45)))


def fuse(lexical: Array, similarities: Mapping[int, float], weight: float, documents: NDArray[np.intp]) -> Array:
    """One score for each passage: the weighed sum of both arms' z-scores over the best passages of either.

    Args:
        lexical: BM25 of each passage, in reading order.
        similarities: cosine of the passages that the vector store returned, by their index in `lexical`.
        weight: of the vectors, between 0 and 1.
        documents: of which document each passage is.
    """
    near = np.array(list(similarities), dtype=np.intp)
    pool = np.union1d(top(lexical, POOL), near)
    dense = np.full(len(lexical), min(similarities.values()))
    dense[near] = list(similarities.values())
    return (1 - weight) * with_neighbours(_z(lexical, pool), documents) + weight * _z(dense, pool)


def with_neighbours(lexical: Array, documents: NDArray[np.intp]) -> Array:
    """Scores with a share of those next to them in the document: answers lie beside the question's words."""
    same = documents[1:] == documents[:-1]
    lifted = lexical.copy()
    lifted[1:] += np.where(same, _NEIGHBOUR * lexical[:-1], 0)
    lifted[:-1] += np.where(same, _NEIGHBOUR * lexical[1:], 0)
    return lifted


def _z(values: Array, pool: NDArray[np.intp]) -> Array:
    spread = float(values[pool].std())
    return (values - values[pool].mean()) / spread if spread > 1e-9 else np.zeros(len(values))
