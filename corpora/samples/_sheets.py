"""Makes the character sheets: from Markdown to a Word file with headings and tables."""

import zipfile
from collections.abc import Sequence
from datetime import datetime
from io import BytesIO

from docx import Document
from docx.document import Document as WordDocument
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Pt, RGBColor
from docx.styles.style import ParagraphStyle
from docx.text.paragraph import Paragraph
from markdown_it.token import Token

from corpora.samples._markdown import Block, blocks

MADE = datetime(2025, 3, 9, 12, 0, 0)
INK = RGBColor(0x22, 0x30, 0x3C)


def make_sheets(source: str, title: str) -> bytes:
    """The Word file of a Markdown source; the same bytes for the same source and library."""
    document = Document()
    _dress(document, title)
    for block in blocks(source):
        if block.tag == "table":
            _table(document, block)
        elif block.tag[0] == "h":
            document.add_heading(block.text, level=int(block.tag[1]) - 1)
        else:
            _runs(document.add_paragraph(), block)
    written = BytesIO()
    document.save(written)
    return _undated(written.getvalue())


def _dress(document: WordDocument, title: str) -> None:
    properties = document.core_properties
    properties.title, properties.author = f"{title}: character sheets", "The Fletcher project"
    properties.created = properties.modified = MADE
    properties.comments, properties.revision = "", 1
    for style in document.styles:
        if isinstance(style, ParagraphStyle) and style.name in ("Normal", "Title", "Heading 1"):
            style.font.name = "Georgia"
            if style.name == "Normal":
                style.font.size = Pt(10.5)
            else:
                style.font.color.rgb = INK
    header = document.sections[0].header.paragraphs[0]
    header.text, header.alignment = title, WD_ALIGN_PARAGRAPH.RIGHT


def _table(document: WordDocument, block: Block) -> None:
    rows: list[list[Token]] = []
    for token in block.tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token)
    filled = [row for row in rows if any(cell.content for cell in row)]
    table = document.add_table(rows=len(filled), cols=len(filled[0]), style="Table Grid")
    for cells, row in zip(table.rows, filled, strict=True):
        for cell, inline in zip(cells.cells, row, strict=True):
            _spans(cell.paragraphs[0], inline, strong=inline is row[0])
    document.add_paragraph()


def _runs(paragraph: Paragraph, block: Block) -> None:
    for token in block.tokens:
        if token.type == "inline":
            _spans(paragraph, token)


def _spans(paragraph: Paragraph, inline: Token, *, strong: bool = False) -> None:
    slanted = False
    for child in inline.children or []:
        if child.type in ("em_open", "em_close"):
            slanted = child.nesting == 1
        elif child.type in ("strong_open", "strong_close"):
            strong = child.nesting == 1
        else:
            run = paragraph.add_run(" " if child.type == "softbreak" else child.content)
            run.italic, run.bold = slanted or None, strong or None


def _undated(package: bytes) -> bytes:
    """The same package with one date on all its parts: a zip file records when it was written."""
    renewed = BytesIO()
    with zipfile.ZipFile(BytesIO(package)) as old, zipfile.ZipFile(renewed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in _in_order(old.namelist()):
            new.writestr(zipfile.ZipInfo(name, MADE.timetuple()[:6]), old.read(name), zipfile.ZIP_DEFLATED)
    return renewed.getvalue()


def _in_order(names: Sequence[str]) -> list[str]:
    return sorted(names, key=lambda name: (name != "[Content_Types].xml", name))
