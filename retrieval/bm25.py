"""BM25, by Lucene's formula, of passages whose words are numbers: arrays alone, whatever the words are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Scores = NDArray[np.float32]

_SATURATION, _BY_LENGTH = 1.5, 0.75  # k1 and b


class Bm25:
    """What each word adds to the score of each passage that has it; `words` are those of each, below `vocabulary`.

    Attributes:
        idf: The inverse document frequency of each word, shape (vocabulary,).
        nbytes: What it takes in memory.
    """

    def __init__(self, words: Sequence[Numbers], vocabulary: int) -> None:
        self._passages = len(words)
        numbers, rows = (np.empty(sum(map(len, words)), dtype=np.int32) for _ in range(2))
        counts, end = np.empty(len(numbers), dtype=np.float32), 0
        for row, said in enumerate(words):
            distinct, times = np.unique(said, return_counts=True)
            begin, end = end, end + len(distinct)
            numbers[begin:end], rows[begin:end], counts[begin:end] = distinct, row, times
        numbers, rows, counts = numbers[:end], rows[:end], counts[:end]
        frequencies = np.bincount(numbers, minlength=vocabulary)
        self.idf = np.log1p((len(words) - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)
        lengths = np.array([len(row) for row in words], dtype=np.float32)
        lengths *= len(words) / max(lengths.sum(), 1)  # 1 is the mean
        counts /= counts + (_SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * lengths))[rows]
        order = np.argsort(numbers, kind="stable")
        self._rows = rows[order]
        self._adds = counts[order] * self.idf[numbers[order]]
        self._starts = np.concatenate([[0], np.cumsum(frequencies)]).astype(np.int32)
        self.nbytes = sum(array.nbytes for array in (self.idf, self._rows, self._adds, self._starts))

    def scores(self, words: NDArray[np.intp]) -> Scores:
        """Of all passages for these words, shape (passages,), 0 and more; a word counts as often as it is given."""
        scores = np.zeros(self._passages, dtype=np.float32)
        for begin, end in zip(self._starts[words].tolist(), self._starts[words + 1].tolist(), strict=True):
            np.add.at(scores, self._rows[begin:end], self._adds[begin:end])
        return scores
