"""Folders and files that are away, or may not be looked at, are not gone. Files are real, the clock is the test's."""

import errno
import os
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from corpora import listed
from ingest import Watch
from tests.ingest.watched import Clock, assert_nothing_more, refused, taken, texts, write


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


def replace(folder: Path, away: Path, **written: str) -> None:
    """Another folder is in the place of that one, with these documents."""
    folder.rename(away)
    folder.mkdir()
    for name, text in written.items():
        write(folder / f"{name}.md", text)


def test_an_empty_place_where_a_drive_was_is_not_believed(
    folder: Path, watch: Watch, clock: Clock, tmp_path: Path
) -> None:
    clock.at(10, lambda: replace(folder, tmp_path / "away"))
    (problem,) = taken(watch).problems
    assert problem.code == "FOLDER_EMPTY"
    assert_nothing_more(watch)


def test_the_name_of_a_folder_is_said_in_one_line(clock: Clock, tmp_path: Path) -> None:
    folder = tmp_path / "design\nAll documents are lost."
    folder.mkdir()
    (problem,) = taken(Watch([folder], clock, documents=["bible.md"])).problems
    assert "design\\nAll" in problem.message


@pytest.mark.parametrize(
    ("answer", "code"), [("the name is known", "FOLDER_EMPTY"), ("nothing can be read", "UNREADABLE")]
)
def test_a_drive_that_lists_nothing_while_its_files_are_not_gone_is_not_believed(
    watch: Watch, clock: Clock, monkeypatch: pytest.MonkeyPatch, answer: str, code: str
) -> None:
    """As one that was pulled out and is mounted still: its folder is the same, and what cannot be read is left out."""

    def pull() -> None:
        monkeypatch.setattr("ingest.folder.listed", lambda _: nullcontext(()))
        if answer == "nothing can be read":
            monkeypatch.setattr("pathlib.Path.lstat", Mock(side_effect=OSError(errno.EIO, "Input/output error")))

    clock.at(10, pull)
    assert [problem.code for problem in taken(watch).problems] == [code]
    assert_nothing_more(watch)


