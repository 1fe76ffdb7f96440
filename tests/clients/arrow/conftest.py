"""Godot, a checkout of Arrow, the server, and Arrow with Fletcher in it."""

import os
import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.arrow_project.conform.oracle import Oracle
from tests.clients.arrow.editor import Editor, Godot, running
from tests.real_client import TOOLS
from tests.real_client.house import House, house

TOOLS_FOLDER = Path(os.environ.get("ARROW_ORACLE", TOOLS))


@pytest.fixture(scope="session")
def godot() -> Godot:
    if "ARROW_CHECKOUT" not in os.environ:
        pytest.skip("ARROW_CHECKOUT does not name a work tree of Arrow")
    checkout = Path(os.environ["ARROW_CHECKOUT"]).resolve()
    if reason := Oracle.missing(TOOLS_FOLDER, checkout):
        pytest.skip(reason)
    Oracle(TOOLS_FOLDER / "godot", TOOLS_FOLDER / "oracle.gd", checkout).prepare()
    return Godot(TOOLS_FOLDER / "godot", checkout)


@pytest.fixture(scope="module")
def release(godot: Godot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Arrow's users download."""
    if not (TOOLS_FOLDER / "release").exists():
        pytest.skip(f"what makes a release is not at {TOOLS_FOLDER / 'release'}")
    folder = tmp_path_factory.mktemp("release")
    subprocess.run([TOOLS_FOLDER / "release", godot.checkout, folder], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def checkout(godot: Godot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A work tree of our own, as files are written into it."""
    folder = tmp_path_factory.mktemp("checkout") / "arrow"
    shutil.copytree(godot.checkout, folder, ignore=shutil.ignore_patterns(".git", "override.cfg"))
    return folder


@pytest.fixture(scope="session")
def server(godot: Godot, tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    """One server for all; it needs Godot because without it nothing has to be started."""
    with house(tmp_path_factory.mktemp("arrow") / "data") as opened:
        yield opened


@pytest.fixture(scope="module")
def _arrow(godot: Godot, server: House, tmp_path_factory: pytest.TempPathFactory) -> Generator[Editor]:  # pyright: ignore[reportUnusedFunction]
    with running(godot, tmp_path_factory.mktemp("editor"), server.url) as arrow:
        yield arrow


@pytest.fixture
def editor(_arrow: Editor) -> Generator[Editor]:
    """Arrow, connected; one for all tests of a module, of which each opens a project of its own."""
    seen = len(_arrow.errors())
    yield _arrow
    _arrow.wait_state("idle", "disabled")
    assert _arrow.errors()[seen:] == []
