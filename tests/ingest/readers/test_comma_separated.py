import pytest

from ingest.extracted import Extracted
from ingest.readers import read
from ingest.split import split


def passages(extracted: Extracted) -> list[tuple[tuple[str, ...], str]]:
    found = split(extracted, "d" * 16, "cast.csv")
    assert all(extracted.text[one.char_from : one.char_to] == one.text for one in found)
    return [(passage.heading, passage.text) for passage in found]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_each_row_is_a_passage_below_the_names_of_its_columns(delimiter: str, line_end: str) -> None:
    bells = "keeper of bells, ropes and all that rings in the whole harbour"
    rows = [["Name", "Role"], ["Mara", bells.replace(",", "") if delimiter == "," else bells], ["Tobin", ""]]
    text = line_end.join(delimiter.join(row) for row in rows) + line_end
    extracted = read("cast.csv", text.encode())
    assert extracted.text == text, "the text is the file itself"
    assert passages(extracted) == [
        (("Name | Role",), delimiter.join(rows[1])),
        (("Name | Role",), delimiter.join(rows[2]).strip()),
    ]


def test_of_very_many_columns_each_name_is_found() -> None:
    names = ",".join(f"Column{number}" for number in range(40))
    values = ",".join(map(str, range(40)))
    found = passages(read("cast.csv", f"{names}\n{values}\n".encode()))
    assert [text.strip(",") for _, text in found] == [names.removeprefix("Column0,"), values]
    assert all(heading[0].startswith("Column0 | Column1 | ") for heading, _ in found)


def test_a_quoted_cell_may_have_lines() -> None:
    said = f'Mara,"Ring it,\nand run{" as fast as you can" * 3}."'
    assert [words for _, words in passages(read("cast.csv", f"Name,Says\n{said}\nTobin,Aye\n".encode()))] == [
        said,
        "Tobin,Aye",
    ]


def test_rows_of_a_few_letters_are_together() -> None:
    assert [words for _, words in passages(read("a.csv", b"a,1\n" * 100))] == ["\n".join(["a,1"] * 15)] * 6 + [
        "\n".join(["a,1"] * 10)
    ]


def test_without_names_each_row_stands_alone() -> None:
    mara, tobin = (f"{name} of the lighthouse at the end of the long pier,{age}" for name, age in (("M", 3), ("T", 4)))
    assert passages(read("scores.csv", f"{mara}\n{tobin}\n".encode())) == [((), mara), ((), tobin)]


def test_a_stray_quote_does_not_cost_the_rest() -> None:
    extracted = read("cast.csv", b'Name,Role\nMara,the "old" keeper\nTobin,boat boy\n')
    assert passages(extracted) == [(("Name | Role",), 'Mara,the "old" keeper\nTobin,boat boy')]


@pytest.mark.parametrize("rows", [200, 20_000])
def test_a_quote_that_is_never_closed_does_not_join_all_that_follows(rows: int) -> None:
    lines = ["Name,Role", 'Mara,"keeper', *(f"Tobin the {number}th,boat boy of the harbour" for number in range(rows))]
    found = passages(read("cast.csv", "\n".join(lines).encode()))
    assert {heading for heading, _ in found} == {("Name | Role",)}
    assert "\n".join(text for _, text in found).splitlines() == lines[1:], "each row is whole"


def rows_of(text: str) -> list[str]:
    extracted = read("cast.csv", text.encode())
    return [text[block.char_from : block.char_to] for block in extracted.blocks if block.kind == "row"]


@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_cell_of_hundreds_of_lines_leaves_all_rows_whole(ending: str) -> None:
    script = "\n".join(f"Line {number}, said slowly." for number in range(300))
    rows = ['Mara,"Ring it,\nand run."', f'Osk,"{script}"', 'Tobin,"Row,\nand ""rest""."']
    assert rows_of("\n".join(["Name,Says", *rows]) + ending) == rows


@pytest.mark.parametrize("ending", ["", "\n"])
def test_what_a_quote_leaves_open_takes_no_row_before_it_apart(ending: str) -> None:
    rows = ['Mara,"Ring it,\nand run."', 'Osk,"keeper', "Tobin,boat boy", "Sabeth,none"]
    assert rows_of("\n".join(["Name,Says", *rows]) + ending) == rows
    assert rows_of('Name,Says\n"') == ['"']


def test_a_cell_may_be_very_long() -> None:
    found = passages(read("cast.csv", b"Name,Story\nMara," + b"She rings the bell. " * 10_000 + b"\nTobin,boat boy\n"))
    assert found[-1] == (("Name | Story",), "Tobin,boat boy")


def test_a_row_that_is_too_long_is_cut_and_keeps_its_names() -> None:
    found = passages(read("cast.csv", b"Name,Story\nMara," + b"She rings the bell. " * 100))
    assert len(found) > 2
    assert {heading for heading, _ in found} == {("Name | Story",)}
