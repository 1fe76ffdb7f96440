"""The catalog's pendings: questions that wait for an answer, and what an undo goes back to.

SQLite has one writer for a file, and a long document is put into the catalog in one transaction. So that no turn
waits for that, what turns write is in a file beside the catalog.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import URL, ColumnElement, Delete, Row, Select, bindparam, delete, func, insert, select

from corpora.chunks import chunks
from corpora.database import Database, insert_or_keep
from corpora.records import is_storable
from corpora.schema import facts, pendings

_KEPT_FOR = timedelta(days=7)
# The oldest go first; the newest always stays.
_OF_PROJECT_BYTES = 64 * 2**20
_OF_WORKSPACE_BYTES = 512 * 2**20
_OF_WORKSPACE = 10_000


@dataclass(frozen=True)
class Pending:
    """A question that waits for its answer, and the hash of the project's content that it was asked about."""

    id: str
    workspace: str
    project_id: str
    kind: str
    payload: dict[str, Any]
    content_sha256: str
    created_at: datetime


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

    def put_pending(
        self,
        workspace: str,
        project_id: str,
        kind: str,
        payload: dict[str, Any],
        content_sha256: str,
        kept: int | None = None,
    ) -> str:
        """Keep a question for its answer; returns its id.

        It is kept for a week at most, and goes before that when newer ones need its room, or when it is not among the
        `kept` newest of its kind.
        """
        now, pending_id = datetime.now(UTC), secrets.token_hex(8)
        row = {
            "id": pending_id,
            "workspace": workspace,
            "project_id": project_id,
            "kind": kind,
            "payload": payload,
            "content_sha256": content_sha256,
            "created_at": now,
            "size": len(json.dumps(payload)),
        }
        with self._kept_in._writing() as connection:
            connection.execute(_TOO_OLD, {"before": now - _KEPT_FOR})
            connection.execute(insert(pendings), row)
            if kept is not None:
                these = {"of_workspace": workspace, "of_project": project_id, "of_kind": kind, "kept": kept}
                connection.execute(_NOT_AMONG_THE_NEWEST, these)
            too_old = connection.scalars(_OVER_THE_LIMITS, {"of_workspace": workspace, **_limits()}).all()
            for some in chunks(too_old):
                connection.execute(delete(pendings).where(pendings.c.id.in_(some) & (pendings.c.id != pending_id)))
        return pending_id

    def pop_pending(self, workspace: str, project_id: str, pending_id: str) -> Pending | None:
        """Take a question out, so that it is answered once; None if the project does not have it (any more)."""
        if not is_storable(pending_id):
            return None
        these = (pendings.c.workspace == workspace) & (pendings.c.project_id == project_id)
        these &= pendings.c.id == pending_id
        with self._kept_in._writing() as connection:
            row = connection.execute(delete(pendings).where(these).returning(pendings)).one_or_none()
        return _pending(row) if row else None

    def newest_pending(
        self,
        workspace: str,
        project_id: str,
        kind: str,
        content_sha256: str | None = None,
        besides: tuple[datetime, datetime] | None = None,
    ) -> Pending | None:
        """The newest of a kind, which stays; None if there is none.

        Only one that belongs to this content, and `besides` those that were kept from then till then.
        """
        newest = select(pendings).where(_of(workspace, project_id, kind)).order_by(pendings.c.created_at.desc())
        if content_sha256 is not None:
            newest = newest.where(pendings.c.content_sha256 == content_sha256)
        if besides is not None:
            newest = newest.where(~pendings.c.created_at.between(*besides))
        with self._kept_in._reading() as connection:
            row = connection.execute(newest.limit(1)).one_or_none()
        return _pending(row) if row else None


def _beside(catalog: URL) -> URL | None:
    """Where the pendings of a catalog are; None where they are in the catalog itself."""
    if catalog.get_backend_name() != "sqlite" or not catalog.database:
        return None
    file = Path(catalog.database)
    return catalog.set(database=str(file.with_stem(f"{file.stem}-pendings")))


def _over_the_limits() -> Select[Any]:
    """The ids of the questions of `of_workspace` for which the newer ones leave no room."""
    newest_first = (pendings.c.created_at.desc(), pendings.c.id)
    size = func.sum(pendings.c.size)
    own = (
        select(
            pendings.c.id,
            size.over(partition_by=pendings.c.project_id, order_by=newest_first).label("of_project"),
            size.over(order_by=newest_first).label("of_workspace"),
            func.row_number().over(order_by=newest_first).label("rank"),
        )
        .where(pendings.c.workspace == bindparam("of_workspace"))
        .subquery()
    )
    return select(own.c.id).where(
        (own.c.of_project > bindparam("project_bytes"))
        | (own.c.of_workspace > bindparam("workspace_bytes"))
        | (own.c.rank > bindparam("most"))
    )


def _limits() -> dict[str, int]:
    return {"project_bytes": _OF_PROJECT_BYTES, "workspace_bytes": _OF_WORKSPACE_BYTES, "most": _OF_WORKSPACE}


def _of(workspace: Any, project_id: Any, kind: Any) -> ColumnElement[bool]:
    return (pendings.c.workspace == workspace) & (pendings.c.project_id == project_id) & (pendings.c.kind == kind)


def _not_among_the_newest() -> Delete:
    """Removes all of a kind but the `kept` newest."""
    of_kind = _of(*map(bindparam, ("of_workspace", "of_project", "of_kind")))
    newest = select(pendings.c.id).where(of_kind).order_by(pendings.c.created_at.desc()).limit(bindparam("kept"))
    return delete(pendings).where(of_kind & pendings.c.id.not_in(newest))


# Put together once: a turn that changes its story runs each of them at its end.
_TOO_OLD = delete(pendings).where(pendings.c.created_at < bindparam("before"))
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
        created_at=row.created_at.replace(tzinfo=UTC),
    )
