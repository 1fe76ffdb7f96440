"""A model that makes mistakes: it is told, it may correct itself three times, and then the user is told."""

from typing import Any

import pytest

from agent import Event, Failure, InMemoryEditor, OperationFinished, Outcome, TextFinished
from arrow_project import OperationResult
from tests.agent.scripted_model import Use
from tests.agent.story import NEXT_ID, story, story_text
from tests.agent.turn_runner import TurnRunner

WRONG = Use("create_insert_node", {"type": "dialogue"})
RIGHT = Use("create_insert_node", {"type": "content", "connect_from": {"node_id": 3, "slot": 0}})
GOLD = Use("create_variable", {"name": "gold", "type": "num"})


def texts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, TextFinished)]


@pytest.mark.parametrize(
    ("use", "code", "said"),
    [
        (WRONG, "INVALID_NODE_TYPE", "dialog"),
        (Use("create_insert_node", {"type": "content", "preset": ["Rain."]}), "TYPE_MISMATCH", "preset"),
        (Use("update_node", {"node_id": 99}), "INVALID_NODE_ID", "3"),
        (Use("create_character", {"name": "ELENA"}), "PERMISSION_DENIED", "21"),
        (Use("create_connection", {"from_node_id": 2, "to_node_id": 3, "from_slot": 7}), "INVALID_CONNECTION", "slot"),
        (Use("search_documents", {"words": "lamp"}), "INVALID_ARGUMENTS", "query"),
    ],
)
async def test_a_mistake_is_told_with_code_and_remedy_and_no_client_sees_it(
    runner: TurnRunner, use: Use, code: str, said: str
) -> None:
    runner.model.add([use], ["I see."])
    editor = InMemoryEditor(story())
    events = await runner.events("Do it.", editor)
    ((told,)) = runner.model.requests[1].tool_results
    assert told["error"]["code"] == code
    assert said in told["error"]["message"]
    assert not any(event.reached_editor for event in events if isinstance(event, OperationFinished))
    assert editor.project.to_text() == story_text()


@pytest.mark.parametrize(
    ("name", "meant"),
    [("create_insert_nodes", "create_insert_node"), ("search_docs", "search_documents"), ("Z" * 500, "read_document")],
)
async def test_a_tool_that_there_is_not_is_answered_with_those_that_may_be_meant(
    runner: TurnRunner, name: str, meant: str
) -> None:
    runner.model.add([Use(name)], [RIGHT], ["Done."])
    events = await runner.events("Do it.")
    ((told,)) = runner.model.requests[1].tool_results
    assert told.startswith(f"There is no tool '{name[:20]}")
    assert meant in told
    assert len(told) < 1500
    assert texts(events) == ["Done."]


async def test_three_corrections_and_then_an_honest_sentence(runner: TurnRunner) -> None:
    runner.model.otherwise = [WRONG]
    events = await runner.events("Add a dialog.")
    assert len(runner.model.requests) == 5, "the fourth failure says stop; who goes on is stopped"
    assert "stop" not in runner.model.requests[3].tool_results[0]
    assert "Do not call it again" in runner.model.requests[4].tool_results[0]["stop"]
    (sentence,) = texts(events)
    assert sentence.startswith("Not done: create insert node failed 4 times")
    assert "dialogue" in sentence


async def test_who_stops_in_time_may_do_the_rest(runner: TurnRunner) -> None:
    runner.model.add(*([WRONG] for _ in range(4)), [GOLD], ["The dialog did not work."])
    editor = InMemoryEditor(story())
    said = texts(await runner.events("Add a dialog and gold.", editor))
    assert said[0] == "The dialog did not work."
    assert said[1].startswith("Not done: create insert node")
    assert "gold" in editor.project.to_text()


async def test_a_success_in_between_begins_again(runner: TurnRunner) -> None:
    runner.model.add(*([WRONG] for _ in range(3)), [RIGHT], *([WRONG] for _ in range(3)), ["Done."])
    assert texts(await runner.events("Add dialogs.")) == ["Done."]


async def test_calls_that_fail_together_are_one_attempt(runner: TurnRunner) -> None:
    runner.model.add([WRONG] * 9, [RIGHT], ["Done."])
    assert texts(await runner.events("Add dialogs.")) == ["Done."]


async def test_arguments_that_cannot_be_read_end_early(runner: TurnRunner) -> None:
    runner.model.otherwise = [Use("create_variable", raw='{"name": ')]
    await runner.events("Add gold.")
    assert len(runner.model.requests) <= 5


async def test_reading_that_fails_again_and_again_ends_early(runner: TurnRunner) -> None:
    runner.put("bible.md", "The lamp is cold.")
    runner.model.otherwise = [Use("read_document", {"document": "nowhere.md"})]
    (sentence,) = texts(await runner.events("Read nowhere."))
    assert sentence.startswith("Not done: read document failed")
    assert len(runner.model.requests) == 5


class Refusing:
    """An editor that executes nothing."""

    def __init__(self) -> None:
        self.asked = 0

    async def apply(self, applied: OperationResult) -> Outcome:
        assert applied.calls
        self.asked += 1
        return Outcome(success=False, failure=Failure("EDITOR_ERROR", "Script error."))


async def test_what_the_editor_refuses_counts_as_well(runner: TurnRunner) -> None:
    runner.model.otherwise = [GOLD]
    editor = Refusing()
    (sentence,) = texts(await runner.events("Add gold.", editor))
    assert "Script error." in sentence
    assert editor.asked == 4


async def test_many_commands_of_the_planner_are_no_circle(runner: TurnRunner) -> None:
    runner.is_local = True
    editor = InMemoryEditor(story())
    message = "\n".join(f"create a variable gold{n} = 10" for n in range(70))
    said = texts(await runner.events(message, editor))
    assert "gold69" in editor.project.to_text(), said


# --- loose ends -------------------------------------------------------------------------------------------------------

LOOSE = Use("create_insert_node", {"type": "content", "preset": {"content": "Rain."}})


async def test_of_what_nothing_leads_to_the_model_is_told_once(runner: TurnRunner) -> None:
    connect = Use("create_connection", {"from_node_id": 3, "to_node_id": NEXT_ID})
    runner.model.add([LOOSE], ["Done."], [connect], ["Now it is connected."])
    editor = InMemoryEditor(story())
    events = await runner.events("Add rain.", editor)
    assert texts(events) == ["Done.", "Now it is connected."]
    assert f"{NEXT_ID} (content)" in runner.model.requests[2].everything
    assert editor.project.data.incoming(NEXT_ID, 0)


async def test_it_need_not_connect_it(runner: TurnRunner) -> None:
    runner.model.add([LOOSE], ["Done."], ["It is a note that stands alone."])
    events = await runner.events("Add rain.")
    assert texts(events) == ["Done.", "It is a note that stands alone."]
    assert len(runner.model.requests) == 3


@pytest.mark.parametrize(
    "uses",
    [
        [RIGHT],
        [Use("create_insert_node", {"type": "frame"})],
        [Use("create_scene", {"name": "cellar"})],
        [LOOSE, Use("delete_node", {"node_id": NEXT_ID})],
        [LOOSE, Use("create_insert_node", {"type": "jump", "preset": {"target": {"type": "node", "id": NEXT_ID}},
                                           "connect_from": {"node_id": 3, "slot": 0}})],
    ],
)  # fmt: skip
async def test_what_is_reached_or_needs_not_be_is_no_loose_end(runner: TurnRunner, uses: list[Any]) -> None:
    runner.model.add(uses, ["Done."])
    assert texts(await runner.events("Add it.", confirm="never")) == ["Done."]
    assert runner.model.is_done
