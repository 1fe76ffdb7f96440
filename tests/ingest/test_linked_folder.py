"""A linked folder in the corpus: it takes away what came from it, and nothing else."""

import os
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from corpora import CatalogError, DocumentOfFolder, ProjectKey, Quota
from ingest import Change, Ingestor, IngestReport, Source, Watch
from ingest.source import MAX_DOCUMENT_BYTES
from tests.ingest.conftest import Pipeline, on_both


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is at rest sooner than in earnest."""
    monkeypatch.setattr("ingest.watching._QUIET_S", 0.1)
    monkeypatch.setattr("ingest.watched_path._TOLD_AFTER_S", 0.1)


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


def write_corrupt(file: Path) -> None:
    file.write_bytes(b"PK\x03\x04 half a download")


def write_too_large(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(MAX_DOCUMENT_BYTES + 1)  # takes no room on the disk


def write_link_outside(file: Path) -> None:
    outside = file.parent.parent / "outside.docx"
    outside.write_text("It is in no folder.")
    file.symlink_to(outside)


def write_more_than_there_is_room_for(file: Path) -> None:
    file.write_text("The tide is a slow clock. " * 10_000)


REFUSED = {
    "CORRUPT": write_corrupt,
    "FILE_TOO_LARGE": write_too_large,
    "OUTSIDE_FOLDER": write_link_outside,
    "WORKSPACE_FULL": write_more_than_there_is_room_for,
}
UPLOAD = Source("upload.docx", b"{\\rtf1 Sent by the editor.}")


@pytest.fixture(params=REFUSED)
def refused(request: pytest.FixtureRequest, pipeline: Pipeline) -> Callable[[Path], None]:
    """Writes a file that is not taken in."""
    room = Quota(documents=10, bytes=100_000)
    stores = pipeline.catalog, pipeline.originals, pipeline.retriever, pipeline.reader
    pipeline.ingestor = Ingestor(*stores, quota=room)
    return REFUSED[request.param]


def names(pipeline: Pipeline, key: ProjectKey) -> list[str]:
    return [document.name for document in pipeline.catalog.documents(key)]


@on_both
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


@pytest.mark.parametrize("sent", ["before", "after"])
def test_a_file_that_is_refused_makes_no_document_the_folders(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path, refused: Callable[[Path], None], sent: str
) -> None:
    if sent == "before":
        pipeline.ingestor.index(key, [UPLOAD])
    refused(folder / UPLOAD.name)
    assert linked.follow()[UPLOAD.name] in ("failed", "skipped")
    if sent == "after":
        pipeline.ingestor.index(key, [UPLOAD])
        linked.link(folder)  # or a server that starts anew
        linked.follow()
    (folder / UPLOAD.name).unlink()
    (folder / "ferry.md").unlink()
    assert linked.follow() == {"ferry.md": "removed"}
    assert names(pipeline, key) == ["bible.md", UPLOAD.name]
    pipeline.assert_consistent(key)


def test_a_document_whose_file_is_refused_is_not_the_folders_to_keep(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path
) -> None:
    pipeline.ingestor.index(key, [UPLOAD])
    write_corrupt(folder / UPLOAD.name)
    linked.follow()
    pipeline.ingestor.index(key, [Source("other.md", b"The whole corpus otherwise.")], replace=True)
    assert names(pipeline, key) == ["bible.md", "ferry.md", "other.md"]
    pipeline.ingestor.index(key, [UPLOAD])
    pipeline.ingestor.remove(key, UPLOAD.name)
    linked.link(folder)
    linked.follow()
    assert names(pipeline, key) == ["bible.md", "ferry.md", "other.md"]


def test_what_came_from_the_folder_stays_its_own_when_its_file_is_refused(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path, refused: Callable[[Path], None]
) -> None:
    linked.follow()
    (folder / "ferry.md").unlink()
    refused(folder / "ferry.md")
    assert linked.follow()["ferry.md"] in ("failed", "skipped")
    linked.link(folder)
    linked.follow()
    with pytest.raises(DocumentOfFolder):
        pipeline.ingestor.remove(key, "ferry.md")
    (folder / "ferry.md").unlink()
    assert linked.follow() == {"ferry.md": "removed"}


def test_another_folder_takes_no_document_over_by_a_file_that_is_refused(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, tmp_path: Path
) -> None:
    pipeline.ingestor.index(key, [UPLOAD])
    linked.follow()
    second = tmp_path / "second"
    second.mkdir()
    for name in (UPLOAD.name, "ferry.md"):
        write_corrupt(second / name)
    linked.link(second)
    assert linked.follow() == {UPLOAD.name: "failed", "ferry.md": "failed", "bible.md": "removed"}
    for name in (UPLOAD.name, "ferry.md"):
        (second / name).unlink()
    (second / "harbour.md").write_text("It freezes in winter.")
    assert linked.follow() == {"harbour.md": "indexed", "ferry.md": "removed"}
    assert names(pipeline, key) == ["harbour.md", UPLOAD.name]


@on_both
def test_what_is_sent_once_the_folder_has_removed_its_own_is_not_the_folders(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where something went wrong after the removal, so that the change is tried again."""
    linked.follow()
    (folder / "ferry.md").unlink()
    with monkeypatch.context() as failing:
        failing.setattr(pipeline.retriever, "refresh", Mock(side_effect=CatalogError("The disk is full.")))
        with pytest.raises(CatalogError):
            linked.follow()
    pipeline.ingestor.index(key, [Source("ferry.md", b"Sent by the editor.")])
    assert linked.follow() == {}
    assert names(pipeline, key) == ["bible.md", "ferry.md"]


