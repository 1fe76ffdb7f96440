"""What can go wrong with a corpus: every error carries a code for programs and a sentence for people.

CorpusError
 +- InvalidName              INVALID_NAME         a workspace, project or document name that cannot be one
 +- ProjectNotFound          PROJECT_NOT_FOUND
 +- DocumentNotFound         DOCUMENT_NOT_FOUND
 +- FolderNotFound           FOLDER_NOT_FOUND     the project has no linked folder
 +- DocumentOfFolder         DOCUMENT_OF_FOLDER   it would come back, as its file is in the linked folder
 +- OriginalNotFound         ORIGINAL_NOT_FOUND   a stored file has gone from the disk
 +- WorkspaceFull            WORKSPACE_FULL       its workspace may have no more documents, bytes, folders or projects
 +- CatalogError             CATALOG_ERROR        the database is not ours, too new, or not reachable
 |   +- CatalogBusy          CATALOG_BUSY         others work with it who cannot share it, or for too long
 +- StorageError             STORAGE_ERROR        the data directory cannot be written
 +- DirectoryBusy            DIRECTORY_BUSY       another process owns the data directory
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpora.ownership import Owner


class CorpusError(Exception):
    """Base of all errors of this package; `message` names the thing, the rule and the remedy."""

    code: str = "CORPUS_ERROR"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidName(CorpusError):
    """A name that could not be stored, or that would lead out of the corpus."""

    code = "INVALID_NAME"


class ProjectNotFound(CorpusError):
    """Nothing was ever ingested for this project."""

    code = "PROJECT_NOT_FOUND"


class DocumentNotFound(CorpusError):
    """The project has no document of that name or id."""

    code = "DOCUMENT_NOT_FOUND"


class FolderNotFound(CorpusError):
    """The project has no linked folder."""

    code = "FOLDER_NOT_FOUND"


class DocumentOfFolder(CorpusError):
    """A document that cannot be taken out alone: its file is in the linked folder, and brings it back."""

    code = "DOCUMENT_OF_FOLDER"


class OriginalNotFound(CorpusError):
    """The stored file of a document is missing on disk."""

    code = "ORIGINAL_NOT_FOUND"


class WorkspaceFull(CorpusError):
    """A document, linked folder or project for which its workspace has no room."""

    code = "WORKSPACE_FULL"


class CatalogError(CorpusError):
    """The catalog's database cannot be used."""

    code = "CATALOG_ERROR"


class CatalogBusy(CatalogError):
    """Processes of Fletcher that cannot share a catalog met at it, or others write to it, or wait, for too long."""

    code = "CATALOG_BUSY"


class ValueRefused(CatalogError):
    """The catalog's database is in order, and does not take a value or an id of what was to be written."""


class StorageError(CorpusError):
    """The data directory cannot be used: no permission, no space, or not a directory."""

    code = "STORAGE_ERROR"


class DirectoryBusy(CorpusError):
    """Another process owns the data directory; `owner` says which, where it is known."""

    code = "DIRECTORY_BUSY"

    def __init__(self, message: str, owner: Owner | None) -> None:
        super().__init__(message)
        self.owner = owner
