"""Arrow's own folder: the one of a release's program, where `res://` is what is not in its pack, or a checkout."""

from pathlib import Path

import pytest

from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.conftest import TOOLS_FOLDER
from tests.clients.arrow.editor import DRIVER, Godot, running
from tests.clients.arrow.test_named_files import script_in

_START = """#!/bin/bash
# A release knows no project and no scene on its command line.
given=()
while [ $# -gt 0 ]; do
    case "$1" in --path) shift ;; *.tscn) ;; *) given+=("$1") ;; esac
    shift
done
exec {} {} "${{given[@]}}"
"""


@pytest.fixture(scope="module")
def released(godot: Godot, release: Path) -> Godot:
    """Arrow's release, driven as a checkout is."""
    (release / "override.cfg").write_text(f'[application]\nrun/main_scene="{godot.seen(DRIVER)}"\n')
    start = release / "start"
    start.write_text(_START.format(TOOLS_FOLDER / "chroot", godot.seen(release / "arrow")))
    start.chmod(0o755)
    return Godot(start, release)


@pytest.fixture(scope="module")
def worked_on(godot: Godot, checkout: Path) -> Godot:
    return Godot(godot.program, checkout)


def test_no_text_loads_what_lies_beside_the_program(released: Godot, tmp_path: Path) -> None:
    stories = released.checkout / "stories"
    stories.mkdir(exist_ok=True)
    made = tmp_path / "made"
    (stories / "a.tres").write_text(script_in(released.seen(made)))
    (stories / "a.png").touch()
    (stories / "a.png.import").write_text('[remap]\ntype="Resource"\npath="res://stories/a.tres"\n')
    with running(released, tmp_path, "") as editor:
        for name in "res://stories/a.tres", "stories/a.tres", "res://stories/a.png":
            assert editor.ask("load", path=name, kind="Texture2D") == "Resource"
        assert editor.ask("load", path="res://icon.svg", kind="Texture2D") == "CompressedTexture2D"
        assert not made.exists()
        assert editor.ask("load", path="res://stories/a.png", kind="") == "Resource"
        assert made.exists()


@pytest.mark.parametrize("work_folder", ["res://", "stories"])
@pytest.mark.parametrize("kind", ["released", "worked_on"])
def test_stories_in_arrows_own_folder_have_their_whole_path(
    kind: str, work_folder: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Arrow's preferences offer that; two such Arrows with a story of one name are two projects of the server."""
    arrow: Godot = request.getfixturevalue(kind)
    (arrow.checkout / "stories").mkdir(exist_ok=True)
    with running(arrow, tmp_path, "") as editor:
        editor.call("main", "change_local_app_dir_path_preference_in_runtime", work_folder)
        editor.frames(10)
        editor.open(text_of("lamp"), state="offline")
        assert editor.file.parent == arrow.checkout / work_folder.removeprefix("res://")
        assert editor.file.read_text("utf-8") == text_of("lamp")
