"""A document's bytes to pages to passages to something that can be searched."""

from ingest.addition import Given
from ingest.extracted import Block, Extracted, ReadError
from ingest.folder import Scan, ScanError, scan
from ingest.folder_report import FolderReport
from ingest.ingestor import Ingestor
from ingest.painter import Painter
from ingest.reader_pool import ReaderPool
from ingest.report import DocumentReport, IngestReport, Phase, Problem, Progress, ProgressListener, counted, page_list
from ingest.restoring import Restored, restore
from ingest.roots import FolderNotAllowed, FolderRoots, FolderUnusable
from ingest.shares import Shares
from ingest.source import Refusal, Source, known_as, too_large, unnamed
from ingest.watching import Change, Watch

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
    "Watch",
    "counted",
    "known_as",
    "page_list",
    "restore",
    "scan",
    "too_large",
    "unnamed",
]
