"""The model's side of a turn: one request after the other until there is nothing left to call."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import cast

from pydantic_ai import Agent, CallToolsNode, ModelRequestNode
from pydantic_ai.exceptions import ContentFilterError, ModelAPIError, ModelConnectionError
from pydantic_ai.messages import (
    AgentStreamEvent,
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.run import AgentRun
from pydantic_ai.usage import RunUsage, UsageLimits

from agent.answering.arguments import json_object
from agent.answering.library_tasks import LibraryTasks
from agent.answering.tools import unknown_tool
from agent.models.failures import AnswerBrokenOff
from agent.models.patience import PASSING_ERRORS, Patience
from agent.turn.events import EventSink, TextChunk, TextFinished, Usage

logger = logging.getLogger(__name__)

# A shorter wait is over before anybody wonders.
_TOLD_WAIT_S = 2.0
# What pydantic-ai says of an OpenAI stream without its last piece; it has no class of its own for that.
_ENDED_EARLY = "without a `finish_reason`"
_CUT = "(The answer was cut at the model's limit. Ask it to go on.)"


class Conversation:
    """Has the agent answer, once.

    Args:
        agent: With its model, instructions and tools.
        request_limit: How many requests it may make.
        patience: What happens when the provider is busy.
        tell: Hears the text as it comes.
        before_calls: Called with the calls of one response before they are made.
        after_calls: Called when all calls of one response have been answered; what it raises ends the answer.
    """

    def __init__(
        self,
        agent: Agent[None, str],
        request_limit: int,
        patience: Patience,
        tell: EventSink,
        before_calls: Callable[[Sequence[ToolCallPart]], None],
        after_calls: Callable[[], None],
    ) -> None:
        self._agent = agent
        self._limits = UsageLimits(request_limit=request_limit)
        self._patience = patience
        self._tell = tell
        self._before_calls = before_calls
        self._after_calls = after_calls
        self._counted = RunUsage()
        self._has_spoken = False  # in the request under way
        self._failures = 0  # in a row
        self.model_s = 0.0

    @property
    def usage(self) -> Usage:
        """What it has cost so far."""
        cost = self._counted.cost
        return Usage(
            self._counted.requests,
            self._counted.input_tokens,
            self._counted.output_tokens,
            None if cost is None else float(cost),
        )

    async def run(self, history: list[ModelMessage], prompt: Sequence[str]) -> None:
        """Asks, and has calls made, until the answer is whole; what met a busy provider is sent again, the very same.

        Raises:
            AgentRunError: The model could not be used, or not to the end.
        """
        messages, said = history, list(prompt) or None
        while True:
            run: AgentRun[None, str] | None = None
            tasks = LibraryTasks()
            try:
                async with self._agent.iter(
                    said,
                    message_history=messages,
                    usage=self._counted,
                    usage_limits=self._limits,
                    capabilities=(tasks,),
                ) as run:
                    async for node in run:
                        await self._step(run, node)
            except PASSING_ERRORS as error:
                wait_s = self._wait_after(error)
                if wait_s is None or run is None:
                    raise
                messages, said = _unanswered(run.all_messages()), None
            else:
                self._log()
                return
            finally:
                await tasks.end()
            if wait_s >= _TOLD_WAIT_S:
                told = f"(The provider is busy. Trying again in {wait_s:.0f} seconds.)"
                await self._tell(TextFinished(told))
            await self._patience.sleep(wait_s)

    async def _step(self, run: AgentRun[None, str], node: object) -> None:
        match node:
            case ModelRequestNode():
                await self._request(run, cast("ModelRequestNode[None, str]", node))
            case CallToolsNode():
                await self._calls(run, cast("CallToolsNode[None, str]", node))
            case _:
                pass

    async def _request(self, run: AgentRun[None, str], node: ModelRequestNode[None, str]) -> None:
        self._has_spoken = False
        for part in node.request.parts:
            if type(part) is ToolReturnPart:
                _mark(part)
        started = time.monotonic()
        try:
            async with node.stream(run.ctx) as stream:
                async for event in stream:
                    for text in _texts(event):
                        self._has_spoken = True
                        await self._tell(text)
        except ModelAPIError as error:
            if _ENDED_EARLY in str(error):
                raise AnswerBrokenOff(str(error)) from error
            raise
        finally:
            self.model_s += time.monotonic() - started
        self._failures = 0

    async def _calls(self, run: AgentRun[None, str], node: CallToolsNode[None, str]) -> None:
        response = node.model_response
        if response.provider_name is not None and response.finish_reason is None:
            raise AnswerBrokenOff("The provider ended the stream before the answer was complete.")
        if response.finish_reason == "content_filter":
            raise ContentFilterError("The provider refused in the middle of the answer.")
        for call in response.tool_calls:
            if isinstance(call.args, str):
                call.args = json_object(call.args)
        self._before_calls(response.tool_calls)
        if response.finish_reason == "length":
            await self._tell(TextFinished(_CUT))
        async with node.stream(run.ctx) as stream:
            async for _ in stream:
                pass
        self._after_calls()

    def _wait_after(self, error: ModelAPIError) -> float | None:
        """Seconds until the request may be sent again; None when it may not be.

        Raises:
            AnswerBrokenOff: The connection broke when part of the answer had been shown already.
        """
        if self._has_spoken:
            if isinstance(error, ModelConnectionError):
                raise AnswerBrokenOff(str(error)) from error
            return None
        self._failures += 1
        wait_s = self._patience.wait_s(self._failures, error)
        logger.warning("request %s failed, %s: %s", self._failures, "given up" if wait_s is None else "again", error)
        return wait_s

    def _log(self) -> None:
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


def _mark(part: ToolReturnPart) -> None:
    """Gives a result the provider's flag for errors if it is one; one of an unknown tool says which there are."""
    if part.retry is not None and part.retry.cause == "unknown_tool":
        part.content = unknown_tool(part.tool_name)
    elif isinstance(part.content, dict) and "error" in part.content:
        part.outcome = "failed"


def _unanswered(messages: list[ModelMessage]) -> list[ModelMessage]:
    """The conversation up to the request that failed, without the beginning of an answer to it."""
    while messages and isinstance(messages[-1], ModelResponse):
        messages = messages[:-1]
    return messages


def _texts(event: AgentStreamEvent) -> list[TextChunk | TextFinished]:
    match event:
        case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return [TextChunk(text)] if text else []
        case PartEndEvent(part=TextPart(content=text)):
            return [TextFinished(text)] if text.strip() else []
        case _:
            return []
