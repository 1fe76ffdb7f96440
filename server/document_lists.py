"""Lists of all documents of a project: one for all pages that show it, made anew only where something has changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from weakref import WeakValueDictionary

from corpora import Catalog, Document, ProjectKey


@dataclass(frozen=True, eq=False)
class Listed:
    """A project's documents at some time. Nothing has changed while it is the same object: nobody has to compare.

    Attributes:
        state: What is another one once they are.
        documents: All, by name.
        kinds: The suffixes that their names have.
        passages: How many they have together.
        embedded: How many of these have their vectors.
    """

    state: tuple[int, int]
    documents: Sequence[Document]
    kinds: Sequence[str]
    passages: int
    embedded: int


class DocumentLists:
    """The lists that somebody holds."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._held = WeakValueDictionary[ProjectKey, Listed]()

    def known(self, key: ProjectKey) -> Listed | None:
        """The project's list if somebody holds it and nothing has changed since, which takes no time to find out."""
        held = self._held.get(key)
        return held if held is not None and held.state == self._state(key) else None

    def now(self, key: ProjectKey) -> Listed:
        """The project's list. It may have been made while this call waited for its thread."""
        if (listed := self.known(key)) is None:
            state = self._state(key)  # first: the documents may be newer than it says, and never older
            before = self._held.get(key)
            same = {document.id: document for document in before.documents} if before is not None else {}
            # Some show the one from before for a while yet: what has not changed is once in memory.
            documents = [_kept(same.get(document.id), document) for document in self._catalog.documents(key)]
            kinds = sorted({PurePosixPath(document.name).suffix.lower() for document in documents} - {""})
            passages, embedded = sum(d.passages for d in documents), sum(d.embedded for d in documents)
            self._held[key] = listed = Listed(state, documents, kinds, passages, embedded)
        return listed

    def _state(self, key: ProjectKey) -> tuple[int, int]:
        # Vectors that come, or are lost, leave the version as it is.
        return self._catalog.corpus_version(key), self._catalog.lacking_vectors(key)


def _kept(before: Document | None, now: Document) -> Document:
    return before if before is not None and before == now else now
