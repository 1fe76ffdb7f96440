"""BM25 over the passages of one project, in memory."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from corpora import Passage
from retrieval.near_duplicates import NearDuplicates
from retrieval.top import top
from retrieval.words import terms

if TYPE_CHECKING:
    from bm25s import BM25

Rows = NDArray[np.intp]
Scores = NDArray[np.float32]

_BEST = 3  # passages that are looked at for the share of a question's words


class LexicalIndex:
    """The passages of a project at one corpus version, in reading order: a row is a passage's place in it.

    Never changes once it is built, so any number of threads may read it. `previous` is the index that this
    one follows: passages that it has are not taken apart into words again, which is most of the work. `edited` says
    when the documents were written last, by their ids.

    Attributes:
        vocabulary: Each word that occurs, with its number.
        documents: Of which document each passage is, numbered from 0; shape (passages,).
        recency: 1 for passages of the document that was written last, 0 for those of the oldest, between for others;
            shape (passages,).
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
        self.vocabulary: dict[str, int] = {} if previous is None else dict(previous.vocabulary)
        self._words = [self._numbered(passage, previous) for passage in passages]
        self._forget_unused()
        self._idf = _inverse_document_frequencies(self._words, len(self.vocabulary))
        self._bm25 = _indexed(self._words, self.vocabulary)
        self.near_duplicates = NearDuplicates(
            passages, self._words, None if previous is None else previous.near_duplicates
        )

    def scope(self, document_id: str | None) -> Rows:
        """The rows of one document, or of all."""
        if document_id is None:
            return np.arange(len(self.ids))
        return self._rows_of_documents.get(document_id, np.empty(0, dtype=np.intp))

    def scores(self, query: str) -> Scores:
        """BM25 of all passages, shape (passages,), 0 and more; 0 where no word of the query occurs."""
        words = self._known(terms(query))
        if self._bm25 is None or not words:
            return np.zeros(len(self.ids), dtype=np.float32)
        return cast("Scores", self._bm25.get_scores_from_ids(words))

    def idf_share(self, query: str, scores: Scores, scope: Rows, best_of: int = _BEST) -> float:
        """The share of the question's inverse document frequencies that the best passage has, 0 (no word) to 1 (all).

        Looked for in the `best_of` passages of the scope with the best `scores`.
        """
        known, whole = self._asked(query)
        if not len(known) or not len(scope):
            return 0.0
        best = scope[top(scores[scope], best_of)]
        return max(float(self._idf[known[np.isin(known, self._words[row])]].sum()) for row in best) / whole

    def known_share(self, query: str) -> float:
        """The share of the question's inverse document frequencies that occur in any passage, 0 to 1."""
        known, whole = self._asked(query)
        return float(self._idf[known].sum()) / whole if len(known) else 0.0

    def _asked(self, query: str) -> tuple[NDArray[np.int32], float]:
        """The numbers of the words of a question that occur, and the inverse document frequencies of all together."""
        asked = set(terms(query))
        known = np.array(self._known(asked), dtype=np.int32)
        unknown = (len(asked) - len(known)) * math.log1p(2 * len(self.ids) + 1)  # the idf of what never occurs
        return known, float(self._idf[known].sum()) + unknown

    def _known(self, words: Collection[str]) -> list[int]:
        return [self.vocabulary[word] for word in words if word in self.vocabulary]

    def _numbered(self, passage: Passage, previous: LexicalIndex | None) -> NDArray[np.int32]:
        row = None if previous is None else previous.rows.get(passage.id)
        if previous is not None and row is not None:
            return previous._words[row]
        vocabulary = self.vocabulary
        numbers = [vocabulary.setdefault(word, len(vocabulary)) for word in terms(passage.embedding_text)]
        return np.array(numbers, dtype=np.int32)

    def _forget_unused(self) -> None:
        """Numbers the words anew where some are of passages that are gone: what was removed leaves nothing here."""
        used = np.zeros(len(self.vocabulary), dtype=bool)
        for row in self._words:
            used[row] = True
        if used.all():
            return
        numbers = np.cumsum(used, dtype=np.int32) - 1
        self.vocabulary = {word: int(numbers[old]) for word, old in self.vocabulary.items() if used[old]}
        self._words = [numbers[row] for row in self._words]


def _recency(passages: Sequence[Passage], edited: Mapping[str, datetime]) -> NDArray[np.float64]:
    places = {moment: place for place, moment in enumerate(sorted(set(edited.values())))}
    rank = {document: places[moment] / max(len(places) - 1, 1) for document, moment in edited.items()}
    return np.array([rank.get(one.document_id, 0.0) for one in passages], dtype=np.float64)


def _grouped(names: Sequence[str]) -> dict[str, Rows]:
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        groups.setdefault(name, []).append(row)
    return {name: np.array(rows, dtype=np.intp) for name, rows in groups.items()}


def _idf(frequencies: NDArray[np.intp], passages: int) -> NDArray[np.float64]:
    """Lucene's formula, which BM25 uses here as well."""
    return np.log1p((passages - frequencies + 0.5) / (frequencies + 0.5))


def _inverse_document_frequencies(words: Sequence[NDArray[np.int32]], vocabulary: int) -> NDArray[np.float64]:
    distinct = [np.unique(row) for row in words]
    occurring = np.concatenate(distinct) if distinct else np.empty(0, dtype=np.int32)
    return _idf(np.bincount(occurring, minlength=vocabulary), len(words))


def _indexed(words: Sequence[NDArray[np.int32]], vocabulary: dict[str, int]) -> BM25 | None:
    if not vocabulary:
        return None  # bm25s cannot index nothing
    import bm25s  # brings scipy along: only when something is searched

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # the package sets it to DEBUG
    index = bm25s.BM25(method="lucene", csc_backend="scipy")
    index.index(_Tokens(_Lists(words), vocabulary), create_empty_token=False, show_progress=False)
    return index


class _Tokens(NamedTuple):
    """What bm25s takes a corpus as."""

    ids: Sequence[list[int]]
    vocab: dict[str, int]


class _Lists(Sequence[list[int]]):
    """Rows of numbers as lists, each made when it is asked for: all at once take more than the index itself."""

    def __init__(self, rows: Sequence[NDArray[np.int32]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: Any) -> Any:
        return self._rows[row].tolist()
