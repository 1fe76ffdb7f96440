"""What users have: a release and a checkout, with the one file that `fletcher arrow install` writes, and without it."""

import json
import os
import queue
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.sync.server import ServerConnection, serve

from fletcher.arrow_editor import find_arrow, install, uninstall
from fletcher.boot_scene import client_folder, keep_boot
from tests.clients.arrow.conftest import TOOLS_FOLDER
from tests.clients.arrow.editor import PATIENCE_S, Godot

_FRAMES = "600"


@contextmanager
def _listening() -> Generator[tuple[str, "queue.Queue[dict[str, str]]"]]:
    """The address of a server that keeps what clients say first."""
    said: queue.Queue[dict[str, str]] = queue.Queue()

    def hear(client: ServerConnection) -> None:
        said.put(json.loads(client.recv()))

    with serve(hear, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.socket.getsockname()[1]}", said
        server.shutdown()


def _opened(godot: Godot, arrow: Path, folder: Path, url: str) -> tuple[int, str]:
    """How Arrow has ended by itself, and what it said."""
    found = find_arrow(arrow)
    start = [str(godot.program), "--path", godot.seen(arrow)]
    if found.program is not None:
        start = [str(TOOLS_FOLDER / "chroot"), godot.seen(found.program)]
    environment = os.environ | {"XDG_DATA_HOME": godot.seen(folder / "data"), "FLETCHER_URL": url}
    command = [*start, "--headless", "--quit-after", _FRAMES, "--config-dir", godot.seen(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE_S, check=False)
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


@pytest.mark.parametrize("kind", ["release", "checkout"])
def test_it_opens_with_fletcher_and_after_uninstall_without(
    kind: str, godot: Godot, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(kind)
    arrow = find_arrow(folder)
    assert (arrow.kind, arrow.version) == (kind, "3.1.0")
    own = "[display]\n\nwindow/size/viewport_width=1111\n"
    arrow.override.write_text(own)
    with _listening() as (url, said):
        scene = keep_boot(tmp_path / "kept", godot.seen(client_folder()))
        install(arrow, godot.seen(scene))
        code, told = _opened(godot, folder, tmp_path, url)
        assert (code, "SCRIPT ERROR" in told) == (0, False), told
        hello = said.get_nowait()
        assert (hello["client"], hello["dialect"]) == ("Arrow 3.1.0", "fletcher")
        while not said.empty():
            said.get()

        uninstall(arrow)
        assert arrow.override.read_text() == own
        code, told = _opened(godot, folder, tmp_path, url)
        assert (code, "dear Arrow-3.1.0 adventurer" in told, said.empty()) == (0, True, True), told


def test_an_arrow_that_is_not_known_opens_as_if_nothing_were_there(
    godot: Godot, checkout: Path, tmp_path: Path
) -> None:
    arrow = find_arrow(checkout)
    install(arrow, godot.seen(keep_boot(tmp_path / "kept", godot.seen(client_folder()))))
    settings = checkout / "scripts" / "settings.gd"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace('ARROW_VERSION = "3.1.0"', 'ARROW_VERSION = "4.0.0"'), encoding="utf-8")
    try:
        with _listening() as (url, said):
            code, told = _opened(godot, checkout, tmp_path, url)
            assert (code, said.empty(), "SCRIPT ERROR" in told) == (0, True, False), told
            assert [line for line in told.splitlines() if "Fletcher" in line] == [
                "Fletcher: Arrow 4.0.0 is not known (3.x is); Arrow opens without Fletcher."
            ]
    finally:
        settings.write_text(text, encoding="utf-8")
        uninstall(arrow)


@pytest.mark.parametrize("kind", ["release", "checkout"])
def test_arrow_opens_when_fletcher_itself_has_been_removed(
    kind: str, godot: Godot, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(kind)
    arrow = find_arrow(folder)
    install(arrow, godot.seen(keep_boot(tmp_path / "kept", "/removed/clients/arrow")))
    try:
        with _listening() as (url, said):
            code, told = _opened(godot, folder, tmp_path, url)
        assert (code, said.empty(), "SCRIPT ERROR" in told) == (0, True, False), told
        assert "dear Arrow-3.1.0 adventurer" in told
        assert [line for line in told.splitlines() if "Fletcher" in line] == [
            "Fletcher: there is none in /removed/clients/arrow any more; Arrow opens without Fletcher."
        ]
    finally:
        uninstall(arrow)
