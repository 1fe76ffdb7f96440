"""Fletcher is put into an Arrow, and taken out, by lines of override.cfg and nothing else."""

import os
import stat
import struct
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fletcher.__main__ import main
from fletcher.arrow_editor import ArrowEditor, find_arrow, install, is_installed, uninstall
from fletcher.boot_scene import client_folder, keep_boot
from fletcher.errors import CommandError, WrongUsage

_SCENE = "/somewhere/clients/arrow/boot.tscn"
_OWN = '; mine\r\n[display]\r\nwindow/size=3\r\n\r\n[application]\r\nconfig/name="Mine"'


def _settings(version: str) -> bytes:
    key, value = b"application/config/version", version.encode()
    return b"ECFG" + struct.pack("<I", len(key)) + key + struct.pack("<III", len(value) + 8, 4, len(value)) + value


def pack_of(version: str = "3.1.0") -> bytes:
    """What is in the pack of an Arrow, as far as it is looked at."""
    return b"GDPC....scripts/core/central_mind.gdc...." + _settings(version)


def _release(folder: Path, program: str = "arrow", pack: str = "arrow.pck", version: str = "3.1.0") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / program).write_bytes(b"\x7fELF a program")
    (folder / program).chmod(0o755)
    (folder / pack).write_bytes(pack_of(version))
    return folder


def _checkout(folder: Path, name: str = "Arrow", version: str = "3.1.0") -> Path:
    folder.mkdir(parents=True)
    (folder / "project.godot").write_text(f'[application]\n\nconfig/name="{name}"\nconfig/version="{version}"\n')
    return folder


def test_a_checkout_is_found(tmp_path: Path) -> None:
    found = find_arrow(_checkout(tmp_path / "a"))
    assert (found.kind, found.version, found.override) == ("checkout", "3.1.0", tmp_path / "a" / "override.cfg")


@pytest.mark.parametrize(
    ("program", "pack"), [("arrow", "arrow.pck"), ("Arrow.exe", "Arrow.pck"), ("arrow.x86_64", "arrow.pck")]
)
def test_a_release_is_found_by_its_folder_and_by_its_program(program: str, pack: str, tmp_path: Path) -> None:
    folder = _release(tmp_path / "a", program, pack)
    for path in (folder, folder / program):
        found = find_arrow(path)
        assert (found.kind, found.version, found.folder) == ("release", "3.1.0", folder)
        assert found.command() == [str(folder / program)]


def test_a_program_that_has_its_pack_inside_is_found(tmp_path: Path) -> None:
    (tmp_path / "Arrow.exe").write_bytes(b"MZ" + pack_of())
    assert find_arrow(tmp_path).program == tmp_path / "Arrow.exe"


@pytest.mark.parametrize("inside", ["", "Arrow.app"])
def test_of_an_application_of_macos_the_file_is_beside_the_program_in_it(inside: str, tmp_path: Path) -> None:
    contents = tmp_path / "Arrow.app" / "Contents"
    (contents / "Resources").mkdir(parents=True)
    (contents / "Resources" / "Arrow.pck").write_bytes(pack_of())
    (contents / "MacOS").mkdir()
    (contents / "MacOS" / "Arrow").write_bytes(b"a program")
    assert find_arrow(tmp_path / inside).override == contents / "MacOS" / "override.cfg"


def test_what_is_no_arrow_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    for path, words in (
        (tmp_path / "empty", "is no Arrow"),
        (tmp_path / "file", "is no Arrow"),
        (tmp_path / "missing", "does not exist"),
        (_checkout(tmp_path / "game", name="A game"), "not Arrow"),
    ):
        with pytest.raises(WrongUsage, match=words):
            find_arrow(path)


def test_an_arrow_of_another_generation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"Arrow 2\.3\.0 .* is not known"):
        find_arrow(_release(tmp_path / "old", version="2.3.0"))


def test_where_several_are_one_has_to_be_named(tmp_path: Path) -> None:
    _release(tmp_path, "arrow", "arrow.pck")
    _release(tmp_path, "other", "other.pck")
    with pytest.raises(WrongUsage, match="several"):
        find_arrow(tmp_path)
    assert find_arrow(tmp_path / "other").program == tmp_path / "other"


