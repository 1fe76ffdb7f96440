"""Which documents a project has: the catalog, the originals, and who owns the data directory."""

from corpora.catalog import Catalog
from corpora.errors import (
    CatalogBusy,
    CatalogError,
    CorpusError,
    DirectoryBusy,
    DocumentNotFound,
    DocumentOfFolder,
    FolderNotFound,
    InvalidName,
    OriginalNotFound,
    ProjectNotFound,
    StorageError,
    WorkspaceFull,
)
from corpora.folders import LinkedFolder
from corpora.locks import Lock
from corpora.manifest import Manifest, ManifestEntry
from corpora.originals import Originals, OriginalStore
from corpora.ownership import DataDirectory, Owner, Ownership
from corpora.pendings import Pending
from corpora.printable import is_printable, printable, printable_lines
from corpora.records import (
    Document,
    DocumentCounts,
    Page,
    Passage,
    PassageKind,
    ProjectKey,
    Quota,
    kept_bytes,
    page_range,
    passage_id,
)
from corpora.stored_originals import StoredOriginals

__all__ = [
    "Catalog",
    "CatalogBusy",
    "CatalogError",
    "CorpusError",
    "DataDirectory",
    "DirectoryBusy",
    "Document",
    "DocumentCounts",
    "DocumentNotFound",
    "DocumentOfFolder",
    "FolderNotFound",
    "InvalidName",
    "LinkedFolder",
    "Lock",
    "Manifest",
    "ManifestEntry",
    "OriginalNotFound",
    "OriginalStore",
    "Originals",
    "Owner",
    "Ownership",
    "Page",
    "Passage",
    "PassageKind",
    "Pending",
    "ProjectKey",
    "ProjectNotFound",
    "Quota",
    "StorageError",
    "StoredOriginals",
    "WorkspaceFull",
    "is_printable",
    "kept_bytes",
    "page_range",
    "passage_id",
    "printable",
    "printable_lines",
]
