from collections.abc import Iterable
from dataclasses import replace

import pytest

from ingest.readers.pdf.layout import TextLine
from ingest.readers.pdf.margins import Sheet, without_margins

BODY = 10.0


HEIGHT = 190.0


def page(*texts: str, size: float = BODY) -> list[TextLine]:
    """Lines from the top of a small page on; ten of them fill it."""
    return [
        TextLine(72, 5 + 18 * row, 200, 15 + 18 * row, text, size, bold=False, cells=(text,), starts=(72,), right=500)
        for row, text in enumerate(texts)
    ]


def kept(pages: Iterable[list[TextLine]]) -> list[list[str]]:
    sheets = [Sheet(lines, HEIGHT) for lines in pages]
    return [[line.text for line in lines] for lines in without_margins(sheets, BODY)]


def words(number: int) -> list[str]:
    return [f"{name} {name}{'!' * number}" for name in ("alpha", "beta", "gamma", "delta", "eps", "zeta", "eta")]


def test_several_lines_of_header_and_footer_are_taken_out() -> None:
    pages = [page("Bell Bible", *words(n), f"- {n} -", "Ness Games") for n in range(1, 9)]
    assert kept(pages) == [words(n) for n in range(1, 9)]


def test_chapter_names_on_every_other_page_are_taken_out_but_where_they_begin() -> None:
    names = ["The Harbour", "Bell Bible"] * 4 + ["The Tower", "Bell Bible"] * 4
    pages = kept(page(name, *words(n)) for n, name in enumerate(names, 1))
    begins = {1: ["The Harbour"], 2: ["Bell Bible"], 9: ["The Tower"]}
    assert pages == [begins.get(n, []) + words(n) for n in range(1, 17)]


def test_of_chapter_names_that_are_titles_none_stays() -> None:
    pages = [page(name, *words(n)[:6]) for n, name in enumerate(["The Harbour"] * 4 + ["The Tower"] * 4, 1)]
    titles = [replace(page("", "", "", "", "", "", "", name, size=20)[7]) for name in ("The Harbour", "The Tower")]
    pages[0].append(titles[0])
    pages[4].append(titles[1])
    below = {1: ["The Harbour"], 5: ["The Tower"]}
    assert kept(pages) == [words(n)[:6] + below.get(n, []) for n in range(1, 9)]


def test_roman_and_arabic_page_numbers_are_taken_out() -> None:
    numbers = ["i", "ii", "iii", "1", "2", "3"]
    assert kept(page(*words(n), number) for n, number in enumerate(numbers, 1)) == [words(n) for n in range(1, 7)]


def test_the_name_of_the_book_beside_that_of_the_chapter_is_taken_out_but_where_it_begins() -> None:
    pages = [page("", *words(n)) for n in range(1, 7)]
    for number, lines in enumerate(pages):
        cells = ("Bell Bible", f"Chapter {'I' * (number // 2 + 1)}")
        lines[0] = replace(lines[0], text=" ".join(cells), cells=cells, starts=(72, 300))
    begins = {1: ["Bell Bible Chapter I"], 3: ["Bell Bible Chapter II"], 5: ["Bell Bible Chapter III"]}
    assert kept(pages) == [begins.get(n, []) + words(n) for n in range(1, 7)]


@pytest.mark.parametrize("each", [2, 3])
def test_a_name_above_all_pages_of_a_character_sheet_stays_above_the_first(each: int) -> None:
    pages = [page("", *words(n)) for n in range(4 * each)]
    for number, lines in enumerate(pages):
        cells = ("Name", ("Mara", "Tobin", "Ansel", "Ines")[number // each])
        lines[0] = replace(lines[0], text=" ".join(cells), cells=cells, starts=(72, 300))
    shown = kept(pages)
    assert shown[::each] == [[line.text for line in lines] for lines in pages[::each]]
    assert shown[1] == words(1)


def test_a_number_beside_a_word_that_comes_back_stays_unless_it_follows_the_pages() -> None:
    pages = [page("", *words(n)) for n in range(1, 5)]
    for lines, level in zip(pages, ("17", "23", "41", "99"), strict=True):
        lines[0] = replace(lines[0], text=f"Level {level}", cells=("Level", level), starts=(72, 300))
    assert kept(pages) == [[line.text for line in lines] for lines in pages]


def test_what_is_on_one_page_alone_stays_though_a_word_comes_back_beside_it() -> None:
    pages = [page("", *words(n)) for n in range(1, 7)]
    for lines, name in zip(pages, ("Mara", "Tobin", "Ansel", "Ines", "Osk", "Jory"), strict=True):
        lines[0] = replace(lines[0], text=f"Name {name}", cells=("Name", name), starts=(72, 300))
    assert kept(pages) == [[line.text for line in lines] for lines in pages]


def test_a_chapter_of_one_page_is_known_by_its_title() -> None:
    names = ("The tower", "The ferry", "The mill", "The well")
    pages = [[*page("", *words(n)[:6]), replace(page(f"{n}. {name}", size=20)[0])] for n, name in enumerate(names, 1)]
    for lines, name in zip(pages, names, strict=True):
        lines[0] = replace(lines[0], text=f"Bell Bible {name}", cells=("Bell Bible", name), starts=(72, 300))
    assert not any("Bell Bible" in text for texts in kept(pages) for text in texts)


def test_labels_of_forms_stay_because_a_name_is_above_them() -> None:
    pages = [page(name, "Role", "Keeper") for name in ("Mara", "Tobin", "Ansel", "Ines")]
    assert kept(pages) == [[line.text for line in lines] for lines in pages]


def test_repeated_headings_in_large_type_stay() -> None:
    pages = [page("Overview", size=20) + page(*words(n))[1:] for n in range(1, 6)]
    assert all(texts[0] == "Overview" for texts in kept(pages))


def test_two_pages_that_begin_alike_lose_nothing() -> None:
    pages = [page("Notes", *words(1)), page("Notes", *words(2))]
    assert kept(pages) == [["Notes", *words(1)], ["Notes", *words(2)]]


def test_of_few_pages_numbers_are_those_of_pages_only_near_the_edge_and_no_larger_than_the_text() -> None:
    assert kept([page(*words(1), "", "", "12")]) == [[*words(1), "", ""]]
    assert kept([page("A code:", "4711")]) == [["A code:", "4711"]]
    assert kept([page("1984", *words(1), size=36)]) == [["1984", *words(1)]]
    assert kept([page("The flood:", "1946"), page("The war:", "1947")]) == [
        ["The flood:", "1946"],
        ["The war:", "1947"],
    ]


def test_numbers_below_short_pages_are_taken_out_where_most_pages_have_one() -> None:
    pages = [page(*words(n)[: n + 1], str(n)) for n in range(1, 5)]
    assert kept(pages) == [words(n)[: n + 1] for n in range(1, 5)]
    years = [page(*words(n)[:3], str(1950 + n if n in (3, 4) else 9 * n)) for n in range(1, 9)]
    assert kept(years) == [[line.text for line in lines] for lines in years]


def test_a_number_that_is_set_off_from_the_words_beside_it_makes_a_running_line_of_two_pages() -> None:
    pages = [page("The Inland Light · 7", *words(1)), page("8 | Chapter two: the harbour", *words(2))]
    assert kept(pages) == [words(1), words(2)]
    prices = [page("A lamp – 30", *words(1)), page("A rope – 12", *words(2)), page("Level 3", *words(3))]
    assert kept(prices) == [[line.text for line in lines] for lines in prices]