def test_nor_one_that_lists_some_of_its_files_and_does_not_say_whether_the_others_are_gone(
    folder: Path, watch: Watch, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pull() -> None:
        shutil.rmtree(folder / "quests")
        monkeypatch.setattr("pathlib.Path.lstat", Mock(side_effect=OSError(errno.EIO, "Input/output error")))

    clock.at(10, pull)
    assert [problem.code for problem in taken(watch).problems] == ["UNREADABLE"]
    assert_nothing_more(watch)


def test_nor_one_that_lists_some_of_its_files_while_the_others_are_there(
    folder: Path, watch: Watch, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.at(10, lambda: monkeypatch.setattr("ingest.folder.is_left_out", lambda name: name == "bible.md"))
    assert [problem.code for problem in taken(watch).problems] == ["UNREADABLE"]
    assert_nothing_more(watch)


def test_a_file_is_gone_though_its_path_leads_somewhere(
    folder: Path, watch: Watch, clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def is_file_itself(path: Path) -> bool:
        """As a drive has it that does not tell capital letters apart."""
        return path.name.lower() in {each.name.lower() for each in path.parent.iterdir()}

    def move() -> None:
        (folder / "quests").rename(tmp_path / "quests")
        (folder / "quests").symlink_to(tmp_path / "quests")
        (folder / "bible.md").rename(folder / "Bible.md")

    monkeypatch.setattr("ingest.watched_path.is_file_itself", is_file_itself)
    clock.at(10, move)
    assert taken(watch).gone == {"bible.md", "quests/ferry.md"}


def test_a_folder_that_was_emptied_is_empty(folder: Path, watch: Watch, clock: Clock) -> None:
    def empty() -> None:
        (folder / "bible.md").unlink()
        shutil.rmtree(folder / "quests")

    clock.at(10, empty)
    assert taken(watch).gone == {"bible.md", "quests/ferry.md"}


def test_nor_is_another_folder_with_none_of_its_documents(
    folder: Path, watch: Watch, clock: Clock, tmp_path: Path
) -> None:
    """As where a drive is to be mounted, and a note says so."""

    def mount() -> None:
        (folder / "README.md").unlink()
        folder.rmdir()
        (tmp_path / "away").rename(folder)

    clock.at(10, lambda: replace(folder, tmp_path / "away", README="The drive is not mounted."))
    (problem,) = taken(watch).problems
    assert problem.code == "FOLDER_REPLACED"
    assert "are kept" in problem.message
    clock.at(100, mount)
    assert taken(watch).problems == ()
    assert_nothing_more(watch)


def test_nor_is_one_that_has_only_what_every_drive_has(
    folder: Path, watch: Watch, clock: Clock, tmp_path: Path
) -> None:
    settings = folder / "System Volume Information" / "WPSettings.dat"
    settings.parent.mkdir()
    write(settings, "Of the system.")
    for name in ("README", "crew", "tides"):
        write(folder / f"{name}.md", "Of the writer.")
    taken(watch)

    def change_drives() -> None:
        replace(folder, tmp_path / "away", README="Of another drive.", holiday="Of another drive.")
        settings.parent.mkdir()
        write(settings, "Of the system, too.")

    clock.at(10, change_drives)
    assert [problem.code for problem in taken(watch).problems] == ["FOLDER_REPLACED"]
    assert_nothing_more(watch)


def test_a_folder_of_that_name_with_half_of_its_documents_is_believed(
    folder: Path, watch: Watch, clock: Clock, tmp_path: Path
) -> None:
    clock.at(10, lambda: replace(folder, tmp_path / "away", bible="Elena left."))
    change = taken(watch)
    assert (texts(change), change.gone) == ({"bible.md": "Elena left."}, {"quests/ferry.md"})


@pytest.mark.parametrize("is_empty", [False, True])
def test_nor_is_another_drive_in_the_same_place(
    folder: Path, watch: Watch, clock: Clock, tmp_path: Path, *, is_empty: bool
) -> None:
    """Which may have the same device and inode as the one before it."""

    def change_drives() -> None:
        (folder / "bible.md").unlink()
        shutil.rmtree(folder / "quests")
        folder.rename(tmp_path / "same")

    def mount() -> None:
        (tmp_path / "same").rename(folder)
        if not is_empty:
            write(folder / "holiday.md", "Of another drive.")

    clock.at(10, change_drives)
    assert [problem.code for problem in taken(watch).problems] == ["FOLDER_MISSING"]
    clock.at(100, mount)
    assert [problem.code for problem in taken(watch).problems] == ["FOLDER_EMPTY" if is_empty else "FOLDER_REPLACED"]


def test_all_may_get_other_names(folder: Path, watch: Watch, clock: Clock) -> None:
    def rename() -> None:
        (folder / "bible.md").rename(folder / "world.md")
        (folder / "quests").rename(folder / "missions")

    clock.at(10, rename)
    change = taken(watch)
    assert (set(texts(change)), change.gone) == ({"world.md", "missions/ferry.md"}, {"bible.md", "quests/ferry.md"})


def test_nor_at_the_start_one_with_none_of_them(tmp_path: Path, clock: Clock) -> None:
    write(tmp_path / "README.md", "The drive is not mounted.")
    change = taken(Watch([tmp_path], clock, documents=["bible.md"]))
    assert [problem.code for problem in change.problems] == ["FOLDER_REPLACED"]


@pytest.mark.parametrize("was_doubted", [False, True])
def test_nor_one_that_lacks_most_of_them_where_there_was_a_problem_before(
    tmp_path: Path, clock: Clock, *, was_doubted: bool
) -> None:
    write(tmp_path / "README.md", "Of another drive.")
    change = taken(Watch([tmp_path], clock, documents=["README.md", "bible.md", "crew.md"], was_doubted=was_doubted))
    assert [problem.code for problem in change.problems] == ["FOLDER_REPLACED"] * was_doubted


def test_an_empty_place_is_not_believed_at_the_start_either(tmp_path: Path, clock: Clock) -> None:
    watch = Watch([tmp_path], clock, documents=["bible.md"])
    (problem,) = taken(watch).problems
    assert problem.code == "FOLDER_EMPTY"
    clock.at(10, lambda: write(tmp_path / "bible.md", "Elena."))
    assert taken(watch).problems == ()
    assert texts(taken(watch)) == {"bible.md": "Elena."}


def test_a_missing_folder_at_the_start_has_no_first_change_before_it_is_there(tmp_path: Path, clock: Clock) -> None:
    watch = Watch([tmp_path / "drive"], clock, documents=["bible.md"])
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
        monkeypatch.setattr("ingest.folder.listed", lambda real: refuse_to_list(real, beginning))

    def refuse_to_list(real: Path, beginning: str | None) -> AbstractContextManager[Iterator["os.DirEntry[str]"]]:
        if beginning is not None and f"{real}/".startswith(beginning) and str(real) != beginning.rstrip("/"):
            raise PermissionError(13, "Permission denied", str(real))
        return listed(real)

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
    another = Watch([folder], clock, documents=["bible.md"])
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


def test_a_flicker_of_the_folder_is_nothing(folder: Path, watch: Watch, clock: Clock, tmp_path: Path) -> None:
    clock.at(10, lambda: folder.rename(tmp_path / "away"))
    clock.at(10.3, lambda: (tmp_path / "away").rename(folder))
    assert_nothing_more(watch)


def test_what_is_in_a_folder_that_cannot_be_read_is_not_gone(
    folder: Path, watch: Watch, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(real: Path) -> AbstractContextManager[Iterator["os.DirEntry[str]"]]:
        if real.name == "quests":
            raise PermissionError(13, "Permission denied", str(real))
        return listed(real)

    clock.at(10, lambda: monkeypatch.setattr("ingest.folder.listed", forbidden))
    change = taken(watch)
    assert (refused(change), change.gone) == ({"quests": "UNREADABLE"}, set())
    assert not change.lacks("quests/ferry.md")
    clock.at(10, lambda: monkeypatch.setattr("ingest.folder.listed", listed))
    assert list(texts(taken(watch))) == ["quests/ferry.md"]


def test_what_a_drive_lists_and_does_not_say_whether_it_is_a_folder_is_not_gone(
    folder: Path, watch: Watch, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that lists names alone, and then does not answer for a moment."""

    class Entry:
        def __init__(self, entry: "os.DirEntry[str]") -> None:
            self.name = entry.name

        def is_dir(self, *, follow_symlinks: bool) -> bool:
            raise OSError(5, "Input/output error")

    @contextmanager
    def names_alone(real: Path) -> Generator[Iterator[Entry]]:
        with listed(real) as entries:
            yield map(Entry, entries)

    clock.at(10, lambda: monkeypatch.setattr("ingest.folder.listed", names_alone))
    change = taken(watch)
    assert (refused(change), change.gone) == ({"quests": "UNREADABLE", "bible.md": "UNREADABLE"}, set())
    assert not change.lacks("quests/ferry.md")
    clock.at(10, lambda: monkeypatch.setattr("ingest.folder.listed", listed))
    assert set(texts(taken(watch))) == {"bible.md", "quests/ferry.md"}


def test_of_a_folder_with_too_many_files_nothing_is_kept_in_memory(
    folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.watched_path.MOST_ENTRIES", 4)  # the folder, its subfolder and two files
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
