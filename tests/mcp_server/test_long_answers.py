"""Whatever a tool answers fits into the megabyte that a client takes: what was done is known to be done."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.types import CallToolRequestParams

from arrow_project import Operation, parse
from mcp_server import tools
from mcp_server.caller import Caller
from mcp_server.tool import AssistantCall, Tool, ToolAnswer, closed
from tests.agent.story import NEXT_ID, story_text
from tests.mcp_server.assistant import ERAS, Era, User, assistant, text_of
from tests.server.house import House

_STORY = "story.arrow"
_DELETE = {"function": "delete_scene", "arguments": {"scene_id": NEXT_ID, "force": True}}
_MOST = 2**20  # of the SDK's own client


@pytest.fixture
def story(folder: Path) -> Path:
    """One with a scene whose deletion is told in more than a client takes."""
    project = parse(story_text())
    project.apply(Operation("create_scene", {"name": "Long"}))
    data = json.loads(project.to_text(), strict=False)
    nodes, scene = data["resources"]["nodes"], data["resources"]["scenes"][str(NEXT_ID)]
    for number in range(1_000, 1_100):
        nodes[str(number)] = nodes["2"] | {"name": f"n{number}" + "n" * 8_000}
        scene["map"][str(number)] = {"offset": [0, 0]}
    for author in data["meta"]["authors"].values():
        author[1] = 2_000
    path = folder / _STORY
    path.write_text(json.dumps(data), "utf-8")
    return path


async def test_a_change_that_takes_long_to_tell_is_known_to_be_done(home: House, story: Path) -> None:
    before = story.read_bytes()
    async with assistant(home.url) as scribe:
        planned = await scribe.call("apply_operations", operations=[_DELETE], dry_run=True, story=_STORY)
        asked = await scribe.call("apply_operations", operations=[_DELETE], story=_STORY)
        assert story.read_bytes() == before
        question = asked.structured_content
        done = await scribe.call("confirm", id=question["id"], words="yes", story=_STORY)
        assert story.read_bytes() != before
        undone = await scribe.call("undo", story=_STORY)
    assert story.read_bytes() == before

    for answer in (planned, asked, done, undone):
        assert not answer.is_error
        assert "more characters.)" in text_of(answer)
        assert answer.structured_content["cut"]
    assert question["id"] in text_of(asked)
    assert question["how"] in text_of(asked)
    assert undone.structured_content["operations"] == [
        {"function": "undo", "success": True, "result": None, "error": None}
    ]


async def test_a_long_list_is_known_to_be_done_and_its_ids_are_told(home: House, folder: Path) -> None:
    data = {"type": "content", "scene_id": 0, "preset": {"content": "word " * 3_200}}
    node = {"function": "create_insert_node", "arguments": data}
    async with assistant(home.url) as scribe:
        done = await scribe.ok("apply_operations", operations=[node] * 50, story=_STORY)

    made = [one["result"]["node_id"] for one in done["operations"]]
    assert len(made) == 50
    nodes = json.loads((folder / _STORY).read_text("utf-8"), strict=False)["resources"]["nodes"]
    assert {str(number) for number in made} <= nodes.keys()


@pytest.mark.parametrize("era", ERAS)
async def test_a_long_question_in_a_window_says_that_it_goes_on(home: House, story: Path, era: Era) -> None:
    user = User(["no"])
    async with assistant(home.url, era, user) as scribe:
        answer = await scribe.ok("apply_operations", operations=[_DELETE], story=_STORY)

    assert answer["status"] == "unchanged"
    assert user.shown[0].endswith("more characters.)")


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "\x01" * 400_000, "more": ["\x01" * 10**5] * 10},
        {"text": '"' * 10**6, "lines": "<a \n" * 200_000},
        {"lists": [[["🗼"] * 50] * 50] * 50},
        {str(number) * 9: "\x85" * 20 for number in range(30_000)},
    ],
    ids=["control characters", "quotation marks", "nested lists", "many names"],
)
@pytest.mark.parametrize("text", ["", "\x01" * 200_000], ids=["as JSON", "as text"])
async def test_whatever_a_tool_answers_fits_into_a_message(
    fields: dict[str, Any], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(_call: AssistantCall) -> ToolAnswer:
        return ToolAnswer(fields, text)

    monkeypatch.setattr(tools, "_BY_NAME", {"long": Tool("long", "", closed({}), run)})
    none: Any = None
    params = CallToolRequestParams(name="long", arguments={})
    result = await tools.called(AssistantCall(none, params, Caller("local"), none, none, {}))

    assert len(result.model_dump_json().encode()) < _MOST - 10_000
    assert "more characters.)" in result.model_dump_json() or not text
    assert "cut" in result.model_dump()["structured_content"]
