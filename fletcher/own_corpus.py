"""A corpus in this process, for a command that owns the data directory, or where servers keep everything."""

import threading
from collections.abc import Collection, Generator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from corpora import DataDirectory, Ownership, ProjectKey
from fletcher.settings import Settings
from fletcher.wiring import Parts, folder_roots
from ingest import DocumentReport, FolderReport, IngestReport, Progress, ProgressListener, Refusal, Source, Watch
from retrieval import SearchAnswer

if TYPE_CHECKING:
    from fletcher.loopback_api import LoopbackApi


class LocalCorpus:
    def __init__(self, settings: Settings, parts: Parts) -> None:
        self._settings = settings
        self._parts = parts

    def ingest(
        self,
        key: ProjectKey,
        sources: Collection[Source | Refusal],
        *,
        sync: bool,
        gone: Collection[str] = (),
        progress: ProgressListener,
    ) -> IngestReport:
        self._parts.embedder.check()
        with self._answering(progress) as listen:
            return self._parts.ingestor.index(key, sources, replace=sync, gone=gone, progress=listen)

    def link(self, key: ProjectKey, folder: Path) -> FolderReport:
        self._parts.embedder.check()
        catalog = self._parts.catalog
        path = folder_roots(self._settings).admit(str(folder), key.workspace, by_owner=True)
        catalog.link_folder(key, str(path), by_owner=True)
        with closing(Watch([path], threading.Event(), real=True)) as watch, self._answering(_nobody) as listen:
            change = watch.wait()
            assert change is not None  # nobody stops it
            report = self._parts.ingestor.follow(key, change, wait=True, progress=listen)
        return FolderReport.of(catalog.require_folder(key), report.documents)

    def folder(self, key: ProjectKey) -> FolderReport:
        return FolderReport.now(self._parts.catalog, key)

    def unlink(self, key: ProjectKey) -> FolderReport:
        report = self.folder(key)
        self._parts.catalog.unlink_folder(key)
        return report

    def staying(self) -> AbstractContextManager[None]:
        return nullcontext()

    def _answering(self, progress: ProgressListener) -> AbstractContextManager[ProgressListener]:
        """Whom an ingest is to tell its progress, so that others are answered if it is a long one."""
        return nullcontext(progress)

    def documents(self, key: ProjectKey) -> list[DocumentReport]:
        self._parts.catalog.require_project(key)
        return [DocumentReport.listed(document) for document in self._parts.catalog.documents(key)]

    def remove(self, key: ProjectKey, document: str) -> DocumentReport:
        return self._parts.ingestor.remove(key, document)

    def search(self, key: ProjectKey, query: str, k: int, document: str | None) -> SearchAnswer:
        return self._parts.retriever.answer(key, query, k, document)


def _nobody(_: Progress) -> None:
    """Whom progress is told that is not shown."""


class OwnCorpus(LocalCorpus):
    """That of the data directory that this process owns: others are answered while it works."""

    def __init__(self, settings: Settings, directory: DataDirectory, parts: Parts, ownership: Ownership) -> None:
        super().__init__(settings, parts)
        self._directory = directory
        self._ownership = ownership
        self._api: LoopbackApi | None = None

    @contextmanager
    def staying(self) -> Generator[None]:
        from fletcher.loopback_api import LoopbackApi

        with LoopbackApi(self._settings, self._parts, self._ownership) as self._api:
            self._api.start()
            try:
                yield
            finally:
                self._api = None

    @contextmanager
    def _answering(self, progress: ProgressListener) -> Generator[ProgressListener]:
        from fletcher.loopback_api import LoopbackApi

        with ExitStack() as opened:
            api = self._api or opened.enter_context(LoopbackApi(self._settings, self._parts, self._ownership))

            def listen(event: Progress) -> None:
                if event.phase in ("reading", "embedding"):
                    api.start()
                progress(event)

            self._restore_vectors()
            yield listen

    def _restore_vectors(self) -> None:
        """Fills Chroma from the catalog if its folder was deleted; all of it, as nobody would notice later."""
        if self._settings.chroma_url or self._directory.chroma_path.exists():
            return
        if self._parts.catalog.embedding_model() is not None:
            for key in self._parts.catalog.every_project():
                self._parts.retriever.repair(key)
