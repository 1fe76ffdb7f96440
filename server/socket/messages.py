"""What clients send: every message of every dialect, flat or inside `data`, leniently read."""

import json
from itertools import islice
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from agent import ConfirmationPolicy, Exchange
from arrow_project import is_within
from server.json_text import JsonError, read_object, refuse_crowded_story, tidy
from server.limits.written import MAX_SELECTED, Name, Parameters, Token, Words, last_exchanges, latest, may_be_id
from server.problems import first_problems

_LONGEST_ERROR, _MOST_OF_ERROR = 1_000, 10
_LONGEST_ID = 64  # characters of a text
# What an editor says of a call is kept until its turn ends, and told: so many characters, of a longer one its ids.
_LONGEST_RESULT, _MOST_TOLD = 20_000, 1_000


class MessageError(Exception):
    """A frame that is no message; the text names the thing, the rule and the remedy."""

    def __init__(self, code: str, message: str, message_type: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        # Of what cannot be read nobody knows what its sender waits for.
        self.starts_turn = code == "INVALID_JSON" or message_type in ("user_message", "confirmation")


def _id_or_none(value: Any) -> Any:
    """Arrow says -1 for none, and its numbers arrive as floats."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value in (-1, "", "-1") else value


def _short_or_none(value: Any) -> Any:
    """Of a text of thousands of digits, making a number takes the square of them."""
    return None if isinstance(value, str) and len(value) > _LONGEST_ID else _id_or_none(value)


def _small_or_none(value: int | None) -> int | None:
    return value if value is not None and may_be_id(value) else None


def _told(value: Any) -> Any:
    """What an editor says of a call; of a long object its short entries, of any other long value the beginning."""
    if is_within(value, _LONGEST_RESULT):
        return value
    if not isinstance(value, dict):
        return _beginning(value)
    fields = islice(cast("dict[str, Any]", value).items(), 20)
    return {name[:_MOST_TOLD]: short for name, one in fields if (short := _beginning(one)) is not None}


def _beginning(value: Any) -> Any:
    """None of a long object."""
    if isinstance(value, str):
        return value[:_MOST_TOLD]
    some = cast("list[Any]", value)[:_MOST_TOLD] if isinstance(value, list) else value
    return some if is_within(some, _LONGEST_RESULT) else None


def _name(value: Any) -> Any:
    """An id that is a text here and may be a number there."""
    value = _id_or_none(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _list(value: Any) -> Any:
    return [] if value in (None, -1) else value


def _exchanges(value: Any) -> list[Exchange]:
    pairs = cast("list[Any]", last_exchanges(value)) if isinstance(value, list) else []
    dicts = [cast("dict[str, Any]", pair) for pair in pairs if isinstance(pair, dict)]
    return latest([Exchange(_text(pair.get("message")), _text(pair.get("output"))) for pair in dicts])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _text_or_none(value: Any) -> str | None:
    """What is no text says nothing: some clients send `false` or `{}` for none."""
    return value if isinstance(value, str) else None


def _filled(value: Any) -> Any:
    return None if value == "" else value


def _texts(value: Any) -> list[str]:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str)]


def _words(value: Any) -> Any:
    """An error in whatever form a client has it; some send `false` for none."""
    if not value:
        return None
    first = _first_of(value)
    return (first if isinstance(first, str) else json.dumps(first, ensure_ascii=False))[:_LONGEST_ERROR]


def _first_of(value: Any, levels: int = 3) -> Any:
    """As much of a value as is told; all of it may be megabytes, which are written in one go."""
    match value:
        case str():
            return value[:_LONGEST_ERROR]
        case dict():
            some = islice(value.items(), _MOST_OF_ERROR if levels else 0)  # pyright: ignore[reportUnknownArgumentType]
            return {name[:_LONGEST_ERROR]: _first_of(one, levels - 1) for name, one in some}
        case list():
            return [_first_of(one, levels - 1) for one in value[: _MOST_OF_ERROR if levels else 0]]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


# A function that the user has named; clients of a chat service say `be_function`.
FUNCTION_NAMES = AliasChoices("function", "be_function")

OptionalId = Annotated[int | None, AfterValidator(_small_or_none), BeforeValidator(_short_or_none)]
OptionalProject = Annotated[Name | None, BeforeValidator(_name)]
# One that is wrong is enough: what is wrong with each of 300,000 would fill the memory.
SelectedNodes = Annotated[list[OptionalId], FailFast(), Field(max_length=MAX_SELECTED), BeforeValidator(_list)]
OptionalText = Annotated[str | None, BeforeValidator(_text_or_none)]
OptionalContent = Annotated[OptionalText, AfterValidator(lambda content: content and tidy(content))]


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore")


class FileSync(_Message):
    """The client's `.arrow` content, which replaces the server's copy."""

    type: Literal["file_sync"]
    request_id: Annotated[Name | None, BeforeValidator(_name)] = None
    project_id: OptionalProject = None
    arrow_content: Annotated[str, AfterValidator(tidy)]
    story_number: OptionalId = None
    current_scene_id: OptionalId = None
    selected_node_ids: SelectedNodes = Field(default_factory=list[int | None])
    confirm: ConfirmationPolicy | None = None


class DesignDocSync(_Message):
    """A design document for the corpus."""

    type: Literal["design_doc_sync"]
    project_id: Annotated[Name, BeforeValidator(_name)]
    file_content: str
    file_name: Annotated[Name, BeforeValidator(_text)] = ""


class UserMessage(_Message):
    """The user's words, and what is open and selected."""

    type: Literal["user_message"]
    message: Words = ""
    history: Annotated[list[Exchange], BeforeValidator(_exchanges)] = Field(default_factory=list[Exchange])
    selected_node_ids: SelectedNodes = Field(default_factory=list[int | None])
    current_scene_id: OptionalId = None
    current_project_id: OptionalProject = None
    arrow_content: OptionalContent = None
    story_number: OptionalId = None
    function: Name | None = Field(default=None, validation_alias=FUNCTION_NAMES)
    function_params: Parameters | None = None
    confirm: ConfirmationPolicy | None = None
    pending_id: Name | None = None
    mode: Literal["apply", "plan"] = "apply"
    enveloped: bool = False

    @property
    def shape(self) -> str:
        """The dialect of a client that sends its messages in this form."""
        if self.enveloped:
            return "envelope"
        return "spec" if self.arrow_content is None else "arrow-ai"


_SUCCESS: TypeAdapter[bool] = TypeAdapter(bool)


Told = Annotated[Any, BeforeValidator(_told)]


class FunctionResult(_Message):
    """What the client's editor did with a function call.

    A field that cannot be read is as good as absent, for else the call would wait for its time-out. A result that does
    not say whether it is a success is one unless it has an error.
    """

    type: Literal["function_result"]
    request_id: Annotated[Name, BeforeValidator(_name)]
    success: bool
    result: Told = None
    error: Annotated[str | None, BeforeValidator(_words)] = None
    arrow_content: OptionalContent = None
    story_number: OptionalId = None
    affected_nodes: Told = None
    referenced_by: Told = None
    used_by: Told = None

    @model_validator(mode="before")
    @classmethod
    def _success_by_the_error(cls, fields: dict[str, Any]) -> dict[str, Any]:
        try:
            _SUCCESS.validate_python(fields.get("success"))
        except ValidationError:
            return fields | {"success": _words(fields.get("error")) is None}
        return fields


class Stop(_Message):
    """Ends the running turn."""

    type: Literal["stop"]


class Hello(_Message):
    """What a client says of itself, before anything else."""

    type: Literal["hello"]
    client: Name | None = None
    dialect: Annotated[Name | None, BeforeValidator(_filled)] = None
    capabilities: Annotated[list[str], BeforeValidator(_texts)] = Field(default_factory=list[str])
    max_frame_bytes: int | None = None
    token: Token | None = None


class Confirmation(_Message):
    """The answer to a question; with `modify`, `message` says what to do instead."""

    type: Literal["confirmation"]
    request_id: Annotated[Name | None, BeforeValidator(_name)] = None
    decision: Literal["yes", "no", "modify"]
    message: Words = ""


ClientMessage = FileSync | DesignDocSync | UserMessage | FunctionResult | Stop | Hello | Confirmation

_MESSAGES: TypeAdapter[ClientMessage] = TypeAdapter(Annotated[ClientMessage, Field(discriminator="type")])
_TYPES = ("file_sync", "design_doc_sync", "user_message", "function_result", "stop", "hello", "confirmation")


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
        refuse_crowded_story(fields.get("arrow_content"), f"{message_type}: arrow_content")
        return _MESSAGES.validate_python(fields)
    except JsonError as error:
        raise MessageError("INVALID_MESSAGE", str(error), message_type) from error
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        problems = first_problems(errors, skip=1)
        raise MessageError("INVALID_MESSAGE", f"{message_type}: {problems}.", message_type) from error


def _fields(text: str) -> dict[str, Any]:
    try:
        outer = read_object(text, "A message")
    except JsonError as error:
        raise MessageError("INVALID_JSON", str(error)) from error
    inner = outer.get("data")
    if not isinstance(inner, dict):
        return {**outer, "enveloped": False}
    return {**outer, **cast("dict[str, Any]", inner), "type": outer.get("type"), "enveloped": True}
