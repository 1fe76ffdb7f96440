"""The requests of one answer to a model's provider: streamed, sent again where it was busy, counted."""

import asyncio
import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import ContentFilterError, ModelAPIError, ModelConnectionError, UsageLimitExceeded
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from agent.models.failures import AnswerBrokenOff
from agent.models.keys import without_keys
from agent.models.retries import PASSING_ERRORS, Retries
from agent.prompt.quoting import encodable
from agent.turn.events import EventSink, TextChunk, TextFinished, Usage

logger = logging.getLogger(__name__)

# Requests to a provider cost money: a model that goes in circles is stopped.
_MAX_REQUESTS = 60
_SETTINGS = ModelSettings(max_tokens=8192, cache=True)
# A shorter wait is over before anybody wonders.
_TOLD_WAIT_S = 2.0
# A provider whose stream does not end is not waited for; a small machine needs as long for so many tokens.
_LONGEST_S = 1800.0
_MOST_TOKENS = 10**9  # of one request: a provider may say any number
# What pydantic-ai says of an OpenAI stream without its last piece; it has no class of its own for that.
_ENDED_EARLY = "without a `finish_reason`"


class Requests:
    """Asks a model, time and again.

    Args:
        model: The model.
        parameters: Its instructions and tools, the same for every request.
        retries: What happens when the provider is busy.
        tell: Hears the text as it comes.

    Attributes:
        model_s: How long the model has taken so far, in seconds.
    """

    def __init__(self, model: Model, parameters: ModelRequestParameters, retries: Retries, tell: EventSink) -> None:
        self._model = model
        self._parameters = parameters
        self._retries = retries
        self._tell = tell
        self._counted = RunUsage()
        self._has_spoken = False  # in the request under way
        self.model_s = 0.0

    @property
    def usage(self) -> Usage:
        """What it has cost so far."""
        counted = self._counted
        cost = None if counted.cost is None else float(counted.cost)
        return Usage(counted.requests, counted.input_tokens, counted.output_tokens, cost)

    async def send(self, messages: list[ModelMessage]) -> ModelResponse:
        """The model's whole response; what met a busy provider is sent again, the very same.

        Raises:
            AgentRunError: The model could not be used, or not to the end.
        """
        if self._counted.requests >= _MAX_REQUESTS:
            raise UsageLimitExceeded(f"The answer has taken {_MAX_REQUESTS} requests.")
        failures = 0
        while True:
            try:
                response = await self._streamed(messages)
            except PASSING_ERRORS as error:
                failures += 1
                await self._wait_after(error, failures)
            else:
                self._count(response)
                _require_whole(response)
                return response

    async def _streamed(self, messages: list[ModelMessage]) -> ModelResponse:
        self._has_spoken = False
        clean = _Characters()
        started = time.monotonic()
        limit = asyncio.timeout(_LONGEST_S)
        try:
            async with (
                limit,
                model_request_stream(
                    self._model, messages, model_settings=_SETTINGS, model_request_parameters=self._parameters
                ) as stream,
            ):
                async for event in stream:
                    text = _text(event)
                    if text is not None:
                        self._has_spoken = True
                        for whole in clean.whole(text):
                            await self._tell(whole)
            return _encodable(stream.get())
        except ModelAPIError as error:
            if _ENDED_EARLY in str(error):
                raise AnswerBrokenOff(str(error)) from error
            raise
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise AnswerBrokenOff(f"The answer had no end after {_LONGEST_S:.0f} seconds.") from error
        finally:
            self.model_s += time.monotonic() - started

    async def _wait_after(self, error: ModelAPIError, failures: int) -> None:
        """Waits until the request may be sent again, or raises what there is to say when it may not be."""
        if self._has_spoken:
            raise AnswerBrokenOff(str(error)) if isinstance(error, ModelConnectionError) else error
        wait_s = self._retries.wait_s(failures, error)
        logger.warning(
            "request %s failed, %s: %s", failures, "given up" if wait_s is None else "again", without_keys(error)
        )
        if wait_s is None:
            raise error
        if wait_s >= _TOLD_WAIT_S:
            await self._tell(TextFinished(f"(The provider is busy. Trying again in {wait_s:.0f} seconds.)"))
        await self._retries.sleep(wait_s)

    def _count(self, response: ModelResponse) -> None:
        for name in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"):
            setattr(response.usage, name, min(getattr(response.usage, name), _MOST_TOKENS))
        response.usage.cost = _cost(response)
        self._counted.requests += 1
        self._counted.incr(response.usage)

    def log(self) -> None:
        """Notes what it has cost."""
        counted = self._counted
        logger.info(
            "model: %s requests, %s input tokens (%s from cache), %s output tokens, %s USD, %.1f s",
            counted.requests,
            counted.input_tokens,
            counted.cache_read_tokens,
            counted.output_tokens,
            "unknown" if counted.cost is None else f"{counted.cost:.4f}",
            self.model_s,
        )


def _cost(response: ModelResponse) -> Decimal | None:
    """US dollars, as the provider or else the list of prices says; None where neither knows."""
    try:
        return response.cost().total_price if response.usage.cost is None else response.usage.cost
    except (LookupError, ValueError):
        return None


def _require_whole(response: ModelResponse) -> None:
    if response.provider_name is not None and response.finish_reason is None:
        raise AnswerBrokenOff("The provider ended the stream before the answer was complete.")
    if response.finish_reason == "content_filter":
        raise ContentFilterError("The provider refused to answer, or to go on.")


class _Characters:
    """Texts of a model, which may have half a character: nothing can be sent that has one."""

    def __init__(self) -> None:
        self._first_half = ""  # its other half may come with the next chunk

    def whole(self, text: TextChunk | TextFinished) -> Iterator[TextChunk | TextFinished]:
        """The text with a mark in place of what never becomes whole."""
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


def _encodable(response: ModelResponse) -> ModelResponse:
    """The response, which is sent back to the provider, with every text of it as it can be."""
    for part in response.parts:
        for name in ("content", "tool_name", "tool_call_id"):
            if isinstance(text := getattr(part, name, None), str):
                setattr(part, name, encodable(text))
    return response


def _text(event: ModelResponseStreamEvent) -> TextChunk | TextFinished | None:
    match event:
        case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return TextChunk(text) if text else None
        case PartEndEvent(part=TextPart(content=text)):
            return TextFinished(text) if text.strip() else None
        case _:
            return None
