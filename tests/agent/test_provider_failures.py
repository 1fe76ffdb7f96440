"""What a provider does instead of answering: each is told apart, and said with its remedy; on the stub of each."""

from typing import Any

import pytest

from agent import Failed, OperationFinished
from agent.models import answer_limit
from agent.models.answer_limit import LimitedAnswers
from agent.models.providers import provided_model
from tests.agent.provider import GOLD, HELLO, Provider
from tests.end_to_end.messages_api import Cut, HttpError, MessagesApi, Reset, Stopped, StreamError, Text, ToolUse
from tests.end_to_end.openai_api import ChatCompletionsApi, ResponsesApi

AT_ONCE = {"retry-after-ms": "1"}
LENGTH = {MessagesApi: "max_tokens", ChatCompletionsApi: "length", ResponsesApi: "max_output_tokens"}
REFUSAL = {MessagesApi: "refusal", ChatCompletionsApi: "content_filter", ResponsesApi: "content_filter"}


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


@pytest.mark.parametrize("limit", ["_LONGEST_EVENT", "_MOST", "_MOST_COPIED"])
async def test_an_answer_without_an_end_is_cut_off(
    provider: Provider, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Text(["word " * 22_000] * 2)
    assert (await provider.ask([said])).failure is None
    monkeypatch.setattr(answer_limit, limit, 100_000)
    asked = await provider.ask([said])
    assert asked.failure == "MODEL_MISBEHAVED"
    assert any("sent more than any answer has" in str(event) for event in asked.events)
    assert not asked.waits, "the same would come again"


@pytest.mark.parametrize("said", [Text(["word " * 30_000] * 2), ToolUse("create_variable", {"name": "x" * 300_000})])
async def test_of_an_answer_no_more_is_read_than_one_may_have(provider: Provider, said: Any) -> None:
    asked = await provider.ask([said])
    assert asked.failure == "MODEL_MISBEHAVED"
    assert any("sent more than any answer has" in str(event) for event in asked.events)


async def test_a_refusal_without_an_end_is_not_read_to_the_end(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_limit, "_LONGEST_EVENT", 10)
    asked = await provider.ask(*[HttpError(400, "invalid_request_error", "no\n\n" * 1000)] * 6)
    assert asked.failure == "MODEL_MISBEHAVED"


def test_answers_of_every_provider_that_takes_a_client_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    from pydantic_ai.models.openai import OpenAIChatModel  # not above: whoever collects the tests would load the SDK

    monkeypatch.setenv("OPENROUTER_API_KEY", "k")

    model = provided_model("openrouter:some/model")
    assert isinstance(model, OpenAIChatModel)
    client = model.client._client  # pyright: ignore[reportPrivateUsage]
    assert isinstance(client, LimitedAnswers)
    assert client.timeout.read == 600
