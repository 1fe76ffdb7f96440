"""What the vector store has: passages that no catalog knows, entries as they were written before, or all there are."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from chromadb import Collection

from corpora import Catalog, Passage, ProjectKey
from retrieval import VectorStore
from retrieval.circuit_breaker import Patience


class Killed(BaseException):
    """As kill -9: nothing of ours catches it."""


def stored(passage_id: str, document_id: str, text: str = "a text") -> Passage:
    """Without pages."""
    return Passage(passage_id, document_id, f"{document_id}.md", None, None, (), 0, len(text), text)


def bare(store: VectorStore, key: ProjectKey, ids: Sequence[str]) -> None:
    """Have these entries as Fletcher wrote them first: a vector, and the id of the document."""

    def rewritten(collection: Collection) -> None:
        vectors = cast("list[np.ndarray]", collection.get(list(ids), include=["embeddings"])["embeddings"])
        collection.delete(list(ids))
        collection.add(list(ids), list(vectors), [{"document_id": "d"} for _ in ids])

    store._in_collection(key, rewritten, Patience(30.0))  # pyright: ignore[reportPrivateUsage]


def stored_equals_catalog(catalog: Catalog, vectors: VectorStore, key: ProjectKey) -> bool:
    return vectors.ids(key) == {passage.id for passage in catalog.passages(key)} and not catalog.unembedded(key)
