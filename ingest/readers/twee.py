"""Reads Twine stories in Twee notation; the text is the file itself, so that spans count in the file."""

import re
from collections.abc import Iterator, Sequence

from corpora import Page
from ingest.extracted import Block, Extracted
from ingest.readers.encoding import decode
from ingest.readers.formats import PageListener
from ingest.readers.lines import Line, lines_of, stripped

_HEAD = re.compile(r"::[ \t]*(?P<name>(?:\\.|[^\\\[{])+)(?:\[(?P<tags>[^\]]*)\])?")
_ESCAPE = re.compile(r"\\(.)")
# What Twine keeps for itself, and code; none of it is read by a player.
_NOT_TEXT = {"StoryData", "StorySettings", "UserScript", "UserStylesheet"}
_CODE = {"script", "stylesheet"}


def read(data: bytes, progress: PageListener) -> Extracted:
    """A story in Twee: each passage is a section below its name; scripts and style sheets are left out."""
    del progress
    text = decode(data)
    return Extracted("twee", text, (Page(None, 0, len(text), text),), tuple(_blocks(text)))


def is_read(name: str, tags: str) -> bool:
    """Whether a passage of a story is text, and none of Twine's own or code."""
    return name not in _NOT_TEXT and not _CODE & set(tags.split())


def _blocks(text: str) -> Iterator[Block]:
    heads = [(line, head) for line in lines_of(text) if (head := _HEAD.match(line.text))]
    yield Block("dialogue", *stripped(text, 0, heads[0][0].start if heads else len(text)))
    for (line, head), end in zip(heads, _ends(text, heads), strict=True):
        name = _ESCAPE.sub(r"\1", head["name"]).strip()
        if is_read(name, head["tags"] or ""):
            yield Block("heading", line.start, line.end, 1, name)
            yield Block("dialogue", *stripped(text, line.after, end))
        else:
            yield Block("omitted", line.start, end)


def _ends(text: str, heads: Sequence[tuple[Line, re.Match[str]]]) -> list[int]:
    return [line.start for line, _ in heads[1:]] + [len(text)] * bool(heads)
