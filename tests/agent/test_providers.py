"""The real SDKs of Anthropic and OpenAI, each against a stub that speaks its provider's streaming format."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

from agent import (
    Assistant,
    Ended,
    Event,
    Exchange,
    Failed,
    InMemoryEditor,
    ModelAnswerer,
    OperationFinished,
    TextFinished,
    TurnRequest,
)
from agent.answering.tools import tool_schemas
from agent.models import answer_limit
from agent.models.answer_limit import LimitedAnswers
from agent.models.providers import provided_model
from agent.models.retries import Retries
from arrow_project import ArrowProject, Operation
from fletcher.loopback import bind, serving
from tests.agent.story import story
from tests.agent.turn_runner import TurnRunner
from tests.end_to_end.messages_api import (
    Cut,
    HttpError,
    MessagesApi,
    Reset,
    Stopped,
    StreamError,
    Text,
    ToolUse,
)
from tests.end_to_end.openai_api import ChatCompletionsApi, ResponsesApi

GOLD = ToolUse("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
HELLO = [Text(["Hello", "."])]
AT_ONCE = {"retry-after-ms": "1"}

KINDS: dict[str, type[MessagesApi]] = {
    "anthropic:claude-sonnet-4-5": MessagesApi,
    "openai-chat:gpt-stub": ChatCompletionsApi,
    "openai:gpt-stub": ResponsesApi,
}
LENGTH = {MessagesApi: "max_tokens", ChatCompletionsApi: "length", ResponsesApi: "max_output_tokens"}
REFUSAL = {MessagesApi: "refusal", ChatCompletionsApi: "content_filter", ResponsesApi: "content_filter"}


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


@pytest.fixture(params=KINDS)
def provider(request: pytest.FixtureRequest, runner: TurnRunner, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """Each provider in turn."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    with ExitStack() as opened:
        yield Provider(request.param, runner, opened, monkeypatch)


async def test_text_calls_and_usage(provider: Provider) -> None:
    asked = await provider.ask([Text(["I'll ", "add it."]), GOLD], HELLO)
    assert asked.texts == ["I'll add it.", "Hello."]
    assert "gold" in asked.editor.project.to_text()
    assert asked.end.reason == "done"
    assert asked.end.usage.requests == 2
    assert asked.end.usage.input_tokens == 200
    assert asked.end.usage.output_tokens == 40
    assert "not-a-key" not in asked.api.bodies[0].decode()


async def test_cost_where_the_price_is_known(provider: Provider) -> None:
    asked = await provider.ask(HELLO)
    cost = asked.end.usage.cost_usd
    if provider.name.startswith("anthropic"):
        assert cost == pytest.approx((100 * 3 + 20 * 15) / 1_000_000)
    else:
        assert cost is None, "nobody knows what this model costs"


async def test_each_request_begins_with_the_bytes_of_the_one_before(provider: Provider) -> None:
    provider.runner.put("bible.md", "# People\n\n" + "Elena keeps the lighthouse.\n" * 20)
    search = ToolUse("search_documents", {"query": "lighthouse"})
    asked = await provider.ask([GOLD], [search], [ToolUse("get_node", {"node_id": 2})], HELLO)
    assert len(asked.api.bodies) == 4
    for before, after in pairwise(asked.api.bodies):
        shared = next(at for at, (old, new) in enumerate(zip(before + b"\0", after, strict=False)) if old != new)
        assert shared >= len(before) - 4, "all of the request before, but for the brackets that close it"
        assert shared >= 0.9 * len(after)


def _large_story() -> ArrowProject:
    """72 nodes in a row."""
    project = story()
    for number in range(69):
        line = {"type": "content", "preset": {"content": f"Step {number} of the long way up to the lamp."}}
        project.apply(
            Operation("create_insert_node", line | {"connect_from": {"node_id": max(_nodes(project)), "slot": 0}})
        )
    return project


