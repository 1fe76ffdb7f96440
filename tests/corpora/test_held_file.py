"""What is read and written is in the folder that was found, whatever takes its place or the file's meanwhile."""

import os
import stat
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from corpora import FileChanged, HeldFile, NotAFile, replace_whole
from corpora.rights import _with  # pyright: ignore[reportPrivateUsage]

needs_descriptors = pytest.mark.skipif(not os.supports_dir_fd, reason="this system opens files by whole paths only")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    for name in ("own", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "story.arrow").write_text(name)
    return tmp_path / "own" / "story.arrow"


@pytest.fixture(params=["held", "as a whole"])
def opened_how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the system's best way, and as where there is no other."""
    if request.param == "as a whole":
        monkeypatch.setattr("corpora.held_file._CAN_HOLD", False)


@pytest.mark.usefixtures("opened_how")
@pytest.mark.parametrize("rights", [0o600, 0o644, 0o660])
def test_it_is_replaced_with_the_rights_that_it_has(file: Path, rights: int) -> None:
    file.chmod(rights)
    with HeldFile(file) as held:
        held.replace(b"own", b"new")
        assert held.holds(b"new")
        assert not held.holds(b"ne")
    assert sys.platform == "win32" or stat.S_IMODE(file.stat().st_mode) == rights
    assert [path.name for path in file.parent.iterdir()] == ["story.arrow"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives a file to somebody else")
@pytest.mark.usefixtures("opened_how")
def test_it_stays_its_owners(file: Path) -> None:
    os.chown(file, 12345, 54321)
    with HeldFile(file) as held:
        held.replace(b"own", b"new")
    assert (file.stat().st_uid, file.stat().st_gid, file.read_bytes()) == (12345, 54321, b"new")
    replace_whole(file, b"newer")
    assert (file.stat().st_uid, file.stat().st_gid, file.read_bytes()) == (12345, 54321, b"newer")


@pytest.fixture
def of_nobody_else(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Files are given to groups only, as by who is in them: to which."""
    groups: list[int] = []

    def given(_file: int, user: int, group: int) -> None:
        if user != -1:
            raise PermissionError
        groups.append(group)

    monkeypatch.setattr("os.fchown", given)
    return groups


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no groups of files")
@pytest.mark.usefixtures("opened_how")
def test_it_stays_its_groups_where_its_owner_cannot_have_it(file: Path, of_nobody_else: list[int]) -> None:
    """A server that runs as a user of its own is in the group of those who write the story."""
    group = file.stat().st_gid
    with HeldFile(file) as held:
        held.replace(b"own", b"new")
    assert of_nobody_else == [group]


_OWNER, _WRITER, _GROUP, _MASK, _OTHERS = (1, 6, -1), (2, 6, 12345), (4, 0, -1), (16, 6, -1), (32, 0, -1)


def _list(*entries: tuple[int, int, int]) -> bytes:
    """An access control list as Linux keeps it."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


@pytest.fixture
def listed(file: Path) -> bytes:
    """The access control list of the file."""
    acl = _list(_OWNER, _WRITER, _GROUP, _MASK, _OTHERS)
    try:
        os.setxattr(file, "system.posix_acl_access", acl)
    except OSError as error:
        pytest.skip(f"this drive has no such lists: {error}")
    return acl


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep such lists in other ways")
@pytest.mark.usefixtures("opened_how")
def test_whoever_is_named_in_its_access_control_list_can_still_read_it(file: Path, listed: bytes) -> None:
    with HeldFile(file) as held:
        held.replace(b"own", b"new")
    assert os.getxattr(file, "system.posix_acl_access") == listed
    replace_whole(file, b"newer")
    assert os.getxattr(file, "system.posix_acl_access") == listed


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root gives a file to somebody else")
@pytest.mark.usefixtures("opened_how")
@pytest.mark.parametrize("is_listed", [True, False])
def test_a_group_that_it_was_not_of_has_no_more_than_others(
    file: Path, monkeypatch: pytest.MonkeyPatch, *, is_listed: bool
) -> None:
    file.chmod(0o664)
    if is_listed:
        os.setxattr(file, "system.posix_acl_access", _list(_OWNER, _WRITER, (4, 6, -1), _MASK, _OTHERS))
    subprocess.run(["chgrp", "54321", str(file)], check=True)
    monkeypatch.setattr("os.fchown", Mock(side_effect=PermissionError))
    with HeldFile(file) as held:
        held.replace(b"own", b"new")
    assert file.stat().st_gid != 54321
    if is_listed:
        assert os.getxattr(file, "system.posix_acl_access") == _list(_OWNER, _WRITER, _GROUP, _MASK, _OTHERS)
    else:
        assert stat.S_IMODE(file.stat().st_mode) == 0o644


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root gives a file to somebody else")
@pytest.mark.usefixtures("opened_how", "of_nobody_else", "listed")
@pytest.mark.parametrize("is_listed", [True, False])
def test_its_owner_is_not_locked_out_who_cannot_have_it(file: Path, *, is_listed: bool) -> None:
    owner = (2, 6, 23456)
    if not is_listed:
        os.removexattr(file, "system.posix_acl_access")
        file.chmod(0o644)
    subprocess.run(["chown", str(owner[-1]), str(file)], check=True)
    with HeldFile(file) as held:
        held.replace(b"own", b"new")
    others = [_WRITER, owner, _GROUP, _MASK, _OTHERS] if is_listed else [owner, (4, 4, -1), _MASK, (32, 4, -1)]
    assert os.getxattr(file, "system.posix_acl_access") == _list(_OWNER, *others)


def test_where_the_owner_is_named_nobody_else_has_more_than_before() -> None:
    """A list's mask takes away from all that are named in it."""
    narrow = _list(_OWNER, (2, 6, 12345), (4, 6, -1), (16, 4, -1), _OTHERS)
    wide = _list(_OWNER, (2, 4, 12345), (2, 6, 23456), (4, 4, -1), (16, 6, -1), _OTHERS)
    assert _with(23456, narrow) == wide


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep such lists in other ways")
@pytest.mark.usefixtures("opened_how")
def test_it_has_no_list_that_only_its_folder_has(file: Path, listed: bytes) -> None:
    os.removexattr(file, "system.posix_acl_access")
    file.chmod(0o660)
    os.setxattr(file.parent, "system.posix_acl_default", listed)
    with HeldFile(file) as held:
        held.replace(b"own", b"new")
    assert "system.posix_acl_access" not in os.listxattr(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o660


@pytest.mark.usefixtures("opened_how")
def test_what_cannot_be_written_leaves_everything_as_it_was(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", is_full)
    with HeldFile(file) as held, pytest.raises(OSError, match="No space"):
        held.replace(b"own", b"new")
    assert [(path.name, path.read_bytes()) for path in file.parent.iterdir()] == [("story.arrow", b"own")]


@pytest.mark.skipif(sys.platform == "win32", reason="rights as POSIX has them")
def test_what_is_protected_from_writing_is_not_written(file: Path) -> None:
    """Though its folder is not, in which another file could take its place."""
    file.chmod(0o444)
    file.parent.chmod(0o777)
    user = os.geteuid()
    with HeldFile(file) as held:
        try:
            if user == 0:  # to whom nothing is protected
                os.seteuid(12345)
            with pytest.raises(PermissionError):
                held.replace(b"own", b"new")
        finally:
            os.seteuid(user)
    assert [(path.name, path.read_bytes()) for path in file.parent.iterdir()] == [("story.arrow", b"own")]


@pytest.mark.usefixtures("opened_how")
def test_what_is_saved_while_it_is_written_is_not_lost(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda _: file.write_bytes(b"saved in Arrow"))
    with HeldFile(file) as held, pytest.raises(FileChanged):
        held.replace(b"own", b"new")
    assert [(path.name, path.read_bytes()) for path in file.parent.iterdir()] == [("story.arrow", b"saved in Arrow")]


@needs_descriptors
def test_of_several_that_write_at_once_none_writes_over_another(file: Path) -> None:
    """Each adds lines of its own to what it has read."""

    def add(name: int) -> list[bytes]:
        added = list[bytes]()
        while len(added) < 25:
            with HeldFile(file) as held:
                before, line = file.read_bytes(), f"\n{name} {len(added)}".encode()
                try:
                    held.replace(before, before + line)
                except FileChanged:
                    continue
            added.append(line)
        return added

    with ThreadPoolExecutor() as threads:
        all_added = [line for added in threads.map(add, range(2)) for line in added]
    assert sorted(file.read_bytes().splitlines()) == sorted([b"own", *(line.strip() for line in all_added)])


@needs_descriptors
def test_a_folder_that_another_program_keeps_locked_is_waited_for_no_longer_than_that(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    monkeypatch.setattr("corpora.held_file._LOCK_S", 0)
    folder = os.open(file.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        with HeldFile(file) as held, pytest.raises(OSError, match="locked by another program"):
            held.replace(b"own", b"new")
    finally:
        os.close(folder)
    assert [(path.name, path.read_bytes()) for path in file.parent.iterdir()] == [("story.arrow", b"own")]


@needs_descriptors
def test_a_file_is_written_in_a_folder_that_may_not_be_listed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_ = os.open

    def unlisted(path: Path | str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if str(path) == ".":
            raise PermissionError(13, "Permission denied")
        return open_(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr("os.open", unlisted)
    with HeldFile(file) as held:
        held.replace(b"own", b"new")
    assert file.read_bytes() == b"new"


@needs_descriptors
def test_a_link_in_the_place_of_the_folder_is_not_followed(file: Path, tmp_path: Path) -> None:
    with HeldFile(file) as held:
        file.parent.rename(tmp_path / "aside")
        file.parent.symlink_to(tmp_path / "other")
        held.replace(b"own", b"new")
        assert held.holds(b"new")
    assert (tmp_path / "aside" / "story.arrow").read_bytes() == b"new"
    assert [path.read_text() for path in (tmp_path / "other").iterdir()] == ["other"]
    with pytest.raises(OSError):
        HeldFile(file)


@pytest.mark.usefixtures("opened_how")
@pytest.mark.skipif(os.name == "nt", reason="a link needs rights on Windows")
def test_a_link_in_the_place_of_the_file_is_not_followed(file: Path, tmp_path: Path) -> None:
    file.unlink()
    file.symlink_to(tmp_path / "other" / "story.arrow")
    with HeldFile(file) as held:
        with pytest.raises(OSError):
            held.holds(b"other")
        with pytest.raises(OSError):
            held.replace(b"own", b"new")
    assert (tmp_path / "other" / "story.arrow").read_text() == "other"


@pytest.mark.usefixtures("opened_how")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_pipe_holds_nobody_up(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)
    with HeldFile(file) as held, pytest.raises(NotAFile):
        held.replace(b"own", b"new")
