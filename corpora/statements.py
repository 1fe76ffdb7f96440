"""The statements that the catalog's documents are read and written with."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence, Set
from contextlib import contextmanager
from datetime import UTC
from itertools import chain
from sqlite3 import SQLITE_LIMIT_VARIABLE_NUMBER
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Dialect,
    Row,
    ScalarSelect,
    Select,
    String,
    Table,
    bindparam,
    cast,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
    text,
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
    vectors,
)


def is_project(key: ProjectKey) -> ColumnElement[bool]:
    """The condition that a row of `projects` is this project."""
    return (projects.c.workspace == key.workspace) & (projects.c.project_id == key.project_id)


# For statements that are put together once, as every request asks them: executed with `named(key)`.
IS_PROJECT = (projects.c.workspace == bindparam("workspace")) & (projects.c.project_id == bindparam("project_id"))

# With one statement. Few numbers: the driver keeps a hundred statements of each connection, with their last values.
_ROWS = (1024, 128, 16, 2, 1)

_PATIENCE_MS = 2_000

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
            _count(pages, own_pages & pages.c.number.is_not(None)).label("pages"),
            _count(passages, own_passages).label("passages"),
            _count(passages, own_passages & passages.c.embedded.is_(False)).label("lacking"),
        )
        .join(projects)
        .where(IS_PROJECT)
    )


def _count(table: Table, where: ColumnElement[bool]) -> ScalarSelect[int]:
    """In an index alone: rows are as long as their texts."""
    return select(func.count()).select_from(table).where(where).scalar_subquery()


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
    """Wait for whoever is writing to these projects, and have others wait: two could otherwise wait for each other.

    Only for a moment: one thread makes the vectors of all projects, and a long document is written for many seconds.
    Where that is not enough, the transaction ends in `CatalogBusy`.
    """
    if connection.dialect.name == "postgresql":  # a file has one writer, who is waited for before
        connection.execute(text(f"SET LOCAL lock_timeout = {_PATIENCE_MS}"))
    connection.execute(select(projects.c.id).where(project).order_by(projects.c.id).with_for_update())


def _page(column: ColumnElement[int | None]) -> ColumnElement[str]:
    return func.coalesce(cast(column, String), "")


# A passage, and the pages that the vector store says it is on.
_PLACE = passages.c.id + " " + _page(passages.c.page_from) + " " + _page(passages.c.page_to)


@contextmanager
def taken_away(connection: Connection, project: int, document_id: str) -> Generator[set[str]]:
    """Delete a document, noting that its vectors, and perhaps its original, must go; the transaction ends with it.

    Gives which of its passages had vectors, and on which pages, as `_place` says it.
    """
    its = passages.c.document == document_id
    # As one text: for each row that SQLite gives, this thread waits for whoever computes in others.
    places = func.aggregate_strings(_PLACE, "\n")
    placed = set((connection.scalar(select(places).where(its, passages.c.embedded)) or "").split("\n"))
    # Of those that never had any nothing is left: somebody may replace a long document again and again.
    had_vector = passages.c.embedded | exists().where(vectors.c.text_sha256 == passages.c.text_sha256)
    replaced = select(passages.c.id, literal(project), passages.c.text_sha256).where(its, had_vector)
    connection.execute(insert(replaced_passages).from_select(["passage", "project", "text_sha256"], replaced))
    # Of a project of another workspace it may have the id, as names are anybody's choice: then it stays.
    its_own = (documents.c.id == document_id) & (documents.c.project == project)
    gone = delete(documents).where(its_own).returning(documents.c.sha256)
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
    _insert_rows(connection, pages, rows)


class PassageRows:
    """A document's passages, as they are written: made before, as nobody else writes to a file meanwhile."""

    def __init__(self, document_id: str, of: Sequence[Passage], dialect: Dialect) -> None:
        self.document_id = document_id
        self.rows = [_row(document_id, position, passage) for position, passage in enumerate(of)]
        self.places = [_place(passage) for passage in of]
        as_written = passages.c.heading.type.dialect_impl(dialect).bind_processor(dialect)
        if _in_one_statement(dialect) and as_written is not None:
            for row in self.rows:
                row["heading"] = as_written(row["heading"])

    def insert(self, connection: Connection, placed: Set[str]) -> None:
        """Write them; those that have vectors already, and stand on the same pages, keep them."""
        for row, place in zip(self.rows, self.places, strict=True):
            row["embedded"] = place in placed
        _insert_rows(connection, passages, self.rows)
        # A passage that is there (again) keeps its vector, or gets it back: either way it is not to be forgotten.
        its = select(passages.c.id).where(passages.c.document == self.document_id)
        connection.execute(delete(replaced_passages).where(replaced_passages.c.passage.in_(its)))


def _row(document_id: str, position: int, passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "document": document_id,
        "position": position,
        "page_from": passage.page_from,
        "page_to": passage.page_to,
        "heading": list(passage.heading),
        "char_from": passage.char_from,
        "char_to": passage.char_to,
        "embedded": False,
        "kind": passage.kind,
        "text_sha256": passage.embedding_hash,
        "text": passage.text,
    }


def _place(passage: Passage) -> str:
    pages = ("" if page is None else page for page in (passage.page_from, passage.page_to))
    return " ".join(map(str, (passage.id, *pages)))


def _in_one_statement(dialect: Dialect) -> bool:
    """Whether many rows are written with each statement, of values as the driver takes them.

    After each of SQLite's, this thread waits for whoever computes in others.
    """
    return dialect.name == "sqlite"


def _insert_rows(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    if not _in_one_statement(connection.dialect):
        for some in chunks(rows):  # all of a long document at once take several times what it takes itself
            connection.execute(insert(table), some)
        return
    driver: Any = connection.connection.driver_connection
    most = driver.getlimit(SQLITE_LIMIT_VARIABLE_NUMBER) // len(table.c)
    left = list(rows)
    for size in (size for size in _ROWS if size <= most):
        while len(left) >= size:
            some, left = left[:size], left[size:]
            columns, values = ", ".join(some[0]), tuple(chain.from_iterable(row.values() for row in some))
            of_all = ", ".join([f"({', '.join('?' * len(some[0]))})"] * size)
            connection.exec_driver_sql(f"INSERT INTO {table.name} ({columns}) VALUES {of_all}", values)  # noqa: S608


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
        embedded=row.passages - row.lacking,
        # SQLite keeps no time zone; what we wrote was UTC.
        updated_at=row.updated_at.replace(tzinfo=UTC),
        pages_with_hidden_text=PageNumbers.read(row.pages_with_hidden_text),
        pages_recognized=PageNumbers.read(row.pages_recognized),
        reader_version=row.reader_version or 0,
        ocr_languages=row.ocr_languages or "",
        from_folder=row.from_folder,
        over_sha256=row.over_sha256,
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
