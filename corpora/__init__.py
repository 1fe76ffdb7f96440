"""Which documents a project has: the catalog, the originals, and who owns the data directory."""

import importlib
from typing import TYPE_CHECKING

# At once, as a module has the same name, which would take its place.
from corpora.printable import is_printable, printable, printable_lines

if TYPE_CHECKING:
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

# Loaded as they are used: a command that only talks to a server needs few of them.
_PLACES = {
    "corpora.catalog": ("Catalog",),
    "corpora.errors": (
        "CatalogBusy",
        "CatalogError",
        "CorpusError",
        "DirectoryBusy",
        "DocumentNotFound",
        "DocumentOfFolder",
        "FolderNotFound",
        "InvalidName",
        "OriginalNotFound",
        "ProjectNotFound",
        "StorageError",
        "WorkspaceFull",
    ),
    "corpora.folders": ("LinkedFolder",),
    "corpora.locks": ("Lock",),
    "corpora.manifest": (
        "Manifest",
        "ManifestEntry",
    ),
    "corpora.originals": (
        "Originals",
        "OriginalStore",
    ),
    "corpora.ownership": (
        "DataDirectory",
        "Owner",
        "Ownership",
    ),
    "corpora.pendings": ("Pending",),
    "corpora.records": (
        "Document",
        "DocumentCounts",
        "Page",
        "Passage",
        "PassageKind",
        "ProjectKey",
        "Quota",
        "kept_bytes",
        "page_range",
        "passage_id",
    ),
    "corpora.stored_originals": ("StoredOriginals",),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

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


def __getattr__(name: str) -> object:
    if name not in _PLACE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_PLACE_OF[name]), name)
    return value
