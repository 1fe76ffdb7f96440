"""A person's journey in the release of Arrow that users download: asked, answered, looked up, previewed, taken back."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pymupdf
import pytest

from tests.clients.arrow.editor import Godot
from tests.clients.arrow.window import Color, Window, count, shown
from tests.server_process import running_server

_SAMPLE = Path(__file__).parents[3] / "corpora" / "samples" / "inland-light"
_TITLE = "The Inland Light"

# Where things are in a window of 1440 by 900, and what they look like.
_DOT = (1030, 74, 1042, 84)
_GRID = (20, 110, 1000, 820)
_PROJECT, _OPEN, _ANYWAY = (692, 235), (805, 742), (960, 568)
_FIRST_SOURCE = (1115, 503)
_APPLY = (1129, 679)
_ANSWER = (1010, 340, 1420, 500)
_IDLE: Color = (102, 217, 102)
_DISABLED: Color = (153, 153, 153)
_LINK: Color = (26, 156, 194)
_HIGHLIGHT: Color = (255, 255, 0)
_GHOST: Color = (33, 102, 120)


@pytest.fixture(scope="module")
def release(godot: Godot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Arrow's users download, with Fletcher installed by its command."""
    folder = tmp_path_factory.mktemp("release")
    subprocess.run([godot.program.parent / "release", godot.checkout, folder], check=True, stdout=subprocess.DEVNULL)
    home = tmp_path_factory.mktemp("home")
    environment = os.environ | {"HOME": str(home)}
    subprocess.run([sys.executable, "-m", "fletcher", "arrow", "install", folder], env=environment, check=True)
    override = folder / "override.cfg"  # the program sees this machine's files under a prefix
    override.write_text(override.read_text("utf-8").replace('main_scene="', f'main_scene="{godot.prefix}'), "utf-8")
    client = home / ".fletcher" / "arrow" / "client.txt"
    client.write_text(godot.prefix + client.read_text("utf-8"), "utf-8")
    return folder


@pytest.fixture
def window(godot: Godot, release: Path, tmp_path: Path) -> Generator[Window]:
    """The sample project open in Arrow, its documents at the server."""
    work = tmp_path / "work"
    work.mkdir()
    shutil.copy(_SAMPLE / "inland-light.arrow", work)
    listed = {"projects": {"0": {"title": _TITLE, "filename": "inland-light"}}, "next_project_seed": 1}
    (work / ".arrow.project").write_text(json.dumps(listed | {"arrow_editor_version": "3.1.0"}), "utf-8")
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patched:
        url = stack.enter_context(running_server(tmp_path / "data", FLETCHER_MODEL="local"))
        _upload(url, godot.seen(work / "inland-light.arrow"))
        patched.setenv("FLETCHER_URL", url)
        patched.setenv("XDG_DATA_HOME", godot.seen(tmp_path / "home"))
        opened = stack.enter_context(shown(godot.program.parent, release / "arrow", tmp_path, work))
        opened.fill_screen()
        opened.until(lambda picture: count(picture, _DISABLED, _DOT) > 2, "the panel, waiting for a project")
        for place in (_PROJECT, _OPEN, _ANYWAY):
            opened.click(*place)
        opened.until(_is_idle, "the panel, ready")
        opened.press("ctrl+p")  # the inspector away
        yield opened


def _upload(url: str, project: str) -> None:
    key = f"inland-light-{hashlib.sha256(project.encode()).hexdigest()[:12]}"
    files = [("files", (path.name, path.read_bytes())) for path in sorted((_SAMPLE / "documents").iterdir())]
    httpx.post(f"{url}/projects/{key}/corpus", files=files, timeout=120).raise_for_status()


def _is_idle(picture: pymupdf.Pixmap) -> bool:
    return count(picture, _IDLE, _DOT) > 2


def _is_highlighted(picture: pymupdf.Pixmap) -> bool:
    return count(picture, _HIGHLIGHT, _GRID) > 50


def _has_ghosts(picture: pymupdf.Pixmap) -> bool:
    return count(picture, _GHOST, _GRID) > 50


def test_a_citation_shows_its_page_and_a_previewed_scene_is_applied_and_taken_back(
    window: Window, tmp_path: Path
) -> None:
    project = tmp_path / "work" / "inland-light.arrow"
    window.write("What do the night carters steer by?")
    window.press("Return")
    window.until(lambda picture: count(picture, _LINK, _ANSWER) > 1, "the answer with its citation")
    window.until(_is_idle, "the end of the turn")
    window.click(*_FIRST_SOURCE)
    window.until(_is_highlighted, "the page with the passage highlighted")
    window.picture("citation")
    window.press("Escape")

    before = project.read_bytes()
    window.write('Build a scene from the dialogue "Supper on a Slant" in the documents')
    window.press("ctrl+Return")
    window.until(_has_ghosts, "ghosts of the new nodes")
    window.picture("preview")
    assert b"Supper on a Slant" not in project.read_bytes()

    window.click(*_APPLY)
    window.until(lambda _: b"Supper on a Slant" in project.read_bytes(), "the scene in the file")
    window.until(_is_idle, "the end of the turn")
    assert not _has_ghosts(window.picture("applied"))

    window.press("ctrl+alt+z")
    window.until(lambda _: project.read_bytes() == before, "the file as it was before the turn")
    window.picture("taken-back")
    assert "SCRIPT ERROR" not in (tmp_path / "output.txt").read_text("utf-8", "replace")
