"""What can be shown, and how the rest is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.printable import is_printable, printable, printable_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("bible.md", "bible.md"),
        ("日本 é \xa0 \U0001f469\u200d\U0001f680", "日本 é \xa0 \U0001f469\u200d\U0001f680"),
        ("a\nb\t\r\0\x7f", r"a\nb\t\r\x00\x7f"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b31m\x85\u2028", r"\x9b31m\x85\u2028"),
        ("abc\u202edm.txt", r"abc\u202edm.txt"),
        ("\udc80\udcff\ud800", r"\x80\xff\ud800"),
        ("\u200b\ufeff\xad\U000e0041", r"\u200b\ufeff\xad\U000e0041"),
    ],
)
def test_what_is_not_seen_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert is_printable(text) == (text == shown)


def test_in_a_documents_words_lines_and_soft_hyphens_stay() -> None:
    assert (
        printable_lines("one\n\ttwo\xad\u200f\x1b[2J\x9b\u202e\u2066")
        == "one\n\ttwo\xad\u200f\\x1b[2J\\x9b\\u202e\\u2066"
    )


@given(st.text(st.characters()))
def test_what_is_shown_can_be_shown(text: str) -> None:
    assert is_printable(printable(text))
    assert printable(printable(text)) == printable(text)
    assert not any(unicodedata.category(sign) == "Cc" for sign in printable_lines(text) if sign not in "\n\t")
    printable(text).encode()
    printable_lines(text).encode()
