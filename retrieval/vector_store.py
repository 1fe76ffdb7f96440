"""The vectors of passages in Chroma, one collection for each project."""

from __future__ import annotations

import base64
import hashlib
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from corpora import ProjectKey
from retrieval.errors import VectorStoreUnavailable

if TYPE_CHECKING:
    from chromadb import Collection, QueryResult
    from chromadb.api.client import Client
    from llama_index.vector_stores.chroma import ChromaVectorStore

_Item = TypeVar("_Item")

_BATCH = 2000  # records in one write; Chroma takes at most 5,461 of them


class VectorStore:
    """Passage id, document id and vector; the texts stay in the catalog.

    Nothing is opened before the first use. May be used from several threads. Every method raises
    `VectorStoreUnavailable` when the Chroma server does not answer.

    Args:
        location: A folder, which only one process may open at a time, or the URL of a Chroma server.
        namespace: Tells the collections of one catalog from another's in the same place.
    """

    def __init__(self, location: Path | str, namespace: str = "") -> None:
        self._location = location
        self._prefix = f"{_PREFIX}{namespace}-" if namespace else _PREFIX
        self._client: Client | None = None
        self._opening = threading.Lock()
        self._asked_before: dict[ProjectKey, Collection] = {}

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
            with self._reported():
                store = _wrapped(self._made(key))
                for batch in _batches(nodes):
                    store.add(batch)

    def delete(self, key: ProjectKey, passage_ids: Iterable[str]) -> None:
        """Take vectors out; ids that are not there are ignored."""
        with self._reported():
            collection = self._found(key)
            if collection is not None:
                for batch in _batches(passage_ids):
                    _wrapped(collection).delete_nodes(batch)

    def query(
        self, key: ProjectKey, vector: NDArray[np.float32], k: int, document_id: str | None = None
    ) -> list[tuple[str, float]]:
        """The `k` nearest passages of the project, or of one document: `(passage id, cosine similarity)`."""
        with self._reported():
            found = self._asked(key, vector, k, document_id)
        if found is None:
            return []
        distances = (found["distances"] or [[]])[0]
        return [(passage_id, 1.0 - distance) for passage_id, distance in zip(found["ids"][0], distances, strict=True)]

    def ids(self, key: ProjectKey) -> set[str]:
        """The ids of all passages of the project that have a vector here."""
        with self._reported():
            collection = self._found(key)
            return set() if collection is None else set(collection.get(include=[])["ids"])

    def drop(self, key: ProjectKey) -> None:
        """Forget all vectors of a project."""
        with self._reported():
            if self._found(key) is not None:
                self._opened().delete_collection(self._name(key))

    def clear(self) -> None:
        """Forget the vectors of all projects."""
        with self._reported():
            client = self._opened()
            for collection in client.list_collections():
                if collection.name.startswith(self._prefix):
                    client.delete_collection(collection.name)

    def check(self) -> None:
        """Raise `VectorStoreUnavailable` unless the vectors can be reached."""
        with self._reported():
            self._opened()

    def close(self) -> None:
        """Let go of the files; the next use opens them again."""
        with self._opening:
            self._asked_before.clear()
            if self._client is not None:
                self._client.close()
                self._client = None

    def _asked(
        self, key: ProjectKey, vector: NDArray[np.float32], k: int, document_id: str | None
    ) -> QueryResult | None:
        """What the project's collection finds; None if there is none."""
        from chromadb.errors import NotFoundError

        known = self._asked_before.pop(key, None)  # to look for it takes as long as the question
        while collection := known or self._found(key):
            try:
                # Asked directly: ChromaVectorStore.query parses a node for each hit (for 100, 10 ms instead of 2).
                found = collection.query(
                    query_embeddings=[vector],
                    n_results=k,
                    where=None if document_id is None else {"document_id": document_id},
                    include=["distances"],
                )
            except NotFoundError:  # dropped since, and perhaps made anew
                known = None
            else:
                self._asked_before[key] = collection
                return found
        return None

    def _made(self, key: ProjectKey) -> Collection:
        return self._opened().get_or_create_collection(
            self._name(key), embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def _found(self, key: ProjectKey) -> Collection | None:
        from chromadb.errors import NotFoundError

        try:
            return self._opened().get_collection(self._name(key), embedding_function=None)
        except NotFoundError:
            return None

    def _name(self, key: ProjectKey) -> str:
        """Chroma allows fewer characters than project ids have, and "a-b" of "c" must not meet "a" of "b-c"."""
        return self._prefix + hashlib.sha256(f"{key.workspace}\0{key.project_id}".encode()).hexdigest()[:40]

    @contextmanager
    def _reported(self) -> Generator[None]:
        """What a server did not do, as an error of ours; those of a folder are bugs, and stay what they are."""
        if not isinstance(self._location, str):
            yield
            return
        from chromadb.errors import ChromaError
        from httpx import HTTPError, InvalidURL

        try:
            yield
        except (ChromaError, HTTPError, InvalidURL, _NoServer) as error:
            reason = str(error).rstrip(".")
            stop = "" if reason.endswith(("?", "!")) else "."
            raise VectorStoreUnavailable(
                f"The Chroma server {_named(self._location)} failed: {reason}{stop} Check that it runs and that "
                "FLETCHER_CHROMA_URL is its address; what it holds can be made anew with: fletcher reindex"
            ) from error

    def _opened(self) -> Client:
        with self._opening:
            if self._client is None:
                self._client = _open(self._location)
            return self._client


_PREFIX = "fletcher-"


class _NoServer(Exception):
    """Chroma's client says it as a ValueError."""


def _open(location: Path | str) -> Client:
    import chromadb
    from chromadb.config import Settings

    # Not the working folder's `.env`, which it would read by itself: that can name any class, and any address.
    settings = Settings(_env_file=None, anonymized_telemetry=False)  # pyright: ignore[reportCallIssue]
    if not isinstance(location, str):
        # Either is a Client, and only that can be closed.
        return cast("Client", chromadb.PersistentClient(location, settings=settings))
    url = urlsplit(location)
    ssl = url.scheme == "https"
    headers: dict[str, str] = {}
    if url.username is not None:  # for a proxy that asks for it: Chroma itself asks nobody
        credentials = f"{unquote(url.username)}:{unquote(url.password or '')}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(credentials).decode()}"
    try:
        client = chromadb.HttpClient(url.hostname or "", url.port or (443 if ssl else 80), ssl, headers, settings)
    except ValueError as error:
        raise _NoServer(str(error)) from error
    return cast("Client", client)


def _named(location: str) -> str:
    """The URL without its user and password."""
    url = urlsplit(location)
    return url._replace(netloc=url.netloc.rpartition("@")[2]).geturl()


def _wrapped(collection: Collection) -> ChromaVectorStore:
    from llama_index.vector_stores.chroma import ChromaVectorStore

    return ChromaVectorStore(chroma_collection=collection)


def _batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    left = iter(items)
    while batch := list(islice(left, _BATCH)):
        yield batch
