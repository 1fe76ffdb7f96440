"""Watching folders: what is taken for a change, and when. The clock is the test's, the files are real."""

import threading
from collections.abc import Iterator
from itertools import count, pairwise
from pathlib import Path

import pytest

from ingest import Watch
from ingest.announcements import Announcements
from tests.ingest.watched import Clock, assert_nothing_more, refused, taken, texts, write
from tests.kept import kept_by

ANNOUNCEMENTS_WAIT = Announcements.wait  # as it is before a test puts its clock in its place


def test_at_first_all_is_new(folder: Path, clock: Clock) -> None:
    watch = Watch([folder], clock)
    change = taken(watch)
    assert list(texts(change)) == ["bible.md", "quests/ferry.md"]
    assert not change.lacks("bible.md")
    assert change.lacks("old.md")
    assert_nothing_more(watch)


def test_an_empty_folder_has_a_first_change_too(tmp_path: Path, clock: Clock) -> None:
    watch = Watch([tmp_path], clock)
    change = taken(watch)
    assert (len(change.sources), change.problems) == (0, ())
    assert change.lacks("bible.md")
    assert_nothing_more(watch)


def test_of_a_file_that_lies_deep_no_more_is_kept_than_its_path(tmp_path: Path, clock: Clock) -> None:
    """Of a linked folder each project keeps all files: twenty thousand, and of their paths five million characters."""
    deep = tmp_path.joinpath(*["dddd"] * 45)
    deep.mkdir(parents=True)
    for number in range(200):
        (deep / f"{number}.md").touch()
    watch = Watch([tmp_path], clock)
    taken(watch)
    clock.at(10, lambda: write(tmp_path / "bible.md", "Elena keeps the lighthouse."))
    taken(watch)
    assert 100 < kept_by(watch, besides=clock) / 200 < 1500


