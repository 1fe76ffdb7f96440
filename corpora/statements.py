"""The statements that the catalog's documents are read and written with."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import UTC
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    ScalarSelect,
    Select,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
    update,
)

from corpora.chunks import chunks
from corpora.database import insert_or_keep
from corpora.errors import WorkspaceFull
from corpora.page_numbers import PageNumbers
from corpora.records import Document, Page, Passage, ProjectKey
from corpora.schema import (
    documents,
    doubted_originals,
    folder_documents,
    folders,
    pages,
    passages,
    projects,
    replaced_passages,
)


def is_project(key: ProjectKey) -> ColumnElement[bool]:
    """The condition that a row of `projects` is this project."""
    return (projects.c.workspace == key.workspace) & (projects.c.project_id == key.project_id)


# For statements that are put together once, as every request asks them: executed with `named(key)`.
IS_PROJECT = (projects.c.workspace == bindparam("workspace")) & (projects.c.project_id == bindparam("project_id"))

# They stay, and each has a part in every start of a server.
MOST_EMPTY_PROJECTS = 1_000
_EMPTY_PROJECTS = (
    select(func.count())
    .select_from(projects)
    .where(projects.c.workspace == bindparam("workspace"), ~exists().where(documents.c.project == projects.c.id))
)


def named(key: ProjectKey) -> dict[str, Any]:
    """What `IS_PROJECT` has to know."""
    return {"workspace": key.workspace, "project_id": key.project_id}


def _documents() -> Select[Any]:
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
        .where(IS_PROJECT)
    )


def _count(what: ColumnElement[Any], where: ColumnElement[bool]) -> ScalarSelect[int]:
    return select(func.count(what)).where(where).scalar_subquery()


# Rows for `as_document`: the project's documents with their counts, without their texts; all, or those of some ids.
DOCUMENTS = _documents()
DOCUMENTS_BY_ID = DOCUMENTS.where(documents.c.id.in_(bindparam("ids", expanding=True)))
CORPUS_VERSION = select(projects.c.corpus_version).where(IS_PROJECT)


# A doubt that nobody settles until the transaction ends; others may hold it as well.
HELD_DOUBT = (
    select(doubted_originals.c.sha256)
    .where(doubted_originals.c.sha256 == bindparam("sha256"))
    .with_for_update(read=True, key_share=True)
)


def passages_of(key: ProjectKey) -> Select[Any]:
    """Rows for `as_passage`: the project's passages."""
    return select(passages, documents.c.name).join_from(passages, documents).join(projects).where(is_project(key))


# As `passages_of`, for a few ids: the sum keeps SQLite from walking over the whole project to find them.
PASSAGES_BY_ID = (
    select(passages, documents.c.name)
    .join_from(passages, documents)
    .join(projects, documents.c.project + 0 == projects.c.id)
    .where(IS_PROJECT, passages.c.id.in_(bindparam("ids", expanding=True)))
)


def require_room_for_project(connection: Connection, key: ProjectKey) -> None:
    """Raise `WorkspaceFull` if the workspace may begin no project, as so many of its others have no documents."""
    if (connection.scalar(_EMPTY_PROJECTS, {"workspace": key.workspace}) or 0) >= MOST_EMPTY_PROJECTS:
        raise WorkspaceFull(
            f"{MOST_EMPTY_PROJECTS:,} projects of workspace {key.workspace!r} have no documents; use one of those."
        )


def touched_project(connection: Connection, key: ProjectKey) -> int:
    """The project's row, its corpus version raised by one; its other writers wait from here on.

    Raises `WorkspaceFull` where there is no room for a new one.
    """
    raised = update(projects).where(is_project(key)).values(corpus_version=projects.c.corpus_version + 1)
    project = connection.scalar(raised.returning(projects.c.id))
    if project is None:
        require_room_for_project(connection, key)
        row = {"workspace": key.workspace, "project_id": key.project_id, "corpus_version": 0}
        connection.execute(insert_or_keep(connection, projects), row)  # or somebody else has made it just now
        project = connection.scalars(raised.returning(projects.c.id)).one()
    return project


def hold_project(connection: Connection, project: ColumnElement[bool]) -> None:
    """Wait for whoever is writing to these projects, and have others wait: two could otherwise wait for each other."""
    connection.execute(select(projects.c.id).where(project).order_by(projects.c.id).with_for_update())


class PlacedVector(NamedTuple):
    """A passage that has a vector, and the pages that the vector store says it is on."""

    passage: str
    page_from: int | None
    page_to: int | None


