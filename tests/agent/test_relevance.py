"""A turn knows whether the documents answer its message, and says so to whoever answers."""

from collections.abc import Callable
from typing import Any

import pytest

from agent import TextFinished
from retrieval import Retriever
from tests.agent.scripted_model import Use
from tests.agent.turn_runner import TurnRunner

FERRY = "Does the ferry cost two crowns?"
SUBMARINE = "Which submarine had zeppelin captains bought?"


async def test_a_model_is_told_with_its_passages_and_with_what_it_searches(runner: TurnRunner) -> None:
    runner.put("harbour.md", "The ferry costs two crowns. Osk mends nets.")
    runner.model.add([Use("search_documents", {"query": SUBMARINE})], ["Yes [1]."])
    runner.model.add(["They do not say."])
    await runner.events(FERRY)
    await runner.events(SUBMARINE + " The net?")
    first, second, third = runner.model.requests
    assert "message: strong" in first.context
    assert second.tool_results[0]["relevance"] == "none"
    assert "probably do not say this" in second.tool_results[0]["remark"]
    assert "message: none" in third.context


async def test_local_does_not_quote_what_only_shares_a_word_with_the_question(runner: TurnRunner) -> None:
    runner.put("harbour.md", "# Harbour\n\nA captain of the ferry is called Osk.")
    runner.is_local = True
    texts = [event for event in await runner.events("Which captain?") if isinstance(event, TextFinished)]
    assert "Osk" in texts[-1].text
    texts = [event for event in await runner.events(SUBMARINE) if isinstance(event, TextFinished)]
    assert "do not seem to answer" in texts[-1].text


async def test_local_searches_for_what_documents_answer_and_for_no_plain_command(
    runner: TurnRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner.put("harbour.md", "# Supper\n\nOSK: The nets are mended.\n\nADA: Then we can eat.")
    runner.is_local = True
    retrieve: Callable[..., Any] = Retriever.retrieve
    searches: list[str] = []

    def listening(retriever: Retriever, key: object, query: str, *others: object) -> Any:
        searches.append(query)
        return retrieve(retriever, key, query, *others)

    monkeypatch.setattr(Retriever, "retrieve", listening)
    for message in ("create a variable silver = 10", "add 1 to silver after node 3", "make it nicer", "help"):
        await runner.events(message)
    assert not searches
    asked = ("What are the nets?", 'build a scene from the dialogue "Supper" in the documents')
    for message in asked:
        await runner.events(message)
    assert searches == list(asked)
