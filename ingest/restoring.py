"""Making a lost catalog anew from the originals and their manifest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from corpora import Catalog, ManifestEntry, Originals, ProjectKey
from ingest.ingestor import Ingestor
from ingest.report import DocumentReport, ProgressListener
from ingest.source import Unread, read_original


@dataclass(frozen=True)
class Restored:
    """What came back.

    Attributes:
        documents: Those that the catalog lacked, by project.
        nameless: How many originals no entry of the manifest names: they are left as they are.
        missing: The documents of the manifest that the catalog lacks, and whose original is gone.
    """

    documents: tuple[tuple[ProjectKey, DocumentReport], ...]
    nameless: int
    missing: tuple[ManifestEntry, ...]

    def as_dict(self) -> dict[str, Any]:
        """The JSON of what came back."""
        documents = [
            {"workspace": key.workspace, "project": key.project_id} | report.as_dict() for key, report in self.documents
        ]
        missing = [
            {"workspace": one.key.workspace, "project": one.key.project_id, "name": one.name} for one in self.missing
        ]
        return {"documents": documents, "nameless": self.nameless, "missing": missing}


def restore(catalog: Catalog, originals: Originals, ingestor: Ingestor, progress: ProgressListener) -> Restored:
    """Read every document of the manifest that the catalog lacks and whose original is there; what it has stays.

    Searchable by text when this returns; vectors are not made. One whose original cannot be read fails by itself.

    Raises `CatalogError` or `StorageError`.
    """
    entries, kept = originals.manifest.entries(), originals.hashes()
    known = {(key, document.name) for key in catalog.every_project() for document in catalog.documents(key)}
    lacking = [entry for entry in entries if (entry.key, entry.name) not in known]
    reports = [(entry.key, _read(entry, originals, ingestor, progress)) for entry in lacking if entry.sha256 in kept]
    missing = tuple(entry for entry in lacking if entry.sha256 not in kept)
    return Restored(tuple(reports), len(kept - {entry.sha256 for entry in entries}), missing)


def _read(entry: ManifestEntry, originals: Originals, ingestor: Ingestor, progress: ProgressListener) -> DocumentReport:
    # As of then: a file of a linked folder that was written since takes its place.
    original = Unread(
        entry.name,
        partial(read_original, originals, entry.name, entry.sha256),
        given_at=originals.manifest.written_at(entry),
    )
    return ingestor.add(entry.key, [original], progress=progress).documents[0]
