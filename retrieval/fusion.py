"""BM25 and vector similarity become one score.

All constants are measured on the FairytaleQA training split (coverage of the gold section by the first 2,000
characters, all stories in one project) and on plain and paraphrased questions over real design documents.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# How many of each arm's best passages set the scale of the scores: 20 .656, 100 .655, all .650. What
# the vector store does not return counts as similar as the last that it does.
POOL = 100

# Share of a neighbour's score that a passage gets: 0 .613, .2 .644, .3 .650, .4 .647, .5 .639.
_NEIGHBOUR = 0.3


def vector_weight(coverage: float) -> float:
    """How much the vectors count, by how much of the question's idf mass BM25's best passages have.

    Where the words of the question are found, BM25 is the better judge; where they are not (a paraphrase),
    the vectors are. Right page in the first three, within the document, of 31 plain and 31 paraphrased
    questions: .3 always 30 and 12, this curve 30 and 19, vectors alone 28 and 20. With its middle at .5 or .6
    FairytaleQA (validation) loses .002 or .009.
    """
    return 0.2 + 0.75 / (1 + math.exp(12 * (coverage - 0.4)))


def fuse(lexical: Array, similarities: Mapping[int, float], weight: float) -> Array:
    """One score for each passage: the weighed sum of both arms' z-scores over the best of either.

    Args:
        lexical: BM25 of each passage.
        similarities: cosine of the passages that the vector store returned, by their index in `lexical`.
        weight: of the vectors, between 0 and 1.
    """
    near = np.array(list(similarities), dtype=np.intp)
    pool = np.union1d(np.argsort(-lexical, kind="stable")[:POOL], near)
    dense = np.full(len(lexical), min(similarities.values()))
    dense[near] = list(similarities.values())
    return (1 - weight) * _z(lexical, pool) + weight * _z(dense, pool)


def with_neighbours(scores: Array, documents: NDArray[np.intp]) -> Array:
    """Scores with a share of those next to them in the document: answers lie beside the question's words."""
    same = documents[1:] == documents[:-1]
    lifted = scores.copy()
    lifted[1:] += np.where(same, _NEIGHBOUR * scores[:-1], 0)
    lifted[:-1] += np.where(same, _NEIGHBOUR * scores[1:], 0)
    return lifted


def _z(values: Array, pool: NDArray[np.intp]) -> Array:
    spread = float(values[pool].std())
    return (values - values[pool].mean()) / spread if spread > 1e-9 else np.zeros(len(values))
