from collections.abc import Sequence
from typing import Any

import numpy as np
import pymupdf
import pytest

from corpora import Originals, ProjectKey
from retrieval import Retriever
from retrieval.page_picture import page_picture
from tests.retrieval.conftest import Put

# As a column of a page: "carries" is hyphenated at the end of a line.
LINES = [
    "Chapter one",
    "Elena is the smith's daughter and car-",
    "ries a hammer of black iron.",
    "Tomas sells horses at the ford.",
]
PASSAGE = "Elena is the smith’s daughter and carries a hammer of black iron."


def pdf(rotation: int = 0, side: float = 400) -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=side, height=side)
    for number, line in enumerate(LINES):
        page.insert_text((20, 40 + 40 * number), line, fontsize=14)
    page.set_rotation(rotation)
    return document.tobytes()


def marked_rows(picture: bytes, column: float = 0.2) -> set[int]:
    """Which of the four lines are highlighted: yellow next to the words."""
    image = pymupdf.Pixmap(picture)
    zoom = image.height / 400
    x = range(int(image.width * 0.05), int(image.width * column))
    return {
        number
        for number in range(len(LINES))
        if any(is_yellow(image.pixel(at, int((40 + 40 * number - offset) * zoom))) for at in x for offset in (2, 6, 10))
    }


def is_yellow(pixel: Sequence[Any]) -> Any:
    """Of one pixel, or of many, whose colours are arrays."""
    red, green, blue = pixel[:3]
    return (red > 200) & (green > 200) & (blue < 100)


def test_a_page_is_a_png_of_twice_its_size() -> None:
    image = pymupdf.Pixmap(page_picture(pdf(), "pdf", 1))
    assert (image.width, image.height) == (800, 800)
    assert marked_rows(page_picture(pdf(), "pdf", 1)) == set()


def test_the_passage_is_marked_across_a_hyphenated_line_break() -> None:
    assert marked_rows(page_picture(pdf(), "pdf", 1, PASSAGE)) == {1, 2}


def test_a_passage_that_goes_on_on_the_next_page_is_marked_as_far_as_it_is_here() -> None:
    passage = "Tomas sells horses at the ford. He owes money to everybody, and everybody knows it."
    assert marked_rows(page_picture(pdf(), "pdf", 1, passage)) == {3}


def test_a_passage_of_another_page_marks_nothing() -> None:
    passage = "The dragon under the mountain has slept for nine hundred years."
    assert marked_rows(page_picture(pdf(), "pdf", 1, passage)) == set()
    assert marked_rows(page_picture(pdf(), "pdf", 1, "…")) == set()


def test_what_the_reader_tidied_up_or_left_out_does_not_matter() -> None:
    passage = "Elena is the smith’s daughter and carries ⟨footnote 7⟩ a hammer of black iron."
    assert marked_rows(page_picture(pdf(), "pdf", 1, passage)) == {1, 2}


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_on_a_rotated_page_the_mark_is_on_the_words(rotation: int) -> None:
    turned = pymupdf.Pixmap(page_picture(pdf(rotation), "pdf", 1, PASSAGE))
    assert yellow_share(turned) == pytest.approx(
        yellow_share(pymupdf.Pixmap(page_picture(pdf(), "pdf", 1, PASSAGE))), rel=0.1
    )
    dark = [
        (x, y) for x in range(0, turned.width, 4) for y in range(0, turned.height, 4) if is_ink_on_yellow(turned, x, y)
    ]
    assert len(dark) > 20


def yellow_share(image: pymupdf.Pixmap) -> float:
    red, green, blue = np.frombuffer(image.samples, np.uint8).reshape(-1, 3).T
    return float(np.mean(is_yellow((red, green, blue))))


def is_ink_on_yellow(image: pymupdf.Pixmap, x: int, y: int) -> bool:
    return sum(image.pixel(x, y)) < 200 and any(
        is_yellow(image.pixel(max(0, min(image.width - 1, x + step)), y)) for step in (-3, 3)
    )


def test_a_poster_is_drawn_smaller() -> None:
    image = pymupdf.Pixmap(page_picture(pdf(side=14000), "pdf", 1))
    assert max(image.width, image.height) == pytest.approx(2400, abs=1)


def test_the_retriever_draws_from_the_original(
    retriever: Retriever, originals: Originals, key: ProjectKey, put: Put
) -> None:
    data = pdf()
    originals.put(data)
    put(key, "bible.pdf", PASSAGE, paged=True, data=data)
    passage = retriever.search(key, "hammer")[0].passage
    assert marked_rows(retriever.page_picture(key, "bible.pdf", 1, passage.id)) == {1, 2}
    assert marked_rows(retriever.page_picture(key, "bible.pdf", 1)) == set()
