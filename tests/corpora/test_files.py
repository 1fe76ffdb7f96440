"""A file is there whole, with the rights that it had, or it is as it was and nothing else is left."""

import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from corpora import replace_whole
from corpora.files import write_whole

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
