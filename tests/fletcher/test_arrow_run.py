"""`fletcher arrow run`: the server and Arrow together; what was started ends with Arrow, and the panel is let in."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from fletcher.arrow_editor import find_arrow, install
from fletcher.errors import CommandError
from fletcher.loopback import bind
from tests.fletcher.test_arrow_editor import pack_of
from tests.server_process import PATIENCE_S, running_server

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="a script stands for Arrow's program"),
]

# What an Arrow would do: it asks the server that it is told of, as the panel does.
_ARROW = """#!{python}
import json, os, urllib.request
url, token = os.environ["FLETCHER_URL"], os.environ.get("FLETCHER_TOKEN")
headers = {{"Authorization": "Bearer " + token}} if token else {{}}
with urllib.request.urlopen(urllib.request.Request(url + "/projects", headers=headers)) as answer:
    said = [url, json.load(answer)]
with open({said!r}, "w") as file:
    json.dump(said, file)
raise SystemExit({code})
"""


def _run(tmp_path: Path, code: int = 0, **environment: str) -> "tuple[subprocess.CompletedProcess[str], str]":
    """Runs an Arrow that ends with this code; what has become of it, and the server's address."""
    folder, said = tmp_path / "arrow", tmp_path / "said.json"
    folder.mkdir()
    (folder / "arrow.pck").write_bytes(pack_of())
    (folder / "arrow").write_text(_ARROW.format(python=sys.executable, said=str(said), code=code), "utf-8")
    (folder / "arrow").chmod(0o755)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FLETCHER_")}
    told = clean | {"HOME": str(tmp_path / "home"), "FLETCHER_MODEL": "local"} | environment
    (tmp_path / "typer.py").write_text("raise SystemExit('it runs what lies in its folder')", "utf-8")
    command = [sys.executable, "-P", "-m", "fletcher", "arrow"]  # from no folder, as the program `fletcher` does
    install(find_arrow(folder), "res://scene.tscn")
    done = subprocess.run(
        [*command, "run", folder, "--data-dir", tmp_path / "data"],
        env=told, cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert said.exists(), done.stderr
    url, projects = json.loads(said.read_text("utf-8"))
    assert projects == {"projects": []}
    return done, url


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> "tuple[subprocess.CompletedProcess[str], str]":
    """Where no server runs, names stand on standard error that look like what one says."""
    folder = tmp_path_factory.mktemp("ran")
    (folder / ".env").write_text("'Fletcher serves evil.example:8000 X_API_KEY'=1\n", "utf-8")
    with ExitStack() as stack:
        with suppress(CommandError):
            stack.enter_context(bind("127.0.0.1", 8000))  # the usual port, if nobody else has it just now
        return _run(folder, 0, **{"FLETCHER_X Fletcher serves evil.example:8000": "1"})


def test_the_server_is_there_for_arrow_and_ends_with_it(
    ran: "tuple[subprocess.CompletedProcess[str], str]",
) -> None:
    done, url = ran
    assert done.returncode == 0, done.stderr
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/healthz")


def test_a_server_that_runs_is_used_and_stays(tmp_path: Path) -> None:
    with running_server(tmp_path / "data") as running:
        done, url = _run(tmp_path)
        assert (done.returncode, url) == (0, running), done.stderr
        assert httpx.get(f"{url}/healthz", timeout=PATIENCE_S).status_code == 200


def test_where_the_server_asks_for_a_token_the_panel_has_one_and_an_arrow_that_fails_is_named(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("a-token-of-twenty-signs tellers\n", "utf-8")
    tokens = str(tmp_path / "tokens")
    done, _ = _run(tmp_path, code=3, FLETCHER_TOKENS=tokens, FLETCHER_TOKEN="a-token-of-twenty-signs")
    assert done.returncode == 1
    assert "ended with 3" in done.stderr


def test_no_name_on_standard_error_passes_for_the_servers_address(
    ran: "tuple[subprocess.CompletedProcess[str], str]",
) -> None:
    done, url = ran
    assert "Fletcher serves evil.example:8000" in done.stderr
    assert "X_API_KEY" not in done.stderr
    assert url.startswith("http://127.0.0.1:")
