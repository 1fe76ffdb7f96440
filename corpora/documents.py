"""The catalog's documents: written whole in one transaction, found by name or id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    ScalarSelect,
    Select,
    case,
    delete,
    func,
    insert,
    select,
    update,
)

from corpora.chunks import chunks
from corpora.database import Database
from corpora.errors import DocumentNotFound, ProjectNotFound
from corpora.records import Document, Page, Passage, ProjectKey
from corpora.schema import documents, pages, passages, projects, replaced_passages


class Documents(Database):
    """What `Catalog` knows about projects, documents, pages and passages."""

    def projects(self, workspace: str) -> list[str]:
        """The ids of the workspace's projects, sorted."""
        query = select(projects.c.project_id).where(projects.c.workspace == workspace)
        with self._reading() as connection:
            return sorted(connection.scalars(query))

    def has_project(self, key: ProjectKey) -> bool:
        """Whether anything was ever ingested for the project."""
        return self.corpus_version(key) > 0

    def require_project(self, key: ProjectKey) -> None:
        """Raise `ProjectNotFound`, which names the known projects, unless `has_project`."""
        if not self.has_project(key):
            raise ProjectNotFound(
                f"There is no project {key.project_id!r}: known are {_listed(self.projects(key.workspace))}. "
                "A project begins with the first document that is ingested for it."
            )

    def corpus_version(self, key: ProjectKey) -> int:
        """0 for an unknown project; goes up with every change, in the same transaction."""
        with self._reading() as connection:
            return connection.scalar(select(projects.c.corpus_version).where(_is(key))) or 0

    def documents(self, key: ProjectKey) -> list[Document]:
        """All documents of the project by name; none for an unknown project."""
        with self._reading() as connection:
            return [_document(row) for row in connection.execute(_documents_of(key).order_by(documents.c.name))]

    def find_document(self, key: ProjectKey, name_or_id: str) -> Document:
        """The document of that name or else of that id; raises `ProjectNotFound` or `DocumentNotFound`."""
        wanted = documents.c.id.in_([key.document_id(name_or_id), name_or_id])
        with self._reading() as connection:
            found = [_document(row) for row in connection.execute(_documents_of(key).where(wanted))]
        if found:
            return next((document for document in found if document.name == name_or_id), found[0])
        self.require_project(key)
        raise self._not_found(key, name_or_id)

    def _not_found(self, key: ProjectKey, name: str) -> DocumentNotFound:
        names = [document.name for document in self.documents(key)]
        near = get_close_matches(name, names, n=3) or names[:5]
        hint = f"the nearest names are {_listed(near)}" if names else "it has none"
        return DocumentNotFound(f"Project {key.project_id!r} has no document {name!r}: {hint}.")

    def put_document(
        self,
        key: ProjectKey,
        *,
        name: str,
        format: str,  # noqa: A002 - the word that the report uses
        sha256: str,
        size: int,
        text: str,
        pages: Sequence[Page],
        passages: Sequence[Passage],
        pages_without_text: Sequence[int] = (),
    ) -> Document:
        """Write a document whole, in place of what had its name; passages that stay keep their vectors."""
        document_id = key.document_id(name)
        row = {
            "id": document_id,
            "name": name,
            "format": format,
            "sha256": sha256,
            "size": size,
            "pages_without_text": list(pages_without_text),
            "updated_at": datetime.now(UTC),
            "text": text,
        }
        with self._writing() as connection:
            project = _touched_project(connection, key)
            embedded = _take_away(connection, project, document_id)
            connection.execute(insert(documents).values(project=project, **row))
            _insert_pages(connection, document_id, pages)
            _insert_passages(connection, document_id, passages, embedded)
            return _document(connection.execute(_documents_of(key).where(documents.c.id == document_id)).one())

    def remove_document(self, key: ProjectKey, document_id: str) -> Document:
        """Take a document out and return what it was; raises as `find_document` does."""
        document = self.find_document(key, document_id)
        with self._writing() as connection:
            _take_away(connection, _touched_project(connection, key), document.id)
        return document

    def passages(self, key: ProjectKey, document_id: str | None = None) -> list[Passage]:
        """The passages of the project, or of one document, in reading order; documents by name."""
        query = _passages_of(key).order_by(documents.c.name, passages.c.position)
        if document_id is not None:
            query = query.where(passages.c.document == document_id)
        with self._reading() as connection:
            return [_passage(row) for row in connection.execute(query)]

    def passages_by_id(self, key: ProjectKey, ids: Iterable[str]) -> dict[str, Passage]:
        """Those of the passages that the project has, by id."""
        with self._reading() as connection:
            rows = [
                row
                for some in chunks(ids)
                for row in connection.execute(_passages_of(key).where(passages.c.id.in_(some)))
            ]
        return {row.id: _passage(row) for row in rows}

    def unembedded(self, key: ProjectKey) -> list[Passage]:
        """The passages whose vector is not in the vector store yet, in reading order."""
        query = _passages_of(key).where(passages.c.embedded.is_(False))
        with self._reading() as connection:
            return [_passage(row) for row in connection.execute(query.order_by(documents.c.name, passages.c.position))]

    def pages(self, key: ProjectKey, document_id: str) -> list[Page]:
        """The document's pages in order; a single one without number where its format has no pages."""
        query = select(pages).where(pages.c.document == document_id).order_by(pages.c.position)
        text = self.text(key, document_id)
        with self._reading() as connection:
            return [
                Page(row.number, row.char_from, row.char_to, text[row.char_from : row.char_to])
                for row in connection.execute(query)
            ]

    def text(self, key: ProjectKey, document_id: str) -> str:
        """The document's whole extracted text; raises as `find_document` does."""
        query = select(documents.c.text).join(projects).where(_is(key), documents.c.id == document_id)
        with self._reading() as connection:
            text = connection.scalar(query)
        if text is None:
            self.require_project(key)
            raise self._not_found(key, document_id)
        return text

    def originals(self) -> set[str]:
        """The hashes of all original files that some document of some project was read from."""
        with self._reading() as connection:
            return set(connection.scalars(select(documents.c.sha256).distinct()))


