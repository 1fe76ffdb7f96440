"""The official Inspector's command line, where it is installed, over HTTP and over standard input and output."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from tests.agent.story import story_text
from tests.server.house import House
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S

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


_CALLS: tuple[tuple[str, str], ...] = (
    ("list_documents", ""),
    ("add_documents", 'paths=["people.md","chart.pdf"]'),
    ("search_documents", "query=lighthouse"),
    ("read_document", "document=people.md"),
    ("page_picture", "document=chart.pdf page=1"),
    ("outline", ""),
    ("get_scene", "scene_id=0"),
    ("get_node", "node_id=2"),
    ("find_nodes", "text=lamp"),
    ("check_story", ""),
    ("check_continuity", "scene_id=0"),
    ("describe_operation", "function=create_scene"),
    ("apply_operations", 'operations=[{"function":"create_scene","arguments":{"name":"Quay"}}]'),
    ("undo", ""),
    ("list_editors", ""),
)
_OF_STORIES = frozenset(name for name, _ in _CALLS[5:-1]) - {"describe_operation"}


def _looks_around(folder: Path, *server: str) -> None:
    (folder / "people.md").write_text("Elena keeps the lighthouse.", "utf-8")
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The chart of Skarhavn")
        pdf.save(folder / "chart.pdf")
    names = {tool["name"] for tool in _asked(*server, "--method", "tools/list")["tools"]}
    assert names == {name for name, _ in _CALLS} | {"confirm"}
    for name, given in _CALLS[1:] + _CALLS[:1]:
        words = [*given.split(), *(["story=story.arrow"] if name in _OF_STORIES else [])]
        arguments = [part for word in words for part in ("--tool-arg", word)]
        answer = _asked(*server, "--method", "tools/call", "--tool-name", name, *arguments)
        assert not answer.get("isError"), (name, answer)
        assert answer["structuredContent"], name
    unasked = ("--tool-arg", "id=none", "--tool-arg", "words=yes", "--tool-arg", "story=story.arrow")
    refused = _asked(*server, "--method", "tools/call", "--tool-name", "confirm", *unasked)
    assert refused["structuredContent"]["error"]["code"] == "NOT_PENDING"
    prompts = _asked(*server, "--method", "prompts/list")["prompts"]
    assert len(prompts) == 4
    for prompt in prompts:
        given = [part for one in prompt["arguments"] for part in ("--prompt-args", f"{one['name']}=pier")]
        shown = _asked(*server, "--method", "prompts/get", "--prompt-name", prompt["name"], *given)
        assert "pier" in shown["messages"][0]["content"]["text"]
    assert len(_asked(*server, "--method", "resources/templates/list")["resourceTemplates"]) == 3
    for resource in _asked(*server, "--method", "resources/list")["resources"]:
        assert _asked(*server, "--method", "resources/read", "--uri", resource["uri"])["contents"]


def test_over_http(home: House, folder: Path) -> None:
    _looks_around(folder, f"{home.url}/mcp", "--transport", "http")


def test_over_standard_input_and_output(tmp_path: Path) -> None:
    story = tmp_path / "story.arrow"
    story.write_text(story_text(), "utf-8")
    data = str(tmp_path / "data")
    started = ("-m", "fletcher", "mcp", "--data-dir", data, "--project", "1", "--file", str(story))
    _looks_around(tmp_path, sys.executable, *started)
