"""What a function still needs: the question for it, and the answer to the question."""

import json
import re
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, cast

from agent.questions.variable_type import read_variable_type
from agent.reading.reading_tools import READING_TOOLS
from arrow_project import OPERATIONS, ArrowProject, Operation

_SHOWN = 8
# Functions that take a name instead of the id require one of the two, which a schema's list cannot say.
_BY_NAME = {
    name: f"{name.rsplit('_', 1)[-1]}_id"
    for name, spec in OPERATIONS.items()
    if "by_name" in spec.parameters["properties"]
}
_RENAMED_BY = {f"update_{kind}": {f"{kind}_id", "by_name"} for kind in ("node", "scene", "variable", "character")}
_KINDS = {
    "node_id": "node", "from_node_id": "node", "to_node_id": "node", "from": "node", "to": "node",
    "scene_id": "scene", "variable_id": "variable", "character_id": "character",
}  # fmt: skip
# Nothing is looked at twice: a reply may be as long as a message.
_BLANKS = r"[^\S\n]*+"
# A comma ends a value, and so does a blank before another `name=`; a colon may stand in any text.
_NEXT = r"(?<=\s)(?:%s)\s*+="
_END = rf"{_BLANKS}(?:[,;\n]|$|(?={_NEXT}))"
_PAIR = (
    r"\s*+(?P<name>\w++)\s*+[=:]\s*+"
    rf"(?P<value>(?:\"[^\"]*\"|'[^']*')(?={_END})|(?>(?:(?!{_NEXT})[^,;\n])*)){_END}"
)
_ID = re.compile(r"(?:the\s++)?(?:node|scene|macro|variable|character)?\s*+#?(?P<id>\d{1,18})", re.IGNORECASE)
_MAX_NAME_WORDS, _MAX_TEXT = 4, 200


def schema_of(function: str) -> dict[str, Any]:
    """The JSON schema of a function's parameters, of operations and of what only reads; empty for any other."""
    if function in OPERATIONS:
        return OPERATIONS[function].parameters
    return READING_TOOLS[function].parameters if function in READING_TOOLS else {}


def missing_parameters(operation: Operation) -> tuple[str, ...]:
    """What the operation lacks of what its schema requires; nothing for a function that there is not."""
    given = {name for name, value in operation.arguments.items() if value is not None}
    aliases = OPERATIONS[operation.function].aliases if operation.function in OPERATIONS else {}
    given |= {aliases[name] for name in given & aliases.keys()}
    missing = [name for name in schema_of(operation.function).get("required", ()) if name not in given]
    if given and given <= _RENAMED_BY.get(operation.function, set()):
        return ("name",)  # it would change nothing
    by_id = _BY_NAME.get(operation.function)
    return (by_id, *missing) if by_id is not None and not given & {by_id, "by_name"} else tuple(missing)


def question(project: ArrowProject | None, operation: Operation, problem: str = "") -> str:
    """What the user is asked: what is missing, each with the sensible choices."""
    what = operation.function.replace("_", " ")
    missing = missing_parameters(operation)
    lines = [f"- {name}: {_choices(project, operation, name)}" for name in missing]
    wanted = f"the {missing[0]}" if len(missing) == 1 else ", ".join(f"{name}=…" for name in missing)
    begin = f"{problem}\n" if problem else ""
    return "\n".join([f"{begin}To {what} I still need:", *lines, f"Answer with {wanted}, or no to leave it."])


def _choices(project: ArrowProject | None, operation: Operation, name: str) -> str:
    schema: dict[str, Any] = schema_of(operation.function)["properties"][name]
    kind = _KINDS.get(name)
    if kind is not None and project is not None:
        return _listed(project, kind)
    if "enum" in schema:
        choices = ", ".join(map(str, schema["enum"]))
        is_of_variable = operation.function == "create_variable"
        return f"{choices}; or the value that it begins with, such as 10" if is_of_variable else choices
    return str(schema.get("description") or schema.get("type") or "a value")


