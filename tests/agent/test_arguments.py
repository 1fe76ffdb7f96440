"""Arguments as models write them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.answering.arguments import json_object

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5)


@pytest.mark.parametrize("written", ["{}", '{"name": "gold", "n": 1.50}', '{ "a" : [1] }', '{"x": "\\ud83d"}'])
def test_an_object_stays_as_it_was_written(written: str) -> None:
    assert json_object(written) == written


@pytest.mark.parametrize("written", ["", "{", "gold", '{"a": 1,}', "{'a': 1}", "[" * 100_000])
def test_what_is_no_json_is_left_for_the_model_to_hear_of(written: str) -> None:
    assert json_object(written) == written


@pytest.mark.parametrize("written", ["[1, 2]", '"gold"', "null", "3", "NaN"])
def test_what_is_no_object_becomes_one(written: str) -> None:
    assert set(json.loads(json_object(written))) == {"arguments"}


def test_numbers_that_json_does_not_have_become_texts() -> None:
    assert json_object('{"a": NaN, "b": [-Infinity], "c": 1e999}') == '{"a": "NaN", "b": ["-Infinity"], "c": "1e999"}'


@given(st.dictionaries(st.text(), JSON) | JSON)
def test_whatever_is_json_can_be_sent_back(value: object) -> None:
    json.dumps(json.loads(json_object(json.dumps(value))), allow_nan=False)
