"""The tools that read a story: outline, scenes, nodes, its checks."""

from functools import partial
from typing import Any

from agent import READING_TOOLS, TurnContext, in_thread, in_thread_until_cancelled, inert, quoted_lines
from arrow_project import Finding, check, outline
from corpora import printable
from mcp_server.document_tools import ask_reader, with_properties
from mcp_server.stories import Shown
from mcp_server.story_argument import ABOUT, story_of
from mcp_server.tool import AssistantCall, Tool, ToolAnswer, closed

_OUTLINE_CHARACTERS = 24_000
_MOST_FINDINGS = 100


async def outlined(call: AssistantCall) -> ToolAnswer:
    """The outline of the story that the call names."""
    story = await story_of(call)
    async with story.shown() as shown:
        scene_id = call.arguments.get("scene_id", shown.scene_id)
        text = await in_thread(outline, shown.project, scene_id, shown.selected_node_ids, _OUTLINE_CHARACTERS)
    fields = {"story": story.name, "project": story.key.project_id, "outline": inert(text)}
    heading = f"Story {printable(story.name)}, documents of project {story.key.project_id}."
    return ToolAnswer(fields, f"{heading}\n{quoted_lines(text)}")


async def _from_reader(call: AssistantCall) -> ToolAnswer:
    story = await story_of(call)
    async with story.shown() as shown:
        return ToolAnswer(await ask_reader(call, call.params.name, story.key, _context(shown)))


def _context(shown: Shown) -> TurnContext:
    return TurnContext(shown.project, shown.scene_id, shown.selected_node_ids, (), (), ())


async def _checked(call: AssistantCall) -> ToolAnswer:
    story = await story_of(call)
    async with story.shown() as shown:
        findings = await in_thread_until_cancelled(partial(check, shown.project))
    errors = sum(finding.severity == "error" for finding in findings)
    fields: dict[str, Any] = {
        "story": story.name,
        "errors": errors,
        "warnings": len(findings) - errors,
        "findings": [_finding(finding) for finding in findings[:_MOST_FINDINGS]],
    }
    lines = [f"{errors} broken rules, {len(findings) - errors} warnings."]
    lines += [
        quoted_lines(f"{one.severity} {one.rule}, {one.place}: {one.message}") for one in findings[:_MOST_FINDINGS]
    ]
    return ToolAnswer(fields, "\n".join(lines))


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "place": finding.place,
        "message": inert(finding.message),
    }


def _reading(name: str) -> Tool:
    return Tool(name, READING_TOOLS[name].description, with_properties(name, ABOUT), _from_reader)


STORY_TOOLS = (
    Tool(
        "outline",
        "The story with its ids: scenes, nodes and what they say, connections, variables, characters. A long one is "
        "summarised around the open scene, or scene_id.",
        closed({"scene_id": {"type": "integer"}, **ABOUT}),
        outlined,
    ),
    _reading("get_scene"),
    _reading("get_node"),
    _reading("find_nodes"),
    Tool(
        "check_story",
        "What is wrong with the story: rules of Arrow that it breaks, dead ends, what is never reached.",
        closed(ABOUT),
        _checked,
    ),
    _reading("check_continuity"),
)
