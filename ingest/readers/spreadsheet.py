"""Reads spreadsheets (xlsx, ods): a row with the names of its columns is a passage."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

from python_calamine import CalamineSheet, CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from ingest.extracted import Extracted, ReadError
from ingest.readers.archive import check_archive
from ingest.readers.columns import is_header
from ingest.readers.formats import PageListener
from ingest.readers.text_builder import TextBuilder

Merge = tuple[tuple[int, int], tuple[int, int]]  # (row, column) of the first cell and of the last

_MOST_FILLED = 1000  # rows; who merges a whole column has a title in it


def read(data: bytes, progress: PageListener) -> Extracted:
    """A spreadsheet: each visible sheet below its name, row by row; it has no pages."""
    del progress
    check_archive(data).close()
    builder = TextBuilder()
    try:
        workbook = CalamineWorkbook.from_filelike(BytesIO(data))
    except PasswordError as error:
        raise ReadError("ENCRYPTED", "it is protected by a password; save a copy without one.") from error
    for sheet in workbook.sheets_metadata:
        if sheet.visible is SheetVisibleEnum.Visible and sheet.typ is SheetTypeEnum.WorkSheet:
            cells = workbook.get_sheet_by_name(sheet.name)
            rows = [[_text(cell) for cell in row] for row in cells.to_python()]
            merged = list(_merged(cells, rows))
            _fill_down(rows, merged)
            _add_sheet(builder, sheet.name, rows, _wide(rows, merged))
    return builder.build("ods" if data[30:38] == b"mimetype" else "xlsx")


def _merged(cells: CalamineSheet, rows: Sequence[list[str]]) -> Iterator[Merge]:
    """The merged cells, counted from the first row and column that are filled; of an ods they are not known.

    They may reach beyond the last row and column that are, or be there altogether.
    """
    first, leftmost = cells.start or (0, 0)
    last = leftmost + max(map(len, rows), default=0) - 1
    for (top, left), (bottom, right) in cells.merged_cell_ranges or []:
        if first <= top < first + len(rows) and leftmost <= left <= last:
            yield (top - first, left - leftmost), (bottom - first, min(right, last) - leftmost)


def _fill_down(rows: Sequence[list[str]], merged: Sequence[Merge]) -> None:
    """Write what cells that are merged over several rows say into each of these rows: it holds for all of them."""
    for (top, left), (bottom, _) in merged:
        for row in rows[top + 1 : min(bottom + 1, top + _MOST_FILLED)]:
            row[left] = rows[top][left]


def _wide(rows: Sequence[list[str]], merged: Sequence[Merge]) -> dict[int, list[str]]:
    """The rows that have cells over several columns, with their words in each of these columns."""
    wide = {top: rows[top].copy() for (top, left), (_, right) in merged if top < len(rows) and left < right}
    for (top, left), (_, right) in merged:
        if top in wide:
            wide[top][left : right + 1] = [rows[top][left]] * (right + 1 - left)
    return wide


def _add_sheet(
    builder: TextBuilder, name: str, rows: Sequence[Sequence[str]], wide: Mapping[int, Sequence[str]]
) -> None:
    filled = [index for index, row in enumerate(rows) if any(row)]
    if not filled:
        return
    builder.add("heading", name, 1)
    above = next((place for place, index in enumerate(filled) if sum(map(bool, rows[index])) > 1), len(filled))
    for index in filled[:above]:  # a title above the table, or a sheet of notes
        builder.add("paragraph", " ".join(rows[index]))
    table = [rows[index] for index in filled[above:]]
    names, body = (table[0], table[1:]) if is_header(table) else ([], table)
    groups = wide.get(filled[above]) if names and body else None
    if groups and _are_names(body[0], names, groups):  # names in two rows: a group's, and those below it
        names = [
            group if group == below else f"{group} {below}".strip()
            for group, below in zip(groups, body[0], strict=True)
        ]
        body = body[1:]
    elif groups:
        names = groups
    for row in body:
        builder.add("row", " | ".join(_named(names, row)))
    filled_in = {column for row in body for column, cell in enumerate(row) if cell}
    builder.add("row", " | ".join(name for column, name in enumerate(names) if name and column not in filled_in))


def _are_names(row: Sequence[str], names: Sequence[str], groups: Sequence[str]) -> bool:
    """Whether a row has only what stands below cells over several columns, and not another one's value."""
    beside = [*zip(names[1:], groups[1:], strict=True), ("", "")]  # the column at the right
    return all(
        cell in ("", name) or not name or (not next_name and next_group == name)
        for cell, name, (next_name, next_group) in zip(row, names, beside, strict=True)
    )


def _named(names: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    for column, cell in enumerate(row):
        if cell:
            name = names[column] if column < len(names) else ""
            yield f"{name}: {cell}" if name else cell


def _text(cell: Any) -> str:
    """A cell as the sheet shows it, nearly: its number format is not known here."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and not (cell.hour or cell.minute or cell.second):
        return cell.date().isoformat()
    return " ".join(str(cell).split())
