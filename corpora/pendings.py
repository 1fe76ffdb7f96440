"""The catalog's pendings: questions that wait for an answer, and what an undo goes back to.

SQLite has one writer for a file, and a long document is put into the catalog in one transaction. So that no turn
waits for that, what turns write is in a file beside the catalog.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Boolean,
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from corpora.chunks import chunks
from corpora.database import Database, insert_or_keep
from corpora.errors import CatalogError
from corpora.records import is_storable
from corpora.schema import facts, pendings

logger = logging.getLogger(__name__)

UNDO = "undo"
"""The kind of what an undo goes back to."""

_SEALING_KEY = "sealing_key"
_KEPT_FOR = timedelta(days=7)
_MOMENT = timedelta(microseconds=1)
# The oldest go first; the newest always stays. What assistants ask, and what their turns can be taken back to, have as
# much again each: however much that is, nothing of the user's goes for it.
_OF_PROJECT_BYTES = 64 * 2**20
_OF_WORKSPACE_BYTES = 512 * 2**20
_OF_WORKSPACE = 10_000
# Of what is too old, as much goes at a time as no turn of another workspace waits for.
_AT_A_TIME_BYTES = 8 * 2**20


@dataclass(frozen=True)
class Pending:
    """A question that waits for its answer, and the hash of the project's content that it was asked about."""

    id: str
    workspace: str
    project_id: str
    kind: str
    payload: dict[str, Any]
    content_sha256: str
    by_assistant: bool


class _PendingFile(Database):
    """The file beside an SQLite catalog."""

    _tables = (facts, pendings)
    _when_damaged = "move the file away. What it had is lost: questions that were open, and what undo goes back to."


