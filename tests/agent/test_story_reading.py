"""The tools that read in the story."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from agent import TurnContext
from agent.answering.tools import tool_schemas
from agent.reading.citations import Citations
from agent.reading.reading_tools import TurnReader
from arrow_project import ArrowProject, Operation
from tests.agent.story import story
from tests.agent.turn_runner import TurnRunner


@pytest.fixture
def project() -> ArrowProject:
    return story()


@pytest.fixture
def reader(runner: TurnRunner, project: ArrowProject) -> TurnReader:
    return TurnReader(runner.retriever, runner.key, Citations(()), TurnContext(project, None, (), (), (), ()))


@pytest.mark.parametrize(
    ("find", "found"),
    [
        ({"text": "lamp cold"}, [2]),
        ({"text": "COLD"}, [2]),
        ({"text": "cold pier"}, []),
        ({"type": "content"}, [3]),
        ({"character": 21}, [2]),
        ({"character": "elena"}, [2]),
        ({"scene_id": 0}, [1, 2, 3]),
        ({"scene_id": 0, "type": "dialog", "character": "Elena", "text": "lamp"}, [2]),
        ({"type": "dialogue"}, []),
        ({}, [1, 2, 3]),
    ],
)
async def test_nodes_are_found_by_everything_that_is_given(
    reader: TurnReader, find: dict[str, Any], found: list[int]
) -> None:
    answer = await reader.call("find_nodes", find)
    assert [int(line.split()[0]) for line in answer["nodes"]] == found
    assert answer["total"] == len(found)


async def test_a_word_is_found_wherever_a_long_text_is_parted_to_be_looked_through(
    reader: TurnReader, project: ArrowProject
) -> None:
    """To fold all that a node says in one step halts every thread for seconds."""
    for place in (99_995, 99_997, 100_000):
        text = "İ" * place + "Lamplight"
        project.apply(Operation("update_node", {"node_id": 3, "data": {"content": text}}))
        for word, found in (("lamplight", 1), ("lamplighter", 0)):
            assert (await reader.call("find_nodes", {"text": word, "type": "content"}))["total"] == found


async def test_a_node_with_all_its_slots(reader: TurnReader, project: ArrowProject) -> None:
    made = project.apply(
        Operation("create_insert_node", {"type": "condition", "preset": {"variable": "oil", "operator": ">"}})
    )
    project.apply(Operation("create_connection", {"from_node_id": made.created[0], "to_node_id": 2, "from_slot": 0}))
    answer = await reader.call("get_node", {"node_id": made.created[0]})
    assert answer["type"] == "condition"
    assert answer["data"]["variable"] == 20
    assert answer["goes_to"] == [
        {"slot": 0, "means": "true", "node_id": 2},
        {"slot": 1, "means": "false", "node_id": None},
    ]
    dialog = await reader.call("get_node", {"node_id": 2})
    assert dialog["data"]["lines"] == ["The lamp is cold."]
    assert {"node_id": made.created[0], "slot": 0} in dialog["comes_from"]


async def test_what_the_turn_has_changed_is_read(reader: TurnReader, project: ArrowProject) -> None:
    project.apply(Operation("create_character", {"name": "Bram", "tags": {"mood": "calm"}}))
    answer = await reader.call("list_characters", {})
    elena, bram = answer["characters"]
    assert (elena["name"], elena["used_in_nodes"]) == ("Elena", 1)
    assert (bram["name"], bram["used_in_nodes"], bram["tags"]) == ("Bram", 0, {"mood": "calm"})
    assert (await reader.call("list_characters", {"name": "bra"}))["characters"] == [bram]


async def test_variables_are_listed(reader: TurnReader) -> None:
    assert (await reader.call("list_variables", {}))["variables"] == [
        {"variable_id": 20, "name": "oil", "type": "num", "initial_value": 3, "used_in_nodes": 0}
    ]


async def test_a_scene_is_read(reader: TurnReader) -> None:
    answer = await reader.call("get_scene", {"scene_id": 0})
    assert (answer["name"], answer["entry"], answer["macro"]) == ("harbour", 1, False)
    assert [line.split()[:2] for line in answer["nodes"]] == [["1", "entry"], ["2", "dialog"], ["3", "content"]]


async def test_every_answer_is_bounded_and_says_so(reader: TurnReader, project: ArrowProject) -> None:
    for number in range(250):
        preset = {"content": f"{number} " + "The pier is empty. " * 40}
        project.apply(Operation("create_insert_node", {"type": "content", "preset": preset}))
        project.apply(Operation("create_variable", {"name": f"count{number}", "type": "num"}))
    project.apply(Operation("update_node", {"node_id": 3, "data": {"content": "x" * 100_000}}))
    for tool, arguments in (
        ("find_nodes", {"text": "pier"}),
        ("get_node", {"node_id": 3}),
        ("get_scene", {"scene_id": 0}),
        ("list_variables", {}),
    ):
        answer = await reader.call(tool, arguments)
        assert len(json.dumps(answer)) < 25_000, tool
        assert "cut" in answer or "of_parts" in answer, tool


async def test_of_a_node_with_very_many_slots_the_first_are_shown(reader: TurnReader, project: ArrowProject) -> None:
    lines = [f"{number} " + "So it is. " * 50 for number in range(2_000)]
    project.apply(Operation("update_node", {"node_id": 2, "data": {"lines": lines}}))
    project.data.nodes[3]["data"]["content"] = [["deep"] * 500] * 500
    for node_id, whole in ((2, {"lines": 2_000, "goes_to": 2_000}), (3, {})):
        answer = await reader.call("get_node", {"node_id": node_id})
        assert len(json.dumps(answer)) < 35_000
        for name, total in whole.items():
            shown = (answer | answer["data"])[name]
            assert shown
            assert f"{total - len(shown)} more of {name}" in answer["cut"]


async def test_of_a_node_that_very_many_lead_to_the_first_are_shown(reader: TurnReader, project: ArrowProject) -> None:
    project.data.scene_map(0)[1]["io"] = [[1, 0, 2, 0]] * 250
    answer = await reader.call("get_node", {"node_id": 2})
    assert len(answer["comes_from"]) == 200
    assert "50 more of comes_from" in answer["cut"]
    assert answer["data"]["lines"] == ["The lamp is cold."]


async def test_lists_are_bounded_in_all_that_they_say(reader: TurnReader, project: ArrowProject) -> None:
    tags = {f"key{number}": "x" * 1_000 for number in range(40)}
    for number in range(100):
        project.apply(Operation("create_character", {"name": f"n{number}" + "x" * 900, "tags": tags}))
        project.apply(Operation("create_variable", {"name": f"v{number}", "type": "str", "initial_value": "x" * 9_000}))
    for tool, name in (("list_characters", "characters"), ("list_variables", "variables")):
        answer = await reader.call(tool, {})
        assert len(json.dumps(answer)) < 25_000
        assert f"{101 - len(answer[name])} more" in answer["cut"]
    assert "tags_cut" in await reader.call("list_characters", {})


async def test_all_parts_of_a_scene_are_the_scene(reader: TurnReader, project: ArrowProject) -> None:
    for _ in range(200):
        preset = {"content": "The pier is empty. " * 40}
        project.apply(Operation("create_insert_node", {"type": "content", "preset": preset}))
    first = await reader.call("get_scene", {"scene_id": 0})
    ids: list[int] = []
    for part in range(1, first["of_parts"] + 1):
        answer = await reader.call("get_scene", {"scene_id": 0, "part": part})
        ids += [int(line.split()[0]) for line in answer["nodes"]]
    assert ids == list(project.data.scene_map(0))


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("get_node", {"node_id": 99}, "INVALID_NODE_ID"),
        ("get_node", {}, "INVALID_ARGUMENTS"),
        ("get_node", {"node_id": "last_created"}, "INVALID_ARGUMENTS"),
        ("get_scene", {"scene_id": 99}, "INVALID_SCENE_ID"),
        ("get_scene", {"scene_id": 0, "part": 2}, "PART_NOT_FOUND"),
        ("find_nodes", {"scene_id": 99}, "INVALID_SCENE_ID"),
        ("find_nodes", {"character": "Nobody"}, "INVALID_CHARACTER_ID"),
        ("find_nodes", {"words": "x"}, "INVALID_ARGUMENTS"),
        ("list_characters", {"limit": 3}, "INVALID_ARGUMENTS"),
    ],
)
async def test_what_is_wrong_is_an_answer(reader: TurnReader, tool: str, arguments: dict[str, Any], code: str) -> None:
    answer = await reader.call(tool, arguments)
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]


async def test_without_a_story_that_is_said(runner: TurnRunner) -> None:
    reader = TurnReader(runner.retriever, runner.key, Citations(()), TurnContext(None, None, (), (), (), ()))
    assert (await reader.call("get_node", {"node_id": 1}))["error"]["code"] == "PERMISSION_DENIED"


def test_every_schema_of_every_tool_is_strict_and_says_what_things_mean() -> None:
    for name, (description, schema) in tool_schemas().items():
        assert description, name
        assert_closed(schema, name)
        assert set(schema["required"]) <= set(schema["properties"]), name


def assert_closed(schema: object, place: str) -> None:
    if isinstance(schema, Mapping):
        if schema.get("type") == "object" and "properties" in schema:
            assert schema.get("additionalProperties") is False, place
        for name, value in schema.items():
            assert_closed(value, f"{place}.{name}")
    elif isinstance(schema, list):
        for value in schema:
            assert_closed(value, place)
