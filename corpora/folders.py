"""The catalog's linked folders: which folder belongs to a project, what came from it, and who watches it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Row, ScalarSelect, delete, func, insert, or_, select, update

from corpora.database import Database
from corpora.errors import FolderNotFound, WorkspaceFull
from corpora.records import ProjectKey
from corpora.schema import documents, folder_documents, folders, projects
from corpora.statements import give_to_folder, is_project, touched_project

MOST_FOLDERS, MOST_FOLDERS_OF_WORKSPACE = 60, 20
"""Each that is followed takes threads, looks, and seven descriptors of the 1,024 that a process usually may have."""


@dataclass(frozen=True)
class LinkedFolder:
    """The folder that belongs to a project; with a problem, its documents are those from before.

    `by_owner` says that whoever linked it had the key of the owner's file.
    """

    key: ProjectKey
    path: str
    problem_code: str | None = None
    problem: str | None = None
    by_owner: bool = False


class Folders(Database):
    """What `Catalog` knows about linked folders."""

    def link_folder(
        self, key: ProjectKey, path: str, watcher: str | None = None, seconds: float = 0, *, by_owner: bool = False
    ) -> None:
        """Make this the project's folder, in place of another; whoever watched that has lost its lease.

        The documents of the other one stay its folder's, until a sync with this one takes them away. With `watcher`,
        that one has the lease from the first, as by `claim_folder`.

        Raises:
            WorkspaceFull: So many other projects have one, of its workspace or of all.
        """
        lease = _lease(watcher, datetime.now(UTC), seconds) if watcher else {}
        with self._writing() as connection:
            project = touched_project(connection, key)
            others = _NUMBER.where(projects.c.id != project)
            of_workspace = others.where(projects.c.workspace == key.workspace)
            if (connection.scalar(of_workspace) or 0) >= MOST_FOLDERS_OF_WORKSPACE:
                raise WorkspaceFull(
                    f"{MOST_FOLDERS_OF_WORKSPACE} projects of this workspace have a linked folder; unlink one of those "
                    "first."
                )
            if (connection.scalar(others) or 0) >= MOST_FOLDERS:
                raise WorkspaceFull(
                    f"{MOST_FOLDERS} projects of this server have a linked folder; one of those must be unlinked first."
                )
            connection.execute(delete(folders).where(folders.c.project == project))
            connection.execute(insert(folders).values(project=project, path=path, by_owner=by_owner, **lease))

    def unlink_folder(self, key: ProjectKey) -> LinkedFolder:
        """Forget the project's folder; its documents stay and are no folder's. Raises `FolderNotFound`."""
        folder = self.require_folder(key)
        with self._writing() as connection:
            # As whoever writes its documents does first: two could otherwise wait for each other.
            connection.execute(select(projects.c.id).where(is_project(key)).with_for_update())
            connection.execute(delete(folders).where(folders.c.project == _project(key)))
            connection.execute(delete(folder_documents).where(folder_documents.c.project == _project(key)))
        return folder

    def linked_folder(self, key: ProjectKey) -> LinkedFolder | None:
        """The project's folder, if it has one."""
        with self._reading() as connection:
            row = connection.execute(_FOLDERS.where(is_project(key))).one_or_none()
        return _folder(row) if row else None

    def require_folder(self, key: ProjectKey) -> LinkedFolder:
        """The project's folder; raises `FolderNotFound`."""
        folder = self.linked_folder(key)
        if folder is None:
            raise FolderNotFound(
                f"Project {key.project_id!r} has no linked folder. Link one with "
                f"'fletcher link FOLDER --project {key.project_id}'."
            )
        return folder

    def linked_folders(self) -> list[LinkedFolder]:
        """The folders of all projects of all workspaces, always in the same order."""
        with self._reading() as connection:
            return [_folder(row) for row in connection.execute(_FOLDERS.order_by(projects.c.id))]

    def claim_folder(self, folder: LinkedFolder, watcher: str, seconds: float) -> bool:
        """Take or renew the lease on a folder; False if another watcher has it, or the link is another by now.

        A lease that is not renewed for `seconds` is free again; the clocks of all watchers must agree within that.
        """
        now = datetime.now(UTC)
        free = or_(folders.c.watcher.is_(None), folders.c.watcher == watcher, folders.c.watched_until < now)
        these = (folders.c.project == _project(folder.key)) & (folders.c.path == folder.path) & free
        with self._writing() as connection:
            leased = update(folders).where(these).values(_lease(watcher, now, seconds))
            return connection.execute(leased).rowcount == 1

    def release_folders(self, watcher: str) -> None:
        """Give all leases of a watcher back, so that another one need not wait for their end."""
        with self._writing() as connection:
            free = {"watcher": None, "watched_until": None}
            connection.execute(update(folders).where(folders.c.watcher == watcher).values(free))

    def note_folder_problem(self, folder: LinkedFolder, code: str | None, problem: str | None) -> None:
        """Keep what is wrong with a folder, for whoever asks; None: nothing any more."""
        these = (folders.c.project == _project(folder.key)) & (folders.c.path == folder.path)
        with self._writing() as connection:
            connection.execute(update(folders).where(these).values(problem_code=code, problem=problem))

    def folder_documents(self, key: ProjectKey) -> set[str]:
        """The names of the documents that are the linked folder's."""
        query = select(folder_documents.c.name).where(folder_documents.c.project == _project(key))
        with self._reading() as connection:
            return set(connection.scalars(query))

    def note_older_version(self, key: ProjectKey, document_id: str, sha256: str) -> None:
        """Keep the hash of the folder's file of this name, which is older than what was sent."""
        these = (documents.c.project == _project(key)) & (documents.c.id == document_id)
        with self._writing() as connection:
            connection.execute(update(documents).where(these).values(over_sha256=sha256))

    def put_folder_documents(self, key: ProjectKey, names: Iterable[str]) -> None:
        """Make the documents of these names the linked folder's; nothing if the project has none any more."""
        with self._writing() as connection:
            project = connection.scalar(select(projects.c.id).where(is_project(key)))
            if project is not None:
                give_to_folder(connection, project, names)


_FOLDERS = select(folders, projects.c.workspace, projects.c.project_id).join(projects)
_NUMBER = select(func.count()).select_from(folders.join(projects))


def _project(key: ProjectKey) -> ScalarSelect[Any]:
    return select(projects.c.id).where(is_project(key)).scalar_subquery()


def _lease(watcher: str, now: datetime, seconds: float) -> dict[str, Any]:
    return {"watcher": watcher, "watched_until": now + timedelta(seconds=seconds)}


def _folder(row: Row[Any]) -> LinkedFolder:
    key = ProjectKey(row.workspace, row.project_id)
    return LinkedFolder(key, row.path, row.problem_code, row.problem, bool(row.by_owner))
