"""Ruled tables of a page as rows of text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pymupdf

if TYPE_CHECKING:
    from ingest.readers.pdf.page import Fragment

_MIN_RULES = 3
_MAX_DRAWINGS = 2000
_THIN = 3.0
_FRAME = 12.0
_LONG, _TALL = 20.0, 6.0


@dataclass(frozen=True)
class Table:
    """A table: its box on the page, a line of text for each row, and the fragments that it consists of."""

    box: tuple[float, float, float, float]
    text: str
    replaces: "tuple[Fragment, ...]"


def ruled_tables(page: pymupdf.Page, fragments: "Sequence[Fragment]") -> list[Table]:
    """The tables that are drawn with lines; those without are found later by their alignment.

    Looking for tables takes ten times as long as reading the text, so it is only done where there are rules.
    """
    if not fragments or not _has_rules(page):
        return []
    tables: list[Table] = []
    finder: Any = page.find_tables(strategy="lines_strict")
    for found in finder.tables:
        box = pymupdf.Rect(found.bbox)
        inside = tuple(fragment for fragment in fragments if box.contains(_centre(fragment)))
        rows = [_row(cells) for cells in found.extract() if any(cells)]
        if inside and found.col_count > 1 and len(rows) > 1 and _is_complete(rows, inside):
            tables.append(Table((box.x0, box.y0, box.x1, box.y1), "\n".join(rows), inside))
    return tables


def _has_rules(page: pymupdf.Page) -> bool:
    rows: set[int] = set()
    columns: set[int] = set()
    drawings: Any = page.get_cdrawings()
    if len(drawings) > _MAX_DRAWINGS:
        return False  # a map or a diagram: each of its strokes would be compared with every other
    for drawing in drawings:
        for item in drawing["items"]:
            _note_rule(item, is_outline="color" in drawing, rows=rows, columns=columns)
    width, height = page.rect.width, page.rect.height
    inner_rows = sum(_FRAME < y < height - _FRAME for y in rows)  # the frame of a page is no table
    inner_columns = sum(_FRAME < x < width - _FRAME for x in columns)
    return inner_rows >= _MIN_RULES and inner_columns >= _MIN_RULES


def _note_rule(item: Sequence[Any], *, is_outline: bool, rows: set[int], columns: set[int]) -> None:
    """Note where rules lie: lines, thin rectangles, and the sides of rectangles that are drawn as outlines."""
    if item[0] not in ("l", "re"):
        return
    (x0, x1), (y0, y1) = _extent(item)
    if x1 - x0 >= _LONG and (y1 - y0 <= _THIN or is_outline):
        rows.update((round(y0), round(y1)))
    if y1 - y0 >= _TALL and (x1 - x0 <= _THIN or is_outline):
        columns.update((round(x0), round(x1)))


def _extent(item: Sequence[Any]) -> tuple[list[float], list[float]]:
    """From where to where a line or a rectangle reaches, across and down."""
    x0, y0, x1, y1 = item[1] if item[0] == "re" else (*item[1], *item[2])
    return sorted((x0, x1)), sorted((y0, y1))


def _centre(fragment: "Fragment") -> pymupdf.Point:
    return pymupdf.Point((fragment.x0 + fragment.x1) / 2, (fragment.y0 + fragment.y1) / 2)


def _row(cells: Iterable[str | None]) -> str:
    return " | ".join(" ".join((cell or "").split()) for cell in cells).strip()


def _is_complete(rows: Sequence[str], fragments: "Sequence[Fragment]") -> bool:
    """Whether the table holds all the text that lies in its box; drawings that are no tables often do not."""
    expected = sum(_letters(fragment.text) for fragment in fragments)
    return sum(map(_letters, rows)) >= expected


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))
