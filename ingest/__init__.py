"""A document's bytes to pages to passages to something that can be searched."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.addition import Given
    from ingest.extracted import Block, Extracted, ReadError
    from ingest.folder import Scan, ScanError, scan
    from ingest.folder_report import FolderReport
    from ingest.ingestor import Ingestor
    from ingest.painter import Painter
    from ingest.reader_pool import ReaderPool
    from ingest.report import (
        DocumentReport,
        IngestReport,
        Phase,
        Problem,
        Progress,
        ProgressListener,
        counted,
        page_list,
    )
    from ingest.restoring import Restored, restore
    from ingest.roots import FolderNotAllowed, FolderRoots, FolderUnusable
    from ingest.shares import Shares
    from ingest.source import Refusal, Source, Unread, known_as, too_large, unnamed
    from ingest.watching import Change, Watch

# Loaded as they are used: a command that only talks to a server needs few of them.
_PLACES = {
    "ingest.addition": ("Given",),
    "ingest.extracted": (
        "Block",
        "Extracted",
        "ReadError",
    ),
    "ingest.folder": (
        "Scan",
        "ScanError",
        "scan",
    ),
    "ingest.folder_report": ("FolderReport",),
    "ingest.ingestor": ("Ingestor",),
    "ingest.painter": ("Painter",),
    "ingest.reader_pool": ("ReaderPool",),
    "ingest.report": (
        "DocumentReport",
        "IngestReport",
        "Phase",
        "Problem",
        "Progress",
        "ProgressListener",
        "counted",
        "page_list",
    ),
    "ingest.restoring": (
        "Restored",
        "restore",
    ),
    "ingest.roots": (
        "FolderNotAllowed",
        "FolderRoots",
        "FolderUnusable",
    ),
    "ingest.shares": ("Shares",),
    "ingest.source": (
        "Refusal",
        "Source",
        "Unread",
        "known_as",
        "too_large",
        "unnamed",
    ),
    "ingest.watching": (
        "Change",
        "Watch",
    ),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

__all__ = [
    "Block",
    "Change",
    "DocumentReport",
    "Extracted",
    "FolderNotAllowed",
    "FolderReport",
    "FolderRoots",
    "FolderUnusable",
    "Given",
    "IngestReport",
    "Ingestor",
    "Painter",
    "Phase",
    "Problem",
    "Progress",
    "ProgressListener",
    "ReadError",
    "ReaderPool",
    "Refusal",
    "Restored",
    "Scan",
    "ScanError",
    "Shares",
    "Source",
    "Unread",
    "Watch",
    "counted",
    "known_as",
    "page_list",
    "restore",
    "scan",
    "too_large",
    "unnamed",
]


def __getattr__(name: str) -> object:
    if name not in _PLACE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_PLACE_OF[name]), name)
    return value
