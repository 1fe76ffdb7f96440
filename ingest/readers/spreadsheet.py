"""Reads spreadsheets (xlsx, ods): a row with the names of its columns is a passage."""

import datetime
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from python_calamine import CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from ingest.extracted import Extracted, ReadError
from ingest.readers.archive import check_archive
from ingest.readers.columns import is_header
from ingest.readers.formats import PageListener
from ingest.readers.text_builder import TextBuilder


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
            rows = workbook.get_sheet_by_name(sheet.name).iter_rows()
            _add_sheet(builder, sheet.name, [[_text(cell) for cell in row] for row in rows])
    return builder.build("ods" if data[30:38] == b"mimetype" else "xlsx")


def _add_sheet(builder: TextBuilder, name: str, rows: Sequence[Sequence[str]]) -> None:
    filled = [row for row in rows if any(row)]
    if not filled:
        return
    builder.add("heading", name, 1)
    above = next((index for index, row in enumerate(filled) if sum(map(bool, row)) > 1), len(filled))
    for row in filled[:above]:  # a title above the table, or a sheet of notes
        builder.add("paragraph", " ".join(row))
    names, body = (filled[above], filled[above + 1 :]) if is_header(filled[above:]) else ([], filled[above:])
    for row in body:
        builder.add("row", " | ".join(_named(names, row)))
    if names and not body:
        builder.add("row", " | ".join(filter(None, names)))


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
