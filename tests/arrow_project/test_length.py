"""How long a document may become: as Arrow writes it, and as JSON has that as a text for a client."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrow_project import ParseError, parse
from arrow_project.text_form import MOST_CHARACTERS, decode, encode, length_as_text, most_times

_TEXTS = st.text(st.sampled_from('ab\t\n\r\v\x01\b"\\/\u00e9\U0001f525'), max_size=12)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | _TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_TEXTS, inner, max_size=5),
    max_leaves=30,
)
_BREAKS = {"n": "\n", "t": "\t", "r": "\r"}


def _tight(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _with_raw_breaks(text: str) -> str:
    """As Godot reads it, too."""
    return re.sub(r"\\(.)", lambda found: _BREAKS.get(found[1], found[0]), text)


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
        pytest.param('{"a": "\U0001f525' + "\x01" * (MOST_CHARACTERS // 7) + '"}', id="control characters"),
        pytest.param('{"a": "' + "\n" * (MOST_CHARACTERS // 3) + '"}', id="lines"),
        pytest.param('{"a": ' + "[" * 60 + "0" + ",0" * (MOST_CHARACTERS // 124) + "]" * 60 + "}", id="levels"),
    ],
)
def test_what_would_be_far_longer_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="divide the story") as refused:
        parse(text)
    assert refused.value.rule == 1


def test_what_is_no_longer_than_a_message_is_read() -> None:
    text = '{"a": "' + "a" * (MOST_CHARACTERS - 100) + '"}'
    assert decode(text) == ({"a": "a" * (MOST_CHARACTERS - 100)}, False)
