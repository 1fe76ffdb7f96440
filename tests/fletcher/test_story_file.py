"""A turn on a file is taken back in one step, as deep as the guide says, and never at the cost of later work."""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from corpora import HeldFile, ProjectKey
from fletcher.commands.chat import story_file
from fletcher.errors import CommandError
from fletcher.settings import load_settings
from fletcher.story_file import StoryFile

KEY = ProjectKey("local", "1")


@pytest.fixture
def story(tmp_path: Path) -> StoryFile:
    file = tmp_path / "story.arrow"
    file.write_bytes(b"before")
    return StoryFile(file, tmp_path / "kept")


def test_undo_restores_the_bytes_of_twenty_turns(story: StoryFile) -> None:
    versions = [b"before", *(f"turn {number}".encode() for number in range(22))]
    for before, after in pairwise(versions):
        story.write(before, after)
    for version in reversed(versions[2:-1]):
        story.undo()
        assert story.file.read_bytes() == version
    with pytest.raises(CommandError, match="no turn to take back"):
        story.undo()


def test_turns_that_lead_to_and_fro_are_taken_back_one_after_the_other(story: StoryFile) -> None:
    versions = [b"before", b"one", b"two", b"one"]
    for before, after in pairwise(versions):
        story.write(before, after)
    for version in reversed(versions[:-1]):
        story.undo()
        assert story.file.read_bytes() == version


def test_an_assistants_turns_leave_the_users_own_versions(story: StoryFile) -> None:
    own = [b"before", *(f"own {number}".encode() for number in range(20))]
    for before, after in pairwise(own):
        story.write(before, after)
    others = [own[-1], *(f"assistant's {number}".encode() for number in range(50))]
    for before, after in pairwise(others):
        story.write(before, after, by_assistant=True)
    for version in [*reversed(others[-20:-1]), *reversed(own)]:
        story.undo()
        assert story.file.read_bytes() == version
    with pytest.raises(CommandError, match="no turn to take back"):
        story.undo()


def test_what_the_user_has_saved_between_an_assistants_turns_comes_back(story: StoryFile) -> None:
    story.write(b"before", b"assistant's", by_assistant=True)
    story.file.write_bytes(b"by hand")
    others = [b"by hand", *(f"assistant's {number}".encode() for number in range(25)), b"by hand", b"at last"]
    for before, after in pairwise(others):
        story.write(before, after, by_assistant=True)
    while story.file.read_bytes() != b"assistant's 19":
        story.undo()
    while story.file.read_bytes() != b"by hand":
        story.undo()


def test_a_version_that_an_older_fletcher_has_kept_is_taken_back_to(story: StoryFile) -> None:
    story.write(b"before", b"one")
    (kept,) = story.file.parent.glob("kept/*/*.arrow")
    kept.rename(kept.with_stem(kept.stem.rpartition("-")[2]))
    story.write(b"one", b"two")
    for version in (b"one", b"before"):
        story.undo()
        assert story.file.read_bytes() == version


def test_what_an_undo_in_the_conversation_led_to_is_not_a_turn(story: StoryFile) -> None:
    """`fletcher undo` after it takes back the turn before, and does not bring back what was taken back."""
    story.write(b"before", b"one")
    story.write(b"one", b"two")
    story.go_back(b"two", story.as_kept(b"two", b"one, as the server writes it"))
    assert story.file.read_bytes() == b"one"
    story.undo()
    assert story.file.read_bytes() == b"before"


def test_an_undo_of_a_turn_from_elsewhere_is_written(story: StoryFile) -> None:
    story.go_back(b"before", b"what the page changed")
    assert story.file.read_bytes() == b"what the page changed"


def test_an_undo_loses_nothing_that_was_saved_meanwhile(story: StoryFile) -> None:
    story.file.write_bytes(b"by hand")
    with pytest.raises(CommandError, match="changed while the turn ran"):
        story.go_back(b"before", b"what the page changed")
    assert story.file.read_bytes() == b"by hand"


def test_work_done_since_is_not_lost(story: StoryFile) -> None:
    story.write(b"before", b"after")
    story.file.write_bytes(b"by hand")
    with pytest.raises(CommandError, match="changed since") as refused:
        story.undo()
    assert story.file.read_bytes() == b"by hand"
    kept = Path(str(refused.value).rsplit(" ", 1)[1].removesuffix("."))
    assert kept.read_bytes() == b"before"


