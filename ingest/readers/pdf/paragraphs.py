"""Lines of a page to paragraphs, list items and tables without rules."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ingest.extracted import BlockKind
from ingest.readers.pdf.hyphens import Hyphens
from ingest.readers.pdf.layout import TextLine

_BULLET = re.compile(r"[•●○◦▪■□‣⁃∙·–—*-](?: |$)")
_ITEM = re.compile(rf"(?:{_BULLET.pattern}|(?:\d{{1,2}}|[a-z])[.)](?: |$))")
_ENDS = re.compile(r"[.!?…:;][\"'”’»)\]]*$")
_LEADERS = re.compile(r"(?:[.…·] ?){5,}")
_CONTENTS_ENTRY = re.compile(r".*\S ?(?:[.…·] ?){5}\d{1,4}")
# TextLine pitches as multiples of the type size: up to one and a half spacing, or double within a sentence.
_PITCH = 1.75
_PITCH_IN_SENTENCE = 2.6
_PITCH_TOLERANCE = 1.2
_INDENT = 0.8
_SHORT = 0.5
_LARGE = 1.3
_ALIGNED = 2.0


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A piece of a page that belongs together, with what its looks say about it; `size` in points."""

    kind: BlockKind
    text: str
    size: float
    bold: bool
    lines: int
    may_be_title: bool


def paragraphs_of(lines: Sequence[TextLine], body_size: float, hyphens: Hyphens) -> Iterator[Paragraph]:
    """The paragraphs of one page, in order."""
    for group in _grouped(lines, body_size):
        text = _LEADERS.sub("… ", _text(group, hyphens))
        yield Paragraph(
            kind=_kind(group, text),
            text=text,
            size=group[0].size,
            bold=all(line.bold for line in group),
            lines=len(group),
            may_be_title=len(group[0].cells) == 1 and not _BULLET.match(text),
        )


def _kind(group: Sequence[TextLine], text: str) -> BlockKind:
    if group[0].is_table or (len(group) > 1 and _is_row(group[0])):
        return "table"
    return "list" if _ITEM.match(text) or _is_contents_entry(group[0]) else "paragraph"


def _text(group: Sequence[TextLine], hyphens: Hyphens) -> str:
    if len(group) > 1 and _is_row(group[0]):
        return "\n".join(" | ".join(cells) for cells in _table_rows(group))
    text = group[0].text
    for line in group[1:]:
        text = hyphens.joined(text, line.text)
    return text


def _table_rows(group: Sequence[TextLine]) -> list[list[str]]:
    rows: list[list[str]] = []
    starts: tuple[float, ...] = ()
    for line in group:
        if _is_row(line):
            rows.append(list(line.cells))
            starts = line.starts
        else:  # a cell of the row above goes on
            rows[-1][_column(starts, line)] += f" {line.text}"
    return rows


def _column(starts: Sequence[float], line: TextLine) -> int:
    """In which column a line begins, or 0 if in none but the first."""
    return next((column for column, x in enumerate(starts) if column and abs(x - line.x0) <= _ALIGNED), 0)


def _grouped(lines: Sequence[TextLine], body_size: float) -> Iterator[list[TextLine]]:
    group: list[TextLine] = []
    pitch = _usual_pitch(lines)
    for line in lines:
        if group and not _goes_on(group, line, pitch, body_size):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _usual_pitch(lines: Sequence[TextLine]) -> float:
    """The pitch up to which lines of this page belong to one paragraph, measured where a sentence goes on."""
    pairs = pairwise(lines)
    found = [_pitch(last, line) for last, line in pairs if _same_type(last, line) and _within_sentence(last, line)]
    found = [pitch for pitch in found if 0 < pitch <= _PITCH_IN_SENTENCE]
    return median(found) * _PITCH_TOLERANCE if len(found) > 1 else _PITCH


def _goes_on(group: Sequence[TextLine], line: TextLine, pitch: float, body_size: float) -> bool:
    last = group[-1]
    if _is_row(group[0]) or _is_row(line):
        return _is_row(group[0]) and not line.begins_region and (_is_row(line) or _fills_cell(group, line, pitch))
    if _runs_in(last, line, pitch):
        return True
    if not _same_type(last, line) or _ITEM.match(line.text) or _is_contents_entry(last):
        return False
    within = _within_sentence(last, line)
    if line.begins_region:
        return within
    if within and _pitch(last, line) <= _PITCH_IN_SENTENCE:
        return not (_has_room(last, line) and last.x1 - last.x0 < _SHORT * (last.right - last.x0))
    if _pitch(last, line) > pitch:
        return False
    if _is_centred_title(last, line, body_size):
        return True
    return not _has_room(last, line) and not _is_indented(group, line)


def _is_row(line: TextLine) -> bool:
    """Whether the line has cells; the mark of an item is none."""
    cells = line.cells[1:] if _ITEM.fullmatch(line.cells[0]) else line.cells
    return len(cells) > 1 and not line.is_table and not _is_contents_entry(line)


def _is_contents_entry(line: TextLine) -> bool:
    """Whether the line is one of a table of contents: a title, dots or a wide gap, and a page number."""
    has_number_apart = len(line.cells) == 2 and line.cells[1].isdigit()
    return has_number_apart or _CONTENTS_ENTRY.fullmatch(line.text) is not None


def _fills_cell(group: Sequence[TextLine], line: TextLine, pitch: float) -> bool:
    """Whether a line goes on with a cell of the row above it that is not the first one."""
    row = next(entry for entry in reversed(group) if _is_row(entry))
    return _column(row.starts, line) > 0 and _pitch(group[-1], line) <= pitch


def _runs_in(last: TextLine, line: TextLine, pitch: float) -> bool:
    """Whether a sentence goes on though its type gets bold or plain, as after a heading within its first line."""
    if last.is_table or line.is_table or line.begins_region or abs(last.size - line.size) > _SHORT:
        return False
    return _within_sentence(last, line) and _pitch(last, line) <= pitch and not _has_room(last, line)


def _same_type(last: TextLine, line: TextLine) -> bool:
    return abs(last.size - line.size) <= _SHORT and last.bold == line.bold and last.is_table == line.is_table is False


def _within_sentence(last: TextLine, line: TextLine) -> bool:
    return line.text[0].islower() and not _ENDS.search(last.text)


def _pitch(last: TextLine, line: TextLine) -> float:
    return (line.y1 - last.y1) / max(line.size, 1)


def _has_room(last: TextLine, line: TextLine) -> bool:
    """Whether the first word of `line` would have fitted behind `last`: then the break was meant."""
    word = line.text.split(" ", 1)[0]
    letter = (last.x1 - last.x0) / len(last.text)
    return last.x1 + letter * (len(word) + 1) < last.right - _SHORT * last.size


def _is_indented(group: Sequence[TextLine], line: TextLine) -> bool:
    """Whether a new paragraph begins by its indent; the lines of an item are all indented but the first."""
    if _ITEM.match(group[0].text):
        return line.x0 < group[0].x0 - _INDENT * line.size
    return line.x0 > group[-1].x0 + _INDENT * line.size


def _is_centred_title(last: TextLine, line: TextLine, body_size: float) -> bool:
    off_centre = abs((last.x0 + last.x1) - (line.x0 + line.x1)) / 2
    return line.size >= body_size * _LARGE and off_centre < line.size and abs(last.x0 - line.x0) > 1
