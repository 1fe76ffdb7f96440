"""Ruled tables of a page as rows of text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pymupdf

if TYPE_CHECKING:
    from ingest.readers.pdf.page import Fragment

_MIN_RULES = 3
_THIN = 3.0
_LONG = 20.0


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
    if not fragments or page.rotation or not _has_rules(page):
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
    for drawing in drawings:
        for item in drawing["items"]:
            _note_rule(item, rows, columns)
    return len(rows) >= _MIN_RULES and len(columns) >= _MIN_RULES


def _note_rule(item: Sequence[Any], rows: set[int], columns: set[int]) -> None:
    """Note where a horizontal or vertical rule lies; a rectangle is two of each, or a thick line."""
    if item[0] == "l":
        box = pymupdf.Rect(*item[1], *item[2]).normalize()
    elif item[0] == "re":
        box = pymupdf.Rect(item[1])
    else:
        return
    if box.width >= _LONG:
        rows.update((round(box.y0), round(box.y1)) if box.height > _THIN else (round(box.y0),))
    if box.height >= _THIN * 2:
        columns.update((round(box.x0), round(box.x1)) if box.width > _THIN else (round(box.x0),))


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
