"""BM25 over the passages of one project, in memory."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from corpora import Passage
from retrieval.bm25 import Bm25, Numbers, Scores
from retrieval.near_duplicates import NearDuplicates
from retrieval.top import top
from retrieval.words import terms

Rows = NDArray[np.intp]
Hashes = NDArray[np.int64]

_BEST = 3  # passages that are looked at for the share of a question's words
_AT_ONCE = 1_000  # passages
_PASSAGE_BYTES = 1_000  # of a passage besides its words: its id, its row, and what is known of its twins


class LexicalIndex:
    """The passages of a project at one corpus version, in reading order: a row is a passage's place in it.

    Never changes once it is built, so any number of threads may read it. `previous` is the index that this
    one follows: passages that it has are not taken apart into words again, which is most of the work. `edited` says
    when the documents were written last, by their ids.

    Attributes:
        vocabulary: The hash of each word that occurs, sorted: words that occur once are as many as somebody likes, and
            as texts would take more than all else. A word's number is its place; shape (words,).
        documents: Of which document each passage is, numbered from 0; shape (passages,).
        recency: 1 for passages of the document that was written last, 0 for those of the oldest, between for others;
            shape (passages,).
        nbytes: About what it takes in memory.
    """

    def __init__(
        self,
        version: int,
        passages: Sequence[Passage],
        previous: LexicalIndex | None = None,
        edited: Mapping[str, datetime] | None = None,
    ) -> None:
        self.version = version
        self.ids = [passage.id for passage in passages]
        self.rows = {passage_id: row for row, passage_id in enumerate(self.ids)}
        self.documents = np.unique([passage.document_id for passage in passages], return_inverse=True)[1]
        self.recency = _recency(passages, edited or {})
        self._rows_of_documents = _grouped([passage.document_id for passage in passages])
        starts = range(0, len(passages), _AT_ONCE)
        parts = [_numbered([self._hashed(one, previous) for one in passages[at : at + _AT_ONCE]]) for at in starts]
        self.vocabulary = _different([hashes for hashes, _ in parts])
        self._words: list[Numbers] = []
        for hashes, rows in parts:
            numbers = np.searchsorted(self.vocabulary, hashes).astype(_number(self.vocabulary))
            self._words += [numbers[row] for row in rows]
            rows.clear()
        del parts  # the hashes of each
        self._bm25 = Bm25(self._words, len(self.vocabulary))
        self.nbytes = self.vocabulary.nbytes + self._bm25.nbytes
        self.nbytes += sum(row.nbytes + _PASSAGE_BYTES for row in self._words)
        self.near_duplicates = NearDuplicates(
            passages, self._words, None if previous is None else previous.near_duplicates
        )
        self.nbytes += self.near_duplicates.nbytes

    def scope(self, document_id: str | None) -> Rows:
        """The rows of one document, or of all."""
        if document_id is None:
            return np.arange(len(self.ids))
        return self._rows_of_documents.get(document_id, np.empty(0, dtype=np.intp))

    def scores(self, query: str) -> Scores:
        """BM25 of all passages, shape (passages,), 0 and more; 0 where no word of the query occurs."""
        return self._bm25.scores(self._known(terms(query)))

    def idf_share(self, query: str, scores: Scores, scope: Rows, best_of: int = _BEST) -> float:
        """The share of the question's inverse document frequencies that the best passage has, 0 (no word) to 1 (all).

        Looked for in the `best_of` passages of the scope with the best `scores`.
        """
        known, whole = self._asked(query)
        if not len(known) or not len(scope):
            return 0.0
        best = scope[top(scores[scope], best_of)]
        return max(float(self._bm25.idf[known[np.isin(known, self._words[row])]].sum()) for row in best) / whole

    def known_share(self, query: str) -> float:
        """The share of the question's inverse document frequencies that occur in any passage, 0 to 1."""
        known, whole = self._asked(query)
        return float(self._bm25.idf[known].sum()) / whole if len(known) else 0.0

    def _asked(self, query: str) -> tuple[Rows, float]:
        """The numbers of the words of a question that occur, and the inverse document frequencies of all together."""
        asked = set(terms(query))
        known = self._known(asked)
        unknown = (len(asked) - len(known)) * math.log1p(2 * len(self.ids) + 1)  # the idf of what never occurs
        return known, float(self._bm25.idf[known].sum()) + unknown

    def _known(self, words: Collection[str]) -> Rows:
        hashes = _hashes(words)
        numbers = np.searchsorted(self.vocabulary, hashes)
        return numbers[numbers < np.searchsorted(self.vocabulary, hashes, side="right")]

    @staticmethod
    def _hashed(passage: Passage, previous: LexicalIndex | None) -> Hashes:
        row = None if previous is None else previous.rows.get(passage.id)
        if previous is not None and row is not None:
            return previous.vocabulary[previous._words[row]]
        return _hashes(terms(passage.embedding_text))


def _hashes(words: Collection[str]) -> Hashes:
    """The same in every process, as Python's of a text are not: 61 bits, by a prime."""
    return np.array([hash(int.from_bytes(word.encode())) for word in words], dtype=np.int64)


def _different(rows: Sequence[Hashes]) -> Hashes:
    """All that occur, sorted."""
    hashes = np.concatenate([np.empty(0, dtype=np.int64), *rows])
    hashes.sort()
    return hashes[np.diff(hashes, prepend=-1) > 0]


def _numbered(rows: Sequence[Hashes]) -> tuple[Hashes, list[Numbers]]:
    """All that occur, sorted, and for each passage the places in it: a half or a quarter of what the hashes take."""
    hashes, ends = _different(rows), np.cumsum([len(row) for row in rows])
    numbers = np.searchsorted(hashes, np.concatenate(rows)).astype(_number(hashes))
    return hashes, np.split(numbers, ends[:-1])


def _number(vocabulary: Hashes) -> type[np.uint16 | np.int32]:
    """Of a word: ideographs, of which a text has most, are few."""
    return np.uint16 if len(vocabulary) <= 1 << 16 else np.int32


def _recency(passages: Sequence[Passage], edited: Mapping[str, datetime]) -> NDArray[np.float64]:
    places = {moment: place for place, moment in enumerate(sorted(set(edited.values())))}
    rank = {document: places[moment] / max(len(places) - 1, 1) for document, moment in edited.items()}
    return np.array([rank.get(one.document_id, 0.0) for one in passages], dtype=np.float64)


def _grouped(names: Sequence[str]) -> dict[str, Rows]:
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        groups.setdefault(name, []).append(row)
    return {name: np.array(rows, dtype=np.intp) for name, rows in groups.items()}
