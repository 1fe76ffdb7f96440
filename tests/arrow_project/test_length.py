"""How long a document may become: as Arrow writes it, and as JSON has that as a text for a client."""

import json
import re
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrow_project import ArrowProject, Operation, OperationError, ParseError, check, diff, parse
from arrow_project.text_form import decode, encode, length_as_text, most_times
from arrow_project.values import LONGEST_TEXT
from tests.agent.story import story, story_text

_TEXTS = st.text(st.sampled_from('ab\t\n\r\v\x01\b"\\/\u00e9\U0001f525'), max_size=12)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | _TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_TEXTS, inner, max_size=5),
    max_leaves=30,
)
_MOST = 4 * LONGEST_TEXT
_BREAKS = {"n": "\n", "t": "\t", "r": "\r"}


def _tight(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _with_raw_breaks(text: str) -> str:
    """As Godot reads it, too."""
    return re.sub(r"\\(.)", lambda found: _BREAKS.get(found[1], found[0]), text)


def _texts(text: str, characters: int) -> str:
    """A document in which a text stands so often that all together have so many characters."""
    return json.dumps({"a": [text] * (characters // len(text) + 1)}, ensure_ascii=False)


@given(_VALUES)
def test_it_is_no_less_than_what_a_client_gets(value: Any) -> None:
    got = len(json.dumps(encode(value), ensure_ascii=False))
    for text in (_tight(value), _with_raw_breaks(_tight(value)), json.dumps(value), encode(value)):
        read = json.loads(text, strict=False)
        assert read == value
        assert length_as_text(value, text.encode()) + 2 >= got  # the marks around it


@given(st.integers(1, 64), st.sampled_from(["0", "[]", "{}", '"\x01"', '""']), st.integers(0, 100))
def test_it_is_no_more_than_so_many_times_what_was_read(levels: int, item: str, items: int) -> None:
    text = "[" * levels + ",".join([item] * items) + "]" * levels
    assert length_as_text(json.loads(text, strict=False), text.encode()) <= most_times(levels + 1) * len(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(_texts("\U0001f525" + "\x01" * 10**5, _MOST // 7), id="control characters"),
        pytest.param(_texts("\n" * 10**5, _MOST // 3), id="lines"),
        pytest.param('{"a": ' + "[" * 60 + "0" + ",0" * (_MOST // 124) + "]" * 60 + "}", id="levels"),
    ],
)
def test_what_would_be_far_longer_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrow_project.text_form.MOST_CHARACTERS", _MOST)
    with pytest.raises(ParseError, match="divide the story") as refused:
        parse(text)
    assert refused.value.rule == 1


def test_what_is_no_longer_than_a_message_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrow_project.text_form.MOST_CHARACTERS", _MOST)
    text = _texts("a" * LONGEST_TEXT, _MOST - 2 * LONGEST_TEXT)
    value, _ = decode(text)
    assert value == json.loads(text)


def test_no_text_of_a_story_is_longer_than_one_may_be() -> None:
    told = story_text()
    for written in (told.replace("The pier is empty.", "a" * LONGEST_TEXT), json.dumps([["a" * LONGEST_TEXT]])):
        decode(written)
        with pytest.raises(ParseError, match="divide it among several nodes") as refused:
            decode(written.replace("a" * LONGEST_TEXT, "a" * (LONGEST_TEXT + 1)))
        assert refused.value.rule == 1


@pytest.mark.parametrize(
    "operation",
    [
        Operation("update_node", {"node_id": 3, "data": {"content": "a" * (LONGEST_TEXT + 1)}}),
        Operation("create_variable", {"name": "gold", "type": "str", "initial_value": "a" * (LONGEST_TEXT + 1)}),
    ],
)
def test_no_operation_writes_what_could_not_be_read_again(operation: Operation) -> None:
    with pytest.raises(OperationError, match="divide it among several nodes"):
        story().apply(operation)


def test_nor_do_texts_that_arrow_writes_as_one() -> None:
    project = story()
    project.apply(Operation("create_variable", {"name": "word", "type": "str", "initial_value": ""}))
    choices = {"variable": "word", "generator_type": "strst", "choices": ["a" * (LONGEST_TEXT // 2)] * 2}
    with pytest.raises(OperationError, match="divide it among several nodes"):
        project.apply(Operation("create_insert_node", {"type": "generator", "scene_id": 0, "preset": choices}))


def test_no_rename_writes_what_could_not_be_read_again() -> None:
    project = story()
    project.apply(Operation("create_variable", {"name": "gold", "type": "num", "initial_value": 1}))
    told = "{gold}" + "a" * (LONGEST_TEXT - 8)
    project.apply(Operation("update_node", {"node_id": 3, "data": {"content": told}}))
    with pytest.raises(OperationError, match="choose a name of at most 4"):
        _rename(project, "golden")
    _rename(project, "ore")
    assert parse(project.to_text()).to_text() == project.to_text()


def _rename(project: ArrowProject, name: str) -> None:
    project.apply(Operation("update_variable", {"by_name": "gold", "name": name}))


def test_an_object_has_not_very_many_fields_beside_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrow_project.text_form._MOST_FIELDS", 1_000)
    fields = {f"k{number}": True for number in range(1_000)}
    decode(json.dumps({"ids": {str(number): 1 for number in range(1_001)}, "fields": fields}))
    for more in ({"k": True}, {"1": True, "k": True}):
        with pytest.raises(ParseError, match="more than 1,000 fields") as refused:
            decode(json.dumps(fields | more))
        assert refused.value.rule == 1


def test_no_tag_has_a_key_with_which_the_story_could_not_be_read_again() -> None:
    project = story()
    for length, is_refused in ((1_000, False), (1_001, True)):
        operation = Operation("create_character", {"name": f"Ada{length}", "tags": {"k" * length: "v"}})
        with pytest.raises(OperationError, match="at most 1,000 characters") if is_refused else nullcontext():
            project.apply(operation)
    parse(project.to_text())


def test_a_finding_is_short_however_much_it_is_about() -> None:
    raw = json.loads(story().to_text())
    raw["resources"]["nodes"]["2"]["ref"] = list(range(10_000, 20_000))
    deep: dict[str, object] = {"x" * 900 + "\x01": "text"}
    for level in range(40):
        deep = {f"{level}" * 400: deep}
    raw["resources"]["nodes"]["2"]["data"]["deep"] = deep
    findings = check(parse(json.dumps(raw)))
    assert {2, 36} <= {finding.rule for finding in findings}
    assert max(len(finding.message) for finding in findings) <= 3_001
    assert max(len(finding.place) for finding in findings) <= 1_100


@pytest.mark.parametrize("name", ["n" * 10_001, list(range(10_001))], ids=["text", "list"])
@pytest.mark.parametrize(
    ("kind", "field"),
    [("scenes", "name"), ("nodes", "name"), ("nodes", "type"), ("variables", "name"), ("characters", "name")],
)
def test_a_name_is_no_longer_than_is_told_with_every_change(kind: str, field: str, name: object) -> None:
    raw = json.loads(story().to_text())
    key = next(iter(raw["resources"][kind]))
    raw["resources"][kind][key][field] = "n" * 10_000
    parse(json.dumps(raw))
    raw["resources"][kind][key][field] = name
    with pytest.raises(ParseError, match=f"The {field} of resources.{kind}.{key} has more than 10,000 characters"):
        parse(json.dumps(raw))


def test_a_line_of_a_difference_is_short_however_long_the_type_of_its_node_is() -> None:
    raw = json.loads(story().to_text())
    raw["resources"]["nodes"]["2"] |= {"type": "t" * 10_000, "data": {f"field {number}": 1 for number in range(1000)}}
    before = parse(json.dumps(raw))
    raw["resources"]["nodes"]["2"]["data"] = {f"field {number}": 2 for number in range(1000)}
    lines = diff(before, parse(json.dumps(raw))).lines
    assert len(lines) == 1000
    assert max(map(len, lines)) < 1000
