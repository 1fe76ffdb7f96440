"""The full-text indexes of all projects, kept up with the catalog off the request path."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial

from corpora import Catalog, ProjectKey
from retrieval.builders import Builders
from retrieval.computing import waiting
from retrieval.freed_memory import give_back
from retrieval.lexical_index import LexicalIndex
from retrieval.near_duplicates import NearDuplicates
from retrieval.words import kept_stem

# A write must be seen within two seconds. So an index that was up to date this long ago may still answer; one
# that was verified longer ago is not used before it is rebuilt, as the write that it lacks may be as old.
_MAY_LAG_S = 1.5

# What a request waits for a new index although the old one may still answer: small ones are built by then.
_PATIENCE_S = 0.03

_LOOKS_EVERY_S = 0.2

# What all indexes may take together; before it is more, some are dropped, and built again when they are needed: of the
# workspace that has most, those that nobody has asked for longest. So nobody loses what is small to whoever searches a
# lot.
_MOST_BYTES = 500_000_000

# An index that takes more is dropped before the next one of its project is made, which takes longer so and is waited
# for: with both in memory a server would take gigabytes.
_LARGE_BYTES = 400_000_000

# Of a project with so many, an index is built in some tenths of a second: it waits for no larger one.
_SMALL = 5_000

# Of projects with more, one index is built at a time: while it is made it takes up to a gigabyte.
_HUGE = 20_000


@dataclass
class _Kept:
    index: LexicalIndex | None = None
    verified_at: float = 0.0
    building: Future[LexicalIndex] | None = None

    @property
    def size(self) -> int:
        return 1 + (0 if self.index is None else self.index.nbytes)

    @property
    def is_waited_for(self) -> bool:
        """It is being built, or about to be."""
        return self.building is None or not self.building.done()

    @property
    def is_being_built(self) -> bool:
        """What it was before is in use, and stays in memory in any case."""
        return self.building is not None and self.building.running()


class _Outgrown(Exception):
    """The project has another size than when its index was asked for, and others would wait for it here."""


class LexicalIndexes:
    """The indexes of the projects that were searched last, rebuilt in a thread when the corpus version moves.

    Workspaces have their turns: none waits for more than one large index of each of the others. With a project of
    `small` passages or fewer it waits for no large one, and for small ones of others a second, unless many ask. Of
    projects with more than `huge` passages one is built at a time.
    """

    def __init__(
        self,
        catalog: Catalog,
        clock: Callable[[], float] = time.monotonic,
        most_bytes: int = _MOST_BYTES,
        small: int = _SMALL,
        large_bytes: int = _LARGE_BYTES,
        huge: int = _HUGE,
    ) -> None:
        self._catalog = catalog
        self._clock = clock
        self._most_bytes = most_bytes
        self._kept: OrderedDict[ProjectKey, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._small = small
        self._large_bytes = large_bytes
        self._huge = huge
        self._builders_of_small = Builders[LexicalIndex](places=2, further=3)
        self._builders_of_large = Builders[LexicalIndex](places=2)
        self._builders_of_huge = Builders[LexicalIndex](places=1)

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
        """Stop building; waits for the indexes that are being built."""
        self._builders_of_small.close()
        self._builders_of_large.close()
        self._builders_of_huge.close()

    def _built(self, key: ProjectKey, kept: _Kept, version: int, patience: float | None) -> LexicalIndex:
        while True:
            building = self._building(key, kept)
            old = None if patience is None else kept.index  # whoever waits to the end keeps none in memory
            with waiting():
                built = wait([building], _LOOKS_EVERY_S if old is None else patience).done
                while old is None and not built:
                    self._builders_of_small.look()
                    built = wait([building], _LOOKS_EVERY_S).done
            if not built and old is not None:
                return old
            try:
                index = building.result()
            except _Outgrown:
                continue
            if index.version >= version:  # else it was begun before the write
                return index

    def _building(self, key: ProjectKey, kept: _Kept) -> Future[LexicalIndex]:
        builders = self._builders_of(key)
        with self._lock:
            if kept.building is None or kept.building.done():
                kept.building = builders.submit(key.workspace, partial(self._build, key, kept, builders))
            return kept.building

    def _builders_of(self, key: ProjectKey) -> Builders[LexicalIndex]:
        passages = self._catalog.passage_count(key)
        if passages > self._huge:
            return self._builders_of_huge
        return self._builders_of_small if passages <= self._small else self._builders_of_large

    def _build(self, key: ProjectKey, kept: _Kept, builders: Builders[LexicalIndex]) -> LexicalIndex:
        if self._builders_of(key) is not builders:
            raise _Outgrown
        started = self._clock()
        version = self._catalog.corpus_version(key)  # before the passages: they may be newer, never older
        if kept.index is None or kept.index.version < version:
            edited = {document.id: document.updated_at for document in self._catalog.documents(key)}
            words = 0 if kept.index is None else len(kept.index.vocabulary)
            has_dropped = self._drop_old()  # what was too large while somebody waited for it
            if kept.size > self._large_bytes:
                with self._lock:
                    kept.index = None
                has_dropped = True
            if has_dropped:
                give_back()
            index = LexicalIndex(version, self._catalog.passages(key), kept.index, edited)
            kept.index, kept.verified_at = index, started
            if self._drop_old() or words > 2 * len(index.vocabulary):  # most of it is gone
                kept_stem.cache_clear()  # its words lie among those that are gone, and would keep their memory
                give_back()
        return kept.index

    def _drop_old(self) -> bool:
        """Whether indexes were dropped; those that are being built stay, however large."""
        with self._lock:
            held, idle = Counter[str](), dict[str, deque[ProjectKey]]()
            for key, kept in self._kept.items():
                held[key.workspace] += kept.size
                if kept.index is not None and not kept.is_being_built:
                    idle.setdefault(key.workspace, deque()).append(key)
            has_dropped, too_many = False, held.total() - self._most_bytes
            while too_many > 0 and idle:
                workspace = max(idle, key=lambda workspace: held[workspace])
                key = idle[workspace].popleft()
                kept = self._kept[key]
                held[workspace] -= kept.size
                too_many -= kept.size
                if kept.is_waited_for:  # the next one takes its place when its turn comes
                    kept.index = None
                else:
                    del self._kept[key]
                if not idle[workspace]:
                    del idle[workspace]
                has_dropped = True
            return has_dropped