def test_once_it_is_to_stop_no_more_files_are_looked_at(
    folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[object] = []

    def stop(file: object) -> bool:
        looked_at.append(file)
        clock.set()
        return False

    monkeypatch.setattr("ingest.folder.is_told_at_a_glance", stop)
    for number in range(10):
        (folder / f"{number}.bin").touch()
    assert Watch([folder], clock).wait() is None
    assert len(looked_at) == 1


def test_only_what_changed_is_read(folder: Path, watch: Watch, clock: Clock) -> None:
    clock.at(10, lambda: write(folder / "bible.md", "Elena left."))
    change = taken(watch)
    assert texts(change) == {"bible.md": "Elena left."}
    assert clock.now < 12, "within two seconds"
    assert_nothing_more(watch)


def test_a_rename_is_one_change(folder: Path, watch: Watch, clock: Clock) -> None:
    clock.at(10, lambda: (folder / "bible.md").rename(folder / "quests" / "bible.md"))
    change = taken(watch)
    assert list(texts(change)) == ["quests/bible.md"]
    assert change.gone == {"bible.md"}
    assert_nothing_more(watch)


def test_a_folder_that_is_moved_in_and_out(folder: Path, watch: Watch, clock: Clock, tmp_path: Path) -> None:
    clock.at(10, lambda: (folder / "quests").rename(tmp_path / "quests"))
    change = taken(watch)
    assert change.gone == {"quests/ferry.md"}
    clock.at(10, lambda: (tmp_path / "quests").rename(folder / "quests"))
    assert list(texts(taken(watch))) == ["quests/ferry.md"]


def test_a_file_that_is_being_written_is_waited_for(folder: Path, watch: Watch, clock: Clock) -> None:
    for part in range(20):
        clock.at(10 + part / 2, lambda part=part: write(folder / "saga.md", "word " * (part + 1)))
    assert texts(taken(watch)) == {"saga.md": "word " * 20}
    assert_nothing_more(watch)


def test_others_do_not_wait_for_it(folder: Path, watch: Watch, clock: Clock) -> None:
    for part in range(60):
        clock.at(1 + part / 2, lambda part=part: write(folder / "log.txt", "line\n" * (part + 1)))
    clock.at(20, lambda: write(folder / "bible.md", "Elena left."))
    assert list(texts(taken(watch))) == ["bible.md"]
    assert clock.now < 22
    assert texts(taken(watch)) == {"log.txt": "line\n" * 60}


def test_at_first_it_is_named_and_counts_as_there(folder: Path, clock: Clock) -> None:
    for part in range(40):
        clock.at(part / 2, lambda part=part: write(folder / "bible.md", "word " * (part + 1)))
    watch = Watch([folder], clock)
    change = taken(watch)
    assert list(texts(change)) == ["quests/ferry.md"]
    assert refused(change) == {"bible.md": "CHANGING"}
    assert not change.lacks("bible.md")
    assert texts(taken(watch)) == {"bible.md": "word " * 40}


def test_a_file_that_changes_while_its_turn_comes_is_left_for_the_next(
    folder: Path, watch: Watch, clock: Clock
) -> None:
    clock.at(10, lambda: write(folder / "bible.md", "Elena left."))
    change = watch.wait()
    assert change is not None
    write(folder / "bible.md", "Elena left. And")
    assert refused(change) == {"bible.md": "CHANGING"}
    watch.done(change)
    assert texts(taken(watch)) == {"bible.md": "Elena left. And"}


def test_what_failed_for_now_is_looked_at_again_ever_more_rarely(
    folder: Path, watch: Watch, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.watching._AGAIN_S", 15.0)
    clock.at(10, lambda: write(folder / "bible.md", "Elena left."))
    clock.at(750, lambda: None)
    times: list[int] = []
    for again in (["bible.md"], ["bible.md"], ["bible.md"], []):
        change = watch.wait()
        assert change is not None
        assert texts(change) == {"bible.md": "Elena left."}
        times.append(round(clock.now / 15))
        watch.done(change, again)
    assert [later - time for time, later in pairwise(times)] == [1, 2, 4]
    assert_nothing_more(watch)


def test_what_failed_for_now_and_is_deleted_as_it_is_looked_at_again_is_gone(
    folder: Path, watch: Watch, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.watching._AGAIN_S", 0.0)
    clock.at(10, lambda: write(folder / "bible.md", "Elena left."))
    change = watch.wait()
    assert change is not None
    watch.done(change, ["bible.md"])
    clock.at(0.3, (folder / "bible.md").unlink)
    assert taken(watch).gone == {"bible.md"}
    assert_nothing_more(watch)


def test_a_save_by_rename_never_removes(folder: Path, watch: Watch, clock: Clock) -> None:
    """As Word does it: the new text in a temporary file, the old file out of the way, the new one in its place."""
    clock.at(10, lambda: write(folder / "~WRD0001.tmp", "Elena left."))
    clock.at(10.3, lambda: (folder / "bible.md").rename(folder / "~WRL0002.tmp"))
    clock.at(10.6, lambda: (folder / "~WRD0001.tmp").rename(folder / "bible.md"))
    clock.at(10.9, (folder / "~WRL0002.tmp").unlink)
    change = taken(watch)
    assert texts(change) == {"bible.md": "Elena left."}
    assert change.gone == set()
    assert_nothing_more(watch)


def test_what_programs_leave_beside_documents_is_nothing(folder: Path, watch: Watch, clock: Clock) -> None:
    for name in ("~$bible.docx", ".bible.md.swp", "bible.md~", "map.pdf.crdownload", "map.pdf.part", "x.TMP"):
        clock.at(10, lambda name=name: write(folder / name, "%PDF-1.7 half of it"))
    assert_nothing_more(watch)


def test_many_files_at_once_are_one_change(folder: Path, watch: Watch, clock: Clock) -> None:
    for number in range(200):
        clock.at(10 + number / 100, lambda number=number: write(folder / f"{number}.md", f"Page {number}."))
    assert len(texts(taken(watch))) == 200
    assert_nothing_more(watch)


def test_a_file_that_may_be_read_at_last_is(folder: Path, watch: Watch, clock: Clock) -> None:
    clock.at(10, lambda: (folder / "bible.md").chmod(0o400))
    assert list(texts(taken(watch))) == ["bible.md"]


def test_a_change_that_was_not_dealt_with_comes_again(folder: Path, watch: Watch, clock: Clock) -> None:
    clock.at(10, (folder / "bible.md").unlink)
    assert watch.wait() is not None
    assert taken(watch).gone == {"bible.md"}
    assert_nothing_more(watch)


def test_the_last_file_that_is_deleted_is_gone(folder: Path, watch: Watch, clock: Clock) -> None:
    for name in ("bible.md", "quests/ferry.md"):
        clock.at(10, (folder / name).unlink)
    assert taken(watch).gone == {"bible.md", "quests/ferry.md"}


def test_single_files_and_several_folders(folder: Path, clock: Clock, tmp_path: Path) -> None:
    note, other = tmp_path / "note.md", tmp_path / "other"
    write(note, "A note.")
    other.mkdir()
    write(other / "bible.md", "Another bible.")
    watch = Watch([folder, note, other], clock)
    assert [entry.name for entry in taken(watch).sources].count("bible.md") == 2
    clock.at(10, note.unlink)
    clock.at(10, lambda: write(tmp_path / "beside.md", "Not watched."))
    clock.at(10, (other / "bible.md").unlink)
    change = taken(watch)
    assert (change.gone, texts(change)) == ({"note.md"}, {"bible.md": "Elena keeps the lighthouse."})


def test_names_are_those_of_the_catalog(folder: Path, watch: Watch, clock: Clock) -> None:
    clock.at(10, lambda: write(folder / "cafe\u0301.md", "A name in two pieces."))
    assert not taken(watch).lacks("caf\u00e9.md")
    clock.at(10, (folder / "cafe\u0301.md").unlink)
    assert taken(watch).gone == {"caf\u00e9.md"}


def test_a_change_is_found_where_its_announcement_is_lost(
    folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_folders: Path, **_options: object) -> Iterator[set[object]]:
        while not clock.wait(0.2):
            yield set()

    monkeypatch.setattr("ingest.announcements.Announcements.wait", ANNOUNCEMENTS_WAIT)
    monkeypatch.setattr("ingest.announcements.watch", silent)
    watch = Watch([folder], clock)
    taken(watch)
    clock.at(5, lambda: write(folder / "bible.md", "Elena left the lighthouse."))
    changed_at = clock.now + 5
    assert texts(taken(watch)) == {"bible.md": "Elena left the lighthouse."}
    assert clock.now < changed_at + 3


@pytest.mark.parametrize("announced", [[set[object](), {(1, "bible.md")}], [{(1, "bible.md")}]])
def test_what_changed_before_a_folder_was_watched_is_looked_for_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, announced: list[set[object]]
) -> None:
    """Nobody announces it: the first wait ends with the first word of the system, and the next one at a change."""
    words = iter([set[object](), *announced])
    monkeypatch.setattr("ingest.announcements.Announcements._announced", lambda _self, _folders: words)
    monkeypatch.setattr("ingest.announcements.monotonic", lambda: 0.0)
    announcements = Announcements(threading.Event())

    ANNOUNCEMENTS_WAIT(announcements, [(folder, {"": (1, 1)})], 3600.0)
    assert len(list(words)) == len(announced)

    words = iter([*announced, set[object](), set[object]()])
    announcements._stream = words  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    ANNOUNCEMENTS_WAIT(announcements, [(folder, {"": (1, 1)})], 3600.0)
    assert len(list(words)) == 2


def test_very_many_folders_are_looked_at_and_not_announced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library adds each of them while it holds the interpreter, and anew whenever there is another one."""
    monkeypatch.setattr("ingest.announcements._MOST_WATCHED", 2)
    asked = list[list[Path]]()
    monkeypatch.setattr("ingest.announcements.Announcements._announced", lambda _self, folders: asked.append(folders))
    announcements = Announcements(threading.Event())
    for names in (["", "a"], ["", "a", "b"], ["", "a"]):
        ANNOUNCEMENTS_WAIT(announcements, [(folder, dict.fromkeys(names, (1, 1)))], 0.0)
    assert [len(folders) for folders in asked] == [2, 2]


def test_where_folders_come_and_go_they_are_not_watched_anew_all_the_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "ingest.announcements.Announcements._announced", lambda _self, _folders: (set[object]() for _ in count())
    )
    stop, rested = threading.Event(), list[float]()
    monkeypatch.setattr(stop, "wait", rested.append)
    announcements = Announcements(stop)
    for more in range(3):
        ANNOUNCEMENTS_WAIT(announcements, [(folder, {str(n): (1, 1) for n in range(4_000 + more)})], 3600.0)
    assert min(rested) > 1.0, "twenty times as long as it takes"
    assert len(rested) == 3
