"""An Arrow on this machine, and the lines that Fletcher has in the `override.cfg` beside it."""

import mmap
import os
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from corpora import program_in_path, replace_whole
from fletcher.errors import CommandError, WrongUsage

OVERRIDE = "override.cfg"
_BEGIN = "; >>> Fletcher: 'fletcher arrow uninstall' takes these lines out\n"
_END = "; <<< Fletcher\n"
# A block with nothing in it but what was written, so that no line of the user's is taken for ours; or a part of one.
# The first blocks were at the end, and opened a section, to which the keys that follow belong.
_OURS = re.compile(
    r"; >>> Fletcher\b[^\n]*\n(?:(?P<section>\[application\])?[^\S\n]*\n|(?:application/)?run/main_scene=[^\n]*\n)*"
    r"; <<< Fletcher[^\S\n]*(?:\n|\Z)"
    r"|(?P<part>; (?:>>>|<<<) Fletcher\b)"
)
_SECTION = "[application]\n"
_KEY = re.compile(r"(?:\s|;[^\n]*\n)*[^\s;\[]")
_MAIN_SCENE = re.compile(r'^[^\S\n]*(?:application/)?run/main_scene\s*=\s*"(?P<scene>[^"]*)"', re.MULTILINE)
# What only an Arrow has in its pack, or in its program where the pack is part of it.
_ARROW_SCRIPT = b"scripts/core/central_mind"
_VERSION_KEY = b"application/config/version"
_TEXT = 4  # Godot's number for a text
_SUPPORTED = "3."
_PROGRAMS = (".exe", ".x86_64", ".x86_32", ".arm64", "")


@dataclass(frozen=True)
class ArrowEditor:
    """An Arrow.

    Attributes:
        kind: A work tree of its sources, or what its users download.
        folder: Where its `override.cfg` is read from.
        program: What starts it; None for a checkout, which Godot runs.
        version: As it says itself; "" where it says none.
    """

    kind: Literal["checkout", "release"]
    folder: Path
    program: Path | None
    version: str

    def __str__(self) -> str:
        """Which Arrow this is, for people."""
        return f"Arrow {self.version or 'without a version'} ({self.kind} in {self.folder})"

    @property
    def override(self) -> Path:
        """The file that changes its settings."""
        return self.folder / OVERRIDE

    def command(self) -> list[str]:
        """What runs it.

        Raises:
            CommandError: It is a checkout, and Godot is not here.
        """
        if self.program is not None:
            return [str(self.program)]
        godot = os.environ.get("GODOT") or program_in_path("godot") or program_in_path("godot4")
        if not godot:
            raise CommandError(
                f"{self.folder} is a checkout, which Godot 4.4 or later runs, and there is no 'godot' in the PATH. "
                "Install Godot, or set GODOT to its program."
            )
        return [godot, "--path", str(self.folder)]


def find_arrow(path: Path) -> ArrowEditor:
    """The Arrow that a folder or a program is.

    Raises:
        WrongUsage: There is none, or there are several.
        CommandError: It is one that Fletcher does not know.
    """
    path = path.expanduser().absolute()
    if not path.exists():
        raise WrongUsage(f"{path} does not exist. Name Arrow's folder, or its program.")
    found = _checkout(path) or _release(path)
    if not found.version.startswith(_SUPPORTED):
        raise CommandError(f"{found} is not known: Fletcher works in Arrow 3.x. Get one from its releases page.")
    return found


def install(arrow: ArrowEditor, scene: str) -> bool:
    """Lets Arrow start by the scene; False where it does so already.

    Raises:
        CommandError: Its `override.cfg` is a link, names another main scene, has a part of a block, or cannot be
            written.
    """
    if arrow.override.is_symlink():  # it may have come with the folder, and lead to any file of the user's
        raise CommandError(
            f"{arrow.override} is a link to {arrow.override.readlink()}, and Fletcher writes into no file elsewhere. "
            "Put a file in its place, and install again."
        )
    before = _read(arrow.override)
    own = _own(arrow.override, before)
    if other := _MAIN_SCENE.search(own):
        raise CommandError(
            f"{arrow.override} already names a main scene, {other['scene']}, and Arrow can have only one. "
            "Take that line out, and install again."
        )
    quoted = scene.replace("\\", "/").replace('"', '\\"')
    # At the beginning, before any section: so it opens none, and whatever follows stays in the one that it is in.
    after = f'{_BEGIN}application/run/main_scene="{quoted}"\n{_END}{own}'
    if after != before:
        _write(arrow.override, after)
    return after != before


def is_installed(arrow: ArrowEditor) -> bool:
    """Whether Fletcher's lines are there.

    Raises:
        CommandError: A part of them is.
    """
    before = _read(arrow.override)
    return _own(arrow.override, before) != before


