import zipfile
from io import BytesIO
from typing import Any

import pytest
from odf import style, table, text
from odf.draw import CustomShape, Frame, G, TextBox
from odf.opendocument import OpenDocumentText

from ingest.extracted import Extracted, ReadError
from ingest.readers.open_document import read


def stored(*elements: Any, styles: tuple[Any, ...] = ()) -> bytes:
    document: Any = OpenDocumentText()  # odfpy has no types
    for entry in styles:
        document.automaticstyles.addElement(entry)
    for element in elements:
        document.text.addElement(element)
    file = BytesIO()
    document.write(file)
    return file.getvalue()


def extract(*elements: Any, styles: tuple[Any, ...] = ()) -> Extracted:
    return read(stored(*elements, styles=styles), lambda page, pages: None)


def pieces(extracted: Extracted) -> list[tuple[str, str]]:
    return [(block.kind, extracted.text[block.char_from : block.char_to]) for block in extracted.blocks]


def test_headings_lists_and_text() -> None:
    items = text.List()
    for words in ("rope", "lamp"):
        item = text.ListItem()
        item.addElement(text.P(text=words))
        items.addElement(item)
    paragraph = text.P(text="Mara")
    paragraph.addElement(text.S(c=2))
    paragraph.addElement(text.Span(text="keeps"))
    paragraph.addElement(text.LineBreak())
    paragraph.addText("the keys.")
    extracted = extract(text.H(outlinelevel=2, text="Cast"), paragraph, items)
    assert pieces(extracted) == [
        ("heading", "Cast"),
        ("paragraph", "Mara keeps\nthe keys."),
        ("list", "- rope\n- lamp"),
    ]
    assert extracted.blocks[0].level == 3
    assert [page.number for page in extracted.pages] == [None]


def test_titles_and_bold_lines_are_headings() -> None:
    bold = style.Style(name="B1", family="paragraph")
    bold.addElement(style.TextProperties(fontweight="bold"))
    titled = style.Style(name="P9", family="paragraph", parentstylename="Title")
    extracted = extract(
        text.P(stylename="P9", text="The Drowned Bell"),
        text.P(stylename="B1", text="Tobin"),
        text.P(stylename="B1", text="He is always late."),
        styles=(bold, titled),
    )
    assert [kind for kind, _ in pieces(extracted)] == ["heading", "heading", "paragraph"]
    assert extracted.blocks[0].level == 1


def test_tables_become_rows() -> None:
    grid = table.Table()
    for words in (("Who", "What"), ("Mara", "keeper")):
        row = table.TableRow()
        for word in words:
            cell = table.TableCell()
            cell.addElement(text.P(text=word))
            row.addElement(cell)
        grid.addElement(row)
    assert pieces(extract(grid)) == [("table", "Who | What\nMara | keeper")]


def framed(words: str) -> Any:
    box = TextBox()
    box.addElement(text.P(text=words))
    frame = Frame()
    frame.addElement(box)
    return frame


def test_text_in_frames_and_sections_is_not_lost() -> None:
    heading = text.H(outlinelevel=1, text="The tower")
    heading.addElement(framed("Beside it."))
    paragraph = text.P(text="Around it.")
    paragraph.addElement(framed("In the box."))
    section = text.Section(name="s")
    section.addElement(text.P(text="In the section."))
    shown = extract(heading, paragraph, section).text
    assert shown == "The tower\n\nBeside it.\n\nAround it.\n\nIn the box.\n\nIn the section."


def test_text_in_a_frame_of_a_cell_is_not_lost() -> None:
    row = table.TableRow()
    for words in ("Mara", "keeper"):
        cell, paragraph = table.TableCell(), text.P(text=words)
        paragraph.addElement(framed(f"{words}, framed"))
        cell.addElement(paragraph)
        row.addElement(cell)
    grid = table.Table()
    grid.addElement(row)
    assert pieces(extract(grid)) == [("table", "Mara Mara, framed | keeper keeper, framed")]


def shape(*lines: str) -> Any:
    drawn = CustomShape()
    for line in lines:
        drawn.addElement(text.P(text=line))
    return drawn


def test_words_of_shapes_are_glued_to_none_beside_them() -> None:
    paragraph = text.P(text="Harbour")
    paragraph.addElement(shape("Start"))
    group = G()
    for drawn in (shape("Bridge", "Tower"), framed("Well")):
        group.addElement(drawn)
    paragraph.addElement(group)
    paragraph.addText(" plan")
    assert extract(paragraph).text == "Harbour plan\n\nStart\n\nBridge\n\nTower\n\nWell"


def test_words_of_notes_are_glued_to_none_beside_them() -> None:
    note = text.Note(noteclass="footnote")
    note.addElement(text.NoteCitation(text="1"))
    body = text.NoteBody()
    for line in ("Of bronze.", "Once."):
        body.addElement(text.P(text=line))
    note.addElement(body)
    paragraph = text.P(text="The bell")
    paragraph.addElement(note)
    paragraph.addText(" rings.")
    assert extract(paragraph).text == "The bell (1 Of bronze. Once.) rings."


def test_a_protected_document_is_refused() -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("META-INF/manifest.xml", "<manifest:encryption-data/>")
    with pytest.raises(ReadError, match="password") as refused:
        read(file.getvalue(), lambda page, pages: None)
    assert refused.value.code == "ENCRYPTED"
