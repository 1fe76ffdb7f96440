"""A turn on the in-memory editor: its events, in order, and what it leaves behind."""

import asyncio
from unittest.mock import AsyncMock

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
from arrow_project import Operation, Story, fingerprint
from tests.agent.scripted_model import PATIENCE_S, Hang, Think, Use
from tests.agent.story import NEXT_ID, story, story_text
from tests.agent.turn_runner import TurnRunner, unheard

GOLD = Use("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
DELETE = Use("delete_node", {"node_id": 3})


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def operations(events: list[Event]) -> list[tuple[str, bool]]:
    return [(event.function, event.success) for event in events if isinstance(event, OperationFinished)]


async def test_text_comes_in_chunks_and_then_whole(runner: TurnRunner) -> None:
    runner.model.add(["The lamp ", "is ", "cold."])
    events = await runner.events("How is the lamp?")
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


async def test_text_is_finished_before_the_operation_that_follows_it(runner: TurnRunner) -> None:
    runner.model.add(["I will add gold.", GOLD], ["Done."])
    editor = InMemoryEditor(story())
    events = await runner.events("Add gold.", editor)
    assert kinds(events) == [
        "TextChunk", "TextFinished", "OperationFinished", "TextChunk", "TextFinished", "Suggested", "Ended",
    ]  # fmt: skip
    assert "gold" in editor.project.to_text()
    (result,) = runner.model.requests[1].tool_results
    assert list(result)[:2] == ["material", "variable_id"]
    assert result["variable_id"] == NEXT_ID


async def test_what_the_model_has_thought_goes_back_to_it_and_nowhere_else(runner: TurnRunner) -> None:
    runner.model.add([Think("Gold is a number.", "signed"), GOLD], ["Done."])
    events = await runner.events("Add gold.")
    thought = runner.model.requests[1].messages[-2].parts[0]
    assert isinstance(thought, ThinkingPart)
    assert (thought.content, thought.signature) == ("Gold is a number.", "signed")
    assert "Gold is a number." not in str(events)


async def test_an_operation_is_told_as_soon_as_it_is_done(runner: TurnRunner) -> None:
    runner.model.add([GOLD], ["Half. ", Hang()])
    async with runner.stopped_turn("Add gold.") as events:
        assert isinstance(await events.get(), OperationFinished)
        assert await events.get() == TextChunk("Half. ")
    assert asyncio.all_tasks() == {asyncio.current_task()}, "who stops listening leaves nothing behind"


async def test_a_turn_whose_task_is_cancelled_gives_its_request_up(runner: TurnRunner) -> None:
    runner.model.add(["Half. ", Hang()])
    running = asyncio.create_task(runner.events("Hello?"))
    assert await asyncio.to_thread(runner.model.hanging.wait, PATIENCE_S)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert runner.model.cancelled.is_set()


async def test_an_answer_without_an_end_is_broken_off(runner: TurnRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.answering.requests._LONGEST_S", 0.3)
    runner.model.add(["Half. ", Hang()])
    failed = next(event for event in await runner.events("Hello?") if isinstance(event, Failed))
    assert failed.failure.code == "ANSWER_BROKEN_OFF"
    assert runner.model.cancelled.is_set()


async def test_errors_go_to_the_model_which_tries_again(runner: TurnRunner) -> None:
    runner.model.add([Use("create_insert_node", {"type": "dialogue"})], [Use("create_insert_node", {"type": "dialog"})])
    runner.model.add(["Done."])
    events = await runner.events("Add a dialog.")
    assert operations(events) == [("create_insert_node", False), ("create_insert_node", True)]
    (error,) = runner.model.requests[1].tool_results
    assert error["error"]["code"] == "INVALID_NODE_TYPE"
    assert "dialog" in error["error"]["message"]


async def test_a_question_ends_the_turn_and_later_calls_do_not_run(runner: TurnRunner) -> None:
    runner.model.add([GOLD, DELETE, Use("create_character", {"name": "Bram"})])
    editor = InMemoryEditor(story())
    events = await runner.events("Do it all.", editor)
    assert operations(events) == [("create_variable", True)]
    asked, end = events[-2:]
    assert isinstance(asked, Asked)
    assert asked.kind == "confirmation"
    assert isinstance(end, Ended)
    assert end.reason == "question"
    assert "Bram" not in editor.project.to_text()
    assert 3 in editor.project.data.nodes
    pending = runner.pendings.kept[asked.pending_id]
    assert [operation.function for operation in pending.operations] == ["delete_node"]


async def test_yes_no_and_neither(runner: TurnRunner) -> None:
    async def ask() -> str:
        runner.model.add([DELETE])
        asked = (await runner.events("Remove the pier."))[-2]
        assert isinstance(asked, Asked)
        return asked.pending_id

    events = await runner.events("no", pending_id=await ask())
    assert events[0] == TextFinished("Nothing was changed.")
    editor, pending_id = InMemoryEditor(story()), await ask()
    runner.model.add(["It is gone."])
    events = await runner.events("yes", editor, pending_id=pending_id)
    assert operations(events) == [("delete_node", True)]
    assert 3 not in editor.project.data.nodes
    pending_id = await ask()
    runner.model.add(["It is made of wood."])
    events = await runner.events("What is it made of?", pending_id=pending_id)
    assert [event.text for event in events if isinstance(event, TextFinished)] == [
        "It is made of wood.",
        "(The open question is dropped, and nothing of it was done.)",
    ]
    assert runner.pendings.kept == {}


async def test_what_a_yes_makes_is_what_its_other_operations_mean_whatever_was_made_meanwhile(
    runner: TurnRunner,
) -> None:
    texts = [("A", "Of A."), ("B", "Of B.")]
    made = [{"type": "content", "scene_id": 0, "name": n, "preset": {"content": text}} for n, text in texts]
    meant = {"node_id": NEXT_ID + 1, "data": {"content": "Meant for B."}}
    calls = [
        Operation("delete_node", {"node_id": 3}),
        *(Operation("create_insert_node", arguments) for arguments in made),
        Operation("update_node", meant),
    ]
    editor = InMemoryEditor(story())
    (asked,) = [e for e in await runner.events("", editor, operations=calls) if isinstance(e, Asked)]
    by_hand = editor.project.apply(Operation("create_insert_node", made[0]))
    editor.project.apply(Operation("delete_node", {"node_id": by_hand.result["node_id"]}))
    assert fingerprint(editor.project) == fingerprint(story())
    await runner.events("yes", editor, pending_id=asked.pending_id)
    nodes = Story(editor.project).nodes
    said = {node.name: node.data.get("content") for node in nodes.values() if node.name in ("A", "B")}
    assert said == {"A": "Of A.", "B": "Meant for B."}


async def test_a_yes_to_nothing_and_a_yes_too_late(runner: TurnRunner) -> None:
    (failed, _) = await runner.events("yes", pending_id="gone")
    assert isinstance(failed, Failed)
    assert failed.failure.code == "NOT_PENDING"
    runner.model.add([DELETE])
    asked = (await runner.events("Remove the pier."))[-2]
    assert isinstance(asked, Asked)
    (failed, end) = await runner.events("yes", project=story("Another"), pending_id=asked.pending_id)
    assert isinstance(failed, Failed)
    assert failed.failure.code == "CONFLICT"
    assert isinstance(end, Ended)
    assert end.reason == "error"


async def test_a_plan_is_tried_on_a_copy(runner: TurnRunner) -> None:
    runner.model.add([GOLD, DELETE], ["That is my plan."])
    editor, project = InMemoryEditor(story()), story()
    events = await runner.events("Plan it.", editor, plan=True, project=project)
    asked = events[-2]
    assert isinstance(asked, Asked)
    assert asked.kind == "plan"
    assert "gold" in asked.text
    assert editor.project.to_text() == project.to_text() == story_text()


async def test_a_function_needs_no_model(runner: TurnRunner) -> None:
    events = await runner.events("", function="create_character", function_params={"name": "Bram"})
    assert operations(events) == [("create_character", True)]
    assert kinds(events)[-1] == "Ended"
    assert not runner.model.requests


async def test_citations_come_before_the_end(runner: TurnRunner) -> None:
    runner.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    runner.model.add(["Elena does [1]. Nobody else [9]."])
    events = await runner.events("Who keeps the lighthouse?")
    cited = events[-2]
    assert isinstance(cited, Cited)
    (citation,) = cited.citations
    assert (citation.number, citation.document, citation.page_from) == (1, "bible.md", None)
    assert citation.text == "Elena keeps the lighthouse."


async def test_history_is_what_the_request_says(runner: TurnRunner) -> None:
    runner.model.add(["Third."])
    await runner.events("Third?", history=(Exchange("First?", "First."), Exchange("Second?", "Second.")))
    assert [texts for _, texts in runner.model.requests[0].conversation] == [
        ["First?"], ["First."], ["Second?"], ["Second."], ["Third?"],
    ]  # fmt: skip


async def test_passages_and_outline_keep_to_the_budget(runner: TurnRunner) -> None:
    runner.put("long.md", "".join(f"# Part {n}\n\n{'The lamp is cold tonight. ' * 60}{n}\n\n" for n in range(40)))
    runner.context_tokens = 2_000
    runner.model.add(["I see."])
    await runner.events("How is the lamp?")
    assert "<passage number=" in runner.model.requests[0].context
    assert len(runner.model.requests[0].context) < 2_000 * 4 * 1.1


async def test_a_message_of_nothing(runner: TurnRunner) -> None:
    runner.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    runner.model.add(["Yes?"])
    assert TextFinished("Yes?") in await runner.events("  ")


async def test_steps_are_bounded_and_what_was_done_stays(runner: TurnRunner) -> None:
    runner.put("bible.md", "The lamp is cold.")
    runner.model.add([GOLD])
    runner.model.otherwise = [Use("search_documents", {"query": "lamp"})]
    editor = InMemoryEditor(story())
    events = await runner.events("Search for ever.", editor)
    failed, end = [event for event in events if isinstance(event, Failed | Ended)]
    assert isinstance(failed, Failed)
    assert failed.failure.code == "STEP_LIMIT"
    assert isinstance(end, Ended)
    assert end.reason == "error"
    assert 10 < end.usage.requests <= 100
    assert "gold" in editor.project.to_text()


@pytest.mark.parametrize("failure", [ZeroDivisionError("x"), RuntimeError("x"), RecursionError("x"), OSError("x")])
async def test_the_last_event_is_the_end_whatever_fails(
    runner: TurnRunner, failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner.model.add(failure)
    failed, end = (await runner.events("Hello?"))[-2:]
    assert isinstance(failed, Failed)
    assert failed.failure.code == "MODEL_MISBEHAVED"
    assert isinstance(end, Ended)

    editor = InMemoryEditor(story())
    monkeypatch.setattr(editor, "apply", AsyncMock(side_effect=failure))
    failed, end = (await runner.events('/create_variable {"name": "gold", "type": "num"}', editor))[-2:]
    assert isinstance(failed, Failed)
    assert failed.failure.code == "INTERNAL"
    assert isinstance(end, Ended)


async def test_an_operation_that_the_user_types_needs_no_model(runner: TurnRunner) -> None:
    editor = InMemoryEditor(story())
    events = await runner.events('/create_variable {"name": "gold", "type": "num"}', editor)
    assert operations(events) == [("create_variable", True)]
    assert "gold" in editor.project.to_text()
    assert not runner.model.requests


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
async def test_what_only_looks_like_one_is_a_message(runner: TurnRunner, message: str) -> None:
    runner.model.add(["Pardon?"])
    assert TextFinished("Pardon?") in await runner.events(message)


def test_a_node_that_is_selected_very_often_is_looked_at_once(runner: TurnRunner) -> None:
    """The words of what is selected are put together, and one node may have a megabyte of them."""
    turn = runner.turn("Shorter, please.", unheard, selected_node_ids=(3, *[2] * 300_000, 3))
    assert turn.context.selected_node_ids == (3, 2)
