"""A turn knows whether the documents answer its message, and says so to whoever answers."""

from agent import TextFinished
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
