"""Fragments of a page to lines in reading order: column after column, the cells of a row side by side."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ingest.readers.pdf.page import Fragment

_GUTTER = 6.0
_MIN_COLUMN_LINES = 3
_MIN_COLUMN_CHARACTERS = 15
_MIN_COLUMN_FILL = 0.5
_MAX_CANDIDATES = 8
_WORD_GAP = 0.15
_CELL_GAP, _ALIGNED_CELL_GAP = 2.0, 0.5


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text; `cells` are its parts between wide gaps, which begin at `starts`.

    `right` is the right edge of the column that the line is in.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    bold: bool
    cells: tuple[str, ...]
    starts: tuple[float, ...]
    right: float
    is_table: bool = False
    begins_region: bool = False


def lines_of(fragments: Sequence[Fragment]) -> list[TextLine]:
    """The lines of a page in reading order."""
    upright = [fragment for fragment in fragments if fragment.is_upright]
    lines = [line for region in _regions(upright) for line in _region_lines(region)]
    return lines + [_line([fragment], frozenset(), fragment.x1) for fragment in fragments if not fragment.is_upright]


def rows_of(fragments: Sequence[Fragment]) -> list[tuple[TextLine, Sequence[Fragment]]]:
    """What stands on one level across the whole page as a line each, with its fragments, from top to bottom."""
    rows = list(_rows([fragment for fragment in fragments if fragment.is_upright]))
    columns = _columns(rows)
    rows += [[fragment] for fragment in fragments if not fragment.is_upright]
    return [(_line(row, columns, row[-1].x1), row) for row in rows]


def _regions(fragments: Sequence[Fragment]) -> Iterator[Sequence[Fragment]]:
    """The parts of a page that are read from top to bottom, in reading order."""
    for gutter in _gutters(fragments):
        bands = list(_bands(fragments, gutter))
        if any(_are_columns(left, right) for _, left, right in bands):
            for across, left, right in bands:
                if across:
                    yield across
                if _are_columns(left, right):
                    yield from _regions(left)
                    yield from _regions(right)
                elif left or right:
                    yield [*left, *right]
            return
    if fragments:
        yield fragments


def _gutters(fragments: Sequence[Fragment]) -> list[float]:
    """Where a second column may begin: left edges that several lines share, the most common first."""
    edges = Counter(round(fragment.x0) for fragment in fragments)
    if not edges:
        return []
    leftmost = min(edges)
    common = [edge for edge, count in edges.most_common(_MAX_CANDIDATES) if count >= _MIN_COLUMN_LINES]
    return [edge - 1.0 for edge in common if edge > leftmost]


def _bands(
    fragments: Sequence[Fragment], gutter: float
) -> Iterator[tuple[list[Fragment], list[Fragment], list[Fragment]]]:
    """From top to bottom: what runs across the gutter, then what is left and right of it below that."""
    across: list[Fragment] = []
    left: list[Fragment] = []
    right: list[Fragment] = []
    for fragment in sorted(fragments, key=lambda fragment: fragment.y0):
        if fragment.x0 >= gutter - 0.5:
            right.append(fragment)
        elif fragment.x1 <= gutter - _GUTTER:
            left.append(fragment)
        else:
            if left or right:
                yield across, left, right
                across, left, right = [], [], []
            across.append(fragment)
    yield across, left, right


def _are_columns(left: Sequence[Fragment], right: Sequence[Fragment]) -> bool:
    """Whether the two sides are columns of prose, and not the cells of a table."""
    if min(len(left), len(right)) < _MIN_COLUMN_LINES or not (_is_prose(left) and _is_prose(right)):
        return False
    top = max(left[0].y0, right[0].y0)
    bottom = min(max(fragment.y1 for fragment in left), max(fragment.y1 for fragment in right))
    return bottom > top


def _is_prose(column: Sequence[Fragment]) -> bool:
    lines: dict[int, list[Fragment]] = {}
    for fragment in column:
        lines.setdefault(round(fragment.y1 / 2), []).append(fragment)
    width = max(fragment.x1 for fragment in column) - min(fragment.x0 for fragment in column)
    lengths = [sum(len(fragment.text) for fragment in line) for line in lines.values()]
    widths = [max(f.x1 for f in line) - min(f.x0 for f in line) for line in lines.values()]
    return (
        len(lines) >= _MIN_COLUMN_LINES
        and median(lengths) >= _MIN_COLUMN_CHARACTERS
        and median(widths) >= _MIN_COLUMN_FILL * width
    )


def _region_lines(region: Sequence[Fragment]) -> Iterator[TextLine]:
    right = max(fragment.x1 for fragment in region)
    rows = list(_rows(region))
    columns = _columns(rows)
    for index, row in enumerate(rows):
        yield _line(row, columns, right, begins_region=index == 0)


def _rows(region: Sequence[Fragment]) -> Iterator[list[Fragment]]:
    row: list[Fragment] = []
    for fragment in sorted(region, key=lambda fragment: (fragment.y0 + fragment.y1) / 2):
        if row and not _same_row(row, fragment):
            yield sorted(row, key=lambda fragment: fragment.x0)
            row = []
        row.append(fragment)
    if row:
        yield sorted(row, key=lambda fragment: fragment.x0)


def _columns(rows: Iterable[Sequence[Fragment]]) -> frozenset[int]:
    """Where cells begin in at least two rows; where others begin at the same place, they are cells as well."""
    starts = Counter(
        round(fragment.x0) for row in rows for before, fragment in pairwise(row) if _gap(before, fragment) >= _CELL_GAP
    )
    return frozenset(start for start, count in starts.items() if count > 1)


def _gap(before: Fragment, fragment: Fragment) -> float:
    """The space between two fragments of a row, as a multiple of the type size."""
    return (fragment.x0 - before.x1) / max(before.size, fragment.size, 1)


def _same_row(row: Sequence[Fragment], fragment: Fragment) -> bool:
    last = row[-1]
    if last.is_table or fragment.is_table:
        return False
    overlap = min(last.y1, fragment.y1) - max(last.y0, fragment.y0)
    beside = all(fragment.x0 >= other.x1 - 1 or fragment.x1 <= other.x0 + 1 for other in row)
    return beside and overlap >= 0.5 * min(last.y1 - last.y0, fragment.y1 - fragment.y0)


def _line(row: Sequence[Fragment], columns: frozenset[int], right: float, *, begins_region: bool = False) -> TextLine:
    main = max(row, key=lambda fragment: len(fragment.text))
    cells, starts = [row[0].text], [row[0].x0]
    for before, fragment in pairwise(row):
        gap = _gap(before, fragment)
        if gap >= _CELL_GAP or (gap >= _ALIGNED_CELL_GAP and round(fragment.x0) in columns):
            cells.append(fragment.text)
            starts.append(fragment.x0)
        else:
            cells[-1] += (" " if gap >= _WORD_GAP else "") + fragment.text
    return TextLine(
        x0=row[0].x0,
        y0=min(fragment.y0 for fragment in row),
        x1=max(fragment.x1 for fragment in row),
        y1=max(fragment.y1 for fragment in row),
        text=" ".join(cells),
        size=main.size,
        bold=all(fragment.bold for fragment in row),
        cells=tuple(cells),
        starts=tuple(starts),
        right=right,
        is_table=main.is_table,
        begins_region=begins_region,
    )
