"""Watching folders: what is taken for a change, and when. The clock is the test's, the files are real."""

import gc
import os
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ingest
from ingest import Change, Refusal, Source, Watch
from ingest.watching import _Notices  # pyright: ignore[reportPrivateUsage]

Do = Callable[[], object]
NOTICES_WAIT = _Notices.wait  # as it is before a test puts its clock in its place


class Clock(threading.Event):
    """Time that passes only while the watch waits; `at` says what happens then. It stops when nothing more does."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self._events: list[tuple[float, Do]] = []
        self._last = 0.0

    def at(self, seconds: float, do: Do) -> None:
        """Have something happen so many seconds from now."""
        self._events = sorted([*self._events, (self.now + seconds, do)], key=lambda event: event[0])
        self._last = self.now + seconds

    def wait(self, timeout: float | None = None) -> bool:
        self.now += timeout or 0.0
        while self._events and self._events[0][0] <= self.now:
            self._events.pop(0)[1]()
        if not self._events and self.now > self._last + 30:
            self.set()
        return self.is_set()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("ingest.watching.monotonic", lambda: clock.now)
    monkeypatch.setattr("ingest.watching._Notices.wait", lambda _notices, _folders, s: clock.wait(s))
    return clock


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "design"
    (folder / "quests").mkdir(parents=True)
    write(folder / "bible.md", "Elena keeps the lighthouse.")
    write(folder / "quests" / "ferry.md", "The ferry is called Bittern.")
    return folder


@pytest.fixture
def watch(folder: Path, clock: Clock) -> Watch:
    """A watch that has told what was there at first."""
    watch = Watch([folder], clock)
    taken(watch)
    return watch


def write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


def taken(watch: Watch) -> Change:
    change = watch.wait()
    assert change is not None
    watch.done(change)
    return change


def texts(change: Change) -> dict[str, str]:
    """What there is to read, and its text; each is read now."""
    return {entry.name: entry.data.decode() for entry in change.sources if isinstance(entry, Source)}


def refused(change: Change) -> dict[str, str]:
    return {entry.name: entry.code for entry in change.sources if isinstance(entry, Refusal)}


def assert_nothing_more(watch: Watch) -> None:
    assert watch.wait() is None


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
    taken(Watch([tmp_path], clock))  # whatever is made once
    gc.collect()
    tracemalloc.start(5)
    watch = Watch([tmp_path], clock)
    taken(watch)
    clock.at(10, lambda: write(tmp_path / "bible.md", "Elena keeps the lighthouse."))
    taken(watch)
    gc.collect()
    ours = tracemalloc.Filter(True, f"{Path(ingest.__file__).parent}/*", all_frames=True)  # and no other thread's
    kept = sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([ours]).traces)
    tracemalloc.stop()
    assert 100 < kept / 200 < 1500


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


def test_a_folder_that_disappears_is_a_problem_and_not_a_change(
    folder: Path, watch: Watch, clock: Clock, tmp_path: Path
) -> None:
    clock.at(10, lambda: folder.rename(tmp_path / "away"))
    (problem,) = taken(watch).problems
    assert problem.code == "FOLDER_MISSING"
    assert "are kept" in problem.message
    clock.at(100, lambda: write(tmp_path / "away" / "bible.md", "Elena left."))
    clock.at(200, lambda: (tmp_path / "away").rename(folder))
    back = taken(watch)
    assert (back.problems, back.gone, len(back.sources)) == ((), set(), 0)
    assert not back.lacks("bible.md")
    change = taken(watch)
    assert (texts(change), change.gone) == ({"bible.md": "Elena left."}, set())


def test_an_empty_place_where_a_drive_was_is_not_believed(
    folder: Path, watch: Watch, clock: Clock, tmp_path: Path
) -> None:
    def unmount() -> None:
        folder.rename(tmp_path / "away")
        folder.mkdir()

    clock.at(10, unmount)
    (problem,) = taken(watch).problems
    assert problem.code == "FOLDER_EMPTY"
    assert_nothing_more(watch)


def test_an_empty_place_is_not_believed_at_the_start_either(tmp_path: Path, clock: Clock) -> None:
    watch = Watch([tmp_path], clock, holds_documents=True)
    (problem,) = taken(watch).problems
    assert problem.code == "FOLDER_EMPTY"
    clock.at(10, lambda: write(tmp_path / "bible.md", "Elena."))
    assert taken(watch).problems == ()
    assert texts(taken(watch)) == {"bible.md": "Elena."}


def test_a_missing_folder_at_the_start_has_no_first_change_before_it_is_there(tmp_path: Path, clock: Clock) -> None:
    watch = Watch([tmp_path / "drive"], clock, holds_documents=True)
    change = taken(watch)
    assert [problem.code for problem in change.problems] == ["FOLDER_MISSING"]
    assert not change.lacks("bible.md")
    assert_nothing_more(watch)


@pytest.fixture
def forbid(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    """Forbids to look at what begins so, as a folder does without the right to search it; None: allows it again."""
    asks = {name: getattr(os, name) for name in ("stat", "lstat", "scandir")}

    def set_to(beginning: str | None) -> None:
        def asked(name: str) -> Callable[..., Any]:
            def refused(of: Any, *args: Any, **options: Any) -> Any:
                if beginning is not None and str(of).startswith(beginning):
                    raise PermissionError(13, "Permission denied", str(of))
                return asks[name](of, *args, **options)

            return refused

        for name in asks:
            monkeypatch.setattr(os, name, asked(name))

    return set_to


def test_files_that_may_not_be_looked_at_are_not_gone(
    folder: Path, watch: Watch, clock: Clock, forbid: Callable[[str | None], None]
) -> None:
    (folder / "quests" / "old").mkdir()
    clock.at(10, lambda: forbid(f"{folder}/quests/"))
    change = taken(watch)
    assert refused(change) == {"quests/ferry.md": "UNREADABLE", "quests/old": "UNREADABLE"}
    assert change.gone == set()
    assert not change.lacks("quests/ferry.md")
    clock.at(10, lambda: forbid(None))
    assert list(texts(taken(watch))) == ["quests/ferry.md"]


def test_a_folder_that_may_not_be_looked_at_is_a_problem_until_it_may(
    folder: Path, watch: Watch, clock: Clock, forbid: Callable[[str | None], None]
) -> None:
    """Nor one on a drive that does not answer; at the start neither."""
    clock.at(10, lambda: forbid(str(folder)))
    assert [problem.code for problem in taken(watch).problems] == ["UNREADABLE"]
    another = Watch([folder], clock, holds_documents=True)
    assert [problem.code for problem in taken(another).problems] == ["UNREADABLE"]
    for each in (watch, another):
        forbid(None)
        assert taken(each).problems == ()
    assert list(texts(taken(another))) == ["bible.md", "quests/ferry.md"]


def test_where_a_link_takes_the_folders_place_nothing_is_said_of_what_is_there(
    folder: Path, clock: Clock, tmp_path: Path
) -> None:
    watch = Watch([folder], clock, real=True)
    taken(watch)
    (tmp_path / "private").mkdir()
    write(tmp_path / "private" / "salaries.md", "Nobody is to know.")
    folder.rename(tmp_path / "away")
    folder.symlink_to(tmp_path / "private")
    change = taken(watch)
    assert (len(change.sources), change.gone) == (0, set())
    assert [problem.code for problem in change.problems] == ["FOLDER_MISSING"]
    folder.unlink()
    (tmp_path / "away").rename(folder)
    assert taken(watch).problems == ()
    assert_nothing_more(watch)


def test_the_last_file_that_is_deleted_is_gone(folder: Path, watch: Watch, clock: Clock) -> None:
    for name in ("bible.md", "quests/ferry.md"):
        clock.at(10, (folder / name).unlink)
    assert taken(watch).gone == {"bible.md", "quests/ferry.md"}


def test_a_flicker_of_the_folder_is_nothing(folder: Path, watch: Watch, clock: Clock, tmp_path: Path) -> None:
    clock.at(10, lambda: folder.rename(tmp_path / "away"))
    clock.at(10.3, lambda: (tmp_path / "away").rename(folder))
    assert_nothing_more(watch)


def test_what_is_in_a_folder_that_cannot_be_read_is_not_gone(
    folder: Path, watch: Watch, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir = os.scandir

    def forbidden(path: str) -> Iterator["os.DirEntry[str]"]:
        if str(path).endswith("quests"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    clock.at(10, lambda: monkeypatch.setattr(os, "scandir", forbidden))
    change = taken(watch)
    assert (refused(change), change.gone) == ({"quests": "UNREADABLE"}, set())
    assert not change.lacks("quests/ferry.md")
    clock.at(10, lambda: monkeypatch.setattr(os, "scandir", scandir))
    assert list(texts(taken(watch))) == ["quests/ferry.md"]


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

    monkeypatch.setattr("ingest.watching._Notices.wait", NOTICES_WAIT)
    monkeypatch.setattr("ingest.watching.watch", silent)
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
    monkeypatch.setattr("ingest.watching._Notices._announced", lambda _notices, _folders: words)
    monkeypatch.setattr("ingest.watching.monotonic", lambda: 0.0)
    notices = _Notices(threading.Event())

    NOTICES_WAIT(notices, [(folder, {"": (1, 1)})], 3600.0)
    assert len(list(words)) == len(announced)

    words = iter([*announced, set[object](), set[object]()])
    notices._stream = words  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    NOTICES_WAIT(notices, [(folder, {"": (1, 1)})], 3600.0)
    assert len(list(words)) == 2


def test_of_a_folder_with_too_many_files_nothing_is_kept_in_memory(
    folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.watching.MOST_ENTRIES", 4)  # the folder, its subfolder and two files
    followed = Watch([folder.resolve()], clock, real=True)
    assert set(texts(taken(followed))) == {"bible.md", "quests/ferry.md"}
    write(folder / "third.xyz", "One too many.")
    change = taken(followed)
    assert [problem.code for problem in change.problems] == ["FOLDER_TOO_LARGE"]
    assert not change.lacks("bible.md")
    assert not list(change.sources)
    (folder / "third.xyz").unlink()
    assert taken(followed).problems == ()
    write(folder / "third.xyz", "Fine for its own user.")
    assert "third.xyz" in {entry.name for entry in taken(Watch([folder], clock)).sources}
