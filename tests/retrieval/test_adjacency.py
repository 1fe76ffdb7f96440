"""Passages that follow each other are one for the reader."""

import re

from corpora import Passage
from retrieval.adjacency import Spans, merge_adjacent
from retrieval.results import RankedPassage

SENTENCES = ("The bell rings twice.", "Its keeper is Oda.", "She lost her brother.", "The mill grinds salt.")
TEXT = "\n\n".join(SENTENCES)


def passages(
    text: str = TEXT, pages: tuple[int | None, ...] = (None,) * 9, headings: tuple[str, ...] = ("",) * 9
) -> list[Passage]:
    """One passage for each paragraph."""
    return [
        Passage(str(n), "d", "a.md", pages[n], pages[n], (headings[n],), *found.span(), found.group())
        for n, found in enumerate(re.finditer(r"[^\n]+", text))
    ]


def spans_of(text: str) -> Spans:
    """What stands in that text, whichever document is asked."""
    return lambda _, places: [text[begin:end] for begin, end in places]


def shown(all_passages: list[Passage], order: tuple[int, ...], text: str = TEXT) -> list[RankedPassage]:
    ranked = [RankedPassage(all_passages[number], -float(place)) for place, number in enumerate(order)]
    return merge_adjacent(ranked, spans_of(text))


def test_neighbours_become_one_where_the_best_of_them_stood() -> None:
    found = shown(passages(), (3, 1, 0))
    assert [one.passage.text for one in found] == [SENTENCES[3], f"{SENTENCES[0]}\n\n{SENTENCES[1]}"]
    assert found[1].passage.id == "0~1"
    assert found[1].score == -1.0
    assert TEXT[found[1].passage.char_from : found[1].passage.char_to] == found[1].passage.text


def test_what_was_not_found_between_them_keeps_them_apart() -> None:
    assert [one.passage.id for one in shown(passages(), (2, 0))] == ["2", "0"]


def test_what_is_left_out_between_them_keeps_them_apart() -> None:
    first, _, third, _ = passages()
    ranked = [RankedPassage(first, 1.0), RankedPassage(third, 0.5)]
    assert len(merge_adjacent(ranked, spans_of(TEXT))) == 2


def test_headings_keep_them_apart() -> None:
    assert len(shown(passages(headings=("a", "b", "b", "c")), (0, 1, 2, 3))) == 3


def test_the_pages_are_those_of_all_and_at_most_two() -> None:
    found = shown(passages(pages=(1, 2, 3, 3)), (0, 1, 2, 3))
    assert [(one.passage.page_from, one.passage.page_to) for one in found] == [(1, 2), (3, 3)]


def test_about_a_page_of_text_is_joined_and_not_a_chapter() -> None:
    text = "\n\n".join(f"{number}: " + "word " * 150 for number in range(6))
    found = shown(passages(text), (0, 1, 2, 3, 4, 5), text)
    assert [len(one.passage.text) // 700 for one in found] == [2, 2, 2]


def test_a_document_that_has_changed_since_is_shown_as_it_was_found() -> None:
    ranked = [RankedPassage(passage, 1.0) for passage in passages()]
    for text in ("", TEXT.replace("twice", "three times")):
        assert merge_adjacent(ranked, spans_of(text))[0].passage == ranked[0].passage


def test_documents_that_say_the_same_are_named_where_they_say_all_of_it() -> None:
    first, second, *_ = passages()
    ranked = [RankedPassage(first, 1.0, ("b.pdf", "c.txt")), RankedPassage(second, 0.5, ("c.txt",))]
    assert [one.also_in for one in merge_adjacent(ranked, spans_of(TEXT))] == [("c.txt",)]
    assert merge_adjacent([], spans_of("")) == []
