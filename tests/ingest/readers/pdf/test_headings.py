from ingest.extracted import BlockKind
from ingest.readers.pdf.headings import OutlineEntry, heading_levels
from ingest.readers.pdf.paragraphs import Paragraph

BODY = 10.0


def paragraph(text: str, size: float = BODY, *, bold: bool = False, kind: BlockKind = "paragraph") -> Paragraph:
    return Paragraph(kind, text, size, bold, lines=1, may_be_title=True)


PROSE = paragraph("Some words about it, long enough to be the body of this page, and then some more of them.")


def levels(*page: Paragraph, outline: tuple[OutlineEntry, ...] = ()) -> list[int]:
    return heading_levels([page], outline, BODY)[0]


def test_sizes_are_ranked_and_bold_lines_come_below_them() -> None:
    assert levels(paragraph("Bible", 24), paragraph("World", 16), PROSE, paragraph("Harbour", bold=True), PROSE) == [
        1,
        2,
        0,
        3,
        0,
    ]


def test_capitals_come_last() -> None:
    assert levels(paragraph("World", 16), paragraph("THE HARBOUR"), PROSE) == [1, 2, 0]


def test_small_type_that_comes_back_is_a_label() -> None:
    cue = [paragraph("MARA"), PROSE]
    assert levels(*cue, *cue, *cue) == [0] * 6


def test_in_a_bold_document_bold_means_nothing() -> None:
    bold = paragraph(PROSE.text, bold=True)
    assert levels(paragraph("Harbour", bold=True), bold, bold) == [0, 0, 0]


def test_sentences_and_tables_in_large_type_are_no_headings() -> None:
    assert levels(paragraph("He ran.", 11.5), paragraph("Name | Role", 20, kind="table"), PROSE) == [0, 0, 0]


def test_outline_entries_without_their_words_on_the_page_are_ignored() -> None:
    outline = tuple(OutlineEntry(3, f"Nowhere {number}", page) for number, page in ((1, 1), (2, 1), (3, 99)))
    assert levels(paragraph("World", 16), PROSE, outline=outline) == [1, 0]


def test_an_outline_finds_headings_in_the_type_of_the_text() -> None:
    outline = (OutlineEntry(1, "World", 1), OutlineEntry(2, "Harbour", 1), OutlineEntry(2, "Tower", 1))
    page = (paragraph("1. World", 16), paragraph("1.1 Harbour"), PROSE, paragraph("1.2 tower"), PROSE)
    assert levels(*page, outline=outline) == [1, 2, 0, 2, 0]
