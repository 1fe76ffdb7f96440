"""A provider's answer to one request, read as it comes: one that cannot be read is its own failure."""

from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from typing import Any, cast

from pydantic_ai._special_tokens import StreamRestorer
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError, UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings

from agent.models.failures import AnswerUnreadable
from agent.models.size import characters, counted, require_answer
from agent.prompt.quoting import encodable
from agent.turn.events import TextChunk, TextFinished

_SETTINGS = ModelSettings(max_tokens=8192, cache=True)
_MOST_TOKENS = 10**9  # of one request: a provider may say any number


class Reading:
    """The answer to one request, read once.

    Attributes:
        response: All of it, from when its texts have ended.
        size: How many characters are in it, likewise.
    """

    response: ModelResponse
    size: int

    def __init__(self, model: Model, messages: list[ModelMessage], parameters: ModelRequestParameters) -> None:
        self._asked = model_request_stream(
            model, messages, model_settings=_SETTINGS, model_request_parameters=parameters
        )
        self._first_half = ""  # of a character, whose other half may come with the next chunk

    async def texts(self) -> AsyncGenerator[TextChunk | TextFinished]:
        """The texts as they come.

        Raises:
            AgentRunError: The model could not be used, or not to the end. Whatever the provider's library, which takes
                what comes as it is, makes of an answer that nobody expects is `AnswerUnreadable`.
        """
        try:
            async with self._asked as stream:
                async for event in _limited(stream):
                    if (text := _text(event)) is not None:
                        for whole in self._whole(text):
                            yield whole
            self.response = _usable(stream.get())
            self.size = characters(self.response.parts)
            require_answer(self.size)
        except Exception as error:
            if isinstance(error, AgentRunError) and type(error) is not UnexpectedModelBehavior:
                raise
            raise AnswerUnreadable(f"{type(error).__name__}: {error}") from error

    def _whole(self, text: TextChunk | TextFinished) -> Iterator[TextChunk | TextFinished]:
        """The text with a mark for each half of a character that never becomes whole, which could not be sent."""
        said, self._first_half = self._first_half, ""
        if isinstance(text, TextFinished):
            if said:
                yield TextChunk(encodable(said))
            yield replace(text, text=encodable(text.text))
            return
        said += text.text
        if "\ud800" <= said[-1:] <= "\udbff":
            said, self._first_half = said[:-1], said[-1]
        if said:
            yield TextChunk(encodable(said))


class _TextsRestorer(StreamRestorer):
    """Takes out of texts only what `prepare_messages` puts into the marks of chat formats.

    Of a call's arguments each character would be looked at on its own, and again with each part: see `tools.read_call`.
    """

    def restore(self, event: ModelResponseStreamEvent) -> ModelResponseStreamEvent:
        match event:
            case PartStartEvent(part=TextPart()) | PartDeltaEvent(delta=TextPartDelta()):
                return super().restore(event)
            case _:
                return event

    def restore_part_so_far(self, index: int, part: Any) -> Any:
        return super().restore_part_so_far(index, part) if isinstance(part, TextPart) else part


def _limited(stream: StreamedResponse) -> StreamedResponse:
    """The stream, which begins with what is counted: all that pydantic-ai does with an event comes after."""
    events = stream._get_event_iterator  # pyright: ignore[reportPrivateUsage]
    cast("Any", stream)._get_event_iterator = lambda: counted(cast("Any", events)())
    parts = stream._parts_manager  # pyright: ignore[reportPrivateUsage]
    if parts.special_token_restorer is not None:
        parts.special_token_restorer = _TextsRestorer()
    return stream


def _text(event: ModelResponseStreamEvent) -> TextChunk | TextFinished | None:
    match event:
        case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return TextChunk(text) if text else None
        case PartEndEvent(part=TextPart(content=text)):
            return TextFinished(text) if text.strip() else None
        case _:
            return None


def _usable(response: ModelResponse) -> ModelResponse:
    """The response, which is counted and sent back to the provider, with what can be counted and sent."""
    for part in response.parts:
        for name in vars(part).keys() & {"content", "tool_name", "tool_call_id"}:
            if isinstance(text := getattr(part, name), str):
                setattr(part, name, encodable(text))
            elif isinstance(part, TextPart | ThinkingPart | ToolCallPart):
                raise TypeError(f"the {name} of a part is no text")
    for name in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"):
        setattr(response.usage, name, min(int(getattr(response.usage, name)), _MOST_TOKENS))
    return response
