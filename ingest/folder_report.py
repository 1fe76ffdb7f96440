"""What there is to say about a project's linked folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ingest.report import DocumentReport, Problem

if TYPE_CHECKING:
    from corpora import Catalog, LinkedFolder, ProjectKey


_MOST_SKIPPED = 1_000


@dataclass(frozen=True)
class FolderReport:
    """The folder by its path, what is wrong with it, and its documents, or what became of them when it was linked.

    Of files that are no documents the first are among them; `skipped_more` is how many others there are.
    """

    project: str
    path: str
    problem: Problem | None
    documents: tuple[DocumentReport, ...]
    skipped_more: int = 0

    @classmethod
    def of(cls, folder: LinkedFolder, documents: Sequence[DocumentReport]) -> FolderReport:
        """The report on a folder of the catalog."""
        problem = Problem(folder.problem_code or "", folder.problem) if folder.problem else None
        surplus = {id(d) for d in [d for d in documents if d.status == "skipped"][_MOST_SKIPPED:]}
        listed = tuple(d for d in documents if id(d) not in surplus)
        return cls(folder.key.project_id, folder.path, problem, listed, len(surplus))

    @classmethod
    def now(cls, catalog: Catalog, key: ProjectKey) -> FolderReport:
        """The folder and what is in the corpus of it; raises `FolderNotFound`."""
        folder, own = catalog.require_folder(key), catalog.folder_documents(key)
        return cls.of(folder, [DocumentReport.listed(d) for d in catalog.documents(key) if d.name in own])

    def as_dict(self) -> dict[str, Any]:
        """The report's JSON."""
        return {
            "project": self.project,
            "path": self.path,
            "problem": {"code": self.problem.code, "message": self.problem.message} if self.problem else None,
            "documents": [document.as_dict() for document in self.documents],
        } | ({"skipped_more": self.skipped_more} if self.skipped_more else {})