def uninstall(arrow: ArrowEditor) -> bool:
    """Takes Fletcher's lines out, and the file where nothing else is in it; False where there are none.

    A link, which an earlier version wrote through, and what it leads to, stay in any case: somebody has made them.

    Raises:
        CommandError: The file has a part of a block, or cannot be written.
    """
    before = _read(arrow.override)
    after = _own(arrow.override, before)
    if after == before:
        return False
    _write(arrow.override, after)
    return True


def _checkout(path: Path) -> ArrowEditor | None:
    settings = path / "project.godot"
    if not settings.is_file():
        return None
    text = settings.read_text(encoding="utf-8", errors="replace")
    if not re.search(r'^config/name="Arrow"', text, re.MULTILINE):
        raise WrongUsage(f"{path} is a project of Godot, and not Arrow. Name Arrow's folder, or its program.")
    version = re.search(r'^config/version="([^"]*)"', text, re.MULTILINE)
    return ArrowEditor("checkout", path, None, version[1] if version else "")


def _release(path: Path) -> ArrowEditor:
    found = [
        ArrowEditor("release", program.parent, program, _version_in(pack))
        for program in _programs(path)
        if (pack := _pack_of(program)) is not None
    ]
    if not found:
        raise WrongUsage(
            f"{path} is no Arrow: a checkout has project.godot, and a release has Arrow's program, with its .pck "
            "beside or in it. Name Arrow's folder, or its program."
        )
    if len(found) > 1:
        names = ", ".join(str(arrow.program) for arrow in found)
        raise WrongUsage(f"There are several Arrows in {path}: {names}. Name one of the programs.")
    return found[0]


def _programs(path: Path) -> list[Path]:
    """What may be Arrow's program: the file itself, or those of a folder, or of an application of macOS."""
    if path.is_file():
        return [path]
    for application in (path, *sorted(path.glob("*.app"))):
        if application.suffix == ".app":
            return [file for file in sorted((application / "Contents" / "MacOS").glob("*")) if file.is_file()]
    return [file for file in sorted(path.iterdir()) if file.is_file() and _may_be_program(file)]


def _may_be_program(file: Path) -> bool:
    if file.suffix.lower() not in _PROGRAMS:
        return False
    # Windows knows programs by their suffix; elsewhere those of Linux have a mark that says so.
    return file.suffix.lower() == ".exe" or sys.platform == "win32" or os.access(file, os.X_OK)


def _pack_of(program: Path) -> Path | None:
    """Where the program's scenes are, if they are Arrow's."""
    packs = [program.with_suffix(".pck"), program.with_name(f"{program.name}.pck"), program]
    if program.parent.name == "MacOS":
        packs += sorted((program.parent.parent / "Resources").glob("*.pck"))
    return next((pack for pack in packs if pack.is_file() and _position(pack, _ARROW_SCRIPT) >= 0), None)


def _position(file: Path, wanted: bytes, after: int = 0) -> int:
    if file.stat().st_size == 0:
        return -1
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(wanted, after)


def _version_in(pack: Path) -> str:
    """`config/version` of the settings in a pack: after the key are the value's length, kind, and the text's length."""
    start = _position(pack, _VERSION_KEY)
    if start < 0:
        return ""
    with pack.open("rb") as content:
        content.seek(start + len(_VERSION_KEY))
        head = content.read(12)
        if len(head) < 12:
            return ""
        _, kind, length = struct.unpack("<III", head)
        return content.read(length).decode(errors="replace") if kind == _TEXT and length < 100 else ""


def _own(file: Path, text: str) -> str:
    """What the user has in the file.

    Raises:
        CommandError: It has a part of a block, of which nobody knows where it ends.
    """
    for found in _OURS.finditer(text):
        if found["part"]:
            line = text.count("\n", 0, found.start()) + 1
            raise CommandError(
                f"{file}, line {line}: Fletcher's lines have been changed here. They begin with '; >>> Fletcher', name "
                "the main scene, and end with '; <<< Fletcher'. Take out what is left of them, and try again. "
                "Nothing was changed."
            )
    return _OURS.sub(lambda ours: _SECTION if ours["section"] and _KEY.match(text, ours.end()) else "", text)


def _read(file: Path) -> str:
    if not file.exists():
        return ""
    if not file.is_file():
        raise CommandError(f"{file} is {_kind(file)}, and Arrow reads a file there. Move it away, and try again.")
    try:
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}. Nothing was changed.") from error


def _kind(path: Path) -> str:
    if path.is_dir():
        return "a folder"
    return "a named pipe" if path.is_fifo() else "a socket or a device"


def _write(file: Path, text: str) -> None:
    try:
        if text or file.is_symlink():
            replace_whole(file.resolve(), text.encode(), mode=0o644)
        else:
            file.unlink()
    except OSError as error:
        raise CommandError(
            f"{file} cannot be written: {error.strerror}. Nothing was changed. Arrow's folder must be one that you may "
            "write to; move Arrow into your own folder, or ask its owner."
        ) from error