def _nodes(project: ArrowProject) -> dict[int, Any]:
    return project.data.nodes


def _as_cached(body: bytes) -> str:
    """What a provider's cache compares: the body without the marks that say up to where it is kept."""
    kept = json.loads(body, object_hook=lambda one: {n: v for n, v in one.items() if n != "cache_control"})
    return json.dumps(kept)


async def test_a_turn_begins_with_what_the_turn_before_has_sent(provider: Provider) -> None:
    project = _large_story()
    assert len(_nodes(project)) == 72
    provider.runner.put("bible.md", "# People\n\n" + "Elena keeps the lighthouse.\n" * 20)
    history: list[Exchange] = []
    last = ""
    for number in range(11):
        message = f"What does Elena say at step {number}?"
        look = [ToolUse("get_node", {"node_id": 40 + number})]
        asked = await provider.ask(look, HELLO, message=message, history=tuple(history), project=project.copy())
        first, *_ = bodies = [_as_cached(body) for body in asked.api.bodies]
        if last:
            same_in_both = first.rindex("<project>")  # all before it is instructions, tools and history
            shared = next(at for at, (old, new) in enumerate(zip(last + "\0", first, strict=False)) if old != new)
            assert min(shared, same_in_both) >= 0.9 * same_in_both
        last = bodies[-1]
        history.append(Exchange(message, asked.texts[-1]))


async def test_where_anthropic_reads_its_cache(provider: Provider) -> None:
    if provider.kind is not MessagesApi:
        pytest.skip("the others cache prefixes without being told")
    asked = await provider.ask([GOLD], HELLO)
    for request in asked.api.requests:
        assert request["tools"][-1]["cache_control"]["type"] == "ephemeral"
        assert request["system"][-1]["cache_control"]["type"] == "ephemeral"
        assert request["cache_control"]["type"] == "ephemeral", "the conversation, up to its last block"
        assert json.dumps(request).count("cache_control") <= 4, "Anthropic allows four marks"


async def test_tools_reach_anthropic_as_they_are_written(provider: Provider) -> None:
    if provider.kind is not MessagesApi:
        pytest.skip("the others are told stricter forms")
    asked = await provider.ask(HELLO)
    sent = {tool["name"]: (tool["description"], tool["input_schema"]) for tool in asked.api.requests[0]["tools"]}
    assert sent == tool_schemas()
    assert b'"$schema"' not in asked.api.bodies[0]


@pytest.mark.parametrize(
    "busy",
    [
        HttpError(429, "rate_limit_error", "slow down", AT_ONCE),
        HttpError(529, "overloaded_error", "Overloaded", AT_ONCE),
        HttpError(503, "service_unavailable", "busy", AT_ONCE),
        HttpError(500, "api_error", "oops"),
        Reset(),
        StreamError("overloaded_error", "Overloaded"),
    ],
    ids=lambda busy: str(getattr(busy, "status", type(busy).__name__)),
)
async def test_a_busy_provider_is_asked_the_very_same_again(provider: Provider, busy: Any) -> None:
    asked = await provider.ask([GOLD], busy, busy, HELLO)
    assert asked.texts == ["Hello."]
    assert asked.end.reason == "done"
    assert len(asked.waits) == 2
    assert asked.api.bodies[1] == asked.api.bodies[2] == asked.api.bodies[3]
    assert [event.function for event in asked.events if isinstance(event, OperationFinished)] == ["create_variable"]


async def test_the_wait_that_the_provider_asks_for_is_kept_and_told(provider: Provider) -> None:
    asked = await provider.ask(HttpError(429, "rate_limit_error", "slow down", {"retry-after": "7"}), HELLO)
    assert asked.waits == [7.0]
    assert asked.texts == ["(The provider is busy. Trying again in 7 seconds.)", "Hello."]


