"""What a client answers to a question that is no answer: its words may be its user's."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.server.house import House

_DELETE = {"operations": [{"function": "delete_node", "arguments": {"node_id": 2}}], "story": "story.arrow"}
_WORDS = "what the user wrote"


@pytest.mark.parametrize(
    "said",
    [
        {"result": {"action": _WORDS}},
        {"result": {"action": "accept", "content": {"answer": {"deep": _WORDS}}}},
        {"error": {"code": -1, "message": _WORDS}},
    ],
    ids=["no action", "no text", "an error"],
)
async def test_it_is_as_a_closed_window(
    home: House, folder: Path, said: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """By hand, as no SDK's client sends the like."""
    (story := folder / "story.arrow").write_text(story_text(), "utf-8")
    before = story.read_bytes()
    headers = {"Accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(base_url=home.url, headers=headers, timeout=PATIENCE_S, trust_env=False) as client:

        def message(**fields: Any) -> dict[str, Any]:
            return {"url": "/mcp", "json": {"jsonrpc": "2.0", **fields}}

        who = {"capabilities": {"elicitation": {}}, "clientInfo": {"name": "scribe", "version": "1"}}
        begun = await client.post(**message(id=0, method="initialize", params={"protocolVersion": "2025-06-18", **who}))
        client.headers.update({"mcp-session-id": begun.headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"})
        await client.post(**message(method="notifications/initialized"))
        call = message(id=1, method="tools/call", params={"name": "apply_operations", "arguments": _DELETE})
        heard: list[dict[str, Any]] = []
        async with client.stream("POST", **call) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data: {"):
                    heard.append(json.loads(line.removeprefix("data: ")))
                    if heard[-1].get("method") == "elicitation/create":
                        await client.post(**message(id=heard[-1]["id"], **said))

    assert heard[-1]["result"]["structuredContent"]["error"]["code"] == "NOT_ANSWERED"
    assert story.read_bytes() == before
    assert _WORDS not in caplog.text
    assert "unexpectedly" not in caplog.text
