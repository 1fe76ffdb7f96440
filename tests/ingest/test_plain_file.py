"""What is read is what was looked at: a link or a pipe that takes a file's place meanwhile is not."""

import os
import shutil
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpora import NotAFile, listed
from ingest import Refusal, Source, Watch, scan
from ingest.folder import look_into
from ingest.plain_file import OutsideFolder, open_plain_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place in ("design", "private"):
        (tmp_path / place / "quests").mkdir(parents=True)
        (tmp_path / place / "quests" / "ferry.md").write_text(f"The ferry of {place}.")
    return tmp_path / "design"


@pytest.fixture(params=["step by step", "as a whole"])
def opened_how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the system's best way, and as where there is no other."""
    if request.param == "as a whole":
        monkeypatch.setattr("corpora.held_file._CAN_HOLD", False)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """`meanwhile(do)`: what happens once, between the look where a path leads and the opening."""

    def set_up(do: Callable[[], object]) -> None:
        look = os.path.realpath

        def looked(path: str, **options: bool) -> str:
            found = look(path, **options)
            monkeypatch.setattr(os.path, "realpath", look)
            do()
            return found

        monkeypatch.setattr(os.path, "realpath", looked)

    return set_up


@pytest.mark.usefixtures("opened_how")
def test_a_file_and_what_is_known_of_it(folder: Path) -> None:
    (folder / "link.md").symlink_to(folder / "quests" / "ferry.md")
    for name in ("quests/ferry.md", "link.md"):
        file, status = open_plain_file(folder / name, folder)
        with file:
            assert status.st_size == len(file.read()) == len("The ferry of design.")


def test_what_leads_outside_is_not_opened(folder: Path, tmp_path: Path) -> None:
    (folder / "out.md").symlink_to(tmp_path / "private" / "quests" / "ferry.md")
    with pytest.raises(OutsideFolder):
        open_plain_file(folder / "out.md", folder)


@pytest.mark.usefixtures("opened_how")
def test_a_link_that_takes_the_files_place_is_not_followed(
    folder: Path, tmp_path: Path, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    ferry = folder / "quests" / "ferry.md"

    def swap() -> None:
        ferry.unlink()
        ferry.symlink_to(tmp_path / "private" / "quests" / "ferry.md")

    meanwhile(swap)
    with pytest.raises(OSError):
        open_plain_file(ferry, folder)


@pytest.mark.usefixtures("opened_how")
def test_a_link_that_takes_its_folders_place_is_not_followed(
    folder: Path, tmp_path: Path, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    def swap() -> None:
        (folder / "quests").rename(folder / "old")
        (folder / "quests").symlink_to(tmp_path / "private" / "quests")

    meanwhile(swap)
    with pytest.raises(OSError):
        open_plain_file(folder / "quests" / "ferry.md", folder)


@pytest.mark.usefixtures("opened_how")
def test_a_link_that_takes_a_folders_place_while_it_is_looked_into_is_not_listed_behind(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "private" / "quests" / "secret plot.md").write_text("Nobody knows.")

    def looked(entries: Iterator["os.DirEntry[str]"]) -> Iterator["os.DirEntry[str]"]:
        for entry in entries:
            yield entry
            if entry.name == "quests":
                (folder / "quests").rename(folder / ".old")
                (folder / "quests").symlink_to(tmp_path / "private" / "quests")

    @contextmanager
    def listed_and_swapped(real: Path) -> Generator[Iterator["os.DirEntry[str]"]]:
        with listed(real) as entries:
            yield looked(entries)

    monkeypatch.setattr("ingest.folder.listed", listed_and_swapped)
    seen = look_into(folder, folder)
    assert "quests" in seen.unreadable
    assert not [below for below in seen.stamps if "secret" in below]


@pytest.mark.usefixtures("opened_how")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_pipe_that_takes_the_files_place_holds_nobody_up(
    folder: Path, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    ferry = folder / "quests" / "ferry.md"

    def swap() -> None:
        ferry.unlink()
        os.mkfifo(ferry)

    meanwhile(swap)
    with pytest.raises(NotAFile):
        open_plain_file(ferry, folder)


def test_between_scan_and_reading_nothing_is_let_in(folder: Path, tmp_path: Path) -> None:
    found = scan(folder)
    shutil.rmtree(folder / "quests")
    (folder / "quests").symlink_to(tmp_path / "private" / "quests")
    (entry,) = found
    assert isinstance(entry, Refusal)
    assert entry.code == "OUTSIDE_FOLDER"


def test_a_watched_folder_that_becomes_a_link_is_not_read_behind_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.watching._QUIET_S", 0.0)
    monkeypatch.setattr("ingest.watched_path._TOLD_AFTER_S", 0.0)
    folder.rename(tmp_path / "old")
    folder.symlink_to(tmp_path / "private")
    for real, kinds, problems in ((True, [], 1), (False, [Source], 0)):
        watch = Watch([folder], threading.Event(), real=real)
        change = watch.wait()
        watch.close()
        assert change is not None
        assert ([type(entry) for entry in change.sources], len(change.problems)) == (kinds, problems)
