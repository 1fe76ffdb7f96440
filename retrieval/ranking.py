"""All passages of a project, or of one document, in the order in which they answer a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from corpora import Catalog, Document, ProjectKey
from retrieval.embedder import EmbeddingModel
from retrieval.fusion import POOL, Array, fuse, vector_weight, with_neighbours
from retrieval.lexical_index import LexicalIndex, Rows
from retrieval.lexical_indexes import LexicalIndexes
from retrieval.top import top
from retrieval.vector_store import VectorStore
from retrieval.vector_upkeep import VectorUpkeep


class Ranking:
    """Asks both arms and fuses what they say; where there are no vectors yet, BM25 alone."""

    def __init__(
        self,
        catalog: Catalog,
        embedder: EmbeddingModel,
        vectors: VectorStore,
        indexes: LexicalIndexes,
        upkeep: VectorUpkeep,
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._vectors = vectors
        self._indexes = indexes
        self._upkeep = upkeep
        self._complete: dict[ProjectKey, int] = {}  # the corpus version at which all passages had vectors

    def of(self, key: ProjectKey, query: str, document_id: str | None) -> Iterator[tuple[str, float]]:
        """Passage ids with their scores, best first; by BM25 alone only those that have to do with the query.

        The catalog may have changed since the index was built: a passage here may be gone from it.
        """
        index = self._indexes.current(key)
        scope = index.scope(document_id)
        if not len(scope):
            return iter(())
        bm25 = index.scores(query)
        lexical, documents = bm25[scope].astype(np.float64), index.documents[scope]
        embedded = self._embedded_share(key, document_id, index.version)
        near = self._nearest(key, query, document_id, index, scope) if embedded else {}
        if not near:
            scores = with_neighbours(lexical, documents)
            return _sorted(index, scope, scores, int(np.count_nonzero(scores)))
        weight = embedded * vector_weight(index.coverage(query, bm25, scope))
        return _sorted(index, scope, fuse(lexical, near, weight, documents), len(scope))

    def _embedded_share(self, key: ProjectKey, document_id: str | None, version: int) -> float:
        """How many of the passages have vectors: the vectors count for as much while they are being made."""
        if document_id is not None:
            return _share([self._catalog.find_document(key, document_id)])
        if self._complete.get(key) != version:  # counting takes as long as all the rest of a search
            share = _share(self._catalog.documents(key))
            if share < 1:
                return share
            self._complete[key] = version
        return 1

    def _nearest(
        self, key: ProjectKey, query: str, document_id: str | None, index: LexicalIndex, scope: Rows
    ) -> dict[int, float]:
        """Cosine of the passages nearest to the query, by their place in the scope."""
        self._upkeep.check_model()
        vector = self._embedder.embed_query(query)
        found = self._vectors.query(key, vector, min(POOL, len(scope)), document_id)
        rows = {index.rows[passage]: cosine for passage, cosine in found if passage in index.rows}
        return dict(zip(np.searchsorted(scope, list(rows)).tolist(), rows.values(), strict=True))


def _share(documents: Sequence[Document]) -> float:
    return sum(one.embedded for one in documents) / max(sum(one.passages for one in documents), 1)


def _sorted(index: LexicalIndex, scope: Rows, scores: Array, count: int) -> Iterator[tuple[str, float]]:
    """The rest is put in order only if somebody wants to hear of it: hardly anybody does."""
    for place in (first := top(scores, min(POOL, count))):
        yield index.ids[scope[place]], float(scores[place])
    for place in top(scores, count)[len(first) :]:
        yield index.ids[scope[place]], float(scores[place])
