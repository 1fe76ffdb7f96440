"""Reads Rich Text (rtf)."""

import re

from striprtf.striprtf import rtf_to_text

from ingest.extracted import Extracted
from ingest.readers.formats import PageListener
from ingest.readers.text_builder import TextBuilder

# The library knows no headings. So a private character is set into each paragraph that has an outline level:
# it comes out with the paragraph's text. RTF writes such characters as signed 16 bit numbers.
_FIRST_MARK = 0xE000
_OUTLINE_LEVEL = re.compile(r"\\outlinelevel([0-8])(?!\d) ?")
_MARK = re.compile("[\ue000-\ue008]")
# The library leaves notes out. In a group like others their words stand where their numbers do.
_NOTE = re.compile(r"\{\\footnote(?![a-z])(?:\\ftnalt)?")
_ITEM = re.compile(r"[•·▪◦o\uf0b7-]\t+|\d{1,3}[.)]\t+")


def read(data: bytes, progress: PageListener) -> Extracted:
    """A Rich Text document with its headings, lists and tables; it has no fixed pages."""
    del progress
    marked = _OUTLINE_LEVEL.sub(_with_mark, _NOTE.sub("{ ", data.decode("latin-1")))
    builder = TextBuilder()
    table: list[str] = []
    for line in _whole_characters(rtf_to_text(marked, errors="replace")).split("\n"):
        if cells := _cells(line):
            table.append(cells)
            continue
        builder.add("table", "\n".join(table))
        table.clear()
        _add_line(builder, line)
    builder.add("table", "\n".join(table))
    return builder.build("rtf")


def _with_mark(level: re.Match[str]) -> str:
    return f"{level[0].rstrip()}\\u{_FIRST_MARK + int(level[1]) - 0x10000}?"


def _whole_characters(text: str) -> str:
    """The text with those characters whole that RTF writes as two halves, such as emoji."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _cells(line: str) -> str:
    """The line as a row of a table, or nothing: the library ends each cell with a bar."""
    cells = [" ".join(cell.split()) for cell in _MARK.sub("", line).split("|")]
    return " | ".join(cells[:-1]) if len(cells) > 2 and not cells[-1] and any(cells) else ""


def _add_line(builder: TextBuilder, line: str) -> None:
    mark = _MARK.search(line)
    text = _MARK.sub("", line)
    if mark and len(text.split()) > 0:
        builder.add("heading", text, ord(mark[0]) - _FIRST_MARK + 1)
    elif item := _ITEM.match(text.strip()):
        builder.add("list", f"- {text.strip()[item.end() :]}")
    else:
        builder.add("paragraph", text)
