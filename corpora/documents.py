"""The catalog's documents: written whole in one transaction, found by name or id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, case, delete, func, insert, select

from corpora.chunks import chunks
from corpora.database import Database
from corpora.errors import DocumentNotFound, ProjectNotFound
from corpora.known_names import hint_at, some_of
from corpora.manifest import ManifestEntry
from corpora.page_numbers import PageNumbers
from corpora.records import (
    Document,
    DocumentCounts,
    Page,
    Passage,
    ProjectCounts,
    ProjectKey,
    Quota,
    is_storable,
    kept_bytes,
)
from corpora.schema import documents, folder_documents, pages, passages, projects
from corpora.shares import Shares
from corpora.statements import (
    CORPUS_VERSION,
    DOCUMENTS,
    DOCUMENTS_BY_ID,
    PASSAGES_BY_ID,
    PassageRows,
    as_document,
    as_passage,
    give_to_folder,
    insert_pages,
    is_project,
    named,
    passages_of,
    require_room_for_project,
    taken_away,
    touched_project,
)

_ORIGINS = select(documents.c.sha256, documents.c.from_folder, documents.c.over_sha256)
_LONGEST = 200  # characters of a name that are said again, whoever sent it
# Of 19,000 names that is a tenth of a second's computing, for which a workspace's requests wait one after the other.
_hinting = Shares(3, each=1)
# To read any part of a text SQLite loads all of it, once for each expression: parts that lie near are read as one, and
# of a long text by one request of a workspace at a time.
_NEAR_CHARACTERS = 1_000_000
_LONG_BYTES = 4_000_000
_LIKE_A_ROW = 5_000  # characters, which take as long to write as a passage
_reading_long = Shares(3, each=1)


class Documents(Database):
    """What `Catalog` knows about projects, documents, pages and passages."""

    def projects(self, workspace: str) -> list[str]:
        """The ids of the workspace's projects, sorted."""
        query = select(projects.c.project_id).where(projects.c.workspace == workspace)
        with self._reading() as connection:
            return sorted(connection.scalars(query))

    def every_project(self) -> list[ProjectKey]:
        """The projects of all workspaces."""
        with self._reading() as connection:
            rows = connection.execute(select(projects.c.workspace, projects.c.project_id))
            return [ProjectKey(row.workspace, row.project_id) for row in rows]

    def every_document(self) -> list[tuple[ManifestEntry, datetime]]:
        """The documents of all projects, as a manifest names them, and when each was written."""
        query = select(
            projects.c.workspace, projects.c.project_id, documents.c.name, documents.c.sha256, documents.c.updated_at
        ).join_from(documents, projects)
        with self._reading() as connection:
            return [
                (ManifestEntry(ProjectKey(workspace, project), name, sha256), updated_at.replace(tzinfo=UTC))
                for workspace, project, name, sha256, updated_at in connection.execute(query)
            ]

    def document_counts(self) -> DocumentCounts:
        """The documents of all projects of all workspaces."""
        lacking = select(func.count(passages.c.document.distinct())).where(passages.c.embedded.is_(False))
        with self._reading() as connection:
            total = connection.scalar(select(func.count()).select_from(documents)) or 0
            searchable = connection.scalar(lacking) or 0
        return DocumentCounts(total - searchable, searchable)

    def project_counts(self, workspace: str) -> list[ProjectCounts]:
        """How much is in each corpus of the workspace, by the projects' ids."""
        counted = (
            select(
                projects.c.project_id,
                func.count(documents.c.id.distinct()).label("documents"),
                func.count(passages.c.id).label("passages"),
                func.count(case((passages.c.embedded, 1))).label("embedded"),
            )
            .select_from(projects.outerjoin(documents).outerjoin(passages))
            .where(projects.c.workspace == workspace)
            .group_by(projects.c.project_id)
        )
        with self._reading() as connection:
            found = [ProjectCounts(*row) for row in connection.execute(counted)]
        return sorted(found, key=lambda counts: counts.project)

    def used(self, workspace: str, *, but: str | None = None) -> Quota:
        """What the documents of a workspace take, the one of the id `but` left out."""
        own = select(func.count(), func.sum(documents.c.size + documents.c.text_size)).select_from(documents)
        own = own.join(projects).where(projects.c.workspace == workspace)
        if but is not None:
            own = own.where(documents.c.id != but)
        with self._reading() as connection:
            number, size = connection.execute(own).one()
        return Quota(number, int(size or 0))

    def has_project(self, key: ProjectKey) -> bool:
        """Whether anything was ever ingested for the project."""
        return self.corpus_version(key) > 0

    def require_room_for_project(self, key: ProjectKey) -> None:
        """Raise `WorkspaceFull` if the project would be a new one, and the workspace may have no more."""
        with self._reading() as connection:
            if connection.scalar(CORPUS_VERSION, named(key)) is None:
                require_room_for_project(connection, key)

    def require_project(self, key: ProjectKey) -> None:
        """Raise `ProjectNotFound`, which names the known projects, unless `has_project`."""
        if not self.has_project(key):
            raise ProjectNotFound(
                f"There is no project {key.project_id!r}: known are {some_of(self.projects(key.workspace))}. "
                "A project begins with the first document that is ingested for it."
            )

    def corpus_version(self, key: ProjectKey) -> int:
        """0 for an unknown project; goes up with every change, in the same transaction."""
        with self._reading() as connection:
            return connection.scalar(CORPUS_VERSION, named(key)) or 0

    def documents(self, key: ProjectKey, ids: Iterable[str] | None = None) -> list[Document]:
        """All documents of the project by name, or those of these ids; none for an unknown project."""
        asked = [(DOCUMENTS, named(key))]
        if ids is not None:
            asked = [(DOCUMENTS_BY_ID, named(key) | {"ids": some}) for some in chunks(filter(is_storable, ids))]
        with self._reading() as connection:
            found = [as_document(row) for query, of in asked for row in connection.execute(query, of)]
        # Sorted here, as each database has its own idea of the order of letters.
        return sorted(found, key=lambda document: document.name)

    def sha256s(self, key: ProjectKey, among: Iterable[str]) -> set[str]:
        """Which of these a document of the project has."""
        of_project = select(documents.c.sha256).join(projects).where(is_project(key))
        with self._reading() as connection:
            return {
                sha256
                for some in chunks(among)
                for sha256 in connection.scalars(of_project.where(documents.c.sha256.in_(some)))
            }

    def find_document(self, key: ProjectKey, name_or_id: str) -> Document:
        """The document of that name or else of that id; raises `ProjectNotFound` or `DocumentNotFound`."""
        ids = [key.document_id(name_or_id), name_or_id] if is_storable(name_or_id) else []
        if found := self.documents(key, ids):
            return next((document for document in found if document.name == name_or_id), found[0])
        self.require_project(key)
        raise self._not_found(key, name_or_id)

    def find_by_id(self, key: ProjectKey, id_or_name: str) -> Document:
        """The document of that id, which may be another's name, or else as `find_document`."""
        of_id = self.documents(key, [id_or_name])
        return of_id[0] if of_id else self.find_document(key, id_or_name)

    def _not_found(self, key: ProjectKey, name: str) -> DocumentNotFound:
        with _hinting.taken(key.workspace, _nobody):
            hint = hint_at(name, self._names(key))
        return DocumentNotFound(f"Project {key.project_id!r} has no document {name[:_LONGEST]!r}: {hint}.")

    def _names(self, key: ProjectKey) -> list[str]:
        with self._reading() as connection:
            return sorted(connection.scalars(select(documents.c.name).join(projects).where(is_project(key))))

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
        pages_with_hidden_text: Sequence[int] = (),
        pages_recognized: Sequence[int] = (),
        reader_version: int = 0,
        ocr_languages: str = "",
        updated_at: datetime | None = None,
        of_folder: bool = False,
    ) -> Document:
        """Write a document whole, in place of what had its name; passages that stay keep their vectors.

        `updated_at` is now, unless it is the same file as before that was read again. With `of_folder` it is the
        linked folder's from now on, as by `put_folder_documents`.
        """
        document_id = key.document_id(name)
        row = {
            "id": document_id,
            "name": name,
            "format": format,
            "sha256": sha256,
            "size": size,
            "pages_without_text": PageNumbers.of(pages_without_text).kept(),
            "pages_with_hidden_text": PageNumbers.of(pages_with_hidden_text).kept(),
            "pages_recognized": PageNumbers.of(pages_recognized).kept(),
            "reader_version": reader_version,
            "ocr_languages": ocr_languages,
            "updated_at": updated_at or datetime.now(UTC),
            "text_size": kept_bytes(text, passages, pages),
            "text": text,
        }
        count = len(passages) + len(text) // _LIKE_A_ROW + self._passages_in(document_id)
        with self._in_turn_of_rows(key.workspace, count):
            # In turn, as those of all who wait would take more than their documents; and before nobody else may write.
            passage_rows = PassageRows(document_id, passages, self._engine.dialect)
            with self._writing() as connection:
                project = touched_project(connection, key)
                # Whoever sends another file has its document: what the folder does to its own does not touch that.
                own = (folder_documents.c.project == project) & (folder_documents.c.name == name)
                before = connection.execute(_ORIGINS.where(documents.c.id == document_id)).one_or_none()
                is_same = before is not None and before.sha256 == sha256
                was_own = not is_same and connection.execute(delete(folder_documents).where(own)).rowcount > 0
                origin = _origin(before, sha256, of_folder=of_folder, was_own=was_own)
                with taken_away(connection, project, document_id) as placed:
                    connection.execute(insert(documents).values(project=project, **row, **origin))
                    insert_pages(connection, document_id, pages)
                    passage_rows.insert(connection, placed)
                    if of_folder:
                        give_to_folder(connection, project, [name])
                return as_document(connection.execute(DOCUMENTS_BY_ID, named(key) | {"ids": [document_id]}).one())

    def _passages_in(self, document_id: str) -> int:
        with self._reading() as connection:
            return connection.scalar(select(func.count()).where(passages.c.document == document_id)) or 0

    def remove_document(self, key: ProjectKey, document_id: str) -> Document:
        """Take the document of an id out and return what it was; raises `ProjectNotFound` or `DocumentNotFound`."""
        document = self.find_by_id(key, document_id)
        with self._writing_rows(key.workspace, document.passages) as connection:
            project = touched_project(connection, key)
            with taken_away(connection, project, document.id):
                own = (folder_documents.c.project == project) & (folder_documents.c.name == document.name)
                connection.execute(delete(folder_documents).where(own))
        return document

    def passages(self, key: ProjectKey, document_id: str | None = None, page: int | None = None) -> list[Passage]:
        """The passages of the project, or of one document, or of its page, in reading order; documents by name."""
        query = passages_of(key)
        if document_id is not None:
            query = query.where(passages.c.document == document_id)
        if page is not None:
            query = query.where(passages.c.page_from <= page, passages.c.page_to >= page)
        with self._reading() as connection:
            found = [as_passage(row) for row in connection.execute(query.order_by(passages.c.position))]
        # By name here, as each database has its own idea of the order of letters.
        return sorted(found, key=lambda passage: passage.document)

    def passages_by_id(self, key: ProjectKey, ids: Iterable[str]) -> dict[str, Passage]:
        """Those of the passages that the project has, by id."""
        with self._reading() as connection:
            rows = [
                row
                for some in chunks(filter(is_storable, ids))
                for row in connection.execute(PASSAGES_BY_ID, named(key) | {"ids": some})
            ]
        return {row.id: as_passage(row) for row in rows}

    def passage_ids(self, key: ProjectKey) -> dict[str, bool]:
        """The ids of all passages of the project, and whether each has its vector in the vector store."""
        query = select(passages.c.id, passages.c.embedded).join_from(passages, documents).join(projects)
        with self._reading() as connection:
            return {row.id: row.embedded for row in connection.execute(query.where(is_project(key)))}

    def passage_count(self, key: ProjectKey, *, but: str | None = None) -> int:
        """How many passages the project has, those of the document `but` left out; none if it is unknown."""
        query = select(func.count()).select_from(passages).join(documents).join(projects).where(is_project(key))
        if but is not None:
            query = query.where(documents.c.id != but)
        with self._reading() as connection:
            return connection.scalar(query) or 0

    def unembedded(self, key: ProjectKey) -> list[str]:
        """The ids of the passages whose vector is not in the vector store yet, those of the shortest texts first."""
        query = select(passages.c.id).join_from(passages, documents).join(projects)
        query = query.where(is_project(key), passages.c.embedded.is_(False))
        with self._reading() as connection:
            return list(connection.scalars(query.order_by(func.length(passages.c.text), passages.c.id)))

    def pages(
        self, key: ProjectKey, document_id: str, numbers: range | None = None, characters: range | None = None
    ) -> list[Page]:
        """The document's pages in order, or those of these numbers; a single one without number where it has no pages.

        Their texts have only those `characters`, counted from 0 over the texts of all these pages; no others are read.
        Raises as `find_document` does.
        """
        query = select(pages).where(pages.c.document == document_id).order_by(pages.c.position)
        if numbers is not None:
            query = query.where(pages.c.number.between(numbers.start, numbers.stop - 1))
        with self._reading() as connection:
            rows = connection.execute(query).all() if is_storable(document_id) else []
        places = [(row.char_from, row.char_to) for row in rows]
        if characters is not None:
            places = list(_within(characters, places))
        filled = [place for place in places if place[0] < place[1]] or [(0, 0)]
        begin = filled[0][0]
        (text,) = self.spans(key, document_id, [(begin, filled[-1][1])])
        return [
            Page(row.number, row.char_from, row.char_to, text[start - begin : stop - begin])
            for row, (start, stop) in zip(rows, places, strict=True)
        ]

    def text(self, key: ProjectKey, document_id: str) -> str:
        """The document's whole extracted text; raises as `find_document` does."""
        return self._of_text(key, document_id, [documents.c.text])[0]

    def spans(self, key: ProjectKey, document_id: str, places: Sequence[tuple[int, int]]) -> list[str]:
        """What stands from character to character of the document's text, which is not read whole: it may be very long.

        Raises as `find_document` does.
        """
        first, last = min(begin for begin, _ in places), max(end for _, end in places)
        read = [(first, last)] if last - first <= _NEAR_CHARACTERS else places
        parts = [func.substr(documents.c.text, begin + 1, end - begin) for begin, end in read]
        with _reading_long.taken(key.workspace, _nobody) if self._is_long(key, document_id) else nullcontext():
            texts = self._of_text(key, document_id, parts)
        if read is places:
            return texts
        return [texts[0][begin - first : end - first] for begin, end in places]

    def _is_long(self, key: ProjectKey, document_id: str) -> bool:
        if not is_storable(document_id):
            return False
        query = select(documents.c.text_size).select_from(documents).join(projects)
        with self._reading() as connection:
            size = connection.scalar(query.where(is_project(key), documents.c.id == document_id))
        return (size or 0) > _LONG_BYTES

    def _of_text(self, key: ProjectKey, document_id: str, wanted: Sequence[ColumnElement[str]]) -> list[str]:
        query = select(*wanted).select_from(documents).join(projects)
        row = None
        if is_storable(document_id):
            with self._reading() as connection:
                row = connection.execute(query.where(is_project(key), documents.c.id == document_id)).one_or_none()
        if row is None:
            self.require_project(key)
            raise self._not_found(key, document_id)
        return [*row]

    def pages_without_text(self, key: ProjectKey, document_ids: Iterable[str]) -> dict[str, PageNumbers]:
        """By the names of those of the documents that have such pages: their numbers."""
        query = select(documents.c.name, documents.c.pages_without_text).join(projects).where(is_project(key))
        with self._reading() as connection:
            rows = [
                row
                for some in chunks(document_ids)
                for row in connection.execute(query.where(documents.c.id.in_(some)))
            ]
        return {row.name: PageNumbers.read(row.pages_without_text) for row in rows if row.pages_without_text}


def _origin(before: Row[Any, Any, Any] | None, sha256: str, *, of_folder: bool, was_own: bool) -> dict[str, Any]:
    """Whether a document comes from a folder, and over what of a folder it was sent."""
    if of_folder or before is None:
        return {"from_folder": of_folder, "over_sha256": None}
    if before.sha256 == sha256:
        return {"from_folder": before.from_folder, "over_sha256": before.over_sha256}
    return {"from_folder": False, "over_sha256": before.sha256 if was_own or before.from_folder else before.over_sha256}


def _within(characters: range, places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What of each place is among the characters, which are counted over all of them."""
    before = 0
    for begin, end in places:
        length = end - begin
        first, last = (min(max(at - before, 0), length) for at in (characters.start, characters.stop))
        yield begin + first, begin + last
        before += length


def _nobody() -> None:
    """Who is told that it still waits."""
