"""The model by its name."""

import pytest

from agent import LOCAL, Ended, ModelNotAvailable, Usage, open_answerer
from agent.answering.tools import request_parameters
from agent.reading.reading_tools import READING_TOOLS
from arrow_project import OPERATIONS
from tests.agent.turn_runner import TurnRunner


@pytest.mark.parametrize("name", ["", "gpt", "nobody:model", "anthropic", "anthropic:"])
def test_a_model_that_cannot_be_opened_says_what_to_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    with pytest.raises(ModelNotAvailable, match="FLETCHER_MODEL"):
        open_answerer(name)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("openai:gpt-5", "OPENAI_API_KEY"),
        ("ollama:qwen3", "OLLAMA_BASE_URL"),
    ],
)
def test_a_provider_without_its_key_is_refused_at_the_start(
    name: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(ModelNotAvailable, match=f"as {variable} is not set. Put it into the environment") as refused:
        open_answerer(name)
    assert "Provider(" not in str(refused.value), "that is for whoever writes Python"


def test_a_provider_with_a_key_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    assert open_answerer("anthropic:claude-sonnet-4-5").converses
    assert not open_answerer(LOCAL).converses


async def test_a_model_that_is_loaded_late_says_what_to_set_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    late = open_answerer("anthropic:claude-sonnet-4-5")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(ModelNotAvailable, match="as ANTHROPIC_API_KEY is not set"):
        await late.get_ready()


def test_every_operation_of_the_spec_is_a_tool() -> None:
    tools = request_parameters(answers_question=False).tool_defs
    assert set(READING_TOOLS) <= set(tools)
    assert set(tools) - set(READING_TOOLS) <= set(OPERATIONS)
    assert {"create_insert_node", "update_node", "delete_node", "create_connection", "create_scene"} <= set(tools)
    assert all(tool.description for tool in tools.values())


async def test_the_prompt_is_the_same_for_every_model(runner: TurnRunner) -> None:
    runner.model.add(["Hello."])
    await runner.events("Hello?")
    (request,) = runner.model.requests
    assert request.instructions
    assert request.context.startswith("<project>")


async def test_the_planner_without_weights_costs_nothing(runner: TurnRunner) -> None:
    runner.is_local = True
    (end,) = [event for event in await runner.events("create a variable gold = 10") if isinstance(event, Ended)]
    assert end.usage == Usage()
