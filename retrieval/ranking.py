"""All passages of a project, or of one document, in the order in which they answer a question."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np

from corpora import Catalog, CatalogBusy, ProjectKey
from retrieval.computing import computing, waiting
from retrieval.embedder import EmbeddingModel, Vectors
from retrieval.errors import EmbeddingModelUnavailable, ProviderAway, VectorStoreDamaged, VectorStoreUnavailable
from retrieval.fusion import POOL, Array, Fusion, Numbers
from retrieval.lexical_index import LexicalIndex, Rows
from retrieval.lexical_indexes import LexicalIndexes
from retrieval.relevance import Evidence, margin
from retrieval.top import top
from retrieval.vector_store import VectorStore
from retrieval.vector_upkeep import VectorUpkeep

logger = logging.getLogger(__name__)

LONGEST_QUESTION = 2_000  # characters that a model reads: some read all of a long one, for minutes
# Passages of a document: to sort out more Chroma reads for up to a second, and whoever writes a vector meanwhile waits
# for that with everybody else.
_LONG, _AMONG = 5_000, 2_000
_MANY = 10_000  # threads are begun only as they are needed: nobody waits until another project's index is built


@dataclass(frozen=True)
class Ranked:
    """Passage ids with their scores, best first.

    Attributes:
        entries: The ids and scores.
        evidence: What speaks for an answer; None where nothing was searched.
        text_only: There are vectors that could not be asked.
    """

    entries: Iterator[tuple[str, float]]
    evidence: Evidence | None = None
    text_only: bool = False


@dataclass(frozen=True)
class _LookedUp:
    """What is known of a question without its vector.

    `lexical` and `around` are BM25 for the question and for its surroundings: 0 and more, shape (scope,).
    `embedded` is the share of the scope's passages that have vectors, 0 to 1; 0 if none is known to have one.
    """

    index: LexicalIndex
    scope: Rows
    lexical: Array
    around: Array
    idf_share: float
    known_share: float
    embedded: float


class Ranking:
    """Asks both arms and fuses what they say; BM25 alone where there are no vectors, or they or the model are away."""

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
        self._fusion = Fusion()
        self._with_vectors = set[ProjectKey]()
        self._threads = ThreadPoolExecutor(_MANY, thread_name_prefix="search")

    def of(self, key: ProjectKey, query: str, document_id: str | None, surroundings: str = "") -> Ranked:
        """All passages; by BM25 alone only those that have to do with the query.

        The words of the `surroundings` say where to look, and not for what.

        The catalog may have changed since the index was built: a passage here may be gone from it.
        """
        is_known = key in self._with_vectors
        if is_known:
            # The vector of the question takes longer than all the rest, which is looked up meanwhile.
            with waiting():
                looking = self._threads.submit(self._looked_up, key, query, document_id, surroundings)
                vector = self._vector(query)
                found = looking.result()
        else:
            found, vector = self._looked_up(key, query, document_id, surroundings), None
        index, scope = found.index, found.scope
        if not len(scope):
            return Ranked(iter(()))
        asked: Mapping[int, float] | None = None
        if found.embedded > 0:
            vector = vector if is_known else self._vector(query)
            if vector is not None:
                if not is_known:
                    self._upkeep.check_model(len(vector))
                    self._with_vectors.add(key)
                asked = self._nearest(key, vector, document_id, index, scope)
        near = asked or {}
        documents, fusion = index.documents[scope], self._fusion
        weight = fusion.vector_weight(found.idf_share)
        scores = fusion.fuse(found.lexical, near, found.embedded * weight, documents)
        scores += fusion.surrounded(found.around, weight, documents) + fusion.recent * index.recency[scope]
        if not near:
            scores[fusion.with_neighbours(found.lexical + found.around, documents) == 0] = -np.inf
        evidence = Evidence(found.idf_share, found.known_share, margin(near.values()))
        return Ranked(self._sorted(index, scope, scores), evidence, found.embedded > 0 and asked is None)

    def close(self) -> None:
        """Stop the threads that look things up."""
        self._threads.shutdown(cancel_futures=True)

    def _looked_up(self, key: ProjectKey, query: str, document_id: str | None, surroundings: str) -> _LookedUp:
        with computing(key):
            index = self._indexes.current(key)
            scope = index.scope(document_id)
            embedded = 1 - self._catalog.lacking_vectors(key, document_id) / max(len(scope), 1)
            if embedded > 0:
                self._upkeep.check_model()
            scores = index.scores(query)
            around = index.scores(surroundings)
            return _LookedUp(
                index=index,
                scope=scope,
                lexical=scores[scope].astype(np.float64),
                around=around[scope].astype(np.float64),
                idf_share=index.idf_share(query, scores, scope),
                known_share=index.known_share(query),
                embedded=embedded,
            )

    def _vector(self, query: str) -> Vectors | None:
        """The question's vector; None where the model, which may be a provider's, does not answer."""
        try:
            with waiting():
                return self._embedder.embed_query(query[:LONGEST_QUESTION])
        except (EmbeddingModelUnavailable, ProviderAway) as error:
            logger.warning("searched by text only: %s", error)
            return None

    def _nearest(
        self, key: ProjectKey, vector: Vectors, document_id: str | None, index: LexicalIndex, scope: Rows
    ) -> dict[int, float] | None:
        """Cosine of the passages nearest to the query, by their place in the scope; None where they cannot be asked."""
        within, among = document_id, POOL
        if document_id is not None and len(scope) > _LONG:  # those that are among the nearest of the project
            within, among = None, _AMONG
        try:
            with waiting():
                found = self._vectors.query(key, vector, min(among, len(scope if within else index.ids)), within)
                if not found and not self._vectors.has(key):  # and the catalog has counted on it
                    self._upkeep.begin_anew(key)
        except VectorStoreDamaged:
            self._upkeep.begin_anew()
            return None
        except VectorStoreUnavailable:  # which the store has said
            return None
        except CatalogBusy:  # the next search sees it as well
            return None
        if not found:
            return None
        rows = {index.rows[passage]: cosine for passage, cosine in found if passage in index.rows}
        if document_id is None:
            return dict(islice(rows.items(), POOL))
        places = {row: place for place, row in enumerate(scope.tolist())}
        # A server to which anybody may have written answers with what it likes.
        return dict(islice(((places[row], cosine) for row, cosine in rows.items() if row in places), POOL))

    def _sorted(self, index: LexicalIndex, scope: Rows, scores: Array) -> Iterator[tuple[str, float]]:
        """The rest is put in order only if somebody wants to hear of it: hardly anybody does."""
        count = int(np.count_nonzero(scores > -np.inf))
        first = top(scores, min(POOL, count))
        yield from _named(index, scope, first, scores)
        rest = top(scores, count)[len(first) :]
        yield from _named(index, scope, rest, scores)


def _named(index: LexicalIndex, scope: Rows, places: Numbers, scores: Array) -> Iterator[tuple[str, float]]:
    return ((index.ids[scope[place]], float(score)) for place, score in zip(places, scores[places], strict=True))
