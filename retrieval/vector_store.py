"""The vectors of passages in Chroma, one collection for each project."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from math import isfinite
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, TypeVar, cast, get_args
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from corpora import Passage, PassageKind, ProjectKey
from retrieval.chroma_folder import ChromaFolder
from retrieval.chroma_server import ChromaServer
from retrieval.circuit_breaker import Patience
from retrieval.errors import VectorStoreUnavailable

if TYPE_CHECKING:
    from chromadb import Collection, QueryResult, Where
    from chromadb.api import ServerAPI

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")

_PREFIX = "fletcher-"
_BATCH = 2000  # records in one call; Chroma takes at most 5,461 of them
_DELETED_AT_ONCE = 100  # from a folder
# Vectors, and what a collection of few counts as, whose room is had back once the files are let go of.
_MOST_GONE, _OF_A_COLLECTION = 20_000, 200

# How long a Chroma server may take: somebody waits for a search, and what is deleted can be deleted later.
_QUERY = Patience(2.0)
_DELETE = Patience(5.0)
_OTHERWISE = Patience(30.0, asks_again=True)
# Nobody asks for two of these at once. The ids of the most passages that a project may have take 4 MiB, with as many
# that are replaced 8; of the projects of a server each takes 2 KB.
_IDS = Patience(30.0, asks_again=True, most_bytes=16 * 2**20)
_COLLECTIONS = Patience(30.0, asks_again=True, most_bytes=64 * 2**20)


class VectorStore:
    """Passages with their vectors, as any tool reads them that knows Chroma.

    An entry has the passage's id and vector, its text as the document, and as metadata `document`, `document_id`,
    `page_from`, `page_to` (without pages neither), `heading` (the path, with ` > ` between) and `kind`. A collection's
    metadata say whose it is, `workspace` and `project`. The catalog is the truth all the same.

    Nothing is opened before the first use. May be used from several threads. Every method raises
    `VectorStoreUnavailable` when Chroma does not answer in time, or cannot use its files; in a folder that is damaged
    `VectorStoreDamaged`, once, and then the store is empty.

    Args:
        location: A folder, which only one process may open at a time, or the URL of a Chroma server.
        namespace: Tells the collections of one catalog from another's in the same place.
    """

    def __init__(self, location: Path | str, namespace: str = "") -> None:
        self._chroma = ChromaServer(location) if isinstance(location, str) else ChromaFolder(location)
        self._prefix = f"{_PREFIX}{namespace}-" if namespace else _PREFIX
        self._asked_before: dict[ProjectKey, UUID] = {}
        self._gone = 0

    def put(self, key: ProjectKey, passages: Iterable[tuple[Passage, NDArray[np.float32]]]) -> None:
        """Store passages with their vectors, in place of what is there of them."""
        for batch in _batches(passages, _BATCH):
            with self._resting():
                self._chroma.call(lambda chroma, batch=batch: self._put(chroma, key, batch), _OTHERWISE)

    def delete(self, key: ProjectKey, passage_ids: Iterable[str]) -> None:
        """Take vectors out; ids that are not there are ignored."""
        at_once = _DELETED_AT_ONCE if isinstance(self._chroma, ChromaFolder) else _BATCH
        # In order, as they lie there: else it takes three times as long.
        for batch in _batches(sorted(passage_ids), at_once):
            with self._resting():
                self._in_collection(key, partial(self._deleted, batch), _DELETE, key.workspace)
            self._gone += len(batch)

    @contextmanager
    def _resting(self) -> Generator[None]:
        """No other thread runs while Chroma writes into a folder: all have as much time afterwards."""
        begun = monotonic()
        yield
        if isinstance(self._chroma, ChromaFolder):
            sleep(monotonic() - begun)

    def query(
        self, key: ProjectKey, vector: NDArray[np.float32], k: int, document_id: str | None = None
    ) -> list[tuple[str, float]]:
        """The `k` nearest passages of the project, or of one document: `(passage id, cosine similarity)`."""

        def ask(chroma: ServerAPI) -> list[tuple[str, float]]:
            with self._chroma.using(self._name(key)):
                return self._asked(chroma, key, vector, k, document_id)

        return self._chroma.call(ask, _QUERY)

    def has(self, key: ProjectKey) -> bool:
        """Whether a collection of the project is there."""

        def look(chroma: ServerAPI) -> bool:
            with self._chroma.using(self._name(key)):
                return _id_of(chroma, self._name(key)) is not None

        return self._chroma.call(look, _OTHERWISE)

    def ids(self, key: ProjectKey) -> set[str]:
        """The ids of all passages of the project that have a vector here."""
        found = self._in_collection(key, lambda collection: collection.get(include=[]), _IDS)
        return set(found["ids"]) if found else set()

    def without_text(self, key: ProjectKey) -> set[str]:
        """The ids of those that have nothing but a vector, as all had that Fletcher wrote before 2026-12."""
        where = cast("Where", {"kind": {"$nin": list(get_args(PassageKind))}})
        found = self._in_collection(key, lambda collection: collection.get(where=where, include=[]), _IDS)
        return set(found["ids"]) if found else set()

    def drop(self, key: ProjectKey) -> None:
        """Forget all vectors of a project; of very many, `delete` them first, or nobody gets on meanwhile."""
        self._chroma.call(lambda chroma: self._dropped(chroma, self._name(key)), _OTHERWISE)
        self._gone += _OF_A_COLLECTION
        is_much, self._gone = self._gone > _MOST_GONE, self._gone % _MOST_GONE
        self._chroma.let_go_of_dropped(memory=is_much)

    def clear(self) -> None:
        """Forget the vectors of all projects, also where they cannot be read any more."""
        try:
            if not self._chroma.remove(self._prefix):
                self._chroma.call(self._cleared, _COLLECTIONS)
                self._chroma.let_go_of_dropped(memory=True)
        except VectorStoreUnavailable:
            if not self._chroma.set_aside():
                raise

    def check(self) -> None:
        """Raise `VectorStoreUnavailable` if the server does not answer, or the folder failed when it was last asked."""
        self._chroma.check()

    def end(self) -> None:
        """Wait for no server any more: what it was told is done or not, which the next start finds out."""
        self._chroma.end()

    def close(self) -> None:
        """Let go of the files; the next use opens them again."""
        self._asked_before.clear()
        self._chroma.close()

    def _put(self, chroma: ServerAPI, key: ProjectKey, batch: list[tuple[Passage, NDArray[np.float32]]]) -> None:
        name = self._name(key)
        with self._chroma.changing(name), self._chroma.writing():
            made = chroma.get_or_create_collection(
                name,
                configuration={"hnsw": {"space": "cosine"}},
                metadata={"workspace": key.workspace, "project": key.project_id},
            )
        with self._chroma.using(name):
            collection = self._collection(chroma, made.id, key.workspace)
            self._ask_first(collection)
        with self._chroma.using(name), self._chroma.writing():
            collection.upsert(
                ids=[passage.id for passage, _ in batch],
                embeddings=[vector for _, vector in batch],
                metadatas=[_metadata(passage) for passage, _ in batch],
                documents=[passage.text for passage, _ in batch],
            )

    def _deleted(self, ids: list[str], collection: Collection) -> None:
        self._ask_first(collection)
        with self._chroma.writing():
            collection.delete(ids)

    def _ask_first(self, collection: Collection) -> None:
        """An index is read for a question beside other threads, and for a write in place of them."""
        self._chroma.ask_first(collection.id, lambda: collection.get(limit=1, include=["embeddings"]))

    def _asked(
        self, chroma: ServerAPI, key: ProjectKey, vector: NDArray[np.float32], k: int, document_id: str | None
    ) -> list[tuple[str, float]]:
        """What the project's collection finds; nothing if there is none."""
        from chromadb.errors import NotFoundError

        known = self._asked_before.pop(key, None)  # to look for it takes as long as the question
        while (found := known or _id_of(chroma, self._name(key))) is not None:
            collection = self._collection(chroma, found, key.workspace)
            try:
                with self._chroma.asking(found):
                    answer = collection.query(
                        query_embeddings=[vector],
                        n_results=k,
                        where=None if document_id is None else {"document_id": document_id},
                        include=["distances"],
                    )
            except NotFoundError:  # dropped since, and perhaps made anew
                known = None
            else:
                self._asked_before[key] = found
                return _similarities(answer)
        return []

    def _in_collection(
        self,
        key: ProjectKey,
        work: Callable[[Collection], _Answer],
        patience: Patience,
        workspace: str | None = None,
    ) -> _Answer | None:
        """What `work` makes of the project's collection, for a workspace or for the server; None if there is none."""

        def in_collection(chroma: ServerAPI) -> _Answer | None:
            from chromadb.errors import NotFoundError

            with suppress(NotFoundError), self._chroma.using(self._name(key)):  # dropped meanwhile
                found = _id_of(chroma, self._name(key))
                return None if found is None else work(self._collection(chroma, found, workspace))

        return self._chroma.call(in_collection, patience)

    def _collection(self, chroma: ServerAPI, collection_id: UUID, workspace: str | None = None) -> Collection:
        """The collection of this id, and nothing else that the server says of it.

        Its configuration and its schema can name functions, which Chroma's client builds and calls: whoever reaches the
        server's port would run code here. We need none: the vectors are ours.
        """
        from chromadb import Collection
        from chromadb.config import DEFAULT_DATABASE, DEFAULT_TENANT
        from chromadb.types import Collection as Description

        self._chroma.uses(collection_id, workspace)
        described = Description(collection_id, "", {}, None, None, None, DEFAULT_TENANT, DEFAULT_DATABASE)
        return Collection(chroma, described, embedding_function=None)

    def _cleared(self, chroma: ServerAPI) -> None:
        for collection in chroma.list_collections():
            if collection.name.startswith(self._prefix):
                self._dropped(chroma, collection.name)

    def _dropped(self, chroma: ServerAPI, name: str) -> None:
        from chromadb.errors import NotFoundError

        with suppress(NotFoundError), self._chroma.changing(name), self._chroma.writing():
            chroma.delete_collection(name)

    def _name(self, key: ProjectKey) -> str:
        """Chroma allows fewer characters than project ids have, and "a-b" of "c" must not meet "a" of "b-c"."""
        return self._prefix + hashlib.sha256(f"{key.workspace}\0{key.project_id}".encode()).hexdigest()[:40]


def _metadata(passage: Passage) -> dict[str, str | int]:
    pages = {"page_from": passage.page_from, "page_to": passage.page_to}
    return {
        "document": passage.document,
        "document_id": passage.document_id,
        "heading": " > ".join(passage.heading),
        "kind": passage.kind,
    } | {name: number for name, number in pages.items() if number is not None}


def _id_of(chroma: ServerAPI, name: str) -> UUID | None:
    from chromadb.errors import NotFoundError

    try:
        return chroma.get_collection(name).id
    except NotFoundError:
        return None


def _similarities(answer: QueryResult) -> list[tuple[str, float]]:
    """Raises whatever comes of an answer that is none."""
    cosines = np.clip(1.0 - np.asarray((answer["distances"] or [[]])[0], dtype=np.float64), -1.0, 1.0).tolist()
    found = zip(answer["ids"][0], cosines, strict=True)
    # Of a vector that is damaged no distance is known, as of null.
    return [(str(passage_id), cosine) for passage_id, cosine in found if isfinite(cosine)]


def _batches(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch
