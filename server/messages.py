"""What clients send: every message of every dialect, flat or inside `data`, leniently read."""

import json
import math
import re
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from agent import ConfirmationPolicy, Exchange


class MessageError(Exception):
    """A frame that is no message; the text names the thing, the rule and the remedy."""

    def __init__(self, code: str, message: str, message_type: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message_type = message_type


def _id_or_none(value: Any) -> Any:
    """Arrow says -1 for none, and its numbers arrive as floats."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value in (-1, "", "-1") else value


def _project_id(value: Any) -> Any:
    value = _id_or_none(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _list(value: Any) -> Any:
    return [] if value in (None, -1) else value


def _exchanges(value: Any) -> list[Exchange]:
    pairs = cast("list[Any]", value) if isinstance(value, list) else []
    dicts = [cast("dict[str, Any]", pair) for pair in pairs if isinstance(pair, dict)]
    return [Exchange(_text(pair.get("message")), _text(pair.get("output"))) for pair in dicts]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


OptionalId = Annotated[int | None, BeforeValidator(_id_or_none)]
OptionalProject = Annotated[str | None, BeforeValidator(_project_id)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore")


class FileSync(_Message):
    """The client's `.arrow` content, which replaces the server's copy."""

    type: Literal["file_sync"]
    project_id: Annotated[str, BeforeValidator(_project_id)]
    arrow_content: str


class DesignDocSync(_Message):
    """A design document for the corpus."""

    type: Literal["design_doc_sync"]
    project_id: Annotated[str, BeforeValidator(_project_id)]
    file_content: str
    file_name: str = ""


class UserMessage(_Message):
    """The user's words, and what is open and selected."""

    type: Literal["user_message"]
    message: str = ""
    history: Annotated[list[Exchange], BeforeValidator(_exchanges)] = Field(default_factory=list[Exchange])
    selected_node_ids: Annotated[list[OptionalId], BeforeValidator(_list)] = Field(default_factory=list[int | None])
    current_scene_id: OptionalId = None
    current_project_id: OptionalProject = None
    arrow_content: str | None = None
    function: str | None = None
    function_params: dict[str, Any] | None = None
    confirm: ConfirmationPolicy | None = None
    pending_id: str | None = None
    mode: Literal["apply", "plan"] = "apply"


class FunctionResult(_Message):
    """What the client's editor did with a function call."""

    type: Literal["function_result"]
    request_id: str
    success: bool
    result: Any = None
    error: str | None = None
    arrow_content: str | None = None


class Stop(_Message):
    """Ends the running turn."""

    type: Literal["stop"]


ClientMessage = FileSync | DesignDocSync | UserMessage | FunctionResult | Stop

_MESSAGES: TypeAdapter[ClientMessage] = TypeAdapter(Annotated[ClientMessage, Field(discriminator="type")])
_TYPES = ("file_sync", "design_doc_sync", "user_message", "function_result", "stop")


# An escape that may be one half of a character; Python reads it, but nobody can write it as UTF-8 again.
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def decode(text: str) -> ClientMessage:
    """Reads one text frame.

    Raises:
        MessageError: `INVALID_JSON`, `UNKNOWN_MESSAGE_TYPE` or `INVALID_MESSAGE`.
    """
    fields = _fields(text)
    message_type = fields.get("type")
    if message_type not in _TYPES:
        known = ", ".join(_TYPES)
        named = f"{message_type[:40]!r}" if isinstance(message_type, str) else f"of kind {type(message_type).__name__}"
        raise MessageError("UNKNOWN_MESSAGE_TYPE", f"The message type {named} is not known. Known types: {known}.")
    try:
        return _MESSAGES.validate_python(fields)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(str(part) for part in e['loc'][1:])}: {e['msg']}" for e in error.errors())
        raise MessageError("INVALID_MESSAGE", f"{message_type}: {problems}.", str(message_type)) from error


def _fields(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_float=_finite, parse_constant=_finite)
        if _HALF_CHARACTER.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise MessageError(
            "INVALID_JSON", f"A message must be one JSON object, and this is not JSON: {error}."
        ) from error
    if not isinstance(value, dict):
        raise MessageError("INVALID_JSON", f"A message must be one JSON object, and this is a {type(value).__name__}.")
    outer = cast("dict[str, Any]", value)
    inner = outer.get("data")
    return {**outer, **cast("dict[str, Any]", inner), "type": outer.get("type")} if isinstance(inner, dict) else outer


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number[:40]} is not a number that JSON has")
    return value
