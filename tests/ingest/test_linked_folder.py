"""A linked folder in the corpus: it takes away what came from it, and nothing else."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corpora import DocumentOfFolder, ProjectKey
from ingest import Change, IngestReport, Source, Watch
from tests.ingest.conftest import Pipeline


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is at rest sooner than in earnest."""
    monkeypatch.setattr("ingest.watching._QUIET_S", 0.1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "design"
    folder.mkdir()
    (folder / "bible.md").write_text("# Elena\n\nShe keeps the lighthouse.")
    (folder / "ferry.md").write_text("The ferry is called Bittern.")
    return folder


@pytest.fixture
def linked(pipeline: Pipeline, key: ProjectKey, folder: Path) -> Iterator["Linked"]:
    linked = Linked(pipeline, key, folder)
    yield linked
    linked.watch.close()


class Linked:
    """A project and its linked folder, which is followed whenever a test says so."""

    def __init__(self, pipeline: Pipeline, key: ProjectKey, folder: Path) -> None:
        self._pipeline = pipeline
        self._key = key
        self.link(folder)

    def link(self, folder: Path) -> None:
        self._pipeline.catalog.link_folder(self._key, str(folder))
        self.watch = Watch([folder], threading.Event())

    def next(self) -> Change:
        change = self.watch.wait()
        assert change is not None
        return change

    def follow(self) -> dict[str, str]:
        """The statuses of what the next change brings."""
        change = self.next()
        report = self._pipeline.ingestor.follow(self._key, change, wait=True)
        self.watch.done(change)
        return statuses(report)


def statuses(report: IngestReport) -> dict[str, str]:
    return {document.name: document.status for document in report.documents}


def names(pipeline: Pipeline, key: ProjectKey) -> list[str]:
    return [document.name for document in pipeline.catalog.documents(key)]


def test_what_changes_in_the_folder_changes_in_the_corpus(
    linked: Linked, pipeline: Pipeline, key: ProjectKey, folder: Path
) -> None:
    assert linked.follow() == {"bible.md": "indexed", "ferry.md": "indexed"}
    (folder / "bible.md").write_text("# Elena\n\nShe left.")
    (folder / "ferry.md").unlink()
    (folder / "harbour.md").write_text("It freezes in winter.")
    assert linked.follow() == {"bible.md": "updated", "harbour.md": "indexed", "ferry.md": "removed"}
    pipeline.assert_consistent(key)


def test_a_rename_embeds_nothing(linked: Linked, pipeline: Pipeline, key: ProjectKey, folder: Path) -> None:
    linked.follow()
    embedded = len(pipeline.model.texts)
    (folder / "bible.md").rename(folder / "people.md")
    assert linked.follow() == {"people.md": "indexed", "bible.md": "removed"}
    assert len(pipeline.model.texts) == embedded
    pipeline.assert_consistent(key)


def test_other_documents_are_left_alone_and_leave_it_alone(
    linked: Linked, pipeline: Pipeline, key: ProjectKey, folder: Path
) -> None:
    pipeline.ingestor.index(key, [Source("upload.md", b"Sent by the editor.")])
    linked.follow()
    (folder / "ferry.md").unlink()
    linked.follow()
    assert names(pipeline, key) == ["bible.md", "upload.md"]
    pipeline.ingestor.index(key, [Source("other.md", b"The whole corpus otherwise.")], replace=True)
    assert names(pipeline, key) == ["bible.md", "other.md"]


def test_a_document_that_was_there_before_its_file_is_the_folders(
    linked: Linked, pipeline: Pipeline, key: ProjectKey, folder: Path
) -> None:
    pipeline.ingestor.index(key, [Source("ferry.md", (folder / "ferry.md").read_bytes())])
    assert linked.follow()["ferry.md"] == "unchanged"
    (folder / "ferry.md").unlink()
    assert linked.follow() == {"ferry.md": "removed"}


def test_another_folder_replaces_the_documents_of_the_first(
    linked: Linked, pipeline: Pipeline, key: ProjectKey, tmp_path: Path
) -> None:
    pipeline.ingestor.index(key, [Source("upload.md", b"Sent by the editor.")])
    linked.follow()
    second = tmp_path / "second"
    second.mkdir()
    (second / "bible.md").write_text("Another bible.")
    linked.link(second)
    assert linked.follow() == {"bible.md": "updated", "ferry.md": "removed"}
    assert names(pipeline, key) == ["bible.md", "upload.md"]


def test_what_happened_while_nobody_watched_is_made_up_for(
    linked: Linked, pipeline: Pipeline, key: ProjectKey, folder: Path
) -> None:
    linked.follow()
    (folder / "ferry.md").unlink()
    (folder / "harbour.md").write_text("It freezes in winter.")
    linked.watch = Watch([folder], threading.Event(), holds_documents=True)
    assert linked.follow() == {"bible.md": "unchanged", "harbour.md": "indexed", "ferry.md": "removed"}


def test_a_process_that_is_killed_in_the_midst_leaves_nothing_behind(
    linked: Linked, pipeline: Pipeline, key: ProjectKey, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def kill(*_: object, **__: object) -> None:
        raise Killed

    kills: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
        "before documents are added": lambda patch: patch.setattr(pipeline.reader, "read", kill),
        "before its documents are forgotten": lambda patch: patch.setattr(
            pipeline.catalog, "drop_folder_documents", kill
        ),
    }
    linked.follow()
    (folder / "ferry.md").rename(folder / "quay.md")
    (folder / "harbour.md").write_text("It freezes in winter.")
    for moment, arm in kills.items():
        with monkeypatch.context() as until_killed:
            arm(until_killed)
            with pytest.raises(Killed):
                linked.follow()
        (folder / "harbour.md").write_text(f"It freezes {moment}.")
    (folder / "bible.md").unlink()
    linked.follow()
    assert names(pipeline, key) == ["harbour.md", "quay.md"]
    assert pipeline.catalog.folder_documents(key) == {"harbour.md", "quay.md"}
    pipeline.assert_consistent(key)


def test_a_document_of_the_folder_is_not_removed_alone(linked: Linked, pipeline: Pipeline, key: ProjectKey) -> None:
    linked.follow()
    with pytest.raises(DocumentOfFolder, match="--unlink"):
        pipeline.ingestor.remove(key, "bible.md")
    pipeline.catalog.unlink_folder(key)
    pipeline.ingestor.remove(key, "bible.md")
    assert names(pipeline, key) == ["ferry.md"]


def test_a_folder_that_is_missing_takes_nothing_away(
    linked: Linked, pipeline: Pipeline, key: ProjectKey, folder: Path, tmp_path: Path
) -> None:
    linked.follow()
    folder.rename(tmp_path / "away")
    change = linked.next()
    assert change.problems
    assert statuses(pipeline.ingestor.follow(key, change)) == {}
    assert names(pipeline, key) == ["bible.md", "ferry.md"]
