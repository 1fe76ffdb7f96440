"""BM25, vector similarity and what the question is asked in become one score.

Every constant is measured, and `docs/retrieval.md` has the tables; `python -m benchmarks.constants` makes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrieval.top import top

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

# How many of each arm's best passages set the scale of the scores. What the vector store does not return counts as
# similar as the last that it does.
POOL = 100


@dataclass(frozen=True)
class Fusion:
    """How the scores of BM25 and of the vectors become one.

    A fused score is a number of standard deviations over the pool: mostly between -2 and 6, and 0 for the average.
    Arrays have one number for each passage of the scope, in reading order: shape (passages,).

    Attributes:
        pool: How many of the best passages of each of the two the averages and deviations are taken over.
        neighbour: Share of a neighbour's BM25 that a passage gets, 0 to 1: answers lie beside the question's words.
            (Vectors are not spread: they lose paraphrased questions by it.)
        least: Weight of the vectors, 0 to 1, where all words of the question are found: BM25 is the better judge there.
        most: Their weight, 0 to 1, where none is, as in a paraphrase. There BM25 only sees words that do not matter.
        middle: The idf share, 0 to 1, at which the weight is halfway between the two.
        steepness: How fast the weight falls there: the factor in the exponent of the logistic curve.
        about_document: What a document gets that is all about the surroundings of the question.
        about_passage: What a passage gets for them, as a share of the vectors' weight: a message that says nothing by
            itself is about what it is said in.
        recent: What the document that was edited last has before the oldest: it decides between equals.
    """

    pool: int = POOL
    neighbour: float = 0.4
    least: float = 0.2
    most: float = 1.0
    middle: float = 0.45
    steepness: float = 20.0
    about_document: float = 2.0
    about_passage: float = 0.5
    recent: float = 0.02

    def vector_weight(self, idf_share: float) -> float:
        """The weight of the vectors, `least` to `most`.

        Args:
            idf_share: How much of the question BM25's best passages have, 0 to 1; see `LexicalIndex.idf_share`.
        """
        return self.least + (self.most - self.least) / (1 + math.exp(self.steepness * (idf_share - self.middle)))

    def fuse(self, lexical: Array, similarities: Mapping[int, float], weight: float, documents: Numbers) -> Array:
        """One score for each passage: the weighed sum of both arms over the best passages of either.

        Args:
            lexical: BM25 of each passage, 0 and more; shape (passages,).
            similarities: cosine of the passages that the vector store returned, by their index in `lexical`; there may
                be none while vectors are made.
            weight: of the vectors, between 0 and 1.
            documents: of which document each passage is, numbered from 0.
        """
        if not similarities:
            return self.with_neighbours(_z(lexical, top(lexical, self.pool)), documents)
        near = np.array(list(similarities), dtype=np.intp)
        pool = np.union1d(top(lexical, self.pool), near)
        dense = np.full(len(lexical), min(similarities.values()))
        dense[near] = list(similarities.values())
        return (1 - weight) * self.with_neighbours(_z(lexical, pool), documents) + weight * _z(dense, pool)

    def with_neighbours(self, lexical: Array, documents: Numbers) -> Array:
        """Scores with a share of those next to them in the document."""
        same = documents[1:] == documents[:-1]
        lifted = lexical.copy()
        lifted[1:] += np.where(same, self.neighbour * lexical[:-1], 0)
        lifted[:-1] += np.where(same, self.neighbour * lexical[1:], 0)
        return lifted

    def surrounded(self, lexical: Array, weight: float, documents: Numbers) -> Array:
        """What each passage gains by the surroundings of the question: the scene that is open, who speaks in it.

        They say where to look rather than what for. As words of the query they would drown it: it would find who is
        named there most.

        Args:
            lexical: BM25 of each passage for the words of the surroundings.
            weight: of the vectors, for the question itself.
            documents: of which document each passage is, numbered from 0.
        """
        if not lexical.any():
            return lexical
        counts = np.maximum(np.bincount(documents), 1)
        about = np.bincount(documents, lexical) / counts
        passages = self.with_neighbours(_z(lexical, top(lexical, self.pool)), documents)
        return self.about_document * (about / about.max())[documents] + self.about_passage * weight * passages


def _z(values: Array, pool: Numbers) -> Array:
    spread = float(values[pool].std())
    return (values - values[pool].mean()) / spread if spread > 1e-9 else np.zeros(len(values))
