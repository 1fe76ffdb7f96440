"""A model that answers from a script, and keeps what it was asked."""

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import (
    AgentInfo,
    DeltaThinkingCalls,
    DeltaThinkingPart,
    DeltaToolCall,
    DeltaToolCalls,
    FunctionModel,
)

from agent import ModelAnswerer
from agent.models.retries import Retries

PATIENCE_S = 300.0
"""How long a test waits for what must happen before it gives up: only what hangs takes so long."""


@dataclass(frozen=True)
class Use:
    """A tool call; `raw` replaces its arguments with a text that need not be JSON."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    raw: str | None = None


@dataclass(frozen=True)
class Hang:
    """From here on the model says nothing more."""


@dataclass(frozen=True)
class Until:
    """The model says nothing more before that."""

    event: threading.Event


@dataclass(frozen=True)
class Think:
    """Thought that the provider has signed."""

    words: str
    signature: str


Part = str | Use | Think | Hang | Until
Reply = Sequence[Part] | Exception
# A reply may depend on the request that it answers.
Script = Reply | Callable[["Request"], Reply]


@dataclass(frozen=True)
class Request:
    """One request to the model."""

    messages: tuple[ModelMessage, ...]
    tools: tuple[str, ...]
    instructions: str | None

    @property
    def context(self) -> str:
        """What the turn's message stands beside: outline, documents and passages, or an open question."""
        (context,) = [
            text for m in self.messages if isinstance(m, ModelRequest) for text in _texts(m) if _is_ours(text)
        ]
        return context

    @property
    def conversation(self) -> list[tuple[str, list[str]]]:
        """Who said what, the context left out."""
        said: list[tuple[str, list[str]]] = []
        for message in self.messages:
            if isinstance(message, ModelResponse):
                said.append(("assistant", [part.content for part in message.parts if isinstance(part, TextPart)]))
            else:
                said.append(("user", [text for text in _texts(message) if not _is_ours(text)]))
        return said

    @property
    def tool_results(self) -> list[Any]:
        """What the tools answered that the last response called."""
        last = self.messages[-1]
        assert isinstance(last, ModelRequest)
        return [part.content for part in last.parts if isinstance(part, ToolReturnPart)]

    @property
    def everything(self) -> str:
        """Every text of the request, to look for what must be in it or must not."""
        return "\n".join(str(message) for message in self.messages)


class ScriptedModel:
    """Gives one reply of the script to each request, over all turns.

    Attributes:
        requests: What was asked, in order.
        hanging: A reply has come to its `Hang`.
        cancelled: A request was given up before its reply was complete.
        under_way: How many requests are being replied to.
        otherwise: The reply to every request beyond the script; without it such a request is a failure.
    """

    def __init__(self, *script: Script) -> None:
        self._script = deque(script)
        self.otherwise: Script | None = None
        self.requests: list[Request] = []
        self.hanging = threading.Event()
        self.cancelled = threading.Event()
        self.under_way = 0

    def add(self, *script: Script) -> None:
        """More replies, after those that are left."""
        self._script.extend(script)

    @property
    def is_done(self) -> bool:
        """Whether every reply was given."""
        return not self._script

    def answerer(self, retries: Retries | None = None) -> ModelAnswerer:
        """What an assistant has answer."""
        model = FunctionModel(stream_function=self._stream, model_name="scripted")
        return ModelAnswerer(model, "scripted", retries or Retries())

    async def _stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls | DeltaThinkingCalls]:
        names = tuple(tool.name for tool in info.function_tools)
        request = Request(tuple(messages), names, info.instructions)
        self.requests.append(request)
        scripted = self._script.popleft() if self._script else self.otherwise
        assert scripted is not None, "the model was asked more often than the script has replies"
        reply = scripted(request) if callable(scripted) else scripted
        if isinstance(reply, Exception):
            raise reply
        self.under_way += 1
        try:
            async for part in self._parts(reply):
                yield part
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled.set()
            raise
        finally:
            self.under_way -= 1

    async def _parts(self, reply: Sequence[Part]) -> AsyncIterator[str | DeltaToolCalls | DeltaThinkingCalls]:
        for index, part in enumerate(reply):
            match part:
                case Hang():
                    self.hanging.set()
                    await asyncio.Event().wait()
                case Until(event=event):
                    await asyncio.to_thread(event.wait, PATIENCE_S)
                case Use(tool=tool, arguments=arguments, raw=raw):
                    json_args = json.dumps(arguments) if raw is None else raw
                    call_id = f"call_{len(self.requests)}_{index}"
                    yield {index: DeltaToolCall(tool, json_args, tool_call_id=call_id)}
                case Think(words=words, signature=signature):
                    yield {index: DeltaThinkingPart(content=words, signature=signature)}
                case str():
                    yield part


def _texts(request: ModelRequest) -> list[str]:
    texts: list[str] = []
    for part in request.parts:
        if isinstance(part, UserPromptPart):
            texts += (
                [part.content] if isinstance(part.content, str) else [t for t in part.content if isinstance(t, str)]
            )
    return texts


def _is_ours(text: str) -> bool:
    return text.startswith(("<project>", "<question>"))
