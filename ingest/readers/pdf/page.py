"""What MuPDF finds on one page: fragments of lines and ruled tables, without what cannot be seen."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pymupdf

from ingest.readers.pdf.tables import Table, ruled_tables
from ingest.readers.text_builder import clean

# Ligatures are taken apart, pictures are not decoded, and what lies outside of the page is looked at as well.
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
_BOLD = 16
_FILLED, _STROKED = 16, 32
_TINY = 1.5
_LIGHT = 0xD0
_LEAST_CONTRAST = 24
_PICTURE_SHARE = 0.5
# Low numbers come out as control characters. Of 1,560 pages of public test files those with proper text have .02 and
# less (lists of a font's characters up to .22), those of glyphs mostly more than .4.
_NO_LETTER = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_GLYPHS_SHARE = 0.25
_UPRIGHT = 0.9  # the cosine of the angle to a level line


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of a line in one place, or a whole table; in points from the page's upper left corner."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    bold: bool
    is_table: bool = False
    is_upright: bool = True


def read_page(page: pymupdf.Page) -> tuple[list[Fragment], bool]:
    """The page's fragments in no particular order, and whether text was left out because nobody can see it.

    A page whose font does not say which letters it draws has no text: what is found there are the numbers of glyphs.
    """
    if page.rotation:
        page.remove_rotation()
    found = cast("dict[str, Any]", page.get_text("dict", flags=_FLAGS, clip=pymupdf.INFINITE_RECT()))
    lines: list[dict[str, Any]] = [line for block in found["blocks"] for line in block["lines"]]
    if _is_of_glyphs(lines):
        return [], False
    sight = _Sight(page)
    visible = [fragment for line in lines if (fragment := _fragment(line, sight))]
    tables = ruled_tables(page, visible)
    inside = {id(fragment) for table in tables for fragment in table.replaces}
    fragments = [fragment for fragment in visible if id(fragment) not in inside]
    return [*fragments, *map(_table_fragment, tables)], sight.found_hidden


def _is_of_glyphs(lines: Sequence[dict[str, Any]]) -> bool:
    """Whether so much of it cannot be a letter that the rest, by chance a letter, cannot be trusted."""
    text = "".join(span["text"] for line in lines for span in line["spans"])
    return len(_NO_LETTER.findall(text)) > _GLYPHS_SHARE * len(text)


def _fragment(line: dict[str, Any], sight: "_Sight") -> Fragment | None:
    spans = [span for span in line["spans"] if not span["text"].strip() or sight.is_visible(span)]
    text = clean("".join(map(_text, spans)))
    if not text:
        return None
    letters = [(len(span["text"].strip()), span) for span in spans]
    size = max(letters, key=lambda entry: entry[0])[1]["size"]
    bold = all(_is_bold(span) for span in spans if any(map(str.isalpha, span["text"])))
    x0, y0, x1, y1 = line["bbox"]
    return Fragment(x0, y0, x1, y1, text, round(size * 2) / 2, bold, is_upright=line["dir"][0] > _UPRIGHT)


def _text(span: dict[str, Any]) -> str:
    """Its text; the raised number of a note is no part of the word before it."""
    is_raised = span["flags"] & pymupdf.TEXT_FONT_SUPERSCRIPT and span["text"].strip().isdecimal()
    return f" {span['text']}" if is_raised else span["text"]


def _is_bold(span: dict[str, Any]) -> bool:
    return bool(span["flags"] & _BOLD) or "bold" in span["font"].lower()


def _table_fragment(table: Table) -> Fragment:
    x0, y0, x1, y1 = table.box
    return Fragment(x0, y0, x1, y1, table.text, table.replaces[0].size, bold=False, is_table=True)


class _Sight:
    """Tells text that a reader of the page can see from text that is hidden in it.

    Hidden text is how instructions for language models are smuggled into documents.
    """

    def __init__(self, page: pymupdf.Page) -> None:
        self._page = page
        self._picture: pymupdf.Pixmap | None = None
        self._picture_area: float | None = None
        self.found_hidden = False

    def is_visible(self, span: dict[str, Any]) -> bool:
        visible = self._in_sight(span)
        self.found_hidden |= not visible
        return visible

    def _in_sight(self, span: dict[str, Any]) -> bool:
        if not span["char_flags"] & (_FILLED | _STROKED):
            return self._lies_on_scan() and self._is_on_page(span)
        if span["alpha"] == 0 or span["size"] < _TINY or not self._is_on_page(span):
            return False
        return min(span["color"].to_bytes(4, "big")[1:]) < _LIGHT or self._stands_out(span)

    def _is_on_page(self, span: dict[str, Any]) -> bool:
        x0, y0, x1, y1 = span["bbox"]
        area = self._page.rect
        return area.x0 < x1 and x0 < area.x1 and area.y0 < y1 and y0 < area.y1

    def _lies_on_scan(self) -> bool:
        """Whether text without ink is the recognised text of a picture that fills the page."""
        if self._picture_area is None:
            boxes = [pymupdf.Rect(info["bbox"]) for info in self._page.get_image_info()]
            self._picture_area = float(sum(box.width * box.height for box in boxes))
        return self._picture_area > _PICTURE_SHARE * self._page.rect.width * self._page.rect.height

    def _stands_out(self, span: dict[str, Any]) -> bool:
        """Whether light text differs from what is behind it, as the page is drawn."""
        if self._picture is None:
            self._picture = self._page.get_pixmap(colorspace=pymupdf.csGRAY, annots=False)
        shades = b"".join(_rows(self._picture, pymupdf.Rect(span["bbox"])))
        return bool(shades) and max(shades) - min(shades) >= _LEAST_CONTRAST


def _rows(picture: pymupdf.Pixmap, box: pymupdf.Rect) -> Iterator[bytes]:
    area = box.irect & picture.irect
    samples: bytes = picture.samples
    for y in range(area.y0 - picture.y, area.y1 - picture.y):
        start = y * picture.stride - picture.x
        yield samples[start + area.x0 : start + area.x1]
