"""The model's tools: the operations of `arrow_project`, and the tools that read."""

from collections.abc import Awaitable, Callable, Mapping
from difflib import get_close_matches
from typing import Any, cast

from pydantic_ai import Tool

from agent.reading.reading_tools import READING_TOOLS
from arrow_project import OPERATIONS

__all__ = [
    "ANSWER_QUESTION",
    "READING_TOOLS",
    "ToolHandler",
    "build_tools",
    "function_named",
    "tool_schemas",
    "unknown_tool",
]

ANSWER_QUESTION = "answer_question"
"""The tool that says what the user's reply to an open question comes to; offered only where there is one."""

ToolHandler = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]

# As the specification's examples call it.
_OTHER_NAMES = {"create_node": "create_insert_node"}
_LONGEST_NAME = 64
_DECIDE = (
    "Says which answer the user's message is to the question in <question>, in whatever language or sign. Possible "
    "once, in the first response, before anything else. yes executes exactly what was asked about; no drops it; change "
    "drops it so that you can make other calls instead. A message that is no answer needs no call."
)
_DECISION = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "enum": ["yes", "no", "change"]},
        "change": {"type": "string", "description": "What the user wants instead, in the user's words."},
    },
    "required": ["decision"],
    "additionalProperties": False,
}


def tool_schemas() -> dict[str, tuple[str, dict[str, Any]]]:
    """Description and strict JSON schema of every tool by its name.

    The same for every turn, whatever the story and the user's selection: a provider's cache begins with the tools.
    """
    operations = {name: (spec.description, _strict(spec.parameters)) for name, spec in OPERATIONS.items()}
    return operations | {name: (tool.description, tool.parameters) for name, tool in READING_TOOLS.items()}


def function_named(name: str) -> str:
    """The name of the function that is meant."""
    return _OTHER_NAMES.get(name, name)


def build_tools(handle: ToolHandler, *, answers_question: bool = False) -> list[Tool[object]]:
    """Every tool, each calling `handle(name, arguments)`; `answer_question` where one is open.

    Editor tools run one after the other: an operation may need what the one before it made.
    """
    schemas = tool_schemas() | ({ANSWER_QUESTION: (_DECIDE, _DECISION)} if answers_question else {})
    return [_tool(name, description, schema, handle) for name, (description, schema) in schemas.items()]


def unknown_tool(name: str) -> str:
    """What the model is told of a tool that there is not: which it may have meant, otherwise all."""
    names = tool_schemas()
    meant = get_close_matches(name[:_LONGEST_NAME], names) or sorted(names)
    return f"There is no tool {name[:_LONGEST_NAME]!r}, and nothing was done. Possible: {', '.join(meant)}."


def _tool(name: str, description: str, schema: dict[str, Any], handle: ToolHandler) -> Tool[object]:
    async def call(**arguments: Any) -> dict[str, Any]:
        return await handle(name, arguments)

    return Tool.from_schema(call, name=name, description=description, json_schema=schema, sequential=True)


def _strict(schema: Any) -> Any:
    """The schema with every object closed that names its properties."""
    if isinstance(schema, list):
        return [_strict(item) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _strict(value) for name, value in cast("dict[str, Any]", schema).items()}
    if isinstance(closed.get("properties"), dict) and "type" in closed:
        closed.setdefault("additionalProperties", False)
    return closed
