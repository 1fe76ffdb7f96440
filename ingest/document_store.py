"""Where documents end up: the original and the catalog's entry, put and removed together."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime

from corpora import (
    Catalog,
    Document,
    Lock,
    ManifestEntry,
    OriginalStore,
    Passage,
    ProjectKey,
    Quota,
    WorkspaceFull,
    kept_bytes,
)
from ingest.extracted import Extracted
from ingest.readers import VERSION
from ingest.source import Source
from ingest.split import renamed


class DocumentStore:
    """Keeps an original exactly as long as some document needs it."""

    def __init__(self, catalog: Catalog, originals: OriginalStore, quota: Quota | None) -> None:
        self._catalog = catalog
        self._quota = quota
        self._originals = originals

    def require_room(self, key: ProjectKey, name: str, size: int) -> None:
        """Raise `WorkspaceFull` if the workspace may not have a document of so many bytes, in place of its name's."""
        self._catalog.require_room_for_project(key)
        if self._quota is None:
            return
        used = self._catalog.used(key.workspace, but=key.document_id(name))
        if used.documents >= self._quota.documents:
            raise WorkspaceFull(
                f"{name}: workspace {key.workspace!r} may have {self._quota.documents} documents, and has them. "
                "Remove some, or have FLETCHER_MAX_WORKSPACE_DOCUMENTS raised."
            )
        if used.bytes + size > self._quota.bytes:
            raise WorkspaceFull(
                f"{name}: workspace {key.workspace!r} may have {self._quota.bytes} bytes of documents, of the text "
                f"in them and of what finds its passages; it has {used.bytes}, and this one takes {size}. Remove some, "
                "or have FLETCHER_MAX_WORKSPACE_BYTES raised."
            )

    def _require_room_in_project(self, key: ProjectKey, name: str, passages: int) -> None:
        if self._quota is None:
            return
        others = self._catalog.passage_count(key, but=key.document_id(name))
        if others + passages > self._quota.passages:
            raise WorkspaceFull(
                f"{name}: project {key.project_id!r} may have {self._quota.passages} passages; it has {others}, and "
                f"this one has {passages}. Remove some documents, or put this one into another project."
            )

    def put(
        self,
        key: ProjectKey,
        source: Source,
        extracted: Extracted,
        passages: Sequence[Passage],
        updated_at: datetime,
        *,
        of_folder: bool = False,
    ) -> Document:
        """Store a document; it is there whole when this returns, and not at all before.

        `updated_at` is when this version was given; with `of_folder` it is the linked folder's.
        Raises `WorkspaceFull`.
        """
        size = len(source.data) + kept_bytes(extracted.text, passages, extracted.pages)
        with self._room_lock(key).held(), self._storing(key, source, size, len(passages)) as sha256:
            stored = self._catalog.put_document(
                key,
                name=source.name,
                format=extracted.format,
                sha256=sha256,
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
                of_folder=of_folder,
            )
        self._list(key, stored)
        return stored

    def put_copy(
        self,
        key: ProjectKey,
        source: Source,
        of: Document,
        updated_at: datetime,
        *,
        of_folder: bool = False,
    ) -> Document:
        """Store a document that is the same file as another one of the project, without reading it again.

        Raises `DocumentNotFound` if that other one was removed meanwhile, or `WorkspaceFull`.
        """
        text = self._catalog.text(key, of.id)
        passages = renamed(self._catalog.passages(key, of.id), key.document_id(source.name), source.name)
        pages = self._catalog.pages(key, of.id)
        size = of.size + kept_bytes(text, passages, pages)
        with self._room_lock(key).held(), self._storing(key, source, size, len(passages)) as sha256:
            stored = self._catalog.put_document(
                key,
                name=source.name,
                format=of.format,
                sha256=sha256,
                size=of.size,
                text=text,
                pages=pages,
                passages=passages,
                pages_without_text=of.pages_without_text,
                pages_with_hidden_text=of.pages_with_hidden_text,
                pages_recognized=of.pages_recognized,
                reader_version=of.reader_version,
                ocr_languages=of.ocr_languages,
                updated_at=updated_at,
                of_folder=of_folder,
            )
        self._list(key, stored)
        return stored

    def restore_original(self, key: ProjectKey, known: Document, data: bytes) -> None:
        """Store the original of a known document again, if its file or its entry in the manifest is missing."""
        self._originals.put(data)
        self._list(key, known)

    def note_older_version(self, key: ProjectKey, known: Document, sha256: str) -> None:
        """Know the folder's file by its bytes from now on, whatever its time says then."""
        if known.over_sha256 != sha256:
            self._catalog.note_older_version(key, known.id, sha256)

    def remove(self, key: ProjectKey, document: Document) -> Document:
        """Take a document out; raises `ProjectNotFound` or `DocumentNotFound`."""
        manifest = self._originals.manifest
        with manifest.removing(key, document.name) if manifest is not None else nullcontext():
            return self._catalog.remove_document(key, document.id)

    def sweep(self) -> None:
        """Delete the originals that no document needs any more, of those that the catalog let go."""
        for some in self._catalog.doubted_originals():  # all at once would keep others' writes waiting for seconds
            with self._catalog.settling_originals(some) as unneeded:
                unneeded -= self._originals.delete(unneeded)

    @contextmanager
    def _storing(self, key: ProjectKey, source: Source, size: int, passages: int) -> Generator[str]:
        """Store an original for as long as the catalog does not name it yet; a sweep finds it if that never comes."""
        self.require_room(key, source.name, size)
        self._require_room_in_project(key, source.name, passages)
        sha256 = hashlib.sha256(source.data).hexdigest()
        with self._catalog.storing_original(sha256, self._originals.has):
            yield self._originals.put(source.data)

    def _room_lock(self, key: ProjectKey) -> Lock:
        """Held from when the workspace is found to have room until what takes it is there."""
        return self._catalog.lock(f"room of {key.workspace}")

    def _list(self, key: ProjectKey, document: Document) -> None:
        if self._originals.manifest is not None:
            self._originals.manifest.put(ManifestEntry(key, document.name, document.sha256))
