"""A turn knows whether the documents answer its message, and says so to whoever answers."""

from agent import TextFinished
from tests.agent.desk import Desk
from tests.agent.scripted_model import Use

FERRY = "Does the ferry cost two crowns?"
SUBMARINE = "Which submarine had zeppelin captains bought?"


async def test_a_model_is_told_with_its_passages_and_with_what_it_searches(desk: Desk) -> None:
    desk.put("harbour.md", "The ferry costs two crowns. Osk mends nets.")
    desk.model.add([Use("search_documents", {"query": SUBMARINE})], ["Yes [1]."])
    desk.model.add(["They do not say."])
    await desk.events(FERRY)
    await desk.events(SUBMARINE + " The net?")
    first, second, third = desk.model.requests
    assert "message: strong" in first.context
    assert second.tool_results[0]["relevance"] == "none"
    assert "probably do not say this" in second.tool_results[0]["remark"]
    assert "message: none" in third.context


async def test_local_does_not_quote_what_only_shares_a_word_with_the_question(desk: Desk) -> None:
    desk.put("harbour.md", "# Harbour\n\nA captain of the ferry is called Osk.")
    desk.is_local = True
    texts = [event for event in await desk.events("Which captain?") if isinstance(event, TextFinished)]
    assert "Osk" in texts[-1].text
    texts = [event for event in await desk.events(SUBMARINE) if isinstance(event, TextFinished)]
    assert "do not seem to answer" in texts[-1].text
