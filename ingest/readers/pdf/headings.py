"""Finds the headings of a PDF: by its outline, by their type, or by their looks."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.readers.pdf.paragraphs import Paragraph
from ingest.readers.title import MAX_TITLE, is_title

_LARGE = 1.12
_VERY_LARGE = 1.3
_MAX_LINES = 3
_MIN_MATCHES = 3
_MIN_CAPITALS = 4
_MAX_REPEATS = 2
_NUMBERING = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,8})[.)]?\s+")
_NOT_LETTERS = re.compile(r"[\W_]+")

# How a heading is set: type size in points, and boldness; a line in capitals has size 0, below all others.
_Style = tuple[float, bool]
_Place = tuple[int, int]


@dataclass(frozen=True)
class OutlineEntry:
    """A bookmark of the document: its level from 1, its title, and the physical page that it leads to."""

    level: int
    title: str
    page: int


def heading_levels(
    pages: Sequence[Sequence[Paragraph]], outline: Sequence[OutlineEntry], body_size: float
) -> list[list[int]]:
    """For each paragraph of each page the level of its heading from 1, or 0 for text."""
    candidates = dict(_candidates(pages, body_size))
    marked = _found_in_outline(pages, outline)
    styles = {place: _style(_at(pages, place), body_size) for place in {*candidates, *marked}}
    ranks = _ranks(pages, styles, marked)
    depths = sorted(set(ranks.values()))
    levels = {place: depths.index(rank) + 1 for place, rank in ranks.items()}
    return [[levels.get((number, index), 0) for index in range(len(page))] for number, page in enumerate(pages)]


def _candidates(pages: Sequence[Sequence[Paragraph]], body_size: float) -> Iterator[tuple[_Place, Paragraph]]:
    """The paragraphs that look like headings. In small type none is repeated, else it is a label."""
    repeats = Counter(paragraph.text for page in pages for paragraph in page)
    body_is_bold = _is_mostly_bold(pages)
    for number, page in enumerate(pages):
        for index, paragraph in enumerate(page):
            if not paragraph.may_be_title or paragraph.kind == "table" or paragraph.lines > _MAX_LINES:
                continue
            if paragraph.size >= body_size * _VERY_LARGE:
                is_heading = _is_large_title(paragraph.text)
            elif paragraph.size >= body_size * _LARGE:
                is_heading = is_title(paragraph.text)
            else:
                stands_out = (paragraph.bold and not body_is_bold) or _is_capitals(paragraph.text)
                is_heading = stands_out and is_title(paragraph.text) and repeats[paragraph.text] <= _MAX_REPEATS
            if is_heading and paragraph.size >= body_size - 1:
                yield (number, index), paragraph


def _is_mostly_bold(pages: Sequence[Sequence[Paragraph]]) -> bool:
    letters: Counter[bool] = Counter()
    for page in pages:
        for paragraph in page:
            letters[paragraph.bold] += len(paragraph.text)
    return letters[True] > letters[False]


def _is_large_title(text: str) -> bool:
    if len(text) > 2 * MAX_TITLE or sum(map(str.isalpha, text)) < 2:
        return False
    return not text.endswith((",", ";")) and text.count(": ") < 2  # else it is a form: `Version: 1 Author: …`


def _is_capitals(text: str) -> bool:
    return text.isupper() and sum(map(str.isalpha, text)) >= _MIN_CAPITALS


def _found_in_outline(pages: Sequence[Sequence[Paragraph]], outline: Sequence[OutlineEntry]) -> dict[_Place, int]:
    """The paragraphs that an outline entry names, on the page that it leads to."""
    found: dict[_Place, int] = {}
    for entry in outline:
        if not 1 <= entry.page <= len(pages):
            continue
        for index, paragraph in enumerate(pages[entry.page - 1]):
            place = (entry.page - 1, index)
            if place not in found and paragraph.kind != "table" and _same_words(paragraph.text, entry.title):
                found[place] = entry.level
                break
    return found


def _same_words(text: str, title: str) -> bool:
    return len(text) <= len(title) + MAX_TITLE and _words(text) == _words(title) != ""


def _words(text: str) -> str:
    return _NOT_LETTERS.sub("", _NUMBERING.sub("", text, count=1)).casefold()


def _at(pages: Sequence[Sequence[Paragraph]], place: _Place) -> Paragraph:
    return pages[place[0]][place[1]]


def _style(paragraph: Paragraph, body_size: float) -> _Style:
    if paragraph.size < body_size * _LARGE and not paragraph.bold:
        return 0.0, False
    return paragraph.size, paragraph.bold


def _ranks(
    pages: Sequence[Sequence[Paragraph]], styles: dict[_Place, _Style], marked: dict[_Place, int]
) -> dict[_Place, tuple[int, int]]:
    """A rank for each heading that sorts like its level.

    The outline says what a style means; styles that it does not mention are below every larger one. Without
    one, styles are ranked by size, and numbers such as 1.2.3 tell levels apart within a style.
    """
    meanings: defaultdict[_Style, Counter[int]] = defaultdict(Counter)
    for place, level in marked.items():
        meanings[styles[place]][level] += 1
    ordered = sorted(set(styles.values()), reverse=True)
    if len(marked) >= _MIN_MATCHES:
        known = {style: levels.most_common(1)[0][0] for style, levels in meanings.items()}
        return {
            place: (marked.get(place) or known.get(style) or _between(known, style), 0)
            for place, style in styles.items()
        }
    return {place: (ordered.index(style), _numbering_depth(_at(pages, place).text)) for place, style in styles.items()}


def _between(known: dict[_Style, int], style: _Style) -> int:
    """The level of a style that the outline does not mention: below every larger one."""
    larger = [level for other, level in known.items() if other > style]
    return max(larger) + 1 if larger else 1


def _numbering_depth(text: str) -> int:
    numbering = _NUMBERING.match(text)
    return numbering[1].count(".") if numbering else 0
