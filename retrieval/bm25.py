"""BM25, by Lucene's formula, of passages whose words are numbers: arrays alone, whatever the words are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer[Any]]
Scores = NDArray[np.float32]

_SATURATION, _BY_LENGTH = 1.5, 0.75  # k1 and b
_AT_ONCE = 1_000  # passages


class Bm25:
    """What each word adds to the score of each passage that has it; `words` are those of each, below `vocabulary`.

    Attributes:
        idf: The inverse document frequency of each word, shape (vocabulary,).
        nbytes: What it takes in memory.
    """

    def __init__(self, words: Sequence[Numbers], vocabulary: int) -> None:
        self._passages = len(words)
        frequencies = np.zeros(vocabulary, dtype=np.int32)
        for said in words:
            frequencies[said] += 1  # once, however often it is said
        self.idf = np.log1p((len(words) - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)
        lengths = np.array([len(row) for row in words], dtype=np.float32)
        lengths *= len(words) / max(lengths.sum(), 1)  # 1 is the mean
        damping = _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * lengths)
        self._starts = np.concatenate([[0], np.cumsum(frequencies)]).astype(np.int32)
        # Some at a time, each written where it stays: sorting all would take several times as much.
        self._rows = np.empty(self._starts[-1], dtype=np.int32)
        self._adds = np.empty(self._starts[-1], dtype=np.float16)  # which is exact enough to say what comes first
        free = self._starts[:-1].copy()
        for at in range(0, len(words), _AT_ONCE):
            distinct, rows, counts = _counted(words[at : at + _AT_ONCE])
            begins = np.flatnonzero(np.diff(distinct, prepend=-1))  # of what has the same word
            many = np.diff(begins, append=len(distinct))
            places = free[distinct] + np.arange(len(distinct)) - np.repeat(begins, many)
            self._rows[places] = rows + at
            self._adds[places] = counts / (counts + damping[rows + at]) * self.idf[distinct]
            free[distinct[begins]] += many
        self.nbytes = sum(array.nbytes for array in (self.idf, self._rows, self._adds, self._starts))

    def scores(self, words: NDArray[np.intp]) -> Scores:
        """Of all passages for these words, shape (passages,), 0 and more; a word counts as often as it is given."""
        scores = np.zeros(self._passages, dtype=np.float32)
        distinct, times = np.unique(words, return_counts=True)
        for begin, end, count in zip(self._starts[distinct], self._starts[distinct + 1], times, strict=True):
            scores[self._rows[begin:end]] += count * self._adds[begin:end].astype(np.float32)
        return scores


def _counted(words: Sequence[Numbers]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Each word of some passages, the row that says it, and how often: in the order of words, then of rows."""
    rows = np.repeat(np.arange(len(words)), [len(said) for said in words])
    pairs, times = np.unique(np.concatenate(words).astype(np.int64) * len(words) + rows, return_counts=True)
    return *np.divmod(pairs, len(words)), times.astype(np.float32)
