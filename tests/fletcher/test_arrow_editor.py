"""Fletcher is put into an Arrow, and taken out, by lines of override.cfg and nothing else."""

import struct
from pathlib import Path

import pytest

from fletcher.__main__ import main
from fletcher.arrow_editor import client_scene, find_arrow, install, uninstall
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
    assert text.startswith(own or "")
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
    own = '[application]\nrun/main_scene = "res://mine.tscn"\n'
    arrow.override.write_text(own)
    with pytest.raises(CommandError, match=r"already names a main scene, res://mine\.tscn"):
        install(arrow, _SCENE)
    assert arrow.override.read_text() == own


def test_the_boot_scene_is_where_the_package_is() -> None:
    scene = client_scene()
    assert scene.is_absolute()
    assert (scene.parent / "boot.gd").is_file()


def test_the_commands_end_with_their_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
