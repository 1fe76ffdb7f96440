"""An assistant of the user's own edits a story in the real Arrow, over MCP."""

from typing import Any

import httpx
import pymupdf

from tests.arrow_project.conform.starts import text_of as start
from tests.clients.arrow.editor import Editor
from tests.mcp_server.assistant import assistant, pictures_of, text_of
from tests.real_client.house import House

_GOLD = {"function": "create_variable", "arguments": {"name": "gold", "type": "num", "initial_value": 10}}
_LINE = {
    "function": "create_insert_node",
    "arguments": {"type": "content", "name": "by_the_assistant", "preset": {"content": "The tide comes in."}},
}


def _chart() -> bytes:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The lighthouse of Skarhavn stands on the northern pier.")
        return pdf.tobytes()


async def test_a_session_from_a_question_to_an_undo(editor: Editor, server: House) -> None:
    editor.open(start("lamp"))
    before, project = editor.file.read_bytes(), editor.call("project", "key")
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=180) as http:
        await http.post(f"/projects/{project}/corpus", files={"files": ("chart.pdf", _chart())})
    seen: dict[str, Any] = {}
    async with assistant(server.url) as scribe:
        (listed,) = (await scribe.ok("list_editors"))["editors"]
        found = await scribe.call("search_documents", query="Where does the lighthouse stand?")
        picture = await scribe.call("page_picture", document="chart.pdf", page=1)
        planned = await scribe.ok("apply_operations", operations=[_GOLD, _LINE], dry_run=True)
        assert editor.file.read_bytes() == before
        since = editor.mark()
        done = await scribe.ok("apply_operations", operations=[_GOLD, _LINE])
        seen["started"], seen["ended"] = editor.wait("turn_started", since), editor.wait("turn_ended", since)
        seen["text"], seen["drawn"] = editor.text, editor.drawn[0]
        undone = await scribe.ok("undo")
        editor.frames()

    assert listed["project"] == project
    assert "northern pier" in text_of(found)
    assert pictures_of(picture)
    assert "gold" in planned["diff"]
    assert done["status"] == "done"
    assert seen["started"] == ["Scribe: 2 operations: create_variable, create_insert_node"]
    assert seen["ended"][0]["changed"]
    assert "The tide comes in." in seen["text"]
    assert done["operations"][1]["result"]["node_id"] in seen["drawn"]
    assert undone["status"] == "done"
    assert editor.file.read_bytes() == before
    assert editor.text.encode() == before
    assert not editor.get("/root/Fletcher", "can_undo")