class Pendings(Database):
    """What `Catalog` knows about confirmations, missing parameters, plans, and turns that can be taken back."""

    def __init__(self, database_url: str | URL) -> None:
        self._kept_in: Database = self
        super().__init__(database_url)
        try:
            if (beside := _beside(self._engine.url)) is not None:
                self._kept_in = _PendingFile(beside)
                self._move_to(self._kept_in)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give back all connections; the catalog opens new ones if it is used again."""
        if self._kept_in is not self:
            self._kept_in.close()
        super().close()

    def _move_to(self, kept_in: Database) -> None:
        """Take over what an older Fletcher has kept in the catalog itself; killed meanwhile, the next one does it."""
        with self._reading() as connection:
            if connection.scalar(select(pendings.c.id).limit(1)) is None:
                return
        with self._writing() as old:
            with kept_in._writing() as new:
                for row in old.execute(select(pendings)).mappings():  # one at a time: each may have megabytes
                    new.execute(insert_or_keep(new, pendings), dict(row))
            old.execute(delete(pendings))

    def sealing_key(self) -> bytes:
        """What all servers of this catalog seal what a client carries from one to the other with (32 bytes)."""
        return bytes.fromhex(self._fact(_SEALING_KEY, secrets.token_hex(32)))

    def put_pending(
        self,
        workspace: str,
        project_id: str,
        kind: str,
        payload: dict[str, Any],
        content_sha256: str,
        kept: int | None = None,
        *,
        by_assistant: bool = False,
    ) -> str:
        """Keep a question for its answer; returns its id.

        After a week it goes as others come, and before that when newer ones need its room. Of its kind the `kept`
        newest stay of the user's, of those `by_assistant`, and of either that are taken back.
        """
        now, pending_id, size = datetime.now(UTC), secrets.token_hex(8), len(json.dumps(payload))
        row = {
            "id": pending_id,
            "workspace": workspace,
            "project_id": project_id,
            "kind": kind,
            "payload": payload,
            "content_sha256": content_sha256,
            "size": size,
            "by_assistant": by_assistant,
        }
        with self._kept_in._writing() as connection:
            newest = connection.scalar(_NEWEST)
            created_at = _after_the_last(connection, pendings.c.created_at, workspace, project_id)
            connection.execute(insert(pendings), row | {"created_at": created_at})
            if kept is not None:
                these = {"of_workspace": workspace, "of_project": project_id, "of_kind": kind}
                older = connection.scalars(_NOT_AMONG_THE_NEWEST, these | {"kept": kept}).all()
                _remove(connection, older, pending_id)
            room = {"of_workspace": workspace, "of_assistants": by_assistant, "of_undo": kind == UNDO}
            _remove(connection, connection.scalars(_OVER_THE_LIMITS, room | _limits()).all(), pending_id)
        # Of what was there before, the newest tells that a week has passed: the clock alone may be ahead.
        if newest is not None:
            self._remove_too_old(min(now, _aware(newest)) - _KEPT_FOR, _AT_A_TIME_BYTES + size, pending_id)
        return pending_id

    def _remove_too_old(self, before: datetime, most: int, but: str) -> None:
        """By itself: what was put stays where the disk is too full for that."""
        with self._kept_in._reading() as connection:
            too_old = connection.scalars(_TOO_OLD, {"before": before, "most": most}).all()
        if not too_old:
            return
        try:
            with self._kept_in._writing() as connection:
                _remove(connection, too_old, but)
        except CatalogError as error:
            logger.warning("what is kept of questions and undo for longer than a week stays for now: %s", error)

    def pop_pending(
        self, workspace: str, project_id: str, pending_id: str, weigh: Callable[[int], object] | None = None
    ) -> Pending | None:
        """Take a question out, so that it is answered once; None if the project does not have it (any more).

        `weigh` is told first how many characters its JSON has; where that raises, it stays.
        """
        if not is_storable(pending_id):
            return None
        these = (pendings.c.workspace == workspace) & (pendings.c.project_id == project_id)
        these &= pendings.c.id == pending_id
        with self._kept_in._writing() as connection:
            if weigh is not None and (size := connection.scalar(select(pendings.c.size).where(these))) is not None:
                weigh(size)
            row = connection.execute(delete(pendings).where(these).returning(pendings)).one_or_none()
        return _pending(row) if row else None

    def replace_pending(
        self, workspace: str, project_id: str, pending_id: str, payload: dict[str, Any], content_sha256: str
    ) -> None:
        """Another content, of another story, in the place of one that is kept; it is not taken back any more."""
        these = (pendings.c.workspace == workspace) & (pendings.c.project_id == project_id)
        these &= pendings.c.id == pending_id
        values = {"payload": payload, "content_sha256": content_sha256, "size": len(json.dumps(payload))}
        replaced = update(pendings).where(these).values(values | {"undone_at": None, "undone_to": None})
        with self._kept_in._writing() as connection:
            connection.execute(replaced)

    def newest_pending(
        self,
        workspace: str,
        project_id: str,
        kind: str,
        content_sha256: str | None = None,
    ) -> Pending | None:
        """The newest of a kind, which stays; None if there is none.

        Only one that belongs to this content, and none that had been taken back when an undo came to this content.
        """
        newest = select(pendings).where(_of(workspace, project_id, kind)).order_by(pendings.c.created_at.desc())
        if content_sha256 is not None:
            came_to = (
                _of(workspace, project_id, kind, _came)
                & (_came.c.undone_to == content_sha256)
                & (_came.c.undone_at >= pendings.c.undone_at)
                & (_came.c.created_at <= pendings.c.created_at)
            )
            newest = newest.where(
                pendings.c.content_sha256 == content_sha256, ~select(_came.c.id).where(came_to).exists()
            )
        with self._kept_in._reading() as connection:
            row = connection.execute(newest.limit(1)).one_or_none()
        return _pending(row) if row else None

    def note_undone(self, workspace: str, project_id: str, pending_id: str, content_sha256: str) -> None:
        """An undo goes back to this one, which has this content; it stays."""
        these = (pendings.c.workspace == workspace) & (pendings.c.project_id == project_id)
        these &= pendings.c.id == pending_id
        with self._kept_in._writing() as connection:
            undone_at = _after_the_last(connection, pendings.c.undone_at, workspace, project_id)
            connection.execute(update(pendings).where(these).values(undone_at=undone_at, undone_to=content_sha256))

    def is_undone(self, workspace: str, project_id: str, content_sha256: str) -> bool:
        """Whether an undo has come to this content."""
        came_to = _of(workspace, project_id, UNDO) & (pendings.c.undone_to == content_sha256)
        with self._kept_in._reading() as connection:
            return connection.scalar(select(pendings.c.id).where(came_to).limit(1)) is not None


def _beside(catalog: URL) -> URL | None:
    """Where the pendings of a catalog are; None where they are in the catalog itself."""
    if catalog.get_backend_name() != "sqlite" or not catalog.database:
        return None
    file = Path(catalog.database)
    return catalog.set(database=str(file.with_stem(f"{file.stem}-pendings")))


def _after_the_last(connection: Connection, when: ColumnElement[datetime], workspace: str, project_id: str) -> datetime:
    """Now, or where the clock was ahead, a moment after the last time of the project."""
    of_project = (pendings.c.workspace == workspace) & (pendings.c.project_id == project_id)
    last = connection.scalar(select(func.max(when)).where(of_project))
    now = datetime.now(UTC)
    return now if last is None else max(now, _aware(last) + _MOMENT)


def _aware(when: datetime) -> datetime:
    """A time as it is kept; SQLite keeps no time zone, and what we wrote was UTC."""
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _remove(connection: Connection, ids: Iterable[str], but: str) -> None:
    """Of several servers that remove at the same time none waits for another's rows, as each might for the other."""
    for some in chunks(ids):
        if connection.dialect.name == "sqlite":  # else each page of what goes is written over, first into the log
            connection.exec_driver_sql("PRAGMA secure_delete = FAST")
        these = select(pendings.c.id).where(pendings.c.id.in_(some) & (pendings.c.id != but))
        connection.execute(delete(pendings).where(pendings.c.id.in_(these.with_for_update(skip_locked=True))))


