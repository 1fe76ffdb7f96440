"""Calls as models write them: whatever the arguments are, what goes back to the provider is one JSON object."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic_ai.messages import ToolCallPart

from agent.answering.tools import read_call, read_calls, tool_schemas
from agent.editing.duplicates import find_duplicate
from arrow_project import Operation
from tests.agent.story import story

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5)
TOOLS = tool_schemas()


@pytest.mark.parametrize("written", ["{}", '{"name": "gold", "n": 1.50}', '{ "a" : [1] }', '{"x": "\\u00e9"}'])
def test_an_object_is_read(written: str) -> None:
    assert read_call(ToolCallPart("create_node", written), TOOLS) == Operation(
        "create_insert_node", json.loads(written)
    )


@pytest.mark.parametrize("written", ["", None, {}])
def test_nothing_is_no_arguments(written: str | None) -> None:
    assert read_call(ToolCallPart("list_characters", written), TOOLS) == Operation("list_characters", {})


@pytest.mark.parametrize(
    "written",
    ["{", "gold", '{"a": 1,}', "{'a': 1}", "[" * 100_000, '{"x": "\\ud83d"}', "[1, 2]", '"gold"', "null", "3", "NaN",
     '{"a": NaN}', '{"a": [-Infinity]}', '{"a": 1e999}'],
)  # fmt: skip
def test_of_anything_else_the_model_is_told(written: str) -> None:
    part = ToolCallPart("create_variable", written)
    told = read_call(part, TOOLS)
    assert isinstance(told, str)
    assert told.startswith("Nothing was done: ")
    assert part.args == {"arguments": written}


def test_calls_that_are_too_many_are_not_read() -> None:
    parts = [ToolCallPart("create_variable", json.dumps({"name": "xxx"})) for _ in range(300)]
    calls = read_calls(parts, TOOLS)
    assert calls[:200] == [Operation("create_variable", {"name": "xxx"})] * 200
    assert len(calls) == len(parts)
    assert all("at most 200" in str(told) for told in calls[200:])
    assert [part.args for part in parts[200:]] == [{}] * 100


def test_what_nobody_would_take_for_a_name_is_no_duplicate() -> None:
    project = story()
    longest = "Gold" * 100_000
    next(iter(project.data.variables.values()))["name"] = longest  # as a file may say
    assert find_duplicate(project, Operation("create_variable", {"name": longest.lower()})) is None
    assert find_duplicate(project, Operation("create_variable", {"name": "silver"})) is None


@given(
    st.dictionaries(st.text(), JSON)
    | st.dictionaries(st.text(), JSON).map(json.dumps)
    | JSON.map(json.dumps)
    | st.text(st.characters())
)
@example("\ud800")
@example('{"name": "\\ud83d"}')
@example({"name": "\ud83d"})
def test_whatever_it_is_can_be_sent_back(written: str | dict[str, Any]) -> None:
    part = ToolCallPart("create_variable", written)
    read_calls([part], TOOLS)
    assert isinstance(part.args, dict)
    json.dumps(part.args, ensure_ascii=False, allow_nan=False).encode()
