"""A page of a document as a picture, with a passage marked on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from retrieval.words import fold

if TYPE_CHECKING:
    import pymupdf

_ZOOM = 2.0  # 144 dots per inch
_LONGEST_SIDE = 2400  # dots; a poster is drawn smaller
_QUALITIES = (85, 60)
_RUN = 20  # letters in a row that are the passage and no coincidence


class _Word(NamedTuple):
    """A word on the page, and the line that it stands in."""

    box: tuple[float, float, float, float]
    text: str
    line: tuple[int, int]


def page_picture(data: bytes, file_type: str, number: int, marked: str = "", most_bytes: int | None = None) -> bytes:
    """Page `number` (from 1) of a document as PNG; the words of `marked` that stand on it are highlighted.

    Where that would have more than `most_bytes`, it is a JPEG, and smaller.

    For a process that may be ended: a page of a few bytes can be made to take any time and all memory.
    """
    import pymupdf

    with pymupdf.open(stream=data, filetype=file_type) as document:
        page = document[number - 1]
        lines = list(_lines(_marked_words(_words(page), marked)))
        if lines:
            page.add_highlight_annot(quads=[pymupdf.Rect(*line) for line in lines])
        zoom = min(_ZOOM, _LONGEST_SIDE / max(page.rect.width, page.rect.height))
        pixels = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False)
        png: bytes = pixels.tobytes("png")
        return png if most_bytes is None or len(png) <= most_bytes else _smaller(pixels, most_bytes)


def _smaller(pixels: pymupdf.Pixmap, most_bytes: int) -> bytes:
    while True:
        for quality in _QUALITIES:
            jpeg: bytes = pixels.tobytes("jpeg", jpg_quality=quality)
            if len(jpeg) <= most_bytes:
                return jpeg
        pixels.shrink(1)  # half as wide and half as high


def _words(page: pymupdf.Page) -> list[_Word]:
    found = cast("list[tuple[float, float, float, float, str, int, int, int]]", page.get_text("words"))
    return [_Word((x0, y0, x1, y1), text, (block, line)) for x0, y0, x1, y1, text, block, line, _ in found]


def _marked_words(words: Sequence[_Word], passage: str) -> Iterator[_Word]:
    """The words that make up the passage.

    Compared letter by letter, without spaces, hyphens and punctuation: the passage has lost line breaks,
    hyphenation, and whatever else its reader tidied up; and it may begin or end on another page.
    """
    letters = [(letter, index) for index, word in enumerate(words) for letter in _letters(word.text)]
    marked = _matches("".join(letter for letter, _ in letters), _letters(passage))
    return (words[index] for index in sorted({letters[at][1] for at in marked}))


def _letters(text: str) -> str:
    return "".join(letter for letter in fold(text) if letter.isalnum())


def _matches(page: str, passage: str) -> set[int]:
    """Which letters of the page are the passage: all of it in one piece, or else every longer run of letters."""
    whole = page.find(passage) if passage else -1
    if whole >= 0:
        return set(range(whole, whole + len(passage)))
    # Takes linear time, whatever the page: comparing sequences would take hours for one that was made to be hard.
    runs = {passage[at : at + _RUN] for at in range(len(passage) - _RUN + 1)}
    starts = (at for at in range(len(page) - _RUN + 1) if page[at : at + _RUN] in runs)
    return {at for start in starts for at in range(start, start + _RUN)}


def _lines(words: Iterable[_Word]) -> Iterator[tuple[float, float, float, float]]:
    """One box for the marked words of each line."""
    boxes: dict[tuple[int, int], tuple[float, float, float, float]] = {}
    for (x0, y0, x1, y1), _, line in words:
        a0, b0, a1, b1 = boxes.get(line, (x0, y0, x1, y1))
        boxes[line] = (min(a0, x0), min(b0, y0), max(a1, x1), max(b1, y1))
    yield from boxes.values()
