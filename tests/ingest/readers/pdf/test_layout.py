from ingest.readers.pdf.layout import lines_of
from ingest.readers.pdf.page import Fragment


def fragment(x: float, y: float, text: str, *, size: float = 10, upright: bool = True) -> Fragment:
    return Fragment(x, y, x + len(text) * size / 2, y + size, text, size, bold=False, is_upright=upright)


def texts(*fragments: Fragment) -> list[str]:
    return [line.text for line in lines_of(fragments)]


def test_fragments_on_one_level_are_one_line_from_left_to_right() -> None:
    assert texts(fragment(100, 51, "Mara"), fragment(72, 50, "Here"), fragment(72, 70, "keeps")) == [
        "Here Mara",
        "keeps",
    ]


def test_wide_gaps_make_cells() -> None:
    line = lines_of([fragment(72, 50, "Mara"), fragment(97, 50, "Bell"), fragment(300, 50, "keeper")])[0]
    assert line.cells == ("Mara Bell", "keeper")


def test_three_columns_below_a_title() -> None:
    columns = [
        fragment(72 + 150 * column, 100 + 12 * row, f"words of column {column} {row}")
        for row in range(4)
        for column in range(3)
    ]
    title = fragment(72, 60, "A title above all of the three columns, from edge to edge of them")
    assert texts(*columns, title) == [
        title.text,
        *(f"words of column {column} {row}" for column in range(3) for row in range(4)),
    ]


def test_what_runs_across_columns_divides_them() -> None:
    def band(y: float, name: str) -> list[Fragment]:
        rows = range(3)
        left = [fragment(72, y + 12 * row, f"{name} left side, line {row}") for row in rows]
        return left + [fragment(300, y + 12 * row, f"{name} right side, line {row}") for row in rows]

    across = fragment(72, 150, "This line runs across both of the columns, as captions of wide pictures do")
    order = texts(*band(100, "upper"), across, *band(200, "lower"))
    assert order == [
        *(f"upper {side} side, line {row}" for side in ("left", "right") for row in range(3)),
        across.text,
        *(f"lower {side} side, line {row}" for side in ("left", "right") for row in range(3)),
    ]


def test_cells_are_no_columns() -> None:
    rows = [
        piece
        for row in range(4)
        for piece in (fragment(72, 50 + 20 * row, f"item {row}"), fragment(300, 50 + 20 * row, "a long description"))
    ]
    assert texts(*rows) == [f"item {row} a long description" for row in range(4)]


def test_turned_text_comes_last() -> None:
    assert texts(fragment(10, 10, "stamp", upright=False), fragment(72, 50, "words")) == ["words", "stamp"]


def test_an_empty_page_has_no_lines() -> None:
    assert texts() == []
