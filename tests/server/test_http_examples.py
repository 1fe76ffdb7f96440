"""Every call of docs/http.md, run in order on a real server with the model `local`: its answer has what is shown."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from tests.agent.story import story_text
from tests.server.house import house
from tests.server.test_uploads import pdf

ROOT = Path(__file__).parents[2]
CHAPTER = (ROOT / "docs" / "http.md").read_text("utf-8")
_BLOCK = re.compile(r"^```sh\n(?P<call>.*?)^```$(?:\n\n^```json\n(?P<answer>.*?)^```$)?", re.DOTALL | re.MULTILINE)
_ADDRESS = "http://127.0.0.1:8000"

pytestmark = pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("bash") and shutil.which("python3")), reason="needs a shell with curl"
)


def has_shape(shown: Any, sent: Any) -> bool:
    """Whether all that is shown is sent: the same fields, and values of the same kind."""
    if isinstance(shown, dict):
        fields = cast("dict[str, Any]", shown)
        return isinstance(sent, dict) and all(name in sent and has_shape(fields[name], sent[name]) for name in fields)
    if isinstance(shown, list):
        items = cast("list[Any]", shown)
        return isinstance(sent, list) and (not items or (bool(sent) and has_shape(items[0], sent[0])))
    return isinstance(sent, int | float) if isinstance(shown, int | float) else type(shown) is type(sent)


def test_every_call_does_what_is_shown(tmp_path: Path) -> None:
    here = tmp_path / "here"
    (here / "documents").mkdir(parents=True)
    (here / "bible.md").write_text("# People\n\nElena keeps the lighthouse.\n", "utf-8")
    (here / "map.pdf").write_bytes(pdf("The map of the coast."))
    (here / "story.arrow").write_text(story_text(), "utf-8")
    (here / "documents" / "notes.md").write_text("The ferry is called Bittern.", "utf-8")
    blocks = list(_BLOCK.finditer(CHAPTER))
    assert len(blocks) > 10
    with house(tmp_path / "data", local=True, roots={"local": (here,)}) as home:
        for block in blocks:
            call = (
                block["call"].replace(_ADDRESS, home.url).replace("curl ", "curl -sS --fail-with-body --noproxy '*' ")
            )
            done = subprocess.run(["bash", "-ec", call], cwd=here, capture_output=True, encoding="utf-8", check=False)
            assert done.returncode == 0, call + done.stdout + done.stderr
            if block["answer"]:
                answer = json.loads(done.stdout)
                assert has_shape(json.loads(block["answer"]), answer), f"{call}\n{answer}"
    assert (here / "page.png").read_bytes().startswith(b"\x89PNG")


def test_every_operation_has_its_call(tmp_path: Path) -> None:
    calls = [re.sub(r"[?' ].*", "", call) for call in re.findall(_ADDRESS + r"(/\S*)", CHAPTER)]
    with house(tmp_path) as home, home.http() as http:
        for path in http.get("/openapi.json").json()["paths"]:
            pattern = re.sub(r"\{[^}]*\}", "[^?]+", path)
            assert any(re.fullmatch(pattern, call) for call in calls), path
