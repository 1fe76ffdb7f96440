"""`/create_variable {"name": "gold", "type": "num"}`: a function as the user types it."""

import re
from typing import Any, cast

from agent.answering.function_names import function_named
from agent.questions.parameters import missing_parameters, read_json, read_parameters, schema_of
from agent.reading.reading_tools import READING_TOOLS
from agent.turn.undo import UNDO
from arrow_project import OPERATIONS, Operation

_COMMAND = re.compile(r"/(?P<function>\w+)(?:\s+(?P<arguments>.*))?", re.DOTALL)


def read_slash_command(message: str) -> Operation | None:
    """The function that the message names, with a JSON object, `name=value` pairs or one value behind it.

    A value that may be any of what is missing is left out, so that all of it is asked for; a name comes first.
    None when it is not one, and then it is an ordinary message.
    """
    found = _COMMAND.fullmatch(message.strip())
    function = function_named(found["function"]) if found else None
    if found is None or function not in {*OPERATIONS, *READING_TOOLS, UNDO}:
        return None
    written = found["arguments"] or "{}"
    try:
        arguments = read_json(written)
    except (ValueError, RecursionError):
        return None if written.startswith("{") else _placed(function, written)
    if not isinstance(arguments, dict):
        return _placed(function, written)
    return Operation(function, cast("dict[str, Any]", arguments))


def _placed(function: str, written: str) -> Operation | None:
    bare = Operation(function)
    missing = missing_parameters(bare)
    if len(missing) > 1 and missing[0] == "name" and "=" not in written and not _is_a_choice(function, written):
        return Operation(function, {"name": written.strip().strip("\"'")})
    return read_parameters(bare, written) or (bare if missing_parameters(bare) else None)


def _is_a_choice(function: str, written: str) -> bool:
    """Whether it is one of the values that another parameter takes."""
    properties: dict[str, Any] = schema_of(function).get("properties", {})
    return any(written.strip() in schema.get("enum", ()) for schema in properties.values())