@contextmanager
def taken_away(connection: Connection, project: int, document_id: str) -> Generator[set[PlacedVector]]:
    """Delete a document, noting that its vectors, and perhaps its original, must go; the transaction ends with it.

    Gives which of its passages had vectors, and on which pages.
    """
    its = passages.c.document == document_id
    rows = connection.execute(
        select(passages.c.id, passages.c.page_from, passages.c.page_to).where(its, passages.c.embedded)
    )
    placed = {PlacedVector(*row) for row in rows}
    replaced = select(passages.c.id, literal(project), passages.c.text_sha256).where(its)
    connection.execute(insert(replaced_passages).from_select(["passage", "project", "text_sha256"], replaced))
    gone = delete(documents).where(documents.c.id == document_id).returning(documents.c.sha256)
    doubted = connection.scalars(gone).all()
    yield placed
    # Last, as whoever else doubts the same waits for the transaction: another workspace may have the same file.
    for sha256 in doubted:
        doubt(connection, sha256)


def doubt(connection: Connection, sha256: str) -> None:
    """Note that this original may be one that no document needs; until the transaction ends nobody settles that."""
    # Not in one statement: one that holds what it finds would hold it against others who doubt the same, too.
    row = {"sha256": sha256}
    connection.execute(insert_or_keep(connection, doubted_originals), row)
    while connection.scalar(HELD_DOUBT, row) is None:  # settled in between
        connection.execute(insert_or_keep(connection, doubted_originals), row)


def insert_pages(connection: Connection, document_id: str, of: Sequence[Page]) -> None:
    """Write a document's pages; their text is the document's."""
    rows = (
        {
            "document": document_id,
            "position": position,
            "number": page.number,
            "char_from": page.char_from,
            "char_to": page.char_to,
        }
        for position, page in enumerate(of)
    )
    for some in chunks(rows):
        connection.execute(insert(pages), some)


def insert_passages(connection: Connection, document_id: str, of: Sequence[Passage], placed: set[PlacedVector]) -> None:
    """Write a document's passages; those that have vectors already, and stand on the same pages, keep them."""
    rows = (_row(document_id, position, passage, placed) for position, passage in enumerate(of))
    for some in chunks(rows):  # all of a long document at once take several times what it takes itself
        connection.execute(insert(passages), some)
    # A passage that is there (again) keeps its vector, or gets it back: either way it is not to be forgotten.
    its = select(passages.c.id).where(passages.c.document == document_id)
    connection.execute(delete(replaced_passages).where(replaced_passages.c.passage.in_(its)))


def _row(document_id: str, position: int, passage: Passage, placed: set[PlacedVector]) -> dict[str, Any]:
    return {
        "id": passage.id,
        "document": document_id,
        "position": position,
        "page_from": passage.page_from,
        "page_to": passage.page_to,
        "heading": list(passage.heading),
        "char_from": passage.char_from,
        "char_to": passage.char_to,
        "embedded": PlacedVector(passage.id, passage.page_from, passage.page_to) in placed,
        "kind": passage.kind,
        "text_sha256": passage.embedding_hash,
        "text": passage.text,
    }


def give_to_folder(connection: Connection, project: int, names: Iterable[str]) -> None:
    """Make the documents of these names the linked folder's; nothing if the project has none any more."""
    rows = [{"project": project, "name": name} for name in names]
    linked = select(folders.c.project).where(folders.c.project == project).with_for_update()
    if rows and connection.scalar(linked) is not None:
        connection.execute(insert_or_keep(connection, folder_documents), rows)


def as_document(row: Row[Any]) -> Document:
    """A row of `DOCUMENTS`."""
    return Document(
        id=row.id,
        name=row.name,
        format=row.format,
        sha256=row.sha256,
        size=row.size,
        pages=row.pages or None,
        pages_without_text=PageNumbers.read(row.pages_without_text),
        passages=row.passages,
        embedded=row.embedded,
        # SQLite keeps no time zone; what we wrote was UTC.
        updated_at=row.updated_at.replace(tzinfo=UTC),
        pages_with_hidden_text=PageNumbers.read(row.pages_with_hidden_text),
        pages_recognized=PageNumbers.read(row.pages_recognized),
        reader_version=row.reader_version or 0,
        ocr_languages=row.ocr_languages or "",
    )


def as_passage(row: Row[Any]) -> Passage:
    """A row of `passages_of`."""
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
        kind=row.kind,
    )