def test_what_is_sent_as_the_file_of_its_name_goes_is_not_removed_with_that(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path
) -> None:
    linked.follow()
    (folder / "ferry.md").unlink()
    pipeline.ingestor.index(key, [Source("ferry.md", b"Sent by the editor.")])
    assert linked.follow() == {}
    pipeline.ingestor.add(key, [], gone=["ferry.md"], of_folder=True)  # as it was known just before it was sent
    assert names(pipeline, key) == ["bible.md", "ferry.md"]
    pipeline.ingestor.remove(key, "ferry.md")


@on_both
def test_a_file_takes_no_place_of_what_was_sent_after_it_was_written(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it is looked at once more: after a failure, by another server, at the next start."""
    monkeypatch.setattr("ingest.addition._TOLD_APART", timedelta(0))
    linked.follow()
    pipeline.ingestor.index(key, [Source("ferry.md", b"Sent by the editor.")])
    linked.link(folder)
    assert linked.follow() == {"bible.md": "unchanged", "ferry.md": "skipped"}
    assert pipeline.catalog.text(key, key.document_id("ferry.md")) == "Sent by the editor."
    os.utime(folder / "ferry.md", (9e9, 9e9))  # as of a drive from further east, or a clock that was ahead
    pipeline.ingestor.index(key, [Source("ferry.md", b"Sent by the editor once more.")])
    linked.link(folder)
    assert linked.follow() == {"bible.md": "unchanged", "ferry.md": "skipped"}
    (folder / "older.md").write_text("The ferry is late.")
    os.utime(folder / "older.md", (0, 0))
    (folder / "older.md").replace(folder / "ferry.md")
    assert linked.follow() == {"ferry.md": "updated"}
    (folder / "ferry.md").unlink()
    assert linked.follow() == {"ferry.md": "removed"}


@pytest.mark.parametrize("is_there_first", [False, True])
def test_a_file_that_only_looks_newer_takes_no_place_of_what_was_sent_after_it(
    pipeline: Pipeline,
    key: ProjectKey,
    linked: Linked,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_there_first: bool,
) -> None:
    """As one that was touched, copied with its folder, or linked to by a backup."""
    monkeypatch.setattr("ingest.addition._TOLD_APART", timedelta(0))
    if is_there_first:
        pipeline.ingestor.index(key, [Source("ferry.md", b"Sent before the folder was linked.")])
    assert linked.follow() == {"bible.md": "indexed", "ferry.md": "skipped" if is_there_first else "indexed"}
    text = (folder / "ferry.md").read_text()
    for sent in (b"Sent by the editor.", b"Sent by the editor once more."):
        if is_there_first:
            (folder / "ferry.md").touch()
            assert linked.follow() == {"ferry.md": "skipped"}
        pipeline.ingestor.index(key, [Source("ferry.md", sent)])
        (folder / "ferry.md").unlink()
        (folder / "ferry.md").write_text(text)
        assert linked.follow() == {"ferry.md": "skipped"}
    (folder / "ferry.md").write_text(text + " It is late.")
    assert linked.follow() == {"ferry.md": "updated"}


def test_a_file_takes_the_place_of_what_came_from_another_folder(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which is no folder of the project's any more; nobody has sent it."""
    monkeypatch.setattr("ingest.addition._TOLD_APART", timedelta(0))
    second = tmp_path / "second"
    second.mkdir()
    (second / "ferry.md").write_text("The ferry is late.")
    linked.follow()
    pipeline.catalog.unlink_folder(key)
    linked.link(second)
    assert linked.follow() == {"ferry.md": "updated"}
    pipeline.ingestor.index(key, [Source("ferry.md", b"Sent by the editor.")])
    linked.link(second)
    assert linked.follow() == {"ferry.md": "skipped"}


def test_what_is_written_while_it_is_watched_is_the_newest_whatever_the_drives_clock_says(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.folder._written_at", lambda _: datetime(2001, 1, 1, tzinfo=UTC))
    linked.follow()
    pipeline.ingestor.index(key, [Source("ferry.md", b"Sent by the editor.")])
    (folder / "ferry.md").write_text("Saved after that.")
    assert linked.follow() == {"ferry.md": "updated"}


def test_what_a_network_drive_shows_late_is_as_old_as_it_says(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.folder._written_at", lambda _: datetime.now(UTC) - timedelta(seconds=30))
    linked.follow()
    pipeline.ingestor.index(key, [Source("ferry.md", b"Sent by the editor.")])
    (folder / "ferry.md").write_text("Saved before that on another machine.")
    assert linked.follow() == {"ferry.md": "skipped"}


@pytest.mark.parametrize("is_away", [False, True])
def test_what_was_sent_before_anybody_looked_at_the_file_that_was_written_before_it_stays(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path, monkeypatch: pytest.MonkeyPatch, is_away: bool
) -> None:
    """As where many other files are read just then, or its drive was away."""
    monkeypatch.setattr("ingest.addition._TOLD_APART", timedelta(0))
    linked.follow()
    here = folder.with_name("away") if is_away else folder
    if is_away:
        folder.rename(here)
        linked.follow()
    (here / "ferry.md").write_text("Saved before that.")
    pipeline.ingestor.index(key, [Source("ferry.md", b"Sent by the editor.")])
    if is_away:
        here.rename(folder)
        linked.follow()
    assert linked.follow() == {"ferry.md": "skipped"}
    (folder / "ferry.md").write_text("Saved after that.")
    assert linked.follow() == {"ferry.md": "updated"}


def test_a_file_that_comes_back_with_its_folder_is_as_old_as_it_was(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.addition._TOLD_APART", timedelta(0))
    (folder / "quests").mkdir()
    (folder / "quests" / "whale.md").write_text("It is white.")
    linked.follow()
    pipeline.ingestor.index(key, [Source("quests/whale.md", b"Sent by the editor.")])
    (folder / "quests").rename(folder / ".quests")
    linked.follow()
    (folder / ".quests").rename(folder / "quests")
    assert linked.follow() == {"quests/whale.md": "skipped"}


def test_a_file_that_is_written_while_what_was_sent_is_read_takes_its_place(
    pipeline: Pipeline, key: ProjectKey, linked: Linked, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.addition._TOLD_APART", timedelta(0))
    linked.follow()
    read = pipeline.reader.read

    def reading(*arguments: Any, **named: Any) -> Any:
        (folder / "ferry.md").write_text("Saved meanwhile.")
        return read(*arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(pipeline.reader, "read", reading)
        pipeline.ingestor.index(key, [Source("ferry.md", b"Sent by the editor.")])
    assert linked.follow() == {"ferry.md": "updated"}


@on_both
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
    linked.watch = Watch([folder], threading.Event(), documents=["bible.md"])
    assert linked.follow() == {"bible.md": "unchanged", "harbour.md": "indexed", "ferry.md": "removed"}


@on_both
def test_a_process_that_is_killed_in_the_midst_leaves_nothing_behind(
    linked: Linked, pipeline: Pipeline, key: ProjectKey, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def kill(*_: object, **__: object) -> None:
        raise Killed

    kills: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
        "before documents are added": lambda patch: patch.setattr(pipeline.reader, "read", kill),
        "before anything is removed": lambda patch: patch.setattr(pipeline.catalog, "remove_document", kill),
        "before originals are swept": lambda patch: patch.setattr(pipeline.catalog, "settling_originals", kill),
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
