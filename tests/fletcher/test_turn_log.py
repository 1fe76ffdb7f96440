"""A turn on a file is taken back in one step, and never at the cost of later work."""

from pathlib import Path

import pytest

from fletcher.errors import CommandError
from fletcher.turn_log import TurnLog


@pytest.fixture
def log(tmp_path: Path) -> TurnLog:
    return TurnLog(tmp_path / "undo")


@pytest.fixture
def story(tmp_path: Path) -> Path:
    file = tmp_path / "story.arrow"
    file.write_bytes(b"before")
    return file


def test_undo_restores_the_bytes_once(log: TurnLog, story: Path) -> None:
    log.write(story, b"before", b"after")
    assert story.read_bytes() == b"after"
    log.undo(story)
    assert story.read_bytes() == b"before"
    with pytest.raises(CommandError, match="no turn to take back"):
        log.undo(story)


def test_undo_takes_back_the_last_turn_only(log: TurnLog, story: Path) -> None:
    log.write(story, b"before", b"after")
    log.write(story, b"after", b"later")
    log.undo(story)
    assert story.read_bytes() == b"after"


def test_work_done_since_is_not_lost(log: TurnLog, story: Path) -> None:
    log.write(story, b"before", b"after")
    story.write_bytes(b"by hand")
    with pytest.raises(CommandError, match="changed since") as refused:
        log.undo(story)
    assert story.read_bytes() == b"by hand"
    kept = Path(str(refused.value).rsplit(" ", 1)[1].rstrip("."))
    assert kept.with_suffix(".arrow").read_bytes() == b"before"


def test_files_of_the_same_name_are_kept_apart(log: TurnLog, tmp_path: Path) -> None:
    files = [tmp_path / folder / "story.arrow" for folder in ("one", "two")]
    for file in files:
        file.parent.mkdir()
        file.write_bytes(file.parent.name.encode())
        log.write(file, file.parent.name.encode(), b"after")
    for file in files:
        log.undo(file)
        assert file.read_bytes() == file.parent.name.encode()


def test_what_was_saved_while_the_turn_ran_is_not_overwritten(log: TurnLog, story: Path) -> None:
    story.write_bytes(b"saved in Arrow meanwhile")
    with pytest.raises(CommandError, match="changed while the turn ran"):
        log.write(story, b"before", b"after")
    assert story.read_bytes() == b"saved in Arrow meanwhile"
    with pytest.raises(CommandError, match="no turn to take back"):
        log.undo(story)


def test_a_link_stays_a_link(log: TurnLog, story: Path, tmp_path: Path) -> None:
    link, before = tmp_path / "link.arrow", story.read_bytes()
    link.symlink_to(story)
    log.write(link, before, b"after")
    assert link.is_symlink()
    assert story.read_bytes() == b"after"
    log.undo(story)
    assert story.read_bytes() == before
