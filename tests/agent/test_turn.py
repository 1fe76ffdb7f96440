"""A turn on the in-memory editor: its events, in order, and what it leaves behind."""

import asyncio

import pytest
from pydantic_ai.messages import ThinkingPart

from agent import (
    Asked,
    Cited,
    Ended,
    Event,
    Exchange,
    Failed,
    InMemoryEditor,
    OperationFinished,
    TextChunk,
    TextFinished,
)
from tests.agent.desk import Desk
from tests.agent.scripted_model import PATIENCE_S, Hang, Think, Use
from tests.agent.story import NEXT_ID, story, story_text

GOLD = Use("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
DELETE = Use("delete_node", {"node_id": 3})


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def operations(events: list[Event]) -> list[tuple[str, bool]]:
    return [(event.function, event.success) for event in events if isinstance(event, OperationFinished)]


async def test_text_comes_in_chunks_and_then_whole(desk: Desk) -> None:
    desk.model.add(["The lamp ", "is ", "cold."])
    events = await desk.events("How is the lamp?")
    assert events[:-1] == [
        TextChunk("The lamp "),
        TextChunk("is "),
        TextChunk("cold."),
        TextFinished("The lamp is cold."),
    ]
    end = events[-1]
    assert isinstance(end, Ended)
    assert end.reason == "done"
    assert end.usage.requests == 1


async def test_text_is_finished_before_the_operation_that_follows_it(desk: Desk) -> None:
    desk.model.add(["I will add gold.", GOLD], ["Done."])
    editor = InMemoryEditor(story())
    events = await desk.events("Add gold.", editor)
    assert kinds(events) == [
        "TextChunk", "TextFinished", "OperationFinished", "TextChunk", "TextFinished", "Suggested", "Ended",
    ]  # fmt: skip
    assert "gold" in editor.project.to_text()
    (result,) = desk.model.requests[1].tool_results
    assert list(result)[:2] == ["material", "variable_id"]
    assert result["variable_id"] == NEXT_ID


async def test_what_the_model_has_thought_goes_back_to_it_and_nowhere_else(desk: Desk) -> None:
    desk.model.add([Think("Gold is a number.", "signed"), GOLD], ["Done."])
    events = await desk.events("Add gold.")
    thought = desk.model.requests[1].messages[-2].parts[0]
    assert isinstance(thought, ThinkingPart)
    assert (thought.content, thought.signature) == ("Gold is a number.", "signed")
    assert "Gold is a number." not in str(events)


async def test_an_operation_is_told_as_soon_as_it_is_done(desk: Desk) -> None:
    desk.model.add([GOLD], ["Half. ", Hang()])
    async with desk.stopped_turn("Add gold.") as events:
        assert isinstance(await events.get(), OperationFinished)
        assert await events.get() == TextChunk("Half. ")
    assert asyncio.all_tasks() == {asyncio.current_task()}, "who stops listening leaves nothing behind"


async def test_a_turn_whose_task_is_cancelled_gives_its_request_up(desk: Desk) -> None:
    desk.model.add(["Half. ", Hang()])
    running = asyncio.create_task(desk.events("Hello?"))
    assert await asyncio.to_thread(desk.model.hanging.wait, PATIENCE_S)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert desk.model.cancelled.is_set()


async def test_errors_go_to_the_model_which_tries_again(desk: Desk) -> None:
    desk.model.add([Use("create_insert_node", {"type": "dialogue"})], [Use("create_insert_node", {"type": "dialog"})])
    desk.model.add(["Done."])
    events = await desk.events("Add a dialog.")
    assert operations(events) == [("create_insert_node", False), ("create_insert_node", True)]
    (error,) = desk.model.requests[1].tool_results
    assert error["error"]["code"] == "INVALID_NODE_TYPE"
    assert "dialog" in error["error"]["message"]


async def test_a_question_ends_the_turn_and_later_calls_do_not_run(desk: Desk) -> None:
    desk.model.add([GOLD, DELETE, Use("create_character", {"name": "Bram"})])
    editor = InMemoryEditor(story())
    events = await desk.events("Do it all.", editor)
    assert operations(events) == [("create_variable", True)]
    asked, end = events[-2:]
    assert isinstance(asked, Asked)
    assert asked.kind == "confirmation"
    assert isinstance(end, Ended)
    assert end.reason == "question"
    assert "Bram" not in editor.project.to_text()
    assert 3 in editor.project.document.nodes
    pending = desk.pendings.kept[asked.pending_id]
    assert [operation.function for operation in pending.operations] == ["delete_node"]


async def test_yes_no_and_neither(desk: Desk) -> None:
    async def ask() -> str:
        desk.model.add([DELETE])
        asked = (await desk.events("Remove the pier."))[-2]
        assert isinstance(asked, Asked)
        return asked.pending_id

    events = await desk.events("no", pending_id=await ask())
    assert events[0] == TextFinished("Nothing was changed.")
    editor, pending_id = InMemoryEditor(story()), await ask()
    desk.model.add(["It is gone."])
    events = await desk.events("yes", editor, pending_id=pending_id)
    assert operations(events) == [("delete_node", True)]
    assert 3 not in editor.project.document.nodes
    pending_id = await ask()
    desk.model.add(["It is made of wood."])
    events = await desk.events("What is it made of?", pending_id=pending_id)
    assert [event.text for event in events if isinstance(event, TextFinished)] == [
        "It is made of wood.",
        "(The open question is dropped, and nothing of it was done.)",
    ]
    assert desk.pendings.kept == {}


async def test_a_yes_to_nothing_and_a_yes_too_late(desk: Desk) -> None:
    (failed, _) = await desk.events("yes", pending_id="gone")
    assert isinstance(failed, Failed)
    assert failed.failure.code == "NOT_PENDING"
    desk.model.add([DELETE])
    asked = (await desk.events("Remove the pier."))[-2]
    assert isinstance(asked, Asked)
    (failed, end) = await desk.events("yes", project=story("Another"), pending_id=asked.pending_id)
    assert isinstance(failed, Failed)
    assert failed.failure.code == "CONFLICT"
    assert isinstance(end, Ended)
    assert end.reason == "error"


async def test_a_plan_is_tried_on_a_copy(desk: Desk) -> None:
    desk.model.add([GOLD, DELETE], ["That is my plan."])
    editor, project = InMemoryEditor(story()), story()
    events = await desk.events("Plan it.", editor, plan=True, project=project)
    asked = events[-2]
    assert isinstance(asked, Asked)
    assert asked.kind == "plan"
    assert "gold" in asked.text
    assert editor.project.to_text() == project.to_text() == story_text()


async def test_a_function_needs_no_model(desk: Desk) -> None:
    events = await desk.events("", function="create_character", function_params={"name": "Bram"})
    assert operations(events) == [("create_character", True)]
    assert kinds(events)[-1] == "Ended"
    assert not desk.model.requests


async def test_citations_come_before_the_end(desk: Desk) -> None:
    desk.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    desk.model.add(["Elena does [1]. Nobody else [9]."])
    events = await desk.events("Who keeps the lighthouse?")
    cited = events[-2]
    assert isinstance(cited, Cited)
    (citation,) = cited.citations
    assert (citation.number, citation.document, citation.page_from) == (1, "bible.md", None)
    assert citation.text == "Elena keeps the lighthouse."


async def test_history_is_what_the_request_says(desk: Desk) -> None:
    desk.model.add(["Third."])
    await desk.events("Third?", history=(Exchange("First?", "First."), Exchange("Second?", "Second.")))
    assert [texts for _, texts in desk.model.requests[0].conversation] == [
        ["First?"], ["First."], ["Second?"], ["Second."], ["Third?"],
    ]  # fmt: skip


async def test_passages_and_outline_keep_to_the_budget(desk: Desk) -> None:
    desk.put("long.md", "".join(f"# Part {n}\n\n{'The lamp is cold tonight. ' * 60}{n}\n\n" for n in range(40)))
    desk.context_tokens = 2_000
    desk.model.add(["I see."])
    await desk.events("How is the lamp?")
    assert "<passage number=" in desk.model.requests[0].context
    assert len(desk.model.requests[0].context) < 2_000 * 4 * 1.1


async def test_a_message_of_nothing(desk: Desk) -> None:
    desk.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    desk.model.add(["Yes?"])
    assert TextFinished("Yes?") in await desk.events("  ")


async def test_steps_are_bounded_and_what_was_done_stays(desk: Desk) -> None:
    desk.put("bible.md", "The lamp is cold.")
    desk.model.add([GOLD])
    desk.model.otherwise = [Use("search_documents", {"query": "lamp"})]
    editor = InMemoryEditor(story())
    events = await desk.events("Search for ever.", editor)
    failed, end = [event for event in events if isinstance(event, Failed | Ended)]
    assert isinstance(failed, Failed)
    assert failed.failure.code == "STEP_LIMIT"
    assert isinstance(end, Ended)
    assert end.reason == "error"
    assert 10 < end.usage.requests <= 100
    assert "gold" in editor.project.to_text()


async def test_the_last_event_is_the_end_whatever_fails(desk: Desk) -> None:
    for failure in (ZeroDivisionError("x"), RuntimeError("x"), RecursionError("x"), OSError("x")):
        desk.model.add(failure)
        failed, end = (await desk.events("Hello?"))[-2:]
        assert isinstance(failed, Failed)
        assert failed.failure.code == "INTERNAL"
        assert isinstance(end, Ended)


async def test_an_operation_that_the_user_types_needs_no_model(desk: Desk) -> None:
    editor = InMemoryEditor(story())
    events = await desk.events('/create_variable {"name": "gold", "type": "num"}', editor)
    assert operations(events) == [("create_variable", True)]
    assert "gold" in editor.project.to_text()
    assert not desk.model.requests


@pytest.mark.parametrize(
    "message",
    [
        "/paint_node {}",
        '/create_variable {"name": }',
        "create_scene",
        "/create_scene {",
        '/create_scene {"name": ' + "[" * 50_000 + "]" * 50_000 + "}",
    ],
    ids=lambda message: message[:20],
)
async def test_what_only_looks_like_one_is_a_message(desk: Desk, message: str) -> None:
    desk.model.add(["Pardon?"])
    assert TextFinished("Pardon?") in await desk.events(message)
