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
    rows = [["Name", "Role"], ["Mara", "keeper of bells, and ropes" if delimiter != "," else "keeper"], ["Tobin", ""]]
    text = line_end.join(delimiter.join(row) for row in rows) + line_end
    extracted = read("cast.csv", text.encode())
    assert extracted.text == text, "the text is the file itself"
    assert passages(extracted) == [
        (("Name | Role",), delimiter.join(rows[1])),
        (("Name | Role",), delimiter.join(rows[2]).strip()),
    ]


def test_a_quoted_cell_may_have_lines() -> None:
    text = 'Name,Says\nMara,"Ring it,\nand run."\nTobin,Aye\n'
    assert [words for _, words in passages(read("cast.csv", text.encode()))] == [
        'Mara,"Ring it,\nand run."',
        "Tobin,Aye",
    ]


def test_without_names_each_row_stands_alone() -> None:
    assert passages(read("scores.csv", b"Mara,3\nTobin,4\n")) == [((), "Mara,3"), ((), "Tobin,4")]


def test_a_stray_quote_does_not_cost_the_rest() -> None:
    extracted = read("cast.csv", b'Name,Role\nMara,the "old" keeper\nTobin,boat boy\n')
    assert len(passages(extracted)) == 2


def test_a_row_that_is_too_long_is_cut_and_keeps_its_names() -> None:
    found = passages(read("cast.csv", b"Name,Story\nMara," + b"She rings the bell. " * 100))
    assert len(found) > 2
    assert {heading for heading, _ in found} == {("Name | Story",)}
