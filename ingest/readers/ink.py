"""Reads ink stories; the text is the file itself, so that spans count in the file."""

import re
from collections.abc import Iterator

from corpora import Page
from ingest.extracted import Block, Extracted
from ingest.readers.encoding import decode
from ingest.readers.formats import PageListener
from ingest.readers.lines import lines_of, stripped

_KNOT = re.compile(r"[ \t]*={2,}[ \t]*(?:function\s+)?(?P<name>[^\W\d]\w*)")
_STITCH = re.compile(r"[ \t]*=[ \t]*(?P<name>[^\W\d]\w*)")


def read(data: bytes, progress: PageListener) -> Extracted:
    """A story in ink: each knot and each stitch is a section, with its lines and choices."""
    del progress
    text = decode(data)
    return Extracted("ink", text, (Page(None, 0, len(text), text),), tuple(_blocks(text)))


def _blocks(text: str) -> Iterator[Block]:
    body = 0
    for line in lines_of(text):
        knot, stitch = _KNOT.match(line.text), _STITCH.match(line.text)
        if found := knot or stitch:
            yield Block("dialogue", *stripped(text, body, line.start))
            yield Block("heading", line.start, line.end, 1 if knot else 2, found["name"])
            body = line.after
    yield Block("dialogue", *stripped(text, body, len(text)))
