"""The vector store follows the catalog: what lacks a vector gets one, what is gone loses it."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from typing import TypeVar

from corpora import Catalog, CatalogBusy, Lock, Passage, ProjectKey
from retrieval.embedder import EmbeddingModel
from retrieval.errors import EmbeddingModelMismatch, VectorStoreDamaged, VectorStoreUnavailable
from retrieval.freed_memory import give_back
from retrieval.vector_store import VectorStore

logger = logging.getLogger(__name__)

# Passages whose vectors are written together: what a kill -9 loses, at most (about five seconds of work).
_BATCH = 64
# Vectors that are forgotten before others may go on, who wait to have theirs made.
_FORGOTTEN_AT_ONCE = 500
# Vectors, of those that are left: an index keeps the room of what was deleted from it until it goes as a whole.
_MOST_DELETED, _TIMES_DELETED = 2_000, 2

_Done = TypeVar("_Done")

EmbeddingProgress = Callable[[int, int], None]  # done, total


class VectorUpkeep:
    """Writes vectors; every step may be killed and done again."""

    def __init__(self, catalog: Catalog, embedder: EmbeddingModel, vectors: VectorStore) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._vectors = vectors
        self._doubtful = defaultdict[ProjectKey, set[str]](set)  # vectors whose texts may have gone before these came
        self._deleted = Counter[ProjectKey]()  # since the index of each was made, or opened

    def check_model(self, dimension: int | None = None) -> None:
        """Raise `EmbeddingModelMismatch` if the catalog's vectors are another model's; loads nothing.

        A provider's may be another under the same name: then only the `dimension` says so.
        """
        recorded = self._catalog.embedding_model()
        if recorded is not None and recorded != (self._embedder.name, dimension or recorded[1]):
            raise self._mismatch(*recorded)

    def embed_pending(self, key: ProjectKey, progress: EmbeddingProgress | None = None) -> int:
        """Give every passage its vector, cached where its text is known; returns how many were computed.

        Who else makes vectors of this project, in whatever process, is waited for; `progress` hears of that as well.
        """
        say = _Said(progress)
        with self._lock(key).held(lambda: progress and progress(0, self._catalog.lacking_vectors(key))):
            while not self._is_done(lambda: self._complete(key, say)):
                say.again()
        self.forget_replaced(key, say.again)
        return say.computed

    def embed_if_free(self, key: ProjectKey, progress: EmbeddingProgress | None = None) -> bool:
        """As `embed_pending`, but waits for nobody; False if that is to be done again later.

        Somebody else makes vectors of this project, or writes a long document into it: vectors that were computed
        meanwhile are in the catalog.
        """
        say = _Said(progress)
        with self._lock(key).held_if_free() as held:
            done = held and self._is_done(lambda: self._complete(key, say))
        if done:
            self.forget_replaced(key, say.again)
        return done

    def begin_anew(self, key: ProjectKey | None = None) -> None:
        """The store has nothing, or nothing of this project: every passage needs its vector again.

        The catalog has them. A Chroma server may have lost what it kept, and a folder be damaged.
        """
        self._catalog.mark_unembedded(key)

    def forget_replaced(self, key: ProjectKey, beat: Callable[[], None] | None = None) -> None:
        """Take vectors of passages that are gone out of the store; who makes vectors just now does it at the end.

        The catalog knows them until they are, and no search shows them: a store that is away does not matter here, nor
        does whoever writes to the project. `beat` is called again and again, each time after some are; what it raises
        leaves the rest.
        """
        try:
            while (replaced := self._catalog.replaced_passages(key, _FORGOTTEN_AT_ONCE)) or key in self._doubtful:
                with self._lock(key).held_if_free() as held:
                    if not held:
                        return
                    self._anew_if_damaged(lambda gone=replaced: self._forget(key, gone, beat))
        except VectorStoreUnavailable as error:
            logger.warning("vectors of removed passages will be forgotten later: %s", error)
        except CatalogBusy:
            return

    def repair(self, key: ProjectKey, beat: Callable[[], None] = lambda: None) -> bool:
        """Make the store equal to what the catalog says it holds; False if that is to be done again later.

        Somebody makes vectors of this project, or writes a long document into it. `beat` is called again and again,
        each time after some has been done; what it raises leaves the rest.
        """
        if self._catalog.embedding_model() is None:
            return True
        with self._lock(key).held_if_free() as held:
            return held and self._is_done(lambda: self._repair(key, beat))

    def reindex(self, keys: Iterable[ProjectKey], progress: EmbeddingProgress | None = None) -> None:
        """Make all vectors of these projects anew with the model in use, the catalog's model from now on.

        Nobody else may use the catalog meanwhile.
        """
        model = self._embedder.name, self._embedder.dimension  # first: where it cannot be loaded nothing is lost
        # In this order: killed at any moment, the catalog counts on no vector that is not there, or is another model's.
        self._catalog.mark_unembedded()
        self._vectors.clear()
        self._catalog.record_embedding_model(*model)
        for key in keys:
            self.embed_pending(key, progress)
            self._vectors.close()  # of very many projects, else the later ones would have to wait

    def _is_done(self, work: Callable[[], object]) -> bool:
        """Does the work; False where somebody writes to the project, and it is to be begun again."""
        try:
            self._anew_if_damaged(work)
        except CatalogBusy:
            return False
        return True

    def _anew_if_damaged(self, work: Callable[[], _Done]) -> _Done:
        try:
            return work()
        except VectorStoreDamaged:
            self.begin_anew()
            return work()

    def _lock(self, key: ProjectKey) -> Lock:
        return self._catalog.lock(f"vectors of {key.workspace} {key.project_id}")

    def _complete(self, key: ProjectKey, say: _Said) -> None:
        # There may be millions: some at a time, as others may have to go on in between.
        while (replaced := self._catalog.replaced_passages(key, _FORGOTTEN_AT_ONCE)) or key in self._doubtful:
            if not say.last[1]:
                say.last = (0, self._catalog.lacking_vectors(key))
            self._forget(key, replaced, say.again)
        self.check_model()
        if self._has_room_of_many(key):
            self._shrink(key, say.again)
        pending = self._catalog.unembedded(key)
        if not pending:
            return
        self._record_model()
        if not self._vectors.has(key):  # else what is put there now would hide that the rest is lost
            self.begin_anew(key)
            pending = self._catalog.unembedded(key)
        left = iter(pending)
        for done in range(0, len(pending), _BATCH):
            batch = list(islice(left, _BATCH))
            say.computed += self._embed(key, batch)
            say(done + len(batch), len(pending))
        give_back()

    def _repair(self, key: ProjectKey, beat: Callable[[], None]) -> None:
        while replaced := self._catalog.replaced_passages(key, _FORGOTTEN_AT_ONCE):
            self._forget(key, replaced, beat)
        marked = self._catalog.passage_ids(key)
        # Only after that: what is added to the catalog meanwhile has no vector before the lock is free.
        stored = self._vectors.ids(key)
        self._take_out(key, stored - marked.keys(), beat)
        whole = stored - self._vectors.without_text(key)
        missing = iter([passage_id for passage_id, embedded in marked.items() if embedded and passage_id not in whole])
        while some := list(islice(missing, _BATCH)):
            self.check_model()
            self._embed(key, some)
            beat()

    def _forget(self, key: ProjectKey, replaced: Collection[str], beat: Callable[[], None] | None = None) -> None:
        if key in self._doubtful:
            self._forget_doubtful(key)
        gone = sorted(set(replaced) - self._catalog.passages_by_id(key, replaced).keys())
        if self._catalog.embedding_model() is not None:  # else Chroma need not even be imported
            # An index keeps room for what was deleted from it, and only goes as a whole.
            self._drop(key) if self._is_all_gone(key, gone) else self._delete(key, gone)
        self._catalog.mark_forgotten(gone)
        if beat is not None:
            beat()

    def _has_room_of_many(self, key: ProjectKey) -> bool:
        """Whether most of the room that the index takes is that of deleted entries."""
        deleted = self._deleted[key]
        return deleted > _MOST_DELETED and deleted > _TIMES_DELETED * self._catalog.passage_count(key)

    def _shrink(self, key: ProjectKey, beat: Callable[[], None]) -> None:
        """Drop the index, to be made anew."""
        logger.info("an index from which %s vectors were deleted is made anew", self._deleted[key])
        self.begin_anew(key)  # first: killed at any moment, the catalog counts on no vector that is not there
        self._take_out(key, self._vectors.ids(key), beat)  # else nobody gets on while it is dropped
        self._drop(key)

    def _take_out(self, key: ProjectKey, stored: Iterable[str], beat: Callable[[], None]) -> None:
        in_order = sorted(stored)
        for begin in range(0, len(in_order), _FORGOTTEN_AT_ONCE):
            self._vectors.delete(key, in_order[begin : begin + _FORGOTTEN_AT_ONCE])
            beat()

    def _delete(self, key: ProjectKey, some: Sequence[str]) -> None:
        self._vectors.delete(key, some)
        self._deleted[key] += len(some)

    def _drop(self, key: ProjectKey) -> None:
        self._vectors.drop(key)
        self._deleted.pop(key, None)

    def _is_all_gone(self, key: ProjectKey, some: Iterable[str]) -> bool:
        """Whether the store has at most these of the project, and nothing is to come."""
        left = set(some)
        is_empty = not self._catalog.passage_count(key)
        return is_empty and left.issuperset(self._catalog.replaced_passages(key, len(left) + 1))

    def _record_model(self) -> None:
        if self._catalog.embedding_model() is None:
            self._catalog.record_embedding_model(self._embedder.name, self._embedder.dimension)
        else:
            self.check_model(self._embedder.dimension)

    def _mismatch(self, name: str, dimension: int) -> EmbeddingModelMismatch:
        return EmbeddingModelMismatch(
            f"The vectors of this data directory were made by {name!r} ({dimension} dimensions), and the "
            f"model in use is {self._embedder.name!r}: vectors of two models cannot be compared. Either set "
            "FLETCHER_EMBEDDING_MODEL back, or embed everything again with: fletcher reindex"
        )

    def _embed(self, key: ProjectKey, passage_ids: Sequence[str]) -> int:
        """Vectors of one batch into the store, but for what is gone; returns how many had to be computed."""
        texts = {passage.embedding_hash: passage.embedding_text for passage in self._passages(key, passage_ids)}
        if not texts:
            return 0
        vectors = self._catalog.cached_vectors(texts)
        new = [text_hash for text_hash in texts if text_hash not in vectors]
        if new:
            computed = self._embedder.embed_passages([texts[text_hash] for text_hash in new])
            vectors |= dict(zip(new, computed, strict=True))
            self._doubtful[key].update(new)
            self._catalog.store_vectors({text_hash: vectors[text_hash] for text_hash in new})
        self._forget_doubtful(key)
        # One that was away for a moment, and is there again, has its turn later.
        batch = [passage for passage in self._passages(key, passage_ids) if passage.embedding_hash in vectors]
        self._vectors.put(key, [(passage, vectors[passage.embedding_hash]) for passage in batch])
        self._catalog.mark_embedded(key, [passage.id for passage in batch])
        return len(new)

    def _forget_doubtful(self, key: ProjectKey) -> None:
        # Whoever has begun to take some texts away before their vectors were known has not noted that these must go.
        self._catalog.wait_for_writer(key)
        self._catalog.forget_unused(self._doubtful.pop(key, ()))

    def _passages(self, key: ProjectKey, passage_ids: Iterable[str]) -> list[Passage]:
        """Those that there still are."""
        return list(self._catalog.passages_by_id(key, passage_ids).values())


class _Said:
    """What was last said of the progress, to say it again while something else is done."""

    def __init__(self, progress: EmbeddingProgress | None) -> None:
        self._progress = progress
        self.last = (0, 0)
        self.computed = 0

    def __call__(self, done: int, total: int) -> None:
        self.last = (done, total)
        self.again()

    def again(self) -> None:
        if self._progress is not None:
            self._progress(*self.last)