@pytest.mark.parametrize("own", [None, "\n", _OWN, _OWN + "\r\n", _OWN + "\n\n\n"])
def test_what_the_user_has_in_the_file_stays_byte_for_byte(own: str | None, tmp_path: Path) -> None:
    arrow = find_arrow(_checkout(tmp_path / "a"))
    if own is not None:
        arrow.override.write_bytes(own.encode())

    assert install(arrow, _SCENE)
    assert not install(arrow, _SCENE)
    text = arrow.override.read_bytes().decode()
    assert text.endswith(own or "")
    assert f'run/main_scene="{_SCENE}"\n' in text
    assert install(arrow, "/moved/boot.tscn")  # to another place, not a second time
    assert arrow.override.read_text().count("run/main_scene") == 1

    assert uninstall(arrow)
    assert not uninstall(arrow)
    assert (arrow.override.read_bytes().decode() if arrow.override.exists() else None) == own


def test_a_path_of_windows_is_written_as_godot_reads_it(tmp_path: Path) -> None:
    arrow = find_arrow(_checkout(tmp_path / "a"))
    install(arrow, r"C:\Users\Ann\boot.tscn")
    assert 'run/main_scene="C:/Users/Ann/boot.tscn"' in arrow.override.read_text()


def test_another_main_scene_of_the_user_is_left_alone(tmp_path: Path) -> None:
    arrow = find_arrow(_checkout(tmp_path / "a"))
    for own in (
        '[application]\nrun/main_scene = "res://mine.tscn"\n',
        'application/run/main_scene="res://mine.tscn"\n[display]\n',
    ):
        arrow.override.write_text(own)
        with pytest.raises(CommandError, match=r"already names a main scene, res://mine\.tscn"):
            install(arrow, _SCENE)
        assert arrow.override.read_text() == own


@pytest.fixture
def arrow(tmp_path: Path) -> ArrowEditor:
    return find_arrow(_checkout(tmp_path / "arrow"))


