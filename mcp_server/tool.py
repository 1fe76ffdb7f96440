"""A tool: what an assistant is told of it, what it is called with, and what it answers."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.validators import extend
from mcp.server.context import ServerRequestContext
from mcp.types import CallToolRequestParams, InputRequiredResult, ToolAnnotations
from propcache import cached_property

from agent import MATERIAL, inert, quoted_lines
from mcp_server.caller import Caller
from mcp_server.pictures import Picture
from mcp_server.story_files import StoryFiles
from server import Services

_PROBLEMS_TOLD = 3
_LONGEST_PROBLEM = 300
_LONGEST_REFUSAL = 2_000
# Clients take one message of a megabyte, in which a character of the text has up to six bytes, and both are.
_LONGEST_TEXT = 100_000
_MOST_BYTES = 300_000


class ToolError(Exception):
    """A call that was refused; the message names the thing, the rule and the remedy."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class AssistantCall:
    """One call of a tool.

    Attributes:
        context: The SDK's; for progress and questions.
        params: As the client has sent them.
        arguments: They fit the tool's schema.
    """

    context: ServerRequestContext[Any, Any]
    params: CallToolRequestParams
    caller: Caller
    services: Services
    files: StoryFiles
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class ToolAnswer:
    """What a tool answers, which is cut where a client would not take it.

    Attributes:
        fields: For programs.
        text: The same for a model to read; the fields as JSON where it is empty.
        quotes: Whether it quotes documents or a story, which is then said first of all.
        picture: A picture.
    """

    fields: dict[str, Any]
    text: str = ""
    quotes: bool = True
    picture: Picture | None = None

    def shown(self) -> str:
        """What a model reads."""
        text = self.text or json.dumps(self._fields, ensure_ascii=False)
        if not self.quotes:
            return beginning(text)
        # Within JSON, too, there may be characters that some take for the end of a line.
        return beginning(f"{MATERIAL}\n{self.text or quoted_lines(text)}")

    def structured(self) -> dict[str, Any]:
        """What a program reads."""
        return {"note": MATERIAL, **self._fields} if self.quotes else self._fields

    @cached_property
    def _fields(self) -> dict[str, Any]:
        most = _MOST_BYTES
        while _bytes(shown := _cut(self.fields, most)) > _MOST_BYTES:
            most //= 2
        if shown == self.fields:
            return shown
        return {"cut": f"Of a longer text here are {most:,} characters, and of a longer list as many entries.", **shown}


Run = Callable[[AssistantCall], Awaitable[ToolAnswer | InputRequiredResult]]

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False)


@dataclass(frozen=True)
class Tool:
    """A tool by its name; `parameters` is a closed JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]
    run: Run
    annotations: ToolAnnotations = field(default_factory=lambda: READS)

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Raises `ToolError` where the arguments do not fit."""
        found: Any = self._validator.iter_errors(dict(arguments))
        problems = [_problem(error) for error in islice(found, _PROBLEMS_TOLD)]
        if problems:
            known = ", ".join(self.parameters["properties"])
            raise ToolError("INVALID_ARGUMENTS", f"{self.name}: {'; '.join(problems)}. It takes: {known or 'nothing'}.")

    @cached_property
    def _validator(self) -> Any:
        return _Validator(self.parameters)


def closed(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    """The schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def beginning(text: str) -> str:
    """As much of what is shown as a client takes; how much more there is, is said."""
    left_out = len(text) - _LONGEST_TEXT
    return text if left_out <= 0 else f"{text[:_LONGEST_TEXT]}\n(It goes on: {left_out:,} more characters.)"


def refusal(message: str) -> str:
    """What is said of a refusal: one line, as it may quote what somebody has written, however long that is."""
    message = " ".join(message.splitlines())
    return inert(message if len(message) <= _LONGEST_REFUSAL else f"{message[:_LONGEST_REFUSAL]} …")


def _cut(value: Any, most: int) -> Any:
    """A JSON value in which no text, list or object is longer."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {name: _cut(one, most) for name, one in islice(items, most)}
    if isinstance(value, list):
        return [_cut(one, most) for one in cast("list[Any]", value)[:most]]
    return value[:most] if isinstance(value, str) else value


def _bytes(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode(errors="replace"))


def _items(validator: Any, items: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Of a list that is too long nothing else is said: it takes long to look at all that it has."""
    if not isinstance(instance, list) or len(instance) <= schema.get("maxItems", len(instance)):
        yield from Draft202012Validator.VALIDATORS["items"](validator, items, instance, schema)


_Validator: Any = extend(Draft202012Validator, {"items": _items})


def _problem(error: Any) -> str:
    place = ".".join(str(part) for part in error.absolute_path)
    is_long = error.validator == "maxItems"  # all of the list would be said first
    said = f"it has more than {error.validator_value} items" if is_long else str(error.message)
    return (f"{place}: " if place else "") + (said if len(said) <= _LONGEST_PROBLEM else said[:_LONGEST_PROBLEM] + "…")
