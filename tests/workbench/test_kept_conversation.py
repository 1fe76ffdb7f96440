"""What a browser keeps of a conversation: so much of it, and nothing is taken that was not kept."""

import pytest

from agent import Citation
from workbench.asking.kept_conversation import MOST_EXCHANGES, Exchange, as_text, exchanges_in

CITATION = Citation(1, "bible.pdf", "a760", 3, 3, "p1", "The lamp is lit.", ("bible.docx",))
SAID = [Exchange("Who?", "Elena [1].", (CITATION,)), Exchange("lamp", "", (CITATION,), is_search=True)]


def test_what_is_kept_is_there_again() -> None:
    assert exchanges_in(as_text("a story", SAID), "a story") == SAID
    assert exchanges_in(as_text("a story", SAID), "another story") == []


def test_of_too_much_the_latest_is_kept() -> None:
    many = [Exchange(str(number), "lamp " * 2000, (CITATION,)) for number in range(MOST_EXCHANGES + 5)]
    text = as_text("", many)
    assert len(text) <= 200_000
    kept = exchanges_in(text, "")
    assert kept == many[-len(kept) :]
    assert as_text("", [Exchange("Why?", "x" * 300_000)]) == as_text("", [])


@pytest.mark.parametrize("text", [None, 3, "", "{", "[]", '{"about": "", "exchanges": [{"said": 1}]}', "[" * 10_000])
def test_what_nobody_kept_is_nothing(text: object) -> None:
    assert exchanges_in(text, "") == []
    assert exchanges_in(as_text("", SAID) + " " * 200_000, "") == []
