"""Takes out what is printed on every page: running headers, footers and page numbers."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingest.readers.pdf.layout import TextLine

_EDGE_LINES = 4
_MARGIN = 0.15
_MIN_PAGES = 3
_MIN_NUMBER_PAGES = 2
_MIN_DENSITY = 0.4
_MIN_SHARE = 0.5
_MAX_CHARACTERS = 200
_MAX_SIZE = 1.3
_SMALLER = 0.5
_FIRST_NUMBER = re.compile(r"\d{1,5}(?=\D|$)")
_LAST_NUMBER = re.compile(r"\d{1,5}(?=\D*$)")
# `The Inland Light · 3` on one side and `4 | Chapter two` on the other: only the number is alike.
_SET_OFF_NUMBER = re.compile(r"(\d{1,5})\s*[|·•—–]\s.*\D|\D.*\s[|·•—–]\s*(\d{1,5})")
_ROMAN_NUMBER = re.compile(r"[\W_]*([ivxl]+)[\W_]*")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}
_SET_OFF, _CELL = "set off", "cell"
_BARE_NUMBER = re.compile(r"[\W_]*\0-?\d+[\W_]*")

Key = tuple[str, str]


@dataclass(frozen=True)
class Sheet:
    """The lines of one page, and the height of the page in points."""

    lines: Sequence[TextLine]
    height: float


def without_margins(sheets: Sequence[Sheet], body_size: float) -> list[list[TextLine]]:
    """The lines of each page but those that come back at the same edge of several pages.

    Lines in large type stay: a heading may be repeated. A line counts only if nothing but running lines lies
    between it and the edge, so that the labels of a form that fills each page stay too. It must lie near the edge of
    the paper, which the last line of a short page does not: but for bare page numbers of most pages.
    What stands on no more than half of the pages stays where it begins, but for a title's words: it may be a name.
    """
    places = _places(sheets)
    written = sum(1 for sheet in sheets if sheet.lines)
    running = {key: len(numbers) for key, numbers in places.items() if _is_running(key, numbers, written)}
    # Two pages may begin alike by chance: then only what is set smaller than the text counts, or a number like it.
    few = written < _MIN_PAGES
    largest = body_size - _SMALLER if few else body_size * _MAX_SIZE
    largest_number = body_size if few else math.inf
    least = max(_MIN_PAGES, _MIN_SHARE * written)
    large = (line for sheet in sheets for line in sheet.lines if line.bold or line.size > body_size + _SMALLER)
    titles = "\n".join(line.text.lower() for line in large if len(line.cells) == 1)

    def goes(key: Key, line: TextLine, is_near: bool) -> bool:
        if _is_number(key):
            return running[key] >= least or (is_near and line.size <= largest_number)
        return is_near and line.size <= largest

    def is_told(key: Key, number: int) -> bool:
        pages = places[key]
        if _is_distance(key):
            return len(pages) > 1
        # or stands before it, be it that the other side has another line
        return 2 * len(pages) > written or key[1] in titles or not {number - 1, number - 2}.isdisjoint(pages)

    kept: list[list[TextLine]] = []
    for number, sheet in enumerate(sheets):
        dropped: set[int] = set()
        for edge, lines in _edges(sheet):
            for line in lines:
                keys = [key for key in _keys(line, edge, number) if key in running]
                is_near = _is_near(line, edge, sheet)
                if not any(goes(key, line, is_near) for key in keys):
                    break
                if all(key[0].endswith(_CELL) or not _is_distance(key) for key in keys) and not all(
                    is_told(_of_cell(edge, cell, number), number) for cell in line.cells
                ):
                    break  # what stands nowhere else, as a name beside the word `Name`
                dropped.add(id(line))
        kept.append([line for line in sheet.lines if id(line) not in dropped])
    return kept


def _places(sheets: Sequence[Sheet]) -> Mapping[Key, list[int]]:
    """On which pages each is."""
    places: defaultdict[Key, list[int]] = defaultdict(list)
    for number, sheet in enumerate(sheets):
        for key in {key for edge, lines in _edges(sheet) for line in lines for key in _keys(line, edge, number)}:
            places[key].append(number)
    return places


def _edges(sheet: Sheet) -> Iterator[tuple[str, list[TextLine]]]:
    """The first and the last lines of a page, each from the edge inwards."""
    lines = sorted(sheet.lines, key=lambda line: line.y0)
    yield "top", lines[:_EDGE_LINES]
    yield "bottom", lines[: -_EDGE_LINES - 1 : -1]


def _is_near(line: TextLine, edge: str, sheet: Sheet) -> bool:
    if edge == "top":
        return line.y1 < sheet.height * _MARGIN
    return line.y0 > sheet.height * (1 - _MARGIN)


def _is_number(key: Key) -> bool:
    return not key[0].endswith(_CELL) and _BARE_NUMBER.fullmatch(key[1]) is not None


def _is_distance(key: Key) -> bool:
    return "\0" in key[1]


def _keys(line: TextLine, edge: str, page: int) -> list[Key]:
    """What a running line shares with its likes: its text, but for a number that grows with the pages.

    Such a number is replaced by its distance to the physical page.
    """
    text = line.text.lower()
    if line.is_table or len(text) > _MAX_CHARACTERS:
        return []
    keys = [(edge, text)]
    # Often the name of the book is on one side and that of the chapter on the other.
    keys += [_of_cell(edge, cell, page) for cell in line.cells]
    if set_off := _SET_OFF_NUMBER.fullmatch(text):
        keys.append((f"{edge} {_SET_OFF}", f"\0{int(set_off[1] or set_off[2]) - page}"))
    if roman := _ROMAN_NUMBER.fullmatch(text):
        keys.append((edge, f"\0{_roman(roman[1]) - page}"))
    for pattern in (_FIRST_NUMBER, _LAST_NUMBER):
        numbered, count = pattern.subn(lambda match: f"\0{int(match[0]) - page}", text, count=1)
        if count:
            keys.append((edge, numbered))
    return keys


def _of_cell(edge: str, cell: str, page: int) -> Key:
    return f"{edge} {_CELL}", f"\0{int(cell) - page}" if cell.isdecimal() else cell.lower()


def _is_running(key: Key, pages: Sequence[int], written: int) -> bool:
    if key[0].endswith(_SET_OFF):
        return len(pages) >= _MIN_NUMBER_PAGES
    if _is_number(key):
        return len(pages) >= min(_MIN_NUMBER_PAGES, written)
    least = min(_MIN_PAGES, max(written, 2))
    if _is_distance(key) or key[0].endswith(_CELL):
        return len(pages) >= max(least, _MIN_SHARE * written)
    # The name of a chapter runs over its pages only, and often over every other one.
    return len(pages) >= least and len(pages) >= _MIN_DENSITY * (pages[-1] - pages[0] + 1)


def _roman(digits: str) -> int:
    values = [_ROMAN[digit] for digit in digits]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)
