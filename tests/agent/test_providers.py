"""What the real SDKs of Anthropic and OpenAI send and read, each against a stub that speaks its provider's format."""

import json
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from agent import Exchange
from agent.answering.tools import tool_schemas
from agent.models.providers import provided_model
from arrow_project import ArrowProject, Operation
from tests.agent.provider import GOLD, HELLO, Provider
from tests.agent.story import story
from tests.end_to_end.messages_api import MessagesApi, Text, ToolUse


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


@cache
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
    for number in range(4):
        message = f"What does Elena say at step {number}?"
        look = [ToolUse("get_node", {"node_id": 40 + number})]
        asked = await provider.ask(look, HELLO, message=message, history=tuple(history), project=project.copy())
        first, *_ = bodies = [_as_cached(body) for body in asked.api.bodies]
        if last:
            same_in_both = first.rindex("<project>")  # all before it is instructions, tools and history
            shared = next(at for at, (old, new) in enumerate(zip(last + "\0", first, strict=False)) if old != new)
            assert min(shared, same_in_both) >= 0.9 * same_in_both
            assert all(earlier.message in first and earlier.output in first for earlier in history), "none is left out"
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