def _too_old() -> Select[Any]:
    """The ids of the oldest from `before` some time, until they have `most` bytes, of the workspace with the oldest."""
    is_old = pendings.c.created_at < bindparam("before")
    oldest = select(pendings.c.workspace).where(is_old).order_by(pendings.c.created_at).limit(1).scalar_subquery()
    bytes_up_to = func.sum(pendings.c.size).over(order_by=(pendings.c.created_at, pendings.c.id))
    these = (
        select(pendings.c.id, (bytes_up_to - pendings.c.size).label("bytes_before"))
        .where((pendings.c.workspace == oldest) & is_old)
        .subquery()
    )
    return select(these.c.id).where(these.c.bytes_before < bindparam("most"))


def _over_the_limits() -> Select[Any]:
    """The ids of those in one room of `of_workspace` for which the newer ones there leave none."""
    newest_first = (pendings.c.created_at.desc(), pendings.c.id)
    size = func.sum(pendings.c.size)
    in_room = pendings.c.workspace == bindparam("of_workspace")
    in_room &= pendings.c.by_assistant == bindparam("of_assistants", type_=Boolean)
    in_room &= (pendings.c.kind == UNDO) == bindparam("of_undo", type_=Boolean)
    own = (
        select(
            pendings.c.id,
            size.over(partition_by=pendings.c.project_id, order_by=newest_first).label("of_project"),
            size.over(order_by=newest_first).label("of_workspace"),
            func.row_number().over(order_by=newest_first).label("rank"),
        )
        .where(in_room)
        .subquery()
    )
    return select(own.c.id).where(
        (own.c.of_project > bindparam("project_bytes"))
        | (own.c.of_workspace > bindparam("workspace_bytes"))
        | (own.c.rank > bindparam("most"))
    )


def _limits() -> dict[str, int]:
    return {"project_bytes": _OF_PROJECT_BYTES, "workspace_bytes": _OF_WORKSPACE_BYTES, "most": _OF_WORKSPACE}


_came = pendings.alias()  # what undos came to, beside the one that is looked for


def _of(workspace: Any, project_id: Any, kind: Any, of: FromClause = pendings) -> ColumnElement[bool]:
    return (of.c.workspace == workspace) & (of.c.project_id == project_id) & (of.c.kind == kind)


def _not_among_the_newest() -> Select[Any]:
    """The ids of all of a kind but the `kept` newest, whoever's they are; what is taken back counts by itself."""
    undone_at = pendings.c.undone_at
    newest_first = (func.coalesce(undone_at, pendings.c.created_at).desc(), pendings.c.id)
    rank = func.row_number().over(partition_by=(pendings.c.by_assistant, undone_at.is_(None)), order_by=newest_first)
    of_kind = _of(bindparam("of_workspace"), bindparam("of_project"), bindparam("of_kind"))
    ranked = select(pendings.c.id, rank.label("rank")).where(of_kind).subquery()
    return select(ranked.c.id).where(ranked.c.rank > bindparam("kept"))


# Put together once: a turn that changes its story runs each of them at its end.
_NEWEST = select(func.max(pendings.c.created_at))
_TOO_OLD = _too_old()
_NOT_AMONG_THE_NEWEST = _not_among_the_newest()
_OVER_THE_LIMITS = _over_the_limits()


def _pending(row: Row[Any]) -> Pending:
    return Pending(
        id=row.id,
        workspace=row.workspace,
        project_id=row.project_id,
        kind=row.kind,
        payload=row.payload,
        content_sha256=row.content_sha256,
        by_assistant=row.by_assistant,
    )
