"""The full-text indexes of all projects, kept up with the catalog off the request path."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from corpora import Catalog, ProjectKey
from retrieval.freed_memory import give_back
from retrieval.lexical_index import LexicalIndex
from retrieval.near_duplicates import NearDuplicates
from retrieval.words import stem

# A write must be seen within two seconds. So an index that was up to date this long ago may still answer; one
# that was verified longer ago is not used before it is rebuilt, as the write that it lacks may be as old.
_MAY_LAG_S = 1.5

# What a request waits for a new index although the old one may still answer: small ones are built by then.
_PATIENCE_S = 0.03


# What all indexes may have together, at 1 to 5 KB each; before there are more, those that nobody has asked for longest
# are dropped, and built again when they are needed.
_MOST_PASSAGES = 100_000


@dataclass
class _Kept:
    index: LexicalIndex | None = None
    verified_at: float = 0.0
    building: Future[LexicalIndex] | None = None

    @property
    def size(self) -> int:
        return 1 + (0 if self.index is None else len(self.index.ids))


class LexicalIndexes:
    """The indexes of the projects that were searched last, rebuilt in a thread when the corpus version moves."""

    def __init__(
        self,
        catalog: Catalog,
        clock: Callable[[], float] = time.monotonic,
        most_passages: int = _MOST_PASSAGES,
    ) -> None:
        self._catalog = catalog
        self._clock = clock
        self._most_passages = most_passages
        self._kept: OrderedDict[ProjectKey, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._builder = ThreadPoolExecutor(max_workers=1, thread_name_prefix="bm25")

    def current(self, key: ProjectKey) -> LexicalIndex:
        """An index that lacks no write older than two seconds; the first one is waited for.

        Raises `ProjectNotFound`.
        """
        version = self._catalog.corpus_version(key)
        if not version:
            self._catalog.require_project(key)
        with self._lock:
            kept = self._kept.setdefault(key, _Kept())
            self._kept.move_to_end(key)
            if kept.index is not None and kept.index.version >= version:
                kept.verified_at = self._clock()
                return kept.index
            may_lag = kept.index is not None and self._clock() - kept.verified_at < _MAY_LAG_S
        return self._built(key, kept, version, _PATIENCE_S if may_lag else None)

    def near_duplicates(self, key: ProjectKey) -> NearDuplicates:
        """What stands in two documents of the project, by the index that answered last."""
        with self._lock:
            kept = self._kept.get(key)
            return NearDuplicates((), ()) if kept is None or kept.index is None else kept.index.near_duplicates

    def refresh(self, key: ProjectKey) -> None:
        """Bring a project's index up to date now, if it has one: for whoever has just written."""
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None:
            self._built(key, kept, self._catalog.corpus_version(key), patience=None)

    def close(self) -> None:
        """Stop building; waits for the index that is being built."""
        self._builder.shutdown(cancel_futures=True)

    def _built(self, key: ProjectKey, kept: _Kept, version: int, patience: float | None) -> LexicalIndex:
        while True:
            building = self._building(key, kept)
            if not wait([building], patience).done and kept.index is not None:
                return kept.index
            index = building.result()
            if index.version >= version:  # else it was begun before the write
                return index

    def _building(self, key: ProjectKey, kept: _Kept) -> Future[LexicalIndex]:
        with self._lock:
            if kept.building is None or kept.building.done():
                kept.building = self._builder.submit(self._build, key, kept)
            return kept.building

    def _build(self, key: ProjectKey, kept: _Kept) -> LexicalIndex:
        started = self._clock()
        version = self._catalog.corpus_version(key)  # before the passages: they may be newer, never older
        if kept.index is None or kept.index.version < version:
            edited = {document.id: document.updated_at for document in self._catalog.documents(key)}
            index = LexicalIndex(version, self._catalog.passages(key), kept.index, edited)
            words = 0 if kept.index is None else len(kept.index.vocabulary)
            kept.index, kept.verified_at = index, started
            if self._drop_old() or words > 2 * len(index.vocabulary):  # most of it is gone
                stem.cache_clear()  # its words lie among those that are gone, and would keep their memory
                give_back()
        return kept.index

    def _drop_old(self) -> bool:
        """Whether indexes were dropped; the one that was asked for last stays, however large."""
        with self._lock:
            before, size = len(self._kept), sum(kept.size for kept in self._kept.values())
            while size > self._most_passages and len(self._kept) > 1:
                size -= self._kept.popitem(last=False)[1].size
            return len(self._kept) < before
