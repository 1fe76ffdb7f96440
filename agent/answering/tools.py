"""The model's tools: the operations of `arrow_project`, and the tools that read."""

import json
from collections.abc import Container, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, cast

from pydantic_ai._special_tokens import restore_special_tokens_in_parts
from pydantic_ai.messages import InstructionPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from pydantic_core import from_json

from agent.answering.function_names import function_named
from agent.prompt.prompt import INSTRUCTIONS
from agent.prompt.quoting import encodable
from agent.reading.reading_tools import READING_TOOLS
from arrow_project import OPERATIONS, Operation

ANSWER_QUESTION = "answer_question"
"""The tool that says what the user's reply to an open question comes to; offered only where there is one."""

_MOST_CALLS = 200
_TOO_MANY = (
    f"This call was not made: the calls of one response are at most {_MOST_CALLS}. Make the others in the next one."
)
_LONGEST_NAME = 64
_DECIDE = (
    "Says which answer the user's message is to the question in <question>, in whatever language or sign. Possible "
    "once, in the first response, before anything else. yes, for words that agree and say nothing else, executes "
    "exactly what was asked about; no drops it; change drops it so that you can make other calls instead. A message "
    "that is no answer needs no call."
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


@cache
def request_parameters(*, answers_question: bool) -> ModelRequestParameters:
    """The instructions and every tool; `answer_question` where a question is open."""
    schemas = tool_schemas() | ({ANSWER_QUESTION: (_DECIDE, _DECISION)} if answers_question else {})
    tools = [
        ToolDefinition(name=name, description=description, parameters_json_schema=schema)
        for name, (description, schema) in schemas.items()
    ]
    return ModelRequestParameters(function_tools=tools, instruction_parts=[InstructionPart(content=INSTRUCTIONS)])


def read_calls(parts: Sequence[ToolCallPart], tools: Container[str]) -> list[Operation | str]:
    """The calls of one response, in order; those that are too many are not done.

    Each is an operation, or what the model is told where it cannot be read.
    """
    for part in parts[_MOST_CALLS:]:
        part.tool_name, part.args = function_named(part.tool_name), {}
    return [*(read_call(part, tools) for part in parts[:_MOST_CALLS]), *[_TOO_MANY] * len(parts[_MOST_CALLS:])]


def read_call(part: ToolCallPart, tools: Container[str]) -> Operation | str:
    """The call that a model has written, or what it is told when that cannot be read.

    `part` goes back to the provider with the conversation, so it gets the function's own name, and arguments that are
    a JSON object, as whatever else there was would break the rest of the turn.
    """
    part.tool_name = function_named(part.tool_name)
    written = _written(part)
    try:
        part.args = _json_object(written)
    except ValueError as error:
        part.args = {"arguments": encodable(written)}
        return f"Nothing was done: the arguments have to be one JSON object ({error})."
    [part.args] = (restored.args_as_dict() for restored in restore_special_tokens_in_parts([part]))
    return Operation(part.tool_name, part.args) if part.tool_name in tools else _unknown(part.tool_name)


def _written(part: ToolCallPart) -> str:
    """The arguments as text, whatever the model has written."""
    written = part.args or {}
    return written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)


def _json_object(written: str) -> dict[str, Any]:
    value: Any = from_json(encodable(written), allow_inf_nan=False)
    if not isinstance(value, dict):
        raise ValueError(f"not {type(value).__name__}")
    json.dumps(value, allow_nan=False)  # 1e999 is JSON, but nothing that could be sent back
    return cast("dict[str, Any]", value)


def _unknown(name: str) -> str:
    """What the model is told of a tool that there is not: which it may have meant, otherwise all."""
    names = tool_schemas()
    meant = get_close_matches(name[:_LONGEST_NAME], names) or sorted(names)
    return f"There is no tool {name[:_LONGEST_NAME]!r}, and nothing was done. Possible: {', '.join(meant)}."


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