async def test_a_wait_that_is_too_long_is_told_at_once(provider: Provider) -> None:
    asked = await provider.ask(HttpError(429, "rate_limit_error", "slow down", {"retry-after": "600"}))
    assert asked.waits == []
    (failed,) = [event.failure for event in asked.events if isinstance(event, Failed)]
    assert failed.code == "MODEL_RATE_LIMIT"
    assert "10 minutes" in failed.message


async def test_patience_ends(provider: Provider) -> None:
    asked = await provider.ask(*[HttpError(529, "overloaded_error", "Overloaded")] * 6)
    assert asked.failure == "MODEL_OVERLOADED"
    assert len(asked.api.bodies) == 6
    assert asked.waits == sorted(asked.waits), "each wait is longer"
    assert asked.end.reason == "error"


ERRORS = [
    (HttpError(401, "authentication_error", "invalid x-api-key"), "MODEL_AUTHENTICATION", "key"),
    (HttpError(403, "permission_error", "no"), "MODEL_AUTHENTICATION", "key"),
    (HttpError(404, "not_found_error", "model: nobody"), "MODEL_NOT_FOUND", "FLETCHER_MODEL"),
    (HttpError(402, "billing_error", "no money"), "MODEL_QUOTA", "billing"),
    (HttpError(400, "invalid_request_error", "what is this?"), "MODEL_REJECTED", "FLETCHER_MODEL"),
]


@pytest.mark.parametrize(("error", "code", "remedy"), ERRORS, ids=lambda value: str(getattr(value, "status", "")))
async def test_what_waiting_does_not_mend_is_said_with_a_remedy(
    provider: Provider, error: HttpError, code: str, remedy: str
) -> None:
    asked = await provider.ask(error)
    (failed,) = [event.failure for event in asked.events if isinstance(event, Failed)]
    assert failed.code == code
    assert remedy in failed.message
    assert "not-a-key" not in failed.message
    assert len(asked.api.bodies) == 1
    assert asked.waits == []