@contextmanager
def _no_file_above(size: int) -> Generator[None]:
    """Writing fails in the middle, as on a full disk."""
    import resource  # not on Windows

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there that a process could set")
def test_on_a_full_disk_the_file_stays_as_it_was(arrow: ArrowEditor) -> None:
    own = "; precious\n" * 500
    arrow.override.write_text(own)
    with _no_file_above(3000), pytest.raises(CommandError, match=r"cannot be written.*Nothing was changed"):
        install(arrow, _SCENE)
    assert arrow.override.read_text() == own
    assert sorted(file.name for file in arrow.folder.iterdir()) == ["override.cfg", "project.godot"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_the_file_keeps_its_mode_and_a_new_one_is_readable_by_whoever_starts_arrow(arrow: ArrowEditor) -> None:
    install(arrow, _SCENE)
    assert stat.S_IMODE(arrow.override.stat().st_mode) == 0o644
    arrow.override.chmod(0o640)
    install(arrow, "/moved/boot.tscn")
    assert stat.S_IMODE(arrow.override.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize("own", ["precious=1\n", "", None])
def test_no_file_that_a_link_leads_to_is_written(own: str | None, arrow: ArrowEditor, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.cfg"
    if own is not None:
        target.write_text(own)
    arrow.override.symlink_to(Path("..") / target.name)
    with pytest.raises(CommandError, match=r"override\.cfg is a link to .*elsewhere\.cfg"):
        install(arrow, _SCENE)
    assert arrow.override.is_symlink()
    assert (target.read_text() if target.exists() else None) == own


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_what_was_once_written_through_a_link_is_taken_out_again(arrow: ArrowEditor, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.cfg"
    arrow.override.write_text("precious=1\n")
    install(arrow, _SCENE)
    arrow.override.rename(target)
    arrow.override.symlink_to(target)
    uninstall(arrow)
    assert arrow.override.is_symlink()
    assert target.read_text() == "precious=1\n"


def test_keys_below_the_block_stay_in_their_section(arrow: ArrowEditor) -> None:
    own = "config/first=1\n[application]\nconfig/second=2\n"
    install(arrow, _SCENE)
    with arrow.override.open("a") as opened:
        opened.write(own)
    install(arrow, "/moved/boot.tscn")
    assert arrow.override.read_text().endswith(own)
    before_own = arrow.override.read_text().removesuffix(own)
    assert "[" not in before_own
    uninstall(arrow)
    assert arrow.override.read_text() == own


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("above", "below", "left"),
    [
        ("[a]\nb=1\n", "; and\n\nconfig/quit=false\n", "[a]\nb=1\n[application]\n; and\n\nconfig/quit=false\n"),
        ("[a]\nb=1\n", "; config\n[c]\nd=2\n", "[a]\nb=1\n; config\n[c]\nd=2\n"),
    ],
)
def test_a_block_of_the_first_form_that_opened_a_section_is_taken_out(
    ends: str, above: str, below: str, left: str, arrow: ArrowEditor
) -> None:
    block = "; >>> Fletcher: 'x'\n[application]\n\nrun/main_scene=\"/old\"\n; <<< Fletcher\n"
    arrow.override.write_bytes((above + block + below).replace("\n", ends).encode())
    assert is_installed(arrow)
    uninstall(arrow)
    assert arrow.override.read_bytes().decode().replace("\r\n", "\n") == left


def test_a_block_with_line_ends_of_windows_is_ours(arrow: ArrowEditor) -> None:
    arrow.override.write_bytes(b"[a]\nb=1\n")
    install(arrow, _SCENE)
    arrow.override.write_bytes(arrow.override.read_bytes().replace(b"\n", b"\r\n"))
    assert install(arrow, "/moved/boot.tscn")
    assert arrow.override.read_text().count("main_scene") == 1
    uninstall(arrow)
    assert arrow.override.read_bytes() == b"[a]\r\nb=1\r\n"


@pytest.mark.parametrize(
    ("was", "becomes", "line"),
    [
        ("; <<< Fletcher\n", "", 3),  # its end is gone
        ("; <<< Fletcher\n", "mine=1\n; <<< Fletcher\n", 3),  # what is the user's is in it
        ("; >>> Fletcher: 'fletcher arrow uninstall' takes these lines out\n", "", 4),
    ],
)
def test_a_damaged_block_is_named_and_nothing_is_lost(was: str, becomes: str, line: int, arrow: ArrowEditor) -> None:
    install(arrow, _SCENE)
    text = "; mine\n\n" + arrow.override.read_text().replace(was, becomes) + "[display]\n"
    arrow.override.write_text(text)
    words = rf"override\.cfg, line {line}: Fletcher's lines have been changed here.*Take out what is left of them"
    for command in (lambda: install(arrow, _SCENE), lambda: uninstall(arrow), lambda: is_installed(arrow)):
        with pytest.raises(CommandError, match=words):
            command()
    assert arrow.override.read_text() == text


def test_a_folder_in_the_place_of_the_file_is_named(arrow: ArrowEditor) -> None:
    arrow.override.mkdir()
    with pytest.raises(CommandError, match=r"override\.cfg is a folder"):
        install(arrow, _SCENE)


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes are POSIX's")
@pytest.mark.usefixtures("home")
def test_a_named_pipe_in_the_place_of_the_file_is_named_and_not_waited_for(arrow: ArrowEditor) -> None:
    os.mkfifo(arrow.override)
    command = [sys.executable, "-m", "fletcher", "arrow", "install", arrow.folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "override.cfg is a named pipe" in done.stderr


def test_a_pack_that_ends_within_its_version_has_none(tmp_path: Path) -> None:
    _release(tmp_path)
    whole = pack_of()
    (tmp_path / "arrow.pck").write_bytes(whole[: whole.index(b"config/version") + len(b"config/version") + 5])
    with pytest.raises(CommandError, match="Arrow without a version"):
        find_arrow(tmp_path)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_boot_scene_is_kept_outside_the_package_and_names_it(tmp_path: Path) -> None:
    for client in ("/older/clients/arrow", client_folder().as_posix()):
        scene = keep_boot(tmp_path / "new" / "kept", client)
        assert (scene.parent / "client.txt").read_text("utf-8") == client
        for file in (scene, scene.with_name("boot.gd")):
            assert file.read_bytes() == (client_folder() / file.name).read_bytes()


def test_where_the_boot_scene_cannot_be_kept_no_arrow_is_changed(
    arrow: ArrowEditor, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir()
    (home / ".fletcher").write_text("in the way")
    with pytest.raises(SystemExit) as ended:
        main(["arrow", "install", str(arrow.folder)])
    assert ended.value.code == 1
    assert "cannot be written" in capsys.readouterr().err
    assert not arrow.override.exists()


def test_the_commands_end_with_their_codes(tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _release(tmp_path / "a")
    for arguments, code, words in (
        (["install", str(folder)], 0, "Arrow 3.1.0"),
        (["install", str(folder)], 0, "has Fletcher already"),
        (["uninstall", str(folder)], 0, "opens without Fletcher"),
        (["uninstall", str(folder)], 0, "nothing was changed"),
        (["run", str(folder)], 1, "Install it first"),
        (["install", str(tmp_path)], 2, "is no Arrow"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["arrow", *arguments])
        assert (ended.value.code or 0) == code
        said = capsys.readouterr()
        assert words in said.out + said.err
        if arguments[0] == "install" and code == 0:
            scene = home / ".fletcher" / "arrow" / "boot.tscn"
            assert f'main_scene="{scene.as_posix()}"' in (folder / "override.cfg").read_text("utf-8")
            assert scene.is_file()
