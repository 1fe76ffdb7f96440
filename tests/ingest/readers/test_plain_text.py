from ingest.extracted import Extracted
from ingest.readers.plain_text import read


def extract(text: str) -> Extracted:
    return read(text.encode(), lambda page, pages: None)


def headings(text: str) -> list[tuple[int, str]]:
    return [(block.level, block.title) for block in extract(text).blocks if block.kind == "heading"]


def test_text_is_the_file_and_paragraphs_are_between_blank_lines() -> None:
    text = "One line\nand more.\r\n\r\n  \n  Second.\n\n* a\n* b\n"
    extracted = extract(text)
    assert extracted.text == text
    assert [(block.kind, text[block.char_from : block.char_to]) for block in extracted.blocks] == [
        ("paragraph", "One line\nand more."),
        ("paragraph", "Second."),
        ("list", "* a\n* b"),
    ]


def test_underlined_lines_are_headings_even_without_a_blank_line_after_them() -> None:
    text = "The Harbour\n===========\nBoats lie here.\n\nThe pier\n--------\n\nRotten.\n"
    assert headings(text) == [(1, "The Harbour"), (2, "The pier")]
    assert [block.kind for block in extract(text).blocks] == ["heading", "paragraph", "heading", "paragraph"]


def test_lines_that_stand_alone_are_headings_when_that_is_clear() -> None:
    text = "Chapter 3\n\nTHE OLD PIER\n\nWet.\n\n2.1 The harbour\n\nWetter.\n\n2.1.1 Boats\n\nWettest."
    assert headings(text) == [(1, "Chapter 3"), (2, "THE OLD PIER"), (4, "2.1 The harbour"), (5, "2.1.1 Boats")]


def test_titles_in_capitals_may_have_text_right_below_but_speakers_are_no_titles() -> None:
    text = "SCENE 1: THE PIER\nPlace: the pier\nMARA: Who is there?\n\nTOBIN\nOnly me.\n\nTHE END OF IT\nNight."
    assert headings(text) == [(1, "SCENE 1: THE PIER"), (2, "THE END OF IT")]


def test_what_only_looks_like_a_heading_is_text() -> None:
    assert headings("MARA\nWho is there?\n\nSTOP!\n\n3 apples\n\n7. and so on it went\n\nNOTE\n\na\n\nNOTE\n\nb") == []


def test_rules_are_no_blocks() -> None:
    assert [block.kind for block in extract("One.\n\n* * *\n\nTwo.").blocks] == ["paragraph", "paragraph"]