async def test_a_prompt_that_does_not_fit_and_an_account_without_money(provider: Provider) -> None:
    if provider.kind is MessagesApi:
        long = HttpError(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
        poor = HttpError(400, "invalid_request_error", "Your credit balance is too low to access the API")
    else:
        long = HttpError(400, "context_length_exceeded", "maximum context length is 8192 tokens")
        poor = HttpError(429, "insufficient_quota", "You exceeded your current quota")
    assert (await provider.ask(long)).failure == "CONTEXT_TOO_LARGE"
    asked = await provider.ask(poor)
    assert asked.failure == "MODEL_QUOTA"
    assert asked.waits == [], "waiting does not help"


@pytest.mark.parametrize("blocks", [[], [Text(["I would rather "])]], ids=["at once", "in the middle"])
async def test_a_refusal_says_what_to_do(provider: Provider, blocks: list[Text]) -> None:
    asked = await provider.ask(Stopped(blocks, REFUSAL[provider.kind]))
    assert asked.failure == "CONTENT_FILTER"
    assert asked.end.reason == "error"


async def test_an_answer_that_is_cut_at_the_limit_says_so(provider: Provider) -> None:
    asked = await provider.ask(Stopped([Text(["And then"])], LENGTH[provider.kind]))
    assert "limit" in asked.texts[-1]
    asked = await provider.ask(Stopped([], LENGTH[provider.kind]))
    assert asked.failure == "ANSWER_TOO_LONG", "asked again it would come to the same limit"
    half = Stopped([ToolUse("create_variable", {}, raw='{"name": "go')], LENGTH[provider.kind])
    asked = await provider.ask(*[half] * 5)
    assert asked.failure in ("ANSWER_TOO_LONG", "MODEL_MISBEHAVED")
    assert "gold" not in asked.editor.project.to_text()


@pytest.mark.parametrize("properly", [False, True], ids=["reset", "ended"])
@pytest.mark.parametrize("whole", [False, True], ids=["in a block", "after a block"])
async def test_a_stream_that_breaks_off_is_not_a_whole_answer(provider: Provider, properly: bool, whole: bool) -> None:
    asked = await provider.ask(Cut([Text(["The lamp ", "is ", "cold and "])], properly, whole))
    assert asked.failure == "ANSWER_BROKEN_OFF"
    assert asked.end.reason == "error"
    assert len(asked.api.bodies) == 1, "what was shown already would be shown twice"


@pytest.mark.parametrize("whole", [False, True], ids=["in a call", "after a call"])
async def test_a_call_of_a_stream_that_breaks_off_is_not_executed(provider: Provider, whole: bool) -> None:
    asked = await provider.ask(Cut([Text(["So."]), GOLD], properly=True, whole=whole))
    assert asked.failure == "ANSWER_BROKEN_OFF"
    assert "gold" not in asked.editor.project.to_text()


def _arguments_in(body: bytes) -> list[Any]:
    """The arguments of the calls in a request's conversation, read as a provider reads them."""
    found = list[Any]()

    def note(one: dict[str, Any]) -> dict[str, Any]:
        if {"name", "arguments"} <= one.keys():
            found.append(json.loads(one["arguments"]))
        elif one.get("type") == "tool_use":
            found.append(one["input"])
        return one

    json.loads(body, object_hook=note)
    return found


@pytest.mark.parametrize(
    "raw",
    [
        '{"name": "gold"',
        "nonsense",
        "[1, 2]",
        '"gold"',
        "null",
        '{"name": "gold", "name": 3',
        '{"name": "g\\ud83dold", "type": "num"}',
        '{"name": "x", "type": NaN}',
        "",
    ],
)
async def test_arguments_that_are_malformed_are_corrected_or_reported(provider: Provider, raw: str) -> None:
    asked = await provider.ask([ToolUse("create_variable", {}, raw=raw)], [GOLD], HELLO)
    assert asked.failure is None
    assert asked.texts == ["Hello."]
    assert "gold" in asked.editor.project.to_text()
    sent_back = _arguments_in(asked.api.bodies[-1])
    assert len(sent_back) == 2
    assert all(isinstance(arguments, dict) for arguments in sent_back), "a server may read what it has written itself"


def test_nothing_of_the_environment_is_needed_for_a_local_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1234/v1")
    monkeypatch.setenv("VLLM_BASE_URL", "http://127.0.0.1:8001/v1")
    assert provided_model("openai-chat:local-model").model_name == "local-model"
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://127.0.0.1:11434/v1")
    assert provided_model("ollama:llama3.3").model_name == "llama3.3"
    assert provided_model("vllm:Qwen/Qwen3-8B").model_name == "Qwen/Qwen3-8B"


@pytest.mark.parametrize("limit", ["_LONGEST_LINE", "_MOST"])
async def test_an_answer_without_an_end_is_cut_off(
    provider: Provider, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Text(["word " * 60_000] * 2)
    assert (await provider.ask([said])).failure is None
    monkeypatch.setattr(answer_limit, limit, 100_000)
    asked = await provider.ask([said])
    assert asked.failure == "MODEL_MISBEHAVED"
    assert any("sent more than any answer has" in str(event) for event in asked.events)
    assert not asked.waits, "the same would come again"


async def test_a_refusal_without_an_end_is_not_read_to_the_end(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_limit, "_MOST", 10)
    asked = await provider.ask(*[HttpError(400, "invalid_request_error", "no " * 1000)] * 6)
    assert asked.failure == "MODEL_MISBEHAVED"


def test_answers_of_every_provider_that_takes_a_client_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    from pydantic_ai.models.openai import OpenAIChatModel  # not above: whoever collects the tests would load the SDK

    monkeypatch.setenv("OPENROUTER_API_KEY", "k")

    model = provided_model("openrouter:some/model")
    assert isinstance(model, OpenAIChatModel)
    client = model.client._client  # pyright: ignore[reportPrivateUsage]
    assert isinstance(client, LimitedAnswers)
    assert client.timeout.read == 600
