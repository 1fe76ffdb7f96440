"""The catalog's embeddings: which model, which passages have vectors, and all vectors made so far."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Delete, Select, delete, exists, func, insert, select, update

from corpora.chunks import chunks
from corpora.database import Database, insert_or_keep
from corpora.errors import CatalogError
from corpora.records import ProjectKey
from corpora.schema import documents, facts, passages, projects, replaced_passages, vectors
from corpora.statements import IS_PROJECT, hold_project, is_project, named

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MODEL, _DIMENSION = "embedding_model", "embedding_dimension"
_NAMESPACE = "vector_namespace"
_BYTES_OF_A_NUMBER = 4

# Of passages without vectors, as the partial index says it; a join in this order walks over the documents and never
# over the passages. Every search asks it.
_LACKING = (
    select(func.count())
    .select_from(passages)
    .join(documents)
    .join(projects)
    .where(IS_PROJECT, passages.c.embedded.is_(False))
)


class Embeddings(Database):
    """What `Catalog` knows about vectors.

    The embedding cache is shared by all projects, and has a text's vector for as long as one of them has the text.
    """

    def embedding_model(self) -> tuple[str, int] | None:
        """Name and dimension of the model that the vectors were made with; None before the first."""
        with self._reading() as connection:
            return _recorded_model(connection)

    def record_embedding_model(self, name: str, dimension: int) -> None:
        """Say which model makes the vectors from now on; with another one, nothing counts as embedded."""
        with self._writing() as connection:
            connection.execute(select(facts).with_for_update())  # of several servers one records it
            before = _recorded_model(connection)
            if before == (name, dimension):
                return
            connection.execute(delete(facts).where(facts.c.name.in_([_MODEL, _DIMENSION])))
            rows = [{"name": _MODEL, "value": name}, {"name": _DIMENSION, "value": str(dimension)}]
            connection.execute(insert(facts), rows)
            if before is not None:
                connection.execute(update(passages).values(embedded=False))
                # A provider has another model under the same name.
                is_other = func.length(vectors.c.vector) != dimension * _BYTES_OF_A_NUMBER
                connection.execute(delete(vectors).where(vectors.c.model == name, is_other))

    def vector_namespace(self) -> str:
        """What tells the vectors of this catalog from another's in a vector store that both use (8 hex digits)."""
        return self._fact(_NAMESPACE, secrets.token_hex(4))

    def unfinished_projects(self) -> list[ProjectKey]:
        """The projects with passages that lack vectors, or with vectors that must go."""
        lacking = select(documents.c.project).join(passages).where(passages.c.embedded.is_(False))
        gone = select(replaced_passages.c.project)
        query = select(projects).where(projects.c.id.in_(lacking) | projects.c.id.in_(gone))
        with self._reading() as connection:
            return [ProjectKey(row.workspace, row.project_id) for row in connection.execute(query)]

    def lacking_vectors(self, key: ProjectKey, document_id: str | None = None) -> int:
        """How many passages of the project, or of one document, have no vector in the vector store yet."""
        lacking = _LACKING if document_id is None else _LACKING.where(documents.c.id == document_id)
        with self._reading() as connection:
            return connection.scalar(lacking, named(key)) or 0

    def cached_vectors(self, hashes: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """The known vectors of these `Passage.embedding_hash`es, made by the recorded model."""
        with self._reading() as connection:
            known = select(vectors).where(vectors.c.model == _model_name(connection))
            rows = [
                row
                for some in chunks(hashes)
                for row in connection.execute(known.where(vectors.c.text_sha256.in_(some)))
            ]
        import numpy as np  # only here: what embeds nothing need not wait for it

        return {row.text_sha256: np.frombuffer(row.vector, "<f4").astype(np.float32) for row in rows}

    def store_vectors(self, by_hash: Mapping[str, NDArray[np.float32]]) -> None:
        """Add vectors, by `Passage.embedding_hash`, to the embedding cache of the recorded model."""
        with self._writing() as connection:
            model = _model_name(connection)
            for some in chunks(sorted(by_hash)):
                rows = [
                    {"text_sha256": text, "model": model, "vector": by_hash[text].astype("<f4").tobytes()}
                    for text in some
                ]
                connection.execute(insert_or_keep(connection, vectors), rows)

    def wait_for_writer(self, key: ProjectKey) -> None:
        """Return once nobody writes to the project who has begun before; raises `CatalogBusy` after two seconds.

        A file has one writer, who is waited for with each write.
        """
        if self.is_shared:
            with self._writing() as connection:
                hold_project(connection, is_project(key))

    def mark_embedded(self, key: ProjectKey, passage_ids: Iterable[str]) -> None:
        """Record that the vector store has these passages' vectors; ids that are gone are ignored.

        Raises `CatalogBusy` where somebody writes to the project for more than two seconds.
        """
        own = _of_project(key)
        with self._writing() as connection:
            hold_project(connection, is_project(key))
            for some in chunks(passage_ids):
                these = passages.c.id.in_(some) & passages.c.document.in_(own)
                connection.execute(update(passages).where(these).values(embedded=True))

    def mark_unembedded(self, key: ProjectKey | None = None) -> None:
        """Record that the vector store has no vectors of the project; without one, of none.

        Raises `CatalogBusy` where somebody writes to the project for more than two seconds; without one it waits.
        """
        lost = update(passages).where(passages.c.embedded).values(embedded=False)
        with self._writing() as connection:
            if key is not None:
                hold_project(connection, is_project(key))
                lost = lost.where(passages.c.document.in_(_of_project(key)))
            connection.execute(lost)

    def replaced_passages(self, key: ProjectKey, most: int | None = None) -> list[str]:
        """Ids of passages that are gone, and whose vectors the vector store may still have; `most` of them."""
        query = select(replaced_passages.c.passage).join(projects).where(is_project(key)).limit(most)
        with self._reading() as connection:
            return list(connection.scalars(query))

    def mark_forgotten(self, passage_ids: Iterable[str]) -> None:
        """Record that the vector store no longer has the vectors of these `replaced_passages`.

        Those whose texts no passage of any project has are forgotten here as well. Some at a time: others write in
        between. Raises `CatalogBusy` where somebody writes to the project for more than two seconds.
        """
        for some in chunks(passage_ids):
            with self._writing() as connection:
                own = select(replaced_passages.c.project).where(replaced_passages.c.passage.in_(some))
                hold_project(connection, projects.c.id.in_(own))
                gone = delete(replaced_passages).where(replaced_passages.c.passage.in_(some))
                texts = connection.scalars(gone.returning(replaced_passages.c.text_sha256)).all()
                connection.execute(_unused(texts))

    def forget_unused(self, hashes: Iterable[str]) -> None:
        """Forget the vectors of these `Passage.embedding_hash`es, but for those of texts that a passage has."""
        for some in chunks(hashes):
            with self._writing() as connection:
                connection.execute(_unused(some))


def _unused(texts: Collection[str]) -> Delete:
    is_used = exists().where(passages.c.text_sha256 == vectors.c.text_sha256)
    return delete(vectors).where(vectors.c.text_sha256.in_(texts), ~is_used)


def _of_project(key: ProjectKey) -> Select[tuple[str]]:
    return select(documents.c.id).join(projects).where(is_project(key))


def _recorded_model(connection: Connection) -> tuple[str, int] | None:
    rows = connection.execute(select(facts).where(facts.c.name.in_([_MODEL, _DIMENSION])))
    values = {row.name: row.value for row in rows}
    return (values[_MODEL], int(values[_DIMENSION])) if values else None


def _model_name(connection: Connection) -> str:
    model = _recorded_model(connection)
    if model is None:
        raise CatalogError("The catalog has no embedding model: call record_embedding_model before using vectors.")
    return model[0]
