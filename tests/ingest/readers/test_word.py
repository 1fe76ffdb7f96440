from collections.abc import Callable
from io import BytesIO

import docx
import pytest
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn

from ingest.extracted import Extracted
from ingest.readers.word import read

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def extract(fill: Callable[[Document], object]) -> Extracted:
    document = docx.Document()
    fill(document)
    file = BytesIO()
    document.save(file)
    return read(file.getvalue(), lambda page, pages: None)


def pieces(extracted: Extracted) -> list[tuple[str, str]]:
    return [(block.kind, extracted.text[block.char_from : block.char_to]) for block in extracted.blocks]


def test_the_raised_number_of_a_note_is_no_part_of_the_word_before_it() -> None:
    def fill(document: Document) -> None:
        paragraph = document.add_paragraph("Mira walks along the harbour")
        paragraph.add_run("12").font.superscript = True
        paragraph.add_run(" on the 10")
        paragraph.add_run("th").font.superscript = True

    assert extract(fill).text == "Mira walks along the harbour 12 on the 10th"


def test_headings_lists_and_text() -> None:
    def fill(document: Document) -> None:
        document.add_heading("The Drowned Bell", 0)
        document.add_heading("Cast", 1)
        document.add_paragraph("Mara keeps the keys.")
        document.add_paragraph("rope", style="List Bullet")
        document.add_paragraph("lamp", style="List Number")
        document.add_heading("Tobin", 2)

    extracted = extract(fill)
    assert pieces(extracted) == [
        ("heading", "The Drowned Bell"),
        ("heading", "Cast"),
        ("paragraph", "Mara keeps the keys."),
        ("list", "- rope\n- lamp"),
        ("heading", "Tobin"),
    ]
    assert [block.level for block in extracted.blocks if block.kind == "heading"] == [1, 2, 3]
    assert [page.number for page in extracted.pages] == [None]


def test_a_bold_line_is_a_heading_and_bold_words_are_not() -> None:
    def fill(document: Document) -> None:
        document.add_paragraph().add_run("Tobin").bold = True
        paragraph = document.add_paragraph("He is ")
        paragraph.add_run("late").bold = True
        document.add_paragraph().add_run("He is always late.").bold = True

    assert [kind for kind, _ in pieces(extract(fill))] == ["heading", "paragraph", "paragraph"]


def test_tables_become_rows_and_merged_cells_are_read_once() -> None:
    def fill(document: Document) -> None:
        table = document.add_table(rows=3, cols=2)
        table.cell(0, 0).merge(table.cell(0, 1)).text = "Cast"
        table.cell(1, 0).text, table.cell(1, 1).text = "Mara", "keeper\nof keys"
        table.cell(2, 1).text = "boat boy"

    assert pieces(extract(fill)) == [("table", "Cast\nMara | keeper of keys\n| boat boy")]


def test_a_frame_of_one_column_is_read_as_text() -> None:
    def fill(document: Document) -> None:
        cell = document.add_table(rows=1, cols=1).cell(0, 0)
        cell.paragraphs[0].text = "A note on the wall:"
        cell.add_paragraph("Do not ring it.", style="List Bullet")

    assert pieces(extract(fill)) == [("paragraph", "A note on the wall:"), ("list", "- Do not ring it.")]


def test_a_cell_in_a_content_control_is_read() -> None:
    def fill(document: Document) -> None:
        table = document.add_table(rows=2, cols=2)
        for row, words in zip(table.rows, (("Who", "Secret"), ("Mara", "She is blind.")), strict=True):
            for cell, word in zip(row.cells, words, strict=True):
                cell.text = word
        (*_, cell) = document.element.body.iter(qn("w:tc"))
        control = parse_xml(f"<w:sdt {nsdecls('w')}><w:sdtContent/></w:sdt>")
        cell.getparent().replace(cell, control)
        control[0].append(cell)

    assert pieces(extract(fill)) == [("table", "Who | Secret\nMara | She is blind.")]


def test_inserted_text_counts_and_deleted_text_does_not() -> None:
    def fill(document: Document) -> None:
        body = document.element.body
        body.insert(
            0,
            parse_xml(
                f"<w:p {nsdecls('w')}><w:r><w:t>The bell </w:t></w:r>"
                "<w:del><w:r><w:delText>is silver</w:delText></w:r></w:del>"
                "<w:ins><w:r><w:t>is iron</w:t></w:r></w:ins><w:r><w:br/><w:t>and old.</w:t></w:r></w:p>"
            ),
        )
        body.insert(
            1,
            parse_xml(
                f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>A form field.</w:t></w:r></w:p>"
                "</w:sdtContent></w:sdt>"
            ),
        )
        moved = "<w:p><w:r><w:t>It was moved.</w:t></w:r></w:p>"
        body.insert(2, parse_xml(f"<w:moveFrom {nsdecls('w')}>{moved}</w:moveFrom>"))
        body.insert(3, parse_xml(f"<w:moveTo {nsdecls('w')}>{moved}</w:moveTo>"))

    assert extract(fill).text == "The bell is iron\nand old.\n\nA form field.\n\nIt was moved."


def test_text_boxes_are_read_once() -> None:
    def fill(document: Document) -> None:
        box = "<w:txbxContent><w:p><w:r><w:t>In the box.</w:t></w:r></w:p></w:txbxContent>"
        names = (
            'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
            'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
        )
        document.element.body.insert(
            0,
            parse_xml(
                f"<w:p {nsdecls('w')} {names}><w:r><w:t>Around it.</w:t><mc:AlternateContent>"
                f"<mc:Choice Requires='wps'><wps:txbx>{box}</wps:txbx></mc:Choice>"
                f"<mc:Fallback><wps:txbx>{box}</wps:txbx></mc:Fallback></mc:AlternateContent></w:r></w:p>"
            ),
        )

    assert extract(fill).text == "Around it.\n\nIn the box."


@pytest.mark.parametrize("kind", [RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES])
def test_notes_follow_the_text(kind: str) -> None:
    def fill(document: Document) -> None:
        document.add_paragraph("The bell rings once a year.")
        name = kind.rpartition("/")[2]
        words = ("Except in the year", "of the flood.")
        paragraphs = "".join(f"<w:p><w:r><w:t>{one}</w:t></w:r></w:p>" for one in words)
        note = f"<w:{name[:-1]}>{paragraphs}</w:{name[:-1]}>"
        notes = f"<w:{name} {nsdecls('w')}>{note}</w:{name}>".encode()
        part = Part(PackURI(f"/word/{name}.xml"), f"{_WORD}.{name}+xml", notes, document.part.package)
        document.part.relate_to(part, kind)

    assert pieces(extract(fill)) == [
        ("paragraph", "The bell rings once a year."),
        ("paragraph", "Except in the year of the flood."),
    ]


def test_what_a_document_only_points_at_is_not_its_notes() -> None:
    def fill(document: Document) -> None:
        document.add_paragraph("The bell rings once a year.")
        document.part.relate_to("https://example.org/notes.xml", RELATIONSHIP_TYPE.FOOTNOTES, is_external=True)
        document.part.relate_to("https://example.org/", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)

    assert pieces(extract(fill)) == [("paragraph", "The bell rings once a year.")]
