"""The chart of an evaluation is a picture that can be opened, with every name and number on it."""

from typing import cast

import pymupdf

from evaluation.retrieval import picture


def test_each_name_has_its_two_numbers() -> None:
    drawn = picture("coverage", ["all", "within"], {"Fletcher": (0.65, 0.7), "BM25 <&>": (0.5, 1.0)})
    with pymupdf.open(stream=drawn.encode(), filetype="svg") as document:
        page = document[0]
        blocks = cast("list[tuple[float, float, float, float, str, int, int]]", page.get_text("blocks"))
        text = " ".join(block[4] for block in blocks).replace("\u00a0", " ")
        inside = [block[2] <= page.rect.width for block in blocks]
    for said in ("coverage", "all", "within", "Fletcher", "0.650", "0.700", "BM25 <&>", "0.500", "1.000"):
        assert said in text
    assert all(inside)
