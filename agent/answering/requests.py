"""The requests of one answer to a model's provider: streamed, sent again where it was busy, counted."""

import asyncio
import logging
import time
from contextlib import aclosing
from decimal import Decimal

from pydantic_ai.exceptions import ContentFilterError, ModelAPIError, ModelConnectionError, UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.usage import RunUsage

from agent.models.failures import AnswerBrokenOff
from agent.models.keys import without_keys
from agent.models.reading import Reading
from agent.models.retries import PASSING_ERRORS, Retries
from agent.turn.events import EventSink, TextFinished, Usage

logger = logging.getLogger(__name__)

# Requests to a provider cost money: a model that goes in circles is stopped.
_MAX_REQUESTS = 60
# All of them are sent again with each, and kept until the end.
_MOST_CHARACTERS = 2_000_000
# A shorter wait is over before anybody wonders.
_TOLD_WAIT_S = 2.0
# A provider whose stream does not end is not waited for; a small machine needs as long for so many tokens.
_LONGEST_S = 1800.0
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
        self._characters = 0
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
        self.grow(0)
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

    def grow(self, size: int) -> None:
        """Counts so many characters that the model is told, with all that it has answered.

        Raises:
            UsageLimitExceeded: The conversation is longer than a turn takes.
        """
        self._characters += size
        if self._characters > _MOST_CHARACTERS:
            raise UsageLimitExceeded(f"Answers and results have more than {_MOST_CHARACTERS:,} characters together.")

    async def _streamed(self, messages: list[ModelMessage]) -> ModelResponse:
        self._has_spoken = False
        reading = Reading(self._model, messages, self._parameters)
        started = time.monotonic()
        limit = asyncio.timeout(_LONGEST_S)
        try:
            async with limit, aclosing(reading.texts()) as texts:
                async for text in texts:
                    self._has_spoken = True
                    await self._tell(text)
            self._characters += reading.size
            return reading.response
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
    except Exception:  # noqa: BLE001 - what the provider calls its model need not be a name
        return None


def _require_whole(response: ModelResponse) -> None:
    if response.provider_name is not None and response.finish_reason is None:
        raise AnswerBrokenOff("The provider ended the stream before the answer was complete.")
    if response.finish_reason == "content_filter":
        raise ContentFilterError("The provider refused to answer, or to go on.")
