"""Reads screenplays (fountain); the text is the file itself, so that spans count in the file."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from corpora import Page
from ingest.extracted import Block, Extracted
from ingest.readers.encoding import decode
from ingest.readers.formats import PageListener
from ingest.readers.lines import Line, lines_of

_STRUCK_OUT = re.compile(r"^[ \t]*/\*.*?(?P<end>\*/|\Z)", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"(#{1,6})[ \t]*(?=[^#\s])")
_SCENE = re.compile(r"\.(?=[^.\s])|(?=(?:INT|EXT|EST|INT\.?/EXT|I/E)[. ])", re.I)
_SCENE_NUMBER = re.compile(r"(?<!\s)\s*#[^#\n]+#\s*$")
_CUE = re.compile(r"@\S|(?=[^\W\d_])")
_EXTENSION = re.compile(r"(?<!\s)\s*(?:\([^()]*\)|\^\s*$)")
_SCENE_LEVEL = 7  # below the six levels of sections


def read(data: bytes, progress: PageListener) -> Extracted:
    """A screenplay in Fountain: sections and scenes, dialogues and action; what is in `/* */` is left out."""
    del progress
    text = decode(data)
    return Extracted("fountain", text, (Page(None, 0, len(text), text),), tuple(_blocks(text)))


def _blocks(text: str) -> Iterator[Block]:
    found = _STRUCK_OUT.finditer(text)
    struck_out = [Block("omitted", match.start(), match.end()) for match in found if match["end"]]
    lines = [line for line in lines_of(text) if not _is_struck_out(struck_out, line)]
    blocks = [*struck_out, *_elements(text, lines)]
    yield from sorted(blocks, key=lambda block: block.char_from)


def _is_struck_out(struck_out: Sequence[Block], line: Line) -> bool:
    """Whether one of the blocks, which follow one another, has a part of the line."""
    before = bisect_left(struck_out, line.after, key=lambda block: block.char_from)
    return before > 0 and line.start < struck_out[before - 1].char_to


def _elements(text: str, lines: Sequence[Line]) -> Iterator[Block]:
    """Headings, paragraphs of action, and runs of speeches, each from its cue to the next blank line."""
    speeches: Block | None = None
    index = 0
    while index < len(lines):
        line, end = lines[index], _end(lines, index)
        heading = _heading(line)
        if not line.is_blank and not heading and _is_cue(lines, index):
            start = speeches.char_from if speeches and _adjoin(text, speeches, line) else line.start
            if speeches and start == line.start:
                yield speeches
            speeches = Block("dialogue", start, lines[end - 1].end)
        elif not line.is_blank:
            if speeches:
                yield speeches
                speeches = None
            yield heading or Block("paragraph", line.start, lines[end - 1].end)
            end = index + 1 if heading else end
        index = max(end, index + 1)
    if speeches:
        yield speeches


def _adjoin(text: str, speeches: Block, line: Line) -> bool:
    return not text[speeches.char_to : line.start].strip()


def _end(lines: Sequence[Line], first: int) -> int:
    """The index of the first line after the paragraph that begins with this one."""
    end = first
    while end < len(lines) and not lines[end].is_blank and (end == first or lines[end - 1].after == lines[end].start):
        if end > first and _heading(lines[end]):
            break
        end += 1
    return end


def _heading(line: Line) -> Block | None:
    words = line.text.strip()
    if section := _SECTION.match(words):
        return Block("heading", line.start, line.end, len(section[1]), words[section.end() :])
    if scene := _SCENE.match(words):
        title = _SCENE_NUMBER.sub("", words[scene.end() :])
        return Block("heading", line.start, line.end, _SCENE_LEVEL, title)
    return None


def _is_cue(lines: Sequence[Line], index: int) -> bool:
    """Whether a line names who speaks: in capitals or behind `@`, with a blank line before and words below."""
    words = lines[index].text.strip()
    follows_blank = index == 0 or lines[index - 1].is_blank
    has_words = index + 1 < len(lines) and not lines[index + 1].is_blank
    if not (follows_blank and has_words and _CUE.match(words)):
        return False
    name = _EXTENSION.sub("", words)
    return words.startswith("@") or (name.isupper() and not name.endswith(("TO:", ":", ".")))