def _listed(project: ArrowProject, kind: str) -> str:
    data = project.data
    table = data.table(kind)
    if not table:
        return f"a {kind}; the project has none yet"
    shown = [f"{_called(project, kind, key)} ({key})" for key in list(table)[:_SHOWN]]
    more = f" and {len(table) - _SHOWN} more" if len(table) > _SHOWN else ""
    return f"a {kind}, such as {', '.join(shown)}{more}"


def _called(project: ArrowProject, kind: str, key: int) -> str:
    resource = project.data.table(kind)[key]
    return f"{resource['type']} {resource['name']}" if kind == "node" else str(resource["name"])


def read_parameters(operation: Operation, reply: str) -> Operation | None:
    """The operation with what the reply gives; None when the reply is no answer to the question.

    A reply is a JSON object, `name=value` pairs, or, where one thing is missing, just that. A variable's type may be
    said in other words and with its value, or by the value alone: `number, 10`, `10`.
    """
    missing = missing_parameters(operation)
    properties: Mapping[str, Any] = schema_of(operation.function).get("properties", {})
    given = _json_object(reply) or _pairs(reply, properties)
    if given is None and missing == ("type",) and operation.function == "create_variable":
        given = read_variable_type(reply)
    if given is None and len(missing) == 1 and _may_be(missing[0], properties[missing[0]], reply):
        given = {missing[0]: _reply_value(missing[0], reply, properties[missing[0]])}
    if not given or not given.keys() <= properties.keys():
        return None
    return Operation(operation.function, {**operation.arguments, **given})


def is_a_value(operation: Operation, reply: str) -> bool:
    """Whether a reply needs no reader: JSON, `name=value` pairs, one word, or what stands between quotation marks."""
    words = reply.strip()
    if len(words.split()) == 1 or (words[:1] == words[-1:] and words[:1] in ("'", '"')):
        return True
    properties: Mapping[str, Any] = schema_of(operation.function).get("properties", {})
    if operation.function == "create_variable" and read_variable_type(words) is not None:
        return True
    return (_json_object(reply) or _pairs(reply, properties)) is not None


def read_json(text: str) -> Any:
    """A value of JSON, in which NaN and what is infinite are words; raises `ValueError` or `RecursionError`."""
    return json.loads(text, parse_float=_finite, parse_constant=str)


def _finite(written: str) -> float | str:
    number = float(written)
    return number if isfinite(number) else written


def _json_object(reply: str) -> dict[str, Any] | None:
    try:
        value = read_json(reply)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _pairs(reply: str, properties: Mapping[str, Any]) -> dict[str, Any] | None:
    given: dict[str, Any] = {}
    pair, place, end = re.compile(_PAIR.replace("%s", "|".join(properties))), 0, len(reply.rstrip())
    while place < end:
        found = pair.match(reply, place)
        if found is None or found["name"] not in properties or found.end() == place:
            return {} if given else None  # what begins with a pair is no value by itself
        given[found["name"]] = _value(found["value"], properties[found["name"]])
        place = found.end()
    return given or None


def _may_be(name: str, schema: Mapping[str, Any], reply: str) -> bool:
    """Whether a reply may be the value itself, and not a message about something else."""
    words = reply.strip()
    if not words or words.endswith("?") or words.startswith("/") or "\n" in words:
        return False
    if name in _KINDS or "enum" in schema:
        return "=" not in words and len(words.split()) <= _MAX_NAME_WORDS
    return len(words) <= _MAX_TEXT


def _reply_value(name: str, reply: str, schema: Mapping[str, Any]) -> Any:
    """A reply that is the value itself; an id may be said with its kind: "node 12"."""
    said = _ID.fullmatch(reply.strip()) if name in _KINDS else None
    return int(said["id"]) if said else _value(reply, schema)


def _value(written: str, schema: Mapping[str, Any]) -> Any:
    """The value as the schema wants it: a number where it may be one, and the words otherwise."""
    text = written.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    kinds: Any = schema.get("type", ())
    allowed: Iterable[str] = [kinds] if isinstance(kinds, str) else cast("list[str]", kinds)
    if tuple(allowed) == ("string",):
        return text
    try:
        return read_json(text)
    except (ValueError, RecursionError):
        return text