def test_files_of_the_same_name_are_kept_apart(tmp_path: Path) -> None:
    files = [tmp_path / folder / "story.arrow" for folder in ("one", "two")]
    for file in files:
        file.parent.mkdir()
        file.write_bytes(file.parent.name.encode())
        StoryFile(file, tmp_path / "kept").write(file.parent.name.encode(), b"after")
    for file in files:
        StoryFile(file, tmp_path / "kept").undo()
        assert file.read_bytes() == file.parent.name.encode()


def test_what_was_saved_while_the_turn_ran_is_not_overwritten(story: StoryFile) -> None:
    story.file.write_bytes(b"saved in Arrow meanwhile")
    with pytest.raises(CommandError, match="changed while the turn ran"):
        story.write(b"before", b"after")
    assert story.file.read_bytes() == b"saved in Arrow meanwhile"
    with pytest.raises(CommandError, match="no turn to take back"):
        story.undo()


def test_what_is_saved_while_a_turn_is_written_is_not_overwritten(
    story: StoryFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = HeldFile.replace

    def written_beside(held: HeldFile, before: bytes, data: bytes) -> None:
        story.file.write_bytes(b"saved in Arrow in that very moment")
        write(held, before, data)

    monkeypatch.setattr(HeldFile, "replace", written_beside)
    with pytest.raises(CommandError, match="changed while the turn ran"):
        story.write(b"before", b"after")
    assert story.file.read_bytes() == b"saved in Arrow in that very moment"
    with pytest.raises(CommandError, match="no turn to take back"):
        story.undo()


def test_of_two_processes_that_make_the_same_of_it_the_one_that_was_late_leaves_the_others_undo(
    story: StoryFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = HeldFile.replace

    def late(held: HeldFile, before: bytes, data: bytes) -> None:
        monkeypatch.setattr(HeldFile, "replace", write)
        StoryFile(story.file, story.file.parent / "kept").write(before, data)
        write(held, before, data)

    monkeypatch.setattr(HeldFile, "replace", late)
    with pytest.raises(CommandError, match="changed while the turn ran"):
        story.write(b"before", b"after")
    story.undo()
    assert story.file.read_bytes() == b"before"


def test_turns_that_another_process_forgets_at_the_same_time_are_forgotten(
    story: StoryFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = [b"before", *(f"turn {number}".encode() for number in range(21))]
    for before, after in pairwise(versions[:-1]):
        story.write(before, after)
    listed, stat = Path.glob, Path.stat

    def forgotten_once_listed(folder: Path, pattern: str) -> list[Path]:
        paths = sorted(listed(folder, pattern), key=lambda path: stat(path).st_mtime_ns)
        if pattern == "*.arrow":
            paths[0].unlink()
        return paths

    monkeypatch.setattr(Path, "glob", forgotten_once_listed)
    story.write(versions[-2], versions[-1])
    assert story.file.read_bytes() == versions[-1]


def test_a_link_stays_a_link(story: StoryFile, tmp_path: Path) -> None:
    link, before = tmp_path / "link.arrow", story.file.read_bytes()
    link.symlink_to(story.file)
    linked = story_file(load_settings(data_dir=tmp_path / "data"), link)
    linked.write(before, b"after")
    assert link.is_symlink()
    assert story.file.read_bytes() == b"after"
    linked.undo()
    assert story.file.read_bytes() == before


@pytest.mark.skipif(not os.supports_dir_fd, reason="this system opens files by their whole path only")
@pytest.mark.parametrize("change", ["write", "go_back"])
def test_a_folder_that_is_exchanged_for_a_link_meanwhile_does_not_lead_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
        (folder / "story.arrow").write_bytes(b"before")
    story = StoryFile(own / "story.arrow", tmp_path / "kept")

    def exchanged(_: bytes) -> str:  # after the file was looked at, and before it is written
        if not own.is_symlink():
            own.rename(tmp_path / "aside")
            own.symlink_to(other)
        return "kept"

    monkeypatch.setattr("fletcher.story_file._sha256", exchanged)
    getattr(story, change)(b"before", b"after")
    assert (other / "story.arrow").read_bytes() == b"before"
    assert (tmp_path / "aside" / "story.arrow").read_bytes() == b"after"
    assert [path.name for path in other.iterdir()] == ["story.arrow"]


def test_the_open_question_is_that_of_the_file_and_the_project(story: StoryFile) -> None:
    assert story.open_question(KEY) is None
    story.keep_question(KEY, "abc")
    assert story.open_question(KEY) == "abc"
    assert story.open_question(ProjectKey("local", "2")) is None
    story.keep_question(KEY, None)
    assert story.open_question(KEY) is None
