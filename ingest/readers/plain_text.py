"""Reads plain text; the text is the file itself, so that spans count in the file."""

import re
from collections import Counter
from collections.abc import Iterator

from corpora import Page
from ingest.extracted import Block, Extracted
from ingest.readers.encoding import decode
from ingest.readers.formats import PageListener
from ingest.readers.title import is_title

_PARAGRAPH = re.compile(r"\S.*(?:(?:\r\n|\r|\n)[^\S\r\n]*\S.*)*")
_LINE = re.compile(r"[^\r\n]+")
_UNDERLINE = re.compile(r"[^\S\r\n]*([=\-~*#_])\1{2,}[^\S\r\n]*")
_RULE = re.compile(r"[\s=\-~*#_]+")
_NUMBER = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})[.)]?\s+(?=\S)")
_PART = re.compile(r"(?:part|act|book|chapter|scene|kapitel|chapitre|acte|rozdział|akt|scena)\s+[\divxlc]+\b", re.I)
_ITEM = re.compile(r"\s*(?:[-–—*•●○]|\d{1,3}[.)]|[a-z][.)])\s+\S")
_UPPERCASE_LEVEL, _NUMBERED_LEVEL = 2, 3


def read(data: bytes, progress: PageListener) -> Extracted:
    """A text file: paragraphs between blank lines, and the headings that are beyond doubt."""
    del progress
    text = decode(data)
    blocks = tuple(_blocks(text))
    return Extracted("txt", text, (Page(None, 0, len(text), text),), blocks)


def _blocks(text: str) -> Iterator[Block]:
    paragraphs = [(match.start(), match.start() + len(match[0].rstrip())) for match in _PARAGRAPH.finditer(text)]
    repeats = Counter(_first_line(text, start, end) for start, end in paragraphs)
    for start, end in paragraphs:
        lines = [(match.start(), match.end()) for match in _LINE.finditer(text, start, end)]
        title = text[slice(*lines[0])].strip()
        if level := _underlined_level(text, lines):
            yield Block("heading", start, lines[1][1], level, title)
            start = _skip_space(text, lines[1][1], end)
        elif repeats[title] == 1 and (level := _level(title, alone=len(lines) == 1)):
            yield Block("heading", start, lines[0][1], level, title)
            start = _skip_space(text, lines[0][1], end)
        if start < end and not _RULE.fullmatch(text, start, end):
            yield Block("list" if _ITEM.match(text, start, end) else "paragraph", start, end)


def _first_line(text: str, start: int, end: int) -> str:
    return (_LINE.search(text, start, end) or [""])[0].strip()


def _underlined_level(text: str, lines: list[tuple[int, int]]) -> int:
    if len(lines) < 2 or not (underline := _UNDERLINE.fullmatch(text, *lines[1])):
        return 0
    title = text[slice(*lines[0])].strip()
    if not is_title(title):
        return 0
    return 1 if underline[1] in "=#*" else 2


def _level(line: str, *, alone: bool) -> int:
    """The level of a heading: `ACT ONE: THE BELL`; alone between blank lines also `Chapter 3` or `2.1 The harbour`.

    With text right below it a single word in capitals is more likely to be a speaker.
    """
    if not is_title(line) or line.endswith(":"):
        return 0
    if line.isupper() and (alone or len(line.split()) > 1):
        return 1 if _PART.match(line) else _UPPERCASE_LEVEL
    if not alone:
        return 0
    if _PART.match(line):
        return 1
    number = _NUMBER.match(line)
    if number and line[number.end()].isupper():
        return _NUMBERED_LEVEL + number["number"].count(".")
    return 0


def _skip_space(text: str, start: int, end: int) -> int:
    return end - len(text[start:end].lstrip())
