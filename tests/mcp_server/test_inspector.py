"""The official Inspector's command line, where it is installed, over HTTP and over standard input and output."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agent.story import story_text
from tests.end_to_end.conftest import CLEAN_ENVIRONMENT, PATIENCE_S
from tests.server.house import House

_INSPECTOR = os.environ.get("MCP_INSPECTOR") or shutil.which("mcp-inspector")

pytestmark = pytest.mark.skipif(
    _INSPECTOR is None, reason="mcp-inspector (npm: @modelcontextprotocol/inspector) is not on PATH or in MCP_INSPECTOR"
)


def _asked(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [str(_INSPECTOR), "--cli", *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=CLEAN_ENVIRONMENT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _looks_around(*server: str) -> None:
    assert len(_asked(*server, "--method", "tools/list")["tools"]) == 16
    assert len(_asked(*server, "--method", "prompts/list")["prompts"]) == 4
    assert len(_asked(*server, "--method", "resources/templates/list")["resourceTemplates"]) == 3
    called = _asked(*server, "--method", "tools/call", "--tool-name", "outline", "--tool-arg", "story=story.arrow")
    assert "The lamp is cold." in called["structuredContent"]["outline"]


def test_over_http(home: House) -> None:
    _looks_around(f"{home.url}/mcp", "--transport", "http")


def test_over_standard_input_and_output(tmp_path: Path) -> None:
    story = tmp_path / "story.arrow"
    story.write_text(story_text(), "utf-8")
    data = str(tmp_path / "data")
    _looks_around(sys.executable, "-m", "fletcher", "mcp", "--data-dir", data, "--file", str(story))
