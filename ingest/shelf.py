"""Where documents end up: the original and the catalog's entry, put and removed together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from corpora import Catalog, Document, OriginalStore, Passage, ProjectKey
from ingest.extracted import Extracted
from ingest.readers import VERSION
from ingest.source import Source
from ingest.split import renamed


class Shelf:
    """Keeps an original exactly as long as some document needs it."""

    def __init__(self, catalog: Catalog, originals: OriginalStore) -> None:
        self._catalog = catalog
        self._originals = originals
        # Between storing an original and naming it in the catalog, it looks like one that nobody needs.
        self._storing = catalog.lock("originals")

    def put(
        self,
        key: ProjectKey,
        source: Source,
        extracted: Extracted,
        passages: Sequence[Passage],
        updated_at: datetime | None = None,
    ) -> Document:
        """Store a document; it is there whole when this returns, and not at all before.

        `updated_at` is when its file was, if it was only read again.
        """
        with self._storing.held():
            return self._catalog.put_document(
                key,
                name=source.name,
                format=extracted.format,
                sha256=self._originals.put(source.data),
                size=len(source.data),
                text=extracted.text,
                pages=extracted.pages,
                passages=passages,
                pages_without_text=extracted.pages_without_text,
                pages_with_hidden_text=extracted.pages_with_hidden_text,
                pages_recognized=extracted.pages_recognized,
                reader_version=VERSION,
                ocr_languages=extracted.ocr_languages,
                updated_at=updated_at,
            )

    def put_copy(self, key: ProjectKey, source: Source, of: Document, updated_at: datetime | None = None) -> Document:
        """Store a document that is the same file as another one of the project, without reading it again.

        Raises `DocumentNotFound` if that other one was removed meanwhile.
        """
        with self._storing.held():
            return self._catalog.put_document(
                key,
                name=source.name,
                format=of.format,
                sha256=self._originals.put(source.data),
                size=of.size,
                text=self._catalog.text(key, of.id),
                pages=self._catalog.pages(key, of.id),
                passages=renamed(self._catalog.passages(key, of.id), key.document_id(source.name), source.name),
                pages_without_text=of.pages_without_text,
                pages_with_hidden_text=of.pages_with_hidden_text,
                pages_recognized=of.pages_recognized,
                reader_version=of.reader_version,
                ocr_languages=of.ocr_languages,
                updated_at=updated_at,
            )

    def restore_original(self, data: bytes) -> None:
        """Store the original of a known document again, if its file is missing."""
        self._originals.put(data)

    def remove(self, key: ProjectKey, document_id: str) -> Document:
        """Take a document out; raises `ProjectNotFound` or `DocumentNotFound`."""
        return self._catalog.remove_document(key, document_id)

    def sweep(self) -> None:
        """Delete the originals that no document needs any more, if anything has changed since that was last done."""
        if self._catalog.changes() == self._catalog.swept_changes():
            return
        with self._storing.held():
            changes = self._catalog.changes()
            self._originals.delete_unreferenced(self._catalog.originals())
            self._catalog.record_swept(changes)
