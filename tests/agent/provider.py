"""The real SDKs of Anthropic and OpenAI, each against a stub that speaks its provider's streaming format."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from agent import Assistant, Ended, Event, Failed, InMemoryEditor, ModelAnswerer, TextFinished, TurnRequest
from agent.models.providers import provided_model
from agent.models.retries import Retries
from fletcher.loopback import bind, serving
from tests.agent.story import story
from tests.agent.turn_runner import TurnRunner
from tests.end_to_end.messages_api import MessagesApi, Text, ToolUse
from tests.end_to_end.openai_api import ChatCompletionsApi, ResponsesApi

GOLD = ToolUse("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
HELLO = [Text(["Hello", "."])]
KINDS: dict[str, type[MessagesApi]] = {
    "anthropic:claude-sonnet-4-5": MessagesApi,
    "openai-chat:gpt-stub": ChatCompletionsApi,
    "openai:gpt-stub": ResponsesApi,
}


@dataclass
class Asked:
    """A turn's events, the requests that it made, and how long it would have waited."""

    api: MessagesApi
    events: list[Event]
    waits: list[float]
    editor: InMemoryEditor

    @property
    def failure(self) -> str | None:
        return next((event.failure.code for event in self.events if isinstance(event, Failed)), None)

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, TextFinished)]

    @property
    def end(self) -> Ended:
        end = self.events[-1]
        assert isinstance(end, Ended)
        return end


@dataclass
class Provider:
    """A model on its provider's stub."""

    name: str
    runner: TurnRunner
    opened: ExitStack
    monkeypatch: pytest.MonkeyPatch
    waits: list[float] = field(default_factory=list[float])

    @property
    def kind(self) -> type[MessagesApi]:
        return KINDS[self.name]

    async def ask(self, *script: Any, message: str = "Hello?", **fields: Any) -> Asked:
        api = self.kind(script)
        url = self.opened.enter_context(serving(api.app(), 2**20, bind("127.0.0.1", 0)))
        self.monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        self.monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        model = provided_model(self.name)

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        assistant = Assistant(self.runner.retriever, ModelAnswerer(model, self.name, Retries(sleep=sleep)), 12_000)
        editor = InMemoryEditor(story())
        asked: dict[str, Any] = {"key": self.runner.key, "message": message, "project": editor.project}
        request = TurnRequest(**(asked | fields))
        events: list[Event] = []

        async def note(event: Event) -> None:
            events.append(event)

        await assistant.turn(request, editor, self.runner.pendings, note).run()
        return Asked(api, events, self.waits, editor)
