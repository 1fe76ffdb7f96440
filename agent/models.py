"""The model by its name: any provider of pydantic-ai, or `local`, our planner without one."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import fields
from typing import Any

from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.models.function import (
    AgentInfo,
    DeltaToolCall,
    DeltaToolCalls,
    FunctionModel,
    FunctionStreamedResponse,
)
from pydantic_ai.usage import RequestUsage

from agent.local import Call, Say, Steps, plan
from agent.providers import provided_model
from agent.request import TurnContext
from agent.thread import in_thread

LOCAL = "local"

ModelSource = Callable[[str, TurnContext], Model]


class ModelNotAvailable(Exception):
    """The model cannot be used as configured; the message says what to set."""


def open_model(name: str) -> ModelSource:
    """What makes the model of each turn from its message and context.

    Args:
        name: `local`, or `provider:name` as pydantic-ai spells it, such as `anthropic:claude-sonnet-4-5`.

    Raises:
        ModelNotAvailable: The provider is unknown or its key is missing.
    """
    if name == LOCAL:
        return local_model
    try:
        model = provided_model(name)
    except (UserError, ValueError, ImportError) as error:
        reason = str(error).partition(". ")[0].rstrip(".")
        remedy = "Set FLETCHER_MODEL to provider:name together with that provider's key, or to local."
        raise ModelNotAvailable(f"The model {name!r} cannot be used: {reason}. {remedy}") from error
    return lambda _message, _context: model


def local_model(message: str, context: TurnContext) -> Model:
    """The planner without weights as a model: each request goes on from what the last tool answered."""
    steps = plan(message, context)
    started = False

    async def stream(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        nonlocal started
        answer, started = _last_answer(messages) if started else None, True
        said = False
        while True:
            step = await in_thread(_next, steps, answer)
            if step is None:
                break
            answer = None
            if isinstance(step, Call):
                yield {0: DeltaToolCall(name=step.tool, json_args=json.dumps(step.arguments))}
                return
            yield f"\n\n{step.text}" if said else step.text
            said = True
        if not said:
            yield "Done."

    return _WithoutTokens(stream_function=stream, model_name=LOCAL)


class _WithoutTokens(FunctionModel):
    """A function is no language model: what it says has no tokens, which the library would guess from the words."""

    @asynccontextmanager
    async def request_stream(self, *args: Any, **kwargs: Any) -> AsyncGenerator[StreamedResponse]:
        async with super().request_stream(*args, **kwargs) as response:
            yield _Unmetered(**{one.name: getattr(response, one.name) for one in fields(response) if one.init})


class _Unmetered(FunctionStreamedResponse):
    @property
    def usage(self) -> RequestUsage:
        return RequestUsage()


def _next(steps: Steps[None], answer: dict[str, Any] | None) -> Say | Call | None:
    """The next step of a plan; None at its end."""
    try:
        return steps.send(answer)
    except StopIteration:
        return None


def _last_answer(messages: list[ModelMessage]) -> dict[str, Any]:
    request = messages[-1]
    if isinstance(request, ModelRequest):
        for part in reversed(request.parts):
            if isinstance(part, ToolReturnPart):
                content: Any = part.content
                return (
                    content
                    if isinstance(content, dict)
                    else {"error": {"code": "PARSE_ERROR", "message": str(content)}}
                )
    return {}
