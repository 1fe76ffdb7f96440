"""Reads OpenDocument texts (odt)."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from odf.namespaces import DRAWNS
from odf.opendocument import load

from ingest.extracted import Extracted, ReadError
from ingest.readers.archive import check_archive
from ingest.readers.formats import PageListener
from ingest.readers.text_builder import TextBuilder
from ingest.readers.title import is_title

# odfpy has no types; used of an element are `qname`, `childNodes`, `attributes`, `data` and `nodeType`.
Element = Any

_TEXT_NODES = (3, 4)
_DROPPED = {"tracked-changes", "annotation", "sequence-decls", "variable-decls", "forms", "bookmark-ref"}
_APART = {"p", "h", "note-citation", "ruby-text"}  # beside what is around them in a paragraph's text
_INLINE_SPACE = {"tab": "\t", "line-break": "\n"}
_BOLD_LEVEL = 11


def read(data: bytes, progress: PageListener) -> Extracted:
    """An OpenDocument text with its headings, lists, tables, frames and notes; it has no fixed pages."""
    del progress
    with check_archive(data) as archive:
        if "META-INF/manifest.xml" in archive.namelist() and b"encryption-data" in archive.read(
            "META-INF/manifest.xml"
        ):
            raise ReadError("ENCRYPTED", "it is protected by a password; save a copy without one.")
    document: Element = load(BytesIO(data))
    builder = TextBuilder()
    _Walk(builder, _styles(document)).add(document.text)
    return builder.build("odt")


class _Walk:
    """Goes through the document and adds what it finds."""

    def __init__(self, builder: TextBuilder, styles: dict[str, Element]) -> None:
        self._builder = builder
        self._styles = styles

    def add(self, container: Element, *, in_list: bool = False) -> None:
        for element in container.childNodes:
            name = _name(element)
            if name == "h":
                self._builder.add("heading", _text(element), 1 + int(_attribute(element, "outline-level") or 1))
                self._add_boxes(element)
            elif name == "p":
                self._add_paragraph(element, in_list=in_list)
            elif name == "table" and _columns(element) > 1:
                self._builder.add("table", "\n".join(_rows(element)))
            elif name not in _DROPPED:
                self.add(element, in_list=in_list or name == "list")

    def _add_paragraph(self, element: Element, *, in_list: bool) -> None:
        text = _text(element)
        if text.strip():
            if in_list:
                self._builder.add("list", f"- {text.strip()}")
            elif level := self._level(element, text):
                self._builder.add("heading", text, level)
            else:
                self._builder.add("paragraph", text)
        self._add_boxes(element)

    def _add_boxes(self, element: Element) -> None:
        for box in _boxes(element):
            self.add(box)

    def _level(self, element: Element, text: str) -> int:
        """The level of a title, or of a short line all in bold, a heading of those who use no styles."""
        style = self._styles.get(_attribute(element, "style-name"))
        names = [_attribute(element, "style-name"), _attribute(style, "parent-style-name") if style else ""]
        if "Title" in names:
            return 1
        return _BOLD_LEVEL if is_title(text) and self._is_bold(element) else 0

    def _is_bold(self, element: Element) -> bool:
        if self._has_bold_style(element):
            return True
        pieces = [child for child in element.childNodes if _text_of(child).strip()]
        return bool(pieces) and all(_name(piece) == "span" and self._has_bold_style(piece) for piece in pieces)

    def _has_bold_style(self, element: Element) -> bool:
        style = self._styles.get(_attribute(element, "style-name"))
        properties = style.childNodes if style else ()
        return any(_attribute(entry, "font-weight") == "bold" for entry in properties)


def _styles(document: Element) -> dict[str, Element]:
    entries = [*document.styles.childNodes, *document.automaticstyles.childNodes]
    return {_attribute(entry, "name"): entry for entry in entries}


def _name(element: Element) -> str:
    return "" if element.nodeType in _TEXT_NODES else element.qname[1]


def _attribute(element: Element, name: str) -> str:
    attributes: dict[tuple[str, str], str] = getattr(element, "attributes", None) or {}
    return next((str(value) for (_, key), value in attributes.items() if key == name), "")


def _text(element: Element) -> str:
    return "".join(map(_text_of, element.childNodes))


def _text_of(element: Element) -> str:
    """The text of a node of a paragraph; what is drawn is left out, since it stands on its own."""
    if element.nodeType in _TEXT_NODES:
        return str(element.data)
    name = _name(element)
    if name == "s":
        return " " * int(_attribute(element, "c") or 1)
    if name in _DROPPED or _is_drawn(element):
        return ""
    if name == "note":
        return f" ({_text(element).strip()})"
    if name in _APART:
        return f" {_text(element)} "
    return _INLINE_SPACE.get(name) or _text(element)


def _is_drawn(element: Element) -> bool:
    """Whether it is a frame or a shape, which may hold paragraphs of its own."""
    return element.nodeType not in _TEXT_NODES and element.qname[0] == DRAWNS


def _boxes(element: Element) -> Iterator[Element]:
    """What is drawn in a paragraph."""
    for child in element.childNodes:
        if _is_drawn(child):
            yield child
        else:
            yield from _boxes(child)


def _columns(table: Element) -> int:
    return max((len(cells) for cells in _cells(table)), default=0)


def _rows(table: Element) -> Iterator[str]:
    for cells in _cells(table):
        line = " | ".join(" ".join(_paragraphs(cell)) for cell in cells)
        if line.strip(" |"):
            yield line


def _cells(element: Element) -> Iterator[list[Element]]:
    for child in element.childNodes:
        if _name(child) == "table-row":
            yield [cell for cell in child.childNodes if _name(cell) == "table-cell"]
        elif _name(child) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _cells(child)


def _paragraphs(element: Element) -> Iterator[str]:
    for child in element.childNodes:
        if _name(child) in ("p", "h"):
            yield " ".join(_text(child).split())
            for box in _boxes(child):
                yield from _paragraphs(box)
        else:
            yield from _paragraphs(child)
