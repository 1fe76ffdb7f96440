"""Reads Word documents (docx)."""

from collections.abc import Iterator
from io import BytesIO

import docx
from docx.document import Document
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.oxml.xmlchemy import BaseOxmlElement
from docx.styles.style import ParagraphStyle
from docx.text.paragraph import Paragraph

from ingest.extracted import Extracted
from ingest.readers.archive import check_archive
from ingest.readers.formats import PageListener
from ingest.readers.text_builder import TextBuilder
from ingest.readers.title import is_title

_TEXT = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# Deleted text, what repeats a drawing for old programs, and text boxes, which are read on their own.
_NOT_OF_PARAGRAPH = {qn("w:del"), qn("w:moveFrom"), _FALLBACK, qn("w:txbxContent")}
_BOXES = ".//*[local-name()='txbxContent'][not(ancestor::*[local-name()='Fallback'])]"
# What stands around text, or around the cells of a row: content controls, and what is inserted or was moved here.
_AROUND = {qn("w:sdt"), qn("w:sdtContent"), qn("w:ins"), qn("w:moveTo"), qn("w:customXml")}
_NOTES = ("footnotes", "endnotes")
_BODY_TEXT_LEVEL = 9
_LOWEST_LEVEL = 10


def read(data: bytes, progress: PageListener) -> Extracted:
    """A Word document with its headings, lists, tables, text boxes and notes; it has no fixed pages."""
    del progress
    check_archive(data).close()
    document = docx.Document(BytesIO(data))
    builder = TextBuilder()
    _Walk(document, builder).add(document.element.body)
    for note in _notes(document):
        builder.add("paragraph", note)
    return builder.build("docx")


class _Walk:
    """Goes through a part of the document and adds what it finds."""

    def __init__(self, document: Document, builder: TextBuilder) -> None:
        self._document = document
        self._builder = builder

    def add(self, container: BaseOxmlElement) -> None:
        for element in container.iterchildren():
            if element.tag == qn("w:p"):
                self._add_paragraph(element)
            elif element.tag == qn("w:tbl"):
                self._add_table(element)
            elif element.tag in _AROUND:
                self.add(element)

    def _add_paragraph(self, element: BaseOxmlElement) -> None:
        paragraph = Paragraph(element, self._document)
        text = _text(element)
        if text.strip():
            if level := _heading_level(paragraph, text):
                self._builder.add("heading", text, level)
            elif _is_item(paragraph):
                self._builder.add("list", f"- {text.strip()}")
            else:
                self._builder.add("paragraph", text)
        for box in element.xpath(_BOXES):
            self.add(box)

    def _add_table(self, table: BaseOxmlElement) -> None:
        rows = [list(_cells(row)) for row in table.iter(qn("w:tr")) if _owner(row) is table]
        if max(map(len, rows), default=0) > 1:
            lines = (" | ".join(_cell(cell) for cell in row) for row in rows)
            self._builder.add("table", "\n".join(line for line in lines if line.strip(" |")))
        else:  # a frame around text
            for row in rows:
                for cell in row:
                    self.add(cell)


def _owner(row: BaseOxmlElement) -> BaseOxmlElement | None:
    return next(row.iterancestors(qn("w:tbl")), None)


def _cells(row: BaseOxmlElement) -> Iterator[BaseOxmlElement]:
    for element in row.iterchildren():
        if element.tag == qn("w:tc"):
            yield element
        elif element.tag in _AROUND:
            yield from _cells(element)


def _cell(cell: BaseOxmlElement) -> str:
    paragraphs = (" ".join(_text(paragraph).split()) for paragraph in cell.iter(qn("w:p")))
    return " ".join(text for text in paragraphs if text)


def _text(element: BaseOxmlElement) -> str:
    return "".join(_runs(element))


def _runs(element: BaseOxmlElement) -> Iterator[str]:
    for child in element.iterchildren():
        if child.tag == qn("w:t"):
            yield child.text or ""
        elif child.tag in _TEXT:
            yield _TEXT[child.tag]
        elif child.tag not in _NOT_OF_PARAGRAPH and child.tag != qn("w:pPr"):
            if _is_raised(child):
                yield " "
            yield from _runs(child)


def _is_raised(element: BaseOxmlElement) -> bool:
    """Whether it is the number of a note that was typed, which is no part of the word before it."""
    properties = element.find(qn("w:rPr"))
    place = None if properties is None else properties.find(qn("w:vertAlign"))
    return place is not None and place.get(qn("w:val")) == "superscript" and _text(element).strip().isdecimal()


def _heading_level(paragraph: Paragraph, text: str) -> int:
    """Its level if it is a heading: 1 for a title, then Word's own levels below it; 0 for body text."""
    style = paragraph.style
    if style is not None and style.name == "Title":
        return 1
    for properties in _properties(paragraph):
        if outline := properties.xpath("./w:outlineLvl/@w:val"):
            return int(outline[0]) + 2 if int(outline[0]) < _BODY_TEXT_LEVEL else 0
    for ancestor in _styles(paragraph):
        kind, _, level = (ancestor.name or "").lower().rpartition(" ")
        if kind == "heading" and level.isdigit():
            return int(level) + 1
    return _LOWEST_LEVEL + 1 if _is_bold_line(paragraph, text) else 0


def _is_bold_line(paragraph: Paragraph, text: str) -> bool:
    """Whether it is a short line all in bold, which is how headings are made by those who use no styles."""
    if not is_title(text) or _is_item(paragraph):
        return False
    runs = [run for run in paragraph.runs if run.text.strip()]
    return bool(runs) and all(run.bold for run in runs)


def _is_item(paragraph: Paragraph) -> bool:
    return any(properties.xpath("./w:numPr") for properties in _properties(paragraph))


def _properties(paragraph: Paragraph) -> Iterator[BaseOxmlElement]:
    """The paragraph's own properties, then those of its style and of the styles that this is based on."""
    own: BaseOxmlElement = paragraph.paragraph_format.element
    for element in (own, *(style.element for style in _styles(paragraph))):
        yield from element.iterchildren(qn("w:pPr"))


def _styles(paragraph: Paragraph) -> Iterator[ParagraphStyle]:
    style = paragraph.style
    depth = 0
    while isinstance(style, ParagraphStyle) and depth < _LOWEST_LEVEL:  # a damaged file may go in a circle
        yield style
        style = style.base_style
        depth += 1


def _notes(document: Document) -> Iterator[str]:
    for relation in document.part.rels.values():
        if not relation.is_external and relation.reltype.endswith(_NOTES):
            root = parse_xml(relation.target_part.blob)
            for note in root.iterchildren():
                yield " ".join(_text(paragraph) for paragraph in note.iter(qn("w:p")))
