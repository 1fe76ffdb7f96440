"""What models get wrong, on real tasks: it is corrected in the turn, or the suite says what is wrong."""

from collections.abc import Sequence
from typing import Any

from pydantic_ai.exceptions import ModelHTTPError

from evaluation.agent import TASKS, Attempt, attempt
from tests.agent.scripted_model import Script, ScriptedModel, Use
from tests.evaluation.agent.conftest import Turns

BY_ID = {task.id: task for task in TASKS}


async def tried(turns: Turns, task: str, *script: Script) -> tuple[Attempt, ScriptedModel]:
    model = ScriptedModel(*script)
    model.otherwise = ["That is all."]
    return await attempt(BY_ID[task], turns.of(model.answerer())), model


def content(text: str) -> dict[str, Any]:
    return {"type": "content", "preset": {"content": text}, "scene_id": 20}


def connect(origin: Any, to: Any, slot: Any = 0) -> Use:
    return Use("create_connection", {"from_node_id": origin, "from_slot": slot, "to_node_id": to})


def errors(model: ScriptedModel, request: int) -> list[str]:
    return [
        str(result["error"]["code"])
        for result in model.requests[request].tool_results
        if isinstance(result, dict) and "error" in result
    ]


TEXT = "The lamp turns twice, and somewhere a bell answers."
RIGHT: Sequence[str | Use] = [Use("create_insert_node", content(TEXT)), connect(30, 31)]


async def test_a_wrong_schema_is_corrected(turns: Turns) -> None:
    wrong = Use("create_insert_node", {"type": "content", "preset": {"content": TEXT}, "scene_id": 20, "colour": "red"})
    found, model = await tried(turns, "add-content", [wrong], RIGHT)

    assert found.passed, found.wrong
    assert len(model.requests) >= 2
    assert found.cost.requests == len(model.requests)


async def test_arguments_that_are_no_json_are_corrected(turns: Turns) -> None:
    found, _ = await tried(turns, "add-content", [Use("create_insert_node", raw='{"type": ')], RIGHT)

    assert found.passed, found.wrong


async def test_a_wrong_id_is_corrected(turns: Turns) -> None:
    found, model = await tried(
        turns, "add-content", [Use("create_insert_node", content(TEXT)), connect(3000, 31)], [connect(30, 31)]
    )

    assert found.passed, found.wrong
    assert errors(model, 1) == ["INVALID_NODE_ID"]


async def test_a_wrong_id_that_stays_wrong_is_reported(turns: Turns) -> None:
    again = [connect(3000, 30)]
    found, _ = await tried(turns, "connect", again, again, again, again, again)

    assert not found.passed
    assert "3000" in found.conversation.text


async def test_swapped_slots_do_not_pass(turns: Turns) -> None:
    condition = {"variable": 5, "operator": "==", "compare_to": {"type": "value", "value": True}}
    made = Use("create_insert_node", {"type": "condition", "preset": condition, "scene_id": 20})
    found, _ = await tried(
        turns, "branches-to-what-is-there", [made, connect(30, 31), connect(31, 22, 1), connect(31, 23, 0)]
    )

    assert set(found.wrong) == {
        "the connection 31 (slot 0) -> 22 is missing",
        "the connection 31 (slot 1) -> 23 is missing",
        "the connection 31 (slot 0) -> 23 was not asked for",
        "the connection 31 (slot 1) -> 22 was not asked for",
    }


async def test_a_second_odile_is_never_made(turns: Turns) -> None:
    found, model = await tried(
        turns, "refuse-second-odile", [Use("create_character", {"name": "odile"})], ["There is one already."]
    )

    assert found.passed, found.wrong
    assert len(errors(model, 1)) == 1


async def test_a_node_that_nothing_leads_to_is_connected_when_the_model_is_told(turns: Turns) -> None:
    found, model = await tried(
        turns, "add-content", [Use("create_insert_node", content(TEXT))], ["Done."], [connect(30, 31)], ["Now it is."]
    )

    assert found.passed, found.wrong
    assert len(model.requests) == 4


async def test_a_node_that_stays_unconnected_does_not_pass(turns: Turns) -> None:
    found, _ = await tried(turns, "add-content", [Use("create_insert_node", content(TEXT))])

    assert found.wrong == ("the connection 30 (slot 0) -> 31 is missing",)


async def test_a_refused_deletion_leaves_everything_and_is_told(turns: Turns) -> None:
    found, model = await tried(
        turns, "refuse-project-entry", [Use("delete_node", {"node_id": 1, "force": True})], ["I cannot delete it."]
    )

    assert found.passed, found.wrong
    assert errors(model, 1)


async def test_a_deletion_that_is_not_agreed_to_is_not_done(turns: Turns) -> None:
    found, _ = await tried(turns, "delete-no", [Use("delete_node", {"node_id": 29})])

    assert found.passed, found.wrong


async def test_a_provider_that_does_not_answer_is_reported(turns: Turns) -> None:
    found, _ = await tried(turns, "add-content", ModelHTTPError(408, "scripted", {"error": "Request timed out"}))

    assert not found.passed
    assert found.conversation.answers[0].failed or "scripted" in found.conversation.text
