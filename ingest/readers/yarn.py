"""Reads Yarn Spinner dialogues; the text is the file itself, so that spans count in the file."""

import re
from collections.abc import Iterator

from corpora import Page
from ingest.extracted import Block, Extracted
from ingest.readers.encoding import decode
from ingest.readers.formats import PageListener
from ingest.readers.lines import Line, lines_of, stripped

_TITLE = re.compile(r"\s*title\s*:\s*(?P<name>\S(?:.*\S)?)", re.I)
_BODY, _END = "---", "==="


def read(data: bytes, progress: PageListener) -> Extracted:
    """A file of Yarn: each node is a section below its title; what else is in its head is left out."""
    del progress
    text = decode(data)
    return Extracted("yarn", text, (Page(None, 0, len(text), text),), tuple(_blocks(text)))


def _blocks(text: str) -> Iterator[Block]:
    lines = list(lines_of(text))
    if not any(line.text.strip() == _BODY for line in lines):
        yield Block("dialogue", *stripped(text, 0, len(text)))
        return
    start, in_head = 0, True
    title: Line | None = None
    for line in lines:
        mark = line.text.strip()
        if in_head and title is None and _TITLE.match(line.text):
            title = line
        elif in_head and mark == _BODY:
            yield from _head(start, title, line.start)
            start, in_head, title = line.after, False, None
        elif not in_head and mark == _END:
            yield Block("dialogue", *stripped(text, start, line.start))
            start, in_head = line.after, True
    yield Block("omitted" if in_head else "dialogue", *stripped(text, start, len(text)))


def _head(start: int, title: Line | None, end: int) -> Iterator[Block]:
    """The head of a node: its title is a heading, and the rest tells the editor where to draw it."""
    if title is None:
        yield Block("omitted", start, end)
        return
    name = _TITLE.match(title.text)
    yield Block("omitted", start, title.start)
    yield Block("heading", title.start, title.end, 1, name["name"] if name else "")
    yield Block("omitted", title.after, max(end, title.after))
