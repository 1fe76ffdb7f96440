"""`fletcher arrow run`: a server if none runs, then Arrow, and with Arrow's end the end of what was started."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from fletcher.arrow_editor import find_arrow, install
from tests.fletcher.test_arrow_editor import pack_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the Arrow of this test is a script with a shebang")

# Writes down where it was told that the server is, and what that answers.
_ARROW = """#!{python}
import os, pathlib, sys, urllib.request
url = os.environ["FLETCHER_URL"]
status = urllib.request.urlopen(url + "/healthz", timeout=60).status
pathlib.Path(__file__).with_name("seen.txt").write_text(f"{{url}} {{status}}")
sys.exit({code})
"""


def _arrow(folder: Path, code: int) -> Path:
    folder.mkdir()
    program = folder / "arrow"
    program.write_text(_ARROW.format(python=sys.executable, code=code))
    program.chmod(0o755)
    (folder / "arrow.pck").write_bytes(pack_of("3.1.0"))
    install(find_arrow(folder), "/clients/arrow/boot.tscn")
    return folder


def _run(folder: Path, data_dir: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "fletcher", "arrow", "run", str(folder), "--data-dir", str(data_dir)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FLETCHER_")}
    return subprocess.run(
        command, env=clean, capture_output=True, text=True, timeout=300, check=False, cwd=folder.parent
    )


def test_the_server_is_started_and_ended_with_arrow(tmp_path: Path) -> None:
    folder = _arrow(tmp_path / "arrow", code=0)

    done = _run(folder, tmp_path / "data")

    assert done.returncode == 0, done.stderr
    url, status = (folder / "seen.txt").read_text().split()
    assert status == "200"
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


def test_a_server_that_runs_is_used_and_stays(tmp_path: Path, serve: Callable[..., str]) -> None:
    url = serve(tmp_path / "data")
    folder = _arrow(tmp_path / "arrow", code=3)

    done = _run(folder, tmp_path / "data")

    assert done.returncode == 1
    assert "ended with 3" in done.stderr
    assert (folder / "seen.txt").read_text() == f"{url} 200"
    assert httpx.get(f"{url}/healthz", timeout=300).status_code == 200
