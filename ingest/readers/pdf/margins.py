"""Takes out what is printed on every page: running headers, footers and page numbers."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile

from ingest.readers.pdf.layout import Line

_EDGE_LINES = 4
_MIN_PAGES = 3
_MIN_NUMBER_PAGES = 2
_MIN_DENSITY = 0.4
_MIN_NUMBERED_SHARE = 0.5
_MAX_CHARACTERS = 200
_MAX_SIZE = 1.3
_FIRST_NUMBER = re.compile(r"\d{1,5}(?=\D|$)")
_LAST_NUMBER = re.compile(r"\d{1,5}(?=\D*$)")
_ROMAN_NUMBER = re.compile(r"[\W_]*([ivxl]+)[\W_]*")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}
_BARE_NUMBER = re.compile(r"\0-?\d+")

Key = tuple[str, str]


def without_margins(pages: Sequence[Sequence[Line]], body_size: float) -> list[list[Line]]:
    """The pages without the lines that come back at the same edge of several pages.

    Lines in large type stay: a heading may be repeated. A line counts only if nothing but running lines lies
    between it and the edge, so that the labels of a form that fills each page stay too.
    """
    places: defaultdict[Key, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        for key in {key for line, edge in _edge_lines(page) for key in _keys(line, edge, number)}:
            places[key].append(number)
    written = sum(1 for page in pages if page)
    running = {key for key, numbers in places.items() if _is_running(key, numbers, written)}

    def is_running(line: Line, edge: str, number: int) -> bool:
        keys = _keys(line, edge, number)
        return any(key in running and (line.size <= body_size * _MAX_SIZE or "\0" in key[1]) for key in keys)

    kept: list[list[Line]] = []
    for number, page in enumerate(pages):
        dropped: set[int] = set()
        for edge in ("top", "bottom"):
            near = [line for line, its_edge in _edge_lines(page) if its_edge == edge]
            dropped.update(map(id, takewhile(lambda line: is_running(line, edge, number), near)))  # noqa: B023
        kept.append([line for line in page if id(line) not in dropped])
    return kept


def _edge_lines(page: Sequence[Line]) -> Iterator[tuple[Line, str]]:
    """The first and the last lines of a page, each from the edge inwards."""
    lines = sorted(page, key=lambda line: line.y0)
    for edge, near in (("top", lines[:_EDGE_LINES]), ("bottom", lines[: -_EDGE_LINES - 1 : -1])):
        yield from ((line, edge) for line in near)


def _keys(line: Line, edge: str, page: int) -> list[Key]:
    """What a running line shares with its likes: its text, but for a number that grows with the pages.

    Such a number is replaced by its distance to the physical page.
    """
    text = line.text.lower()
    if line.is_table or len(text) > _MAX_CHARACTERS:
        return []
    keys = [(edge, text)]
    if roman := _ROMAN_NUMBER.fullmatch(text):
        keys.append((edge, f"\0{_roman(roman[1]) - page}"))
    for pattern in (_FIRST_NUMBER, _LAST_NUMBER):
        numbered, count = pattern.subn(lambda match: f"\0{int(match[0]) - page}", text, count=1)
        if count:
            keys.append((edge, numbered))
    return keys


def _is_running(key: Key, pages: Sequence[int], written: int) -> bool:
    if _BARE_NUMBER.fullmatch(key[1]):
        return len(pages) >= _MIN_NUMBER_PAGES
    if "\0" in key[1]:
        return len(pages) >= max(_MIN_PAGES, _MIN_NUMBERED_SHARE * written)
    # The name of a chapter runs over its pages only, and often over every other one.
    return len(pages) >= _MIN_PAGES and len(pages) >= _MIN_DENSITY * (pages[-1] - pages[0] + 1)


def _roman(digits: str) -> int:
    values = [_ROMAN[digit] for digit in digits]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)
