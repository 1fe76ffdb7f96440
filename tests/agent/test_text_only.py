"""Turns while the vectors are away: they go on, and say what that means."""

import pytest

from agent import InMemoryEditor, OperationFinished, TextFinished
from retrieval import VectorStore, VectorStoreUnavailable
from tests.agent.scripted_model import Use
from tests.agent.story import story
from tests.agent.turn_runner import TurnRunner

_OWN_WORDS = "by their own words only"


@pytest.fixture
def away(runner: TurnRunner, monkeypatch: pytest.MonkeyPatch) -> TurnRunner:
    def refuse(*_: object) -> None:
        raise VectorStoreUnavailable("It is away.")

    runner.put("lighthouse.md", "The lighthouse keeper is called Osk.")
    monkeypatch.setattr(VectorStore, "query", refuse)
    return runner


def _said(events: list[object]) -> str:
    return "\n".join(event.text for event in events if isinstance(event, TextFinished))


async def test_a_model_is_told_so_with_its_passages_and_with_what_it_searches(away: TurnRunner) -> None:
    away.model.add([Use("search_documents", {"query": "keeper"})], ["Osk [1]."])
    events = await away.events("Who is the lighthouse keeper?")
    first, second = away.model.requests
    assert "called Osk" in first.context
    assert _OWN_WORDS in first.context
    assert "words of the query only" in second.tool_results[0]["remark"]
    assert _said([*events]) == "Osk [1]."


async def test_it_is_not_told_so_otherwise(runner: TurnRunner) -> None:
    runner.put("lighthouse.md", "The lighthouse keeper is called Osk.")
    runner.model.add([Use("search_documents", {"query": "keeper"})], ["Osk [1]."])
    await runner.events("Who is the lighthouse keeper?")
    first, second = runner.model.requests
    assert _OWN_WORDS not in first.context
    assert "words of the query only" not in str(second.tool_results)


async def test_without_a_model_the_answer_says_so_and_an_edit_is_made(away: TurnRunner) -> None:
    away.is_local = True
    said = _said([*await away.events("Who is the lighthouse keeper?")])
    assert "Osk" in said
    assert _OWN_WORDS in said
    editor = InMemoryEditor(story())
    events = await away.events("create a variable silver = 10", editor)
    assert [event.success for event in events if isinstance(event, OperationFinished)] == [True]
    assert "silver" in editor.project.to_text()
    assert _OWN_WORDS not in _said([*events])
