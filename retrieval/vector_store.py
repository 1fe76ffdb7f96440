"""The vectors of passages in Chroma, one collection for each project."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from corpora import ProjectKey

if TYPE_CHECKING:
    from chromadb import Collection
    from chromadb.api.client import Client
    from llama_index.vector_stores.chroma import ChromaVectorStore

_Item = TypeVar("_Item")

_BATCH = 2000  # records in one write; Chroma takes at most 5,461 of them


class VectorStore:
    """Passage id, document id and vector; the texts stay in the catalog.

    `location` is a folder, which only one process may open at a time, or the URL of a Chroma server. Nothing
    is opened before the first use. May be used from several threads.
    """

    def __init__(self, location: Path | str) -> None:
        self._location = location
        self._client: Client | None = None
        self._opening = threading.Lock()

    def add(self, key: ProjectKey, vectors: Iterable[tuple[str, str, NDArray[np.float32]]]) -> None:
        """Store `(passage id, document id, vector)`; what is there already stays as it is."""
        from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo, TextNode

        nodes: list[BaseNode] = [
            TextNode(
                id_=passage_id,
                text="",  # with an empty text ChromaVectorStore stores none
                embedding=vector.tolist(),
                relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document_id)},
            )
            for passage_id, document_id, vector in vectors
        ]
        if nodes:
            store = _wrapped(self._made(key))
            for batch in _batches(nodes):
                store.add(batch)

    def delete(self, key: ProjectKey, passage_ids: Iterable[str]) -> None:
        """Take vectors out; ids that are not there are ignored."""
        collection = self._found(key)
        if collection is not None:
            for batch in _batches(passage_ids):
                _wrapped(collection).delete_nodes(batch)

    def query(
        self, key: ProjectKey, vector: NDArray[np.float32], k: int, document_id: str | None = None
    ) -> list[tuple[str, float]]:
        """The `k` nearest passages of the project, or of one document: `(passage id, cosine similarity)`."""
        collection = self._found(key)
        if collection is None:
            return []
        # Asked directly: ChromaVectorStore.query parses a node for each hit (for 100, 10 ms instead of 2).
        found = collection.query(
            query_embeddings=[vector],
            n_results=k,
            where=None if document_id is None else {"document_id": document_id},
            include=["distances"],
        )
        distances = (found["distances"] or [[]])[0]
        return [(passage_id, 1.0 - distance) for passage_id, distance in zip(found["ids"][0], distances, strict=True)]

    def ids(self, key: ProjectKey) -> set[str]:
        """The ids of all passages of the project that have a vector here."""
        collection = self._found(key)
        return set() if collection is None else set(collection.get(include=[])["ids"])

    def drop(self, key: ProjectKey) -> None:
        """Forget all vectors of a project."""
        if self._found(key) is not None:
            self._opened().delete_collection(_collection_name(key))

    def clear(self) -> None:
        """Forget the vectors of all projects."""
        client = self._opened()
        for collection in client.list_collections():
            if collection.name.startswith(_PREFIX):
                client.delete_collection(collection.name)

    def close(self) -> None:
        """Let go of the files; the next use opens them again."""
        with self._opening:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _made(self, key: ProjectKey) -> Collection:
        return self._opened().get_or_create_collection(
            _collection_name(key), embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def _found(self, key: ProjectKey) -> Collection | None:
        from chromadb.errors import NotFoundError

        try:
            return self._opened().get_collection(_collection_name(key), embedding_function=None)
        except NotFoundError:
            return None

    def _opened(self) -> Client:
        with self._opening:
            if self._client is None:
                self._client = _open(self._location)
            return self._client


_PREFIX = "fletcher-"


def _collection_name(key: ProjectKey) -> str:
    """Chroma allows fewer characters than project ids have, and "a-b" of "c" must not meet "a" of "b-c"."""
    return _PREFIX + hashlib.sha256(f"{key.workspace}\0{key.project_id}".encode()).hexdigest()[:40]


def _open(location: Path | str) -> Client:
    import chromadb
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    if isinstance(location, str) and location.startswith(("http://", "https://")):
        url = urlsplit(location)
        ssl = url.scheme == "https"
        port = url.port or (443 if ssl else 80)
        client = chromadb.HttpClient(url.hostname or "", port, ssl, settings=settings)
    else:
        client = chromadb.PersistentClient(location, settings=settings)
    return cast("Client", client)  # which both are, and only it can be closed


def _wrapped(collection: Collection) -> ChromaVectorStore:
    from llama_index.vector_stores.chroma import ChromaVectorStore

    return ChromaVectorStore(chroma_collection=collection)


def _batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    left = iter(items)
    while batch := list(islice(left, _BATCH)):
        yield batch
