from collections.abc import Sequence
from dataclasses import replace

from ingest.readers.pdf.hyphens import Hyphens
from ingest.readers.pdf.layout import TextLine
from ingest.readers.pdf.paragraphs import Paragraph, paragraphs_of

SIZE = 10.0
RIGHT = 400.0


def line(text: str, *, x: float = 72, end: float = RIGHT, bold: bool = False, begins_region: bool = False) -> TextLine:
    return TextLine(x, 0, end, 0, text, SIZE, bold, (text,), (x,), RIGHT, begins_region=begins_region)


def stacked(lines: Sequence[TextLine], pitch: float = 12) -> list[TextLine]:
    return [replace(entry, y0=50 + row * pitch, y1=60 + row * pitch) for row, entry in enumerate(lines)]


def paragraphs(*lines: TextLine, pitch: float = 12) -> list[Paragraph]:
    placed = stacked(lines, pitch)
    return list(paragraphs_of(placed, SIZE, Hyphens.of([placed])))


def texts(*lines: TextLine, pitch: float = 12) -> list[str]:
    return [paragraph.text for paragraph in paragraphs(*lines, pitch=pitch)]


def test_a_line_that_ends_early_ends_its_paragraph() -> None:
    assert texts(line("One long line that is full"), line("and ends.", end=150), line("Another one begins")) == [
        "One long line that is full and ends.",
        "Another one begins",
    ]


def test_an_indent_begins_a_paragraph() -> None:
    assert len(texts(line("A full line that ends."), line("Indented, it begins anew.", x=90))) == 2


def test_double_spaced_sentences_hold_together() -> None:
    assert texts(line("The player controls as many"), line("chickens as they can."), pitch=26) == [
        "The player controls as many chickens as they can."
    ]


def test_a_change_of_type_begins_a_paragraph() -> None:
    assert len(texts(line("Bold words of a title", bold=True), line("And plain ones below."))) == 2


def test_a_heading_within_a_line_does_not_cut_its_sentence() -> None:
    assert texts(line("Nobody is a villain; somebody", bold=True), line("is always paying. Every kindness")) == [
        "Nobody is a villain; somebody is always paying. Every kindness"
    ]


def test_items_are_told_by_their_marks_and_keep_their_lines() -> None:
    found = paragraphs(
        line("• The first item goes on"), line("on a second line.", x=80), line("• The second item."), line("1. Third.")
    )
    assert [paragraph.text for paragraph in found] == [
        "• The first item goes on on a second line.",
        "• The second item.",
        "1. Third.",
    ]
    assert {paragraph.kind for paragraph in found} == {"list"}


def test_a_sentence_goes_on_in_the_next_column() -> None:
    assert texts(line("The sentence goes on"), line("in the next column.", begins_region=True)) == [
        "The sentence goes on in the next column."
    ]


def test_entries_of_a_table_of_contents_stay_apart() -> None:
    entries = [line("6.1 Overview . . . . . . . 6"), line("6.2 Levels . . . . . . . . 10")]
    assert texts(*entries) == ["6.1 Overview … 6", "6.2 Levels … 10"]
