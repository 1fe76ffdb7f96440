"""Reads comma-separated values; the text is the file itself, so that spans count in the file."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpora import Page
from ingest.extracted import Block, Extracted
from ingest.readers.columns import is_header
from ingest.readers.encoding import decode
from ingest.readers.formats import PageListener

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_FIRST_NAME = re.compile(r"[^\W_][^,;\t|]*")
_SAMPLE_LINES = 50
_MAX_TITLE = 200
csv.field_size_limit(2**31 - 1)  # else a cell of 128 KiB costs the whole file


@dataclass(frozen=True)
class _Row:
    start: int
    end: int
    cells: Sequence[str]


def read(data: bytes, progress: PageListener) -> Extracted:
    """A file of comma, semicolon or tab separated values: the names of its columns are a heading above each row."""
    del progress
    text = decode(data)
    rows = [row for row in _rows(text) if any(cell.strip() for cell in row.cells)]
    return Extracted("csv", text, (Page(None, 0, len(text), text),), tuple(_blocks(text, rows)))


def _blocks(text: str, rows: Sequence[_Row]) -> Iterator[Block]:
    named = len(rows) > 1 and is_header([row.cells for row in rows])
    for index, row in enumerate(rows):
        if named and index == 0:
            title = " | ".join(cell.strip() for cell in row.cells if cell.strip())
            first = _FIRST_NAME.search(text, row.start, row.end)
            end = row.end if first is None or len(title) <= _MAX_TITLE else first.end()
            yield Block("heading", row.start, end, 1, title[:_MAX_TITLE])
            if end < row.end:  # not all names have room in what stands above each row
                yield Block("row", end, row.end)
        else:
            yield Block("row", row.start, row.end)


def _rows(text: str) -> Sequence[_Row]:
    lines = _lines(text)
    delimiter = _delimiter(lines)
    # The line that is added is a row of its own, unless a quotation mark before it is never closed.
    *rows, last = _split([*lines, ""], 0, delimiter, quoted=True)
    if last.start < len(text):  # that was never meant to begin a cell
        rows += _split(_lines(text, last.start), last.start, delimiter, quoted=False)
    return rows


def _lines(text: str, start: int = 0) -> Sequence[str]:
    return [match[0] for match in _LINE.finditer(text, start) if match[0]]


def _split(lines: Sequence[str], position: int, delimiter: str, *, quoted: bool) -> Iterator[_Row]:
    used = 0
    # Not strict: a stray quote must not cost the rest of the file.
    reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE)
    for cells in reader:
        source = "".join(lines[used : reader.line_num])
        used = reader.line_num
        yield _Row(position, position + len(source.rstrip("\r\n")), cells)
        position += len(source)


def _delimiter(lines: Sequence[str]) -> str:
    """What splits most rows into the same number of cells, and into the most cells."""
    return max(",;\t|", key=lambda delimiter: _evenness(lines[:_SAMPLE_LINES], delimiter))


def _evenness(lines: Sequence[str], delimiter: str) -> tuple[int, int]:
    counts = [len(cells) for cells in csv.reader(lines, delimiter=delimiter) if cells]
    usual = max(counts, key=counts.count, default=0)
    return (counts.count(usual) if usual > 1 else 0), usual
