"""A file is there whole, with the rights that it had, or it is as it was and nothing else is left."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpora import HeldFile, replace_whole
from corpora.files import put, write_whole
from corpora.rights import Rights

needs_locks = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
needs_modes = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


@needs_modes
@pytest.mark.parametrize("rights", [0o600, 0o644, 0o660])
def test_a_users_file_keeps_its_rights(tmp_path: Path, rights: int) -> None:
    file = tmp_path / "story.arrow"
    file.write_bytes(b"old")
    file.chmod(rights)
    replace_whole(file, b"new", mode=0o640)
    assert (file.read_bytes(), mode(file)) == (b"new", rights)


@needs_modes
def test_a_new_file_is_its_owners_alone_unless_more_is_said(tmp_path: Path) -> None:
    replace_whole(tmp_path / "kept", b"")
    replace_whole(tmp_path / "shown", b"", mode=0o644)
    assert (mode(tmp_path / "kept"), mode(tmp_path / "shown")) == (0o600, 0o644)


@needs_modes
def test_a_file_of_ours_is_its_owners_alone_whatever_it_was(tmp_path: Path) -> None:
    file = tmp_path / "owner.json"
    file.write_bytes(b"{}")
    file.chmod(0o644)
    write_whole(file, b"key")
    assert mode(file) == 0o600


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / f"{'x' * 249}.arrow"
    file.write_bytes(b"old")
    replace_whole(file, b"new")
    assert file.read_bytes() == b"new"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows settles no folders")
def test_what_has_its_place_is_written_also_where_a_drive_settles_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle = os.fsync

    def files_only(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")
        settle(handle)

    monkeypatch.setattr("os.fsync", files_only)
    replace_whole(tmp_path / "story.arrow", b"new")
    assert (tmp_path / "story.arrow").read_bytes() == b"new"


@pytest.mark.parametrize("write", [write_whole, replace_whole])
def test_what_cannot_be_written_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path, bytes], None]
) -> None:
    file = tmp_path / "story.arrow"
    file.write_bytes(b"old")

    def is_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", is_full)
    with pytest.raises(OSError, match="No space"):
        write(file, b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("story.arrow", b"old")]


LEFT = ".unfinished-0123456789abcdef"
_KILLED = """
import os, signal, sys
from pathlib import Path
from corpora import HeldFile, replace_whole

os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[1] == "held":
    HeldFile(Path(sys.argv[2])).replace(b"old", b"killed")
replace_whole(Path(sys.argv[2]), b"killed")
"""


@needs_locks
@pytest.mark.parametrize("how", ["held", "whole"])
def test_what_a_killed_writer_left_is_gone_after_the_next_one(tmp_path: Path, how: str) -> None:
    file = tmp_path.resolve() / "story.arrow"
    file.write_bytes(b"old")
    killed = subprocess.run([sys.executable, "-c", _KILLED, how, file], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert file.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 2
    if how == "held":
        with HeldFile(file) as held:
            held.replace(b"old", b"new")
    else:
        replace_whole(file, b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("story.arrow", b"new")]


@needs_locks
def test_what_a_living_writer_writes_stays_while_another_sweeps(tmp_path: Path) -> None:
    (tmp_path / LEFT).write_bytes(b"half")

    @contextmanager
    def while_another_writes() -> Generator[None]:
        replace_whole(tmp_path / "other.arrow", b"other")
        yield

    put(tmp_path / "story.arrow", b"new", Rights(0o600), taking_its_place=while_another_writes())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "other.arrow": b"other",
        "story.arrow": b"new",
    }


@needs_locks
def test_what_no_writer_of_ours_left_stays(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(b"another's")
    (tmp_path / LEFT).symlink_to(kept)
    os.mkfifo(tmp_path / f".unfinished-{'a' * 16}")
    (tmp_path / f".unfinished-{'b' * 16}").mkdir()
    for name in (".unfinished-notes", f"{LEFT}.md", f"{LEFT}0"):
        (tmp_path / name).write_bytes(b"")
    there = set(tmp_path.iterdir())
    replace_whole(tmp_path / "story.arrow", b"new")
    assert set(tmp_path.iterdir()) == {*there, tmp_path / "story.arrow"}
    assert kept.read_bytes() == b"another's"


@needs_locks
def test_whoever_is_swept_away_before_it_has_said_that_it_lives_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    swept: list[Path] = []
    lock = fcntl.flock

    def too_late(handle: int, how: int) -> None:
        if not swept:
            swept.extend(tmp_path.iterdir())
            swept[0].unlink()
        lock(handle, how)

    monkeypatch.setattr("fcntl.flock", too_late)
    replace_whole(tmp_path / "story.arrow", b"new")
    assert len(swept) == 1
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("story.arrow", b"new")]
