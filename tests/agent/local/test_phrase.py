"""Messages in which quotations are single characters."""

import re

from hypothesis import given
from hypothesis import strategies as st

from agent.local.phrase import read_phrase


@given(st.text(max_size=60))
def test_nothing_is_lost(message: str) -> None:
    expected = re.sub("[\ue000-\uf8ff]", "\ufffd", message)

    assert read_phrase(message).raw == expected


def test_quotations_hide_what_they_hold() -> None:
    phrase = read_phrase("say \"a; b\" or 'c. d' or “e: f”")

    assert not set(";.:") & set(phrase.masked)
    assert [part.text for part in phrase.quoted_parts()] == ["a; b", "c. d", "e: f"]


def test_an_apostrophe_is_no_quotation_mark() -> None:
    assert read_phrase("don't; can't").masked == "don't; can't"