def _is(key: ProjectKey) -> ColumnElement[bool]:
    return (projects.c.workspace == key.workspace) & (projects.c.project_id == key.project_id)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names) or "none"


def _documents_of(key: ProjectKey) -> Select[Any]:
    own_pages = pages.c.document == documents.c.id
    own_passages = passages.c.document == documents.c.id
    columns = [column for column in documents.c if column.name not in ("text", "project")]
    return (
        select(
            *columns,
            _count(pages.c.number, own_pages).label("pages"),
            _count(passages.c.id, own_passages).label("passages"),
            _count(case((passages.c.embedded, 1)), own_passages).label("embedded"),
        )
        .join(projects)
        .where(_is(key))
    )


def _count(what: ColumnElement[Any], where: ColumnElement[bool]) -> ScalarSelect[int]:
    return select(func.count(what)).where(where).scalar_subquery()


def _passages_of(key: ProjectKey) -> Select[Any]:
    return select(passages, documents.c.name).join_from(passages, documents).join(projects).where(_is(key))


def _touched_project(connection: Connection, key: ProjectKey) -> int:
    """The project's row, its corpus version raised by one; its other writers wait from here on."""
    project = connection.scalar(select(projects.c.id).where(_is(key)).with_for_update())
    if project is None:
        row = {"workspace": key.workspace, "project_id": key.project_id, "corpus_version": 1}
        return connection.scalars(insert(projects).values(row).returning(projects.c.id)).one()
    raised = {"corpus_version": projects.c.corpus_version + 1}
    connection.execute(update(projects).where(projects.c.id == project).values(raised))
    return project


def _take_away(connection: Connection, project: int, document_id: str) -> set[str]:
    """Delete a document, noting that its vectors must go; returns which of its passages had vectors."""
    rows = connection.execute(
        select(passages.c.id, passages.c.embedded).where(passages.c.document == document_id)
    ).all()
    connection.execute(delete(documents).where(documents.c.id == document_id))
    if rows:
        gone = [{"passage": row.id, "project": project} for row in rows]
        connection.execute(insert(replaced_passages), gone)
    return {row.id for row in rows if row.embedded}


def _insert_pages(connection: Connection, document_id: str, of: Sequence[Page]) -> None:
    rows = [
        {
            "document": document_id,
            "position": position,
            "number": page.number,
            "char_from": page.char_from,
            "char_to": page.char_to,
        }
        for position, page in enumerate(of)
    ]
    if rows:
        connection.execute(insert(pages), rows)


def _insert_passages(connection: Connection, document_id: str, of: Sequence[Passage], embedded: set[str]) -> None:
    # A passage that is there (again) keeps its vector, or gets it back: either way it is not to be forgotten.
    for some in chunks(passage.id for passage in of):
        connection.execute(delete(replaced_passages).where(replaced_passages.c.passage.in_(some)))
    rows = [
        {
            "id": passage.id,
            "document": document_id,
            "position": position,
            "page_from": passage.page_from,
            "page_to": passage.page_to,
            "heading": list(passage.heading),
            "char_from": passage.char_from,
            "char_to": passage.char_to,
            "embedded": passage.id in embedded,
            "text": passage.text,
        }
        for position, passage in enumerate(of)
    ]
    if rows:
        connection.execute(insert(passages), rows)


def _document(row: Row[Any]) -> Document:
    return Document(
        id=row.id,
        name=row.name,
        format=row.format,
        sha256=row.sha256,
        size=row.size,
        pages=row.pages or None,
        pages_without_text=tuple(row.pages_without_text),
        passages=row.passages,
        embedded=row.embedded,
        # SQLite keeps no time zone; what we wrote was UTC.
        updated_at=row.updated_at.replace(tzinfo=UTC),
    )


def _passage(row: Row[Any]) -> Passage:
    return Passage(
        id=row.id,
        document_id=row.document,
        document=row.name,
        page_from=row.page_from,
        page_to=row.page_to,
        heading=tuple(row.heading),
        char_from=row.char_from,
        char_to=row.char_to,
        text=row.text,
    )
