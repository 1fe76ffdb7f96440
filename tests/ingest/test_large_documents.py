"""Documents that are large: few are in memory at the same time, whichever way they come in."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import pytest

from corpora import ProjectKey
from ingest import IngestReport, Progress, Source, Unread, Watch
from ingest.document_store import DocumentStore
from ingest.plain_file import open_plain_file
from tests.ingest.conftest import Pipeline
from tests.ingest.sources import statuses
from tests.server_process import PATIENCE_S
from tests.waiting import eventually


@pytest.fixture(autouse=True)
def soon_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.ingestor._SMALL", 10)
    monkeypatch.setattr("ingest.ingestor.LARGE", 10)


@pytest.fixture
def opened_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that were opened to be read."""
    opened: list[str] = []

    def opening(path: Path, *how: Any) -> Any:
        opened.append(path.name)
        return open_plain_file(path, *how)

    monkeypatch.setattr("ingest.folder.open_plain_file", opening)
    return opened


class Upload:
    """One that is in memory, for as long as a test wants."""

    def __init__(self, pipeline: Pipeline, key: ProjectKey, threads: ThreadPoolExecutor) -> None:
        self._is_read, self._may_go_on = threading.Event(), threading.Event()
        large = Unread("map.txt", self._read, size=100)
        self.report: Future[IngestReport] = threads.submit(pipeline.ingestor.add, key, [large])
        assert self._is_read.wait(PATIENCE_S)

    def _read(self) -> Source:
        self._is_read.set()
        assert self._may_go_on.wait(PATIENCE_S)
        return Source("map.txt", b"The quay of Pell.")

    def finish(self) -> None:
        self._may_go_on.set()
        assert statuses(self.report.result(PATIENCE_S)) == {"map.txt": "searchable"}


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as threads:
        yield threads


def test_a_workspace_has_one_in_memory_and_keeps_no_other_waiting(
    pipeline: Pipeline, key: ProjectKey, tmp_path: Path, opened_files: list[str], threads: ThreadPoolExecutor
) -> None:
    (tmp_path / "design").mkdir()
    (tmp_path / "design/bible.md").write_text("Elena keeps the lighthouse.")
    pipeline.catalog.link_folder(key, str(tmp_path / "design"))
    watch = Watch([tmp_path / "design"], threading.Event())
    change = watch.wait()
    watch.close()
    assert change is not None
    waits, heard = threading.Event(), list[Progress]()

    def listen(progress: Progress) -> None:
        if progress in heard:
            waits.set()
        heard.append(progress)

    upload = Upload(pipeline, ProjectKey("local", "2"), threads)
    quay = Unread("quay.md", lambda: Source("quay.md", b"The quay of Pell."), size=100)
    second = threads.submit(pipeline.ingestor.add, ProjectKey("local", "4"), [quay], progress=listen)
    assert waits.wait(PATIENCE_S)
    assert not second.done()
    # A drive may hang: those of folders wait for each other alone.
    assert statuses(pipeline.ingestor.follow(key, change)) == {"bible.md": "searchable"}
    assert opened_files == ["bible.md"]
    short = pipeline.ingestor.add(ProjectKey("local", "3"), [Unread("a.md", lambda: Source("a.md", b"Odo."), size=4)])
    assert statuses(short) == {"a.md": "searchable"}
    Upload(pipeline, ProjectKey("another", "1"), threads).finish()
    upload.finish()
    assert statuses(second.result(PATIENCE_S)) == {"quay.md": "searchable"}


@pytest.mark.parametrize(("large", "at_once"), [(10, 1), (1_000, 2)])
def test_who_waits_can_give_up(
    pipeline: Pipeline,
    key: ProjectKey,
    threads: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
    large: int,
    at_once: int,
) -> None:
    monkeypatch.setattr("ingest.ingestor.LARGE", large)

    class EndedError(Exception):
        pass

    def listen(progress: Progress) -> None:
        if progress in heard:
            raise EndedError
        heard.append(progress)

    heard: list[Progress] = []
    uploads = [Upload(pipeline, ProjectKey("local", f"2{number}"), threads) for number in range(at_once)]
    with pytest.raises(EndedError):
        pipeline.ingestor.add(key, [Unread("bible.md", Mock(), size=100)], progress=listen)
    for upload in uploads:
        upload.finish()
    Upload(pipeline, key, threads).finish()


def test_however_short_its_file_what_was_read_or_is_copied_is_in_memory_of_two_documents_of_a_workspace(
    pipeline: Pipeline, threads: ThreadPoolExecutor
) -> None:
    begun, may_go_on = list[str](), threading.Event()

    def held(store: Any, key: ProjectKey) -> Any:
        begun.append(key.workspace)
        assert may_go_on.wait(PATIENCE_S)
        return lock(store, key)

    def add(key: ProjectKey, name: str = "map.md") -> IngestReport:
        return pipeline.ingestor.add(key, [Source(name, b"The quay of Pell.")])

    projects = [ProjectKey("local", str(number)) for number in range(5)]
    for key in projects[:3]:
        add(key, "twin.md")
    lock = DocumentStore._room_lock  # pyright: ignore[reportPrivateUsage]
    with patch.object(DocumentStore, "_room_lock", held):
        reports = [threads.submit(add, key) for key in projects]
        waiting = pipeline.ingestor._places._waiting  # pyright: ignore[reportPrivateUsage]
        eventually(lambda: len(begun) + len(waiting.get("local", ())) == len(projects))
        reports.append(threads.submit(add, ProjectKey("another", "1")))
        eventually(lambda: "another" in begun)
        may_go_on.set()
        assert begun[:3] == ["local", "local", "another"]
        assert all(statuses(report.result(PATIENCE_S))["map.md"] == "searchable" for report in reports)


def test_what_cannot_be_stored_leaves_its_place(pipeline: Pipeline, key: ProjectKey) -> None:
    sources = [Source("map.md", b"The quay of Pell.")]
    with patch.object(DocumentStore, "put", side_effect=OSError):
        for _ in range(4):
            with pytest.raises(OSError):
                pipeline.ingestor.add(key, sources)
    assert statuses(pipeline.ingestor.add(key, sources)) == {"map.md": "searchable"}
