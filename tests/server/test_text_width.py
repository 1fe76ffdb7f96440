"""What a text in memory takes for each character, told while it comes."""

import json
from sys import getsizeof

from hypothesis import example, given
from hypothesis import strategies as st

from server.limits.text_width import TextWidth

_SOME = st.text(st.characters(max_codepoint=0x7F) | st.sampled_from("éÿĀ灯\uffff🏮\U0010ffff\\"), max_size=8)


@given(_SOME, st.booleans(), st.integers(1, 9))
@example("灯", True, 4)
@example("灯", False, 4)
def test_a_text_is_as_wide_as_python_has_it(text: str, is_escaped: bool, length: int) -> None:
    sent = json.dumps(text, ensure_ascii=is_escaped).encode()
    width, of_all = TextWidth(), 1
    for start in range(0, len(sent), length):
        of_all = width.take(sent[start : start + length])
    is_like_an_escape = "\\" in text
    # New ones: of a text that a library has asked for as UTF-8, Python keeps that as well.
    wide = (getsizeof(text * 3) - getsizeof(text * 2)) // len(text) if text else 1
    assert of_all == wide or (is_like_an_escape and of_all > wide)
