"""Spreadsheets, made here: xlsx and ods are archives of XML."""

import zipfile
from collections.abc import Sequence
from io import BytesIO

import pytest

from ingest.extracted import ReadError
from ingest.readers import read
from ingest.split import split

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
Cell = str | int | float


def sheet(rows: Sequence[Sequence[Cell | None]], merged: Sequence[str] = ()) -> str:
    lines: list[str] = []
    for number, row in enumerate(rows, 1):
        cells = "".join(
            f'<c r="{chr(65 + column)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
            if isinstance(cell, str)
            else f'<c r="{chr(65 + column)}{number}"><v>{cell}</v></c>'
            for column, cell in enumerate(row)
            if cell is not None
        )
        lines.append(f'<row r="{number}">{cells}</row>')
    cells = "".join(f'<mergeCell ref="{cells}"/>' for cells in merged)
    merges = f"<mergeCells>{cells}</mergeCells>" if cells else ""
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData>{merges}</worksheet>'


def workbook(sheets: dict[str, Sequence[Sequence[Cell | None]]], hidden: str = "", merged: Sequence[str] = ()) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        names = "".join(
            f'<sheet name="{name}" sheetId="{number}" r:id="r{number}" '
            f'state="{"hidden" if name == hidden else "visible"}"/>'
            for number, name in enumerate(sheets, 1)
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r0" Type="{OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{names}</sheets></workbook>'
        )
        relations = "".join(
            f'<Relationship Id="r{number}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{number}.xml"/>'
            for number in range(1, len(sheets) + 1)
        )
        archive.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>')
        for number, rows in enumerate(sheets.values(), 1):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", sheet(rows, merged))
    return file.getvalue()


CAST: list[list[Cell | None]] = [["Name", "Role", "Age"], ["Mara", "keeper", 61], ["Tobin", None, 9.5]]


def test_each_row_is_a_passage_with_the_names_of_its_columns() -> None:
    cast: list[list[Cell | None]] = [CAST[0], ["Mara", "keeper of the old lighthouse", 61], CAST[2]]
    extracted = read("cast.xlsx", workbook({"Cast": cast, "Places": [["Place", "Kind"], ["Ness", "harbour"]]}))
    assert [(passage.heading, passage.text) for passage in split(extracted, "d" * 16, "cast.xlsx")] == [
        (("Cast",), "Name: Mara | Role: keeper of the old lighthouse | Age: 61"),
        (("Cast",), "Name: Tobin | Age: 9.5"),
        (("Places",), "Place: Ness | Kind: harbour"),
    ]


def test_names_of_columns_without_a_value_are_found() -> None:
    rows: list[list[Cell | None]] = [["ID", "English", "Notes"], ["Bell", None, "Old"], ["Tower"]]
    extracted = read("lines.xlsx", workbook({"Lines": rows}))
    assert extracted.text.endswith("ID: Bell | Notes: Old\n\nID: Tower\n\nEnglish")


def test_titles_above_a_table_are_text_and_hidden_sheets_are_not_read() -> None:
    book = workbook({"Cast": [["People of the harbour"], [], *CAST], "Lists": [["secret"]]}, hidden="Lists")
    extracted = read("cast.xlsx", book)
    assert extracted.text.startswith("Cast\n\nPeople of the harbour\n\nName: Mara")
    assert "secret" not in extracted.text


@pytest.mark.parametrize("beyond", ["D1:F1", "A1:F1", "E1:E5", "E2:F3", "A9:B9", "C2:XFD9"])
def test_merged_cells_may_reach_beyond_what_is_filled(beyond: str) -> None:
    rows: list[list[Cell | None]] = [["Name", "Role"], ["Mara", "keeper of the old lighthouse"], ["Tobin", "carter"]]
    assert "keeper of the old lighthouse" in read("cast.xlsx", workbook({"Cast": rows}, merged=[beyond])).text


def test_a_name_over_several_columns_is_that_of_each_where_the_row_below_has_values() -> None:
    rows = [["Name", "Role", "Notes", None], ["Osk", "murderer", "wears red", "limps"], ["Mina", None, "sings", None]]
    text = read("cast.xlsx", workbook({"Cast": rows}, merged=["C1:D1"])).text
    assert "Name: Osk | Role: murderer | Notes: wears red | Notes: limps" in text
    assert "Name: Mina | Notes: sings" in text


def test_merged_cells_hold_for_all_their_rows_and_columns() -> None:
    rows: list[list[Cell | None]] = [
        ["Enemies of act one", None, None, None],
        ["Name", "Stats", None, "Act"],
        [None, "HP", "MP", None],
        ["Bat", 10, 2, 1],
        ["Ghost", 30, None, None],
    ]
    book = workbook({"Enemies": rows}, merged=["A1:D1", "B2:C2", "A2:A3", "D2:D3", "D4:D5", "A900:B901"])
    extracted = read("balance.xlsx", book)
    assert extracted.text.split("\n\n") == [
        "Enemies",
        "Enemies of act one",
        "Name: Bat | Stats HP: 10 | Stats MP: 2 | Act: 1",
        "Name: Ghost | Stats HP: 30 | Act: 1",
    ]


def test_a_table_need_not_begin_in_the_corner() -> None:
    rows: list[list[Cell | None]] = [[], [None, "Name", "Where"], [None, "Lamp", "Harbour"], [None, None, "Granary"]]
    extracted = read("items.xlsx", workbook({"Items": rows}, merged=["B3:B4"]))
    assert extracted.text.split("\n\n")[1:] == ["Name: Lamp | Where: Harbour", "Name: Lamp | Where: Granary"]


def test_numbers_in_the_first_row_are_no_names() -> None:
    extracted = read("scores.xlsx", workbook({"Scores": [["Mara", 3], ["Tobin", 4]]}))
    assert [extracted.text[block.char_from : block.char_to] for block in extracted.blocks] == [
        "Scores",
        "Mara | 3",
        "Tobin | 4",
    ]


def test_open_document_sheets_are_read() -> None:
    table = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    cells = [
        "".join(
            f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>' for cell in row
        )
        for row in (["Name", "Role"], ["Mara", "keeper"])
    ]
    rows = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{office}" xmlns:table="{table}" xmlns:text="{text}">'
            f"<office:body><office:spreadsheet>"
            f'<table:table table:name="Cast">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    extracted = read("cast.ods", file.getvalue())
    assert (extracted.format, extracted.text) == ("ods", "Cast\n\nName: Mara | Role: keeper")


def test_an_archive_that_is_no_spreadsheet_is_damaged() -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook")
    with pytest.raises(ReadError, match=r"cast\.xlsx: ") as refused:
        read("cast.xlsx", file.getvalue())
    assert refused.value.code == "CORRUPT"
