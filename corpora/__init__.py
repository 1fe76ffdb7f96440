"""Which documents a project has: the catalog, the originals, and who owns the data directory."""

from corpora.catalog import Catalog
from corpora.errors import (
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
)
from corpora.folders import LinkedFolder
from corpora.originals import Originals
from corpora.ownership import DataDirectory, Owner, Ownership
from corpora.pendings import Pending
from corpora.records import Document, DocumentCounts, Page, Passage, ProjectKey, page_range, passage_id

__all__ = [
    "Catalog",
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
    "OriginalNotFound",
    "Originals",
    "Owner",
    "Ownership",
    "Page",
    "Passage",
    "Pending",
    "ProjectKey",
    "ProjectNotFound",
    "StorageError",
    "page_range",
    "passage_id",
]
