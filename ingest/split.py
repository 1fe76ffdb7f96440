"""Cuts a document into passages along its own structure."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from corpora import Passage, PassageKind, passage_id
from ingest.extracted import Block, BlockKind, Cut, Extracted, ReadError

# MiniLM reads 256 tokens and ignores the rest, and the heading path comes first. English prose has
# 4.2 characters to one of its tokens, dialogues 3.6; languages with many letters outside ASCII have 2.4 to 3.
MAX_CHARACTERS = 900
MAX_CHARACTERS_ACCENTED = 600
_ACCENTED_SHARE = 0.02
# Longer ones are text that was set as a heading by mistake; as a heading it would come before each passage.
_MAX_TITLE = 200
_MOST_HEADINGS, _MOST_OF_TITLES = 9, 300  # of those that a passage is under; of their characters

_LINE = re.compile(r"\n")
_BLANK_LINE = re.compile(r"(?:\r\n|\r|\n)[^\S\r\n]*(?:\r\n|\r|\n)\s*")
_SENTENCE = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"'”’»)\]]))\s+(?=[^\s\W]|[\"'“„«(\[¿¡–—-])")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]")
_ENDS_SENTENCE = re.compile(r"[.!?…:;][\"'”’»)\]]*$")
_PROSE = (_SENTENCE, _LINE, _SPACE)
_LINEWISE = (_LINE, _SENTENCE, _SPACE)
_DIALOGUE = (_BLANK_LINE, *_LINEWISE)
_BOUNDARIES: dict[BlockKind, Sequence[re.Pattern[str]]] = {
    "paragraph": _PROSE,
    "heading": _PROSE,
    "dialogue": _DIALOGUE,
}
_APART = ("row", "omitted")
# Rows of a table are passages of their own, as each is about something else, but for those of a few letters: a passage
# costs the same however short it is. Of rows of 43 characters, asked in other words, 59 of 60 are found alone, 49 in
# passages of 100 characters, 30 in those of 200.
_SHORT_ROWS = 60
# Others wait while a document is written, in one go. Prose of as many characters as a document may have is taken: it
# has 15,000 in English, up to 23,000 in languages with many letters outside ASCII.
MAX_PASSAGES = 25_000


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int


@dataclass
class _Section:
    heading: tuple[str, ...]
    blocks: list[Block] = field(default_factory=list[Block])


def split(extracted: Extracted, document_id: str, name: str) -> list[Passage]:
    """The passages of a document, in its order, as `with_cuts` found them; each text is exactly its span."""
    passages: list[Passage] = []
    next_id = _ids(document_id)
    for cut in extracted.cuts:
        text = extracted.text[cut.char_from : cut.char_to]
        place = (cut.page_from, cut.page_to, cut.heading, cut.char_from, cut.char_to)
        passages.append(Passage(next_id(cut.heading, text), document_id, name, *place, text, cut.kind))
    return passages


def with_cuts(extracted: Extracted) -> Extracted:
    """The document with its passages, which cover every word but headings with text below them.

    A passage never crosses such a heading, nor more than one page break. Raises `ReadError` (TOO_MANY_PASSAGES).
    """
    limit = _limit(extracted.text)
    cuts: list[Cut] = []
    for section in _sections(extracted):
        for span in _spans(extracted, section, limit):
            if not _WORD.search(extracted.text, span.start, span.end):
                continue  # a rule between sections, or an ornament
            if len(cuts) == MAX_PASSAGES:
                raise ReadError("TOO_MANY_PASSAGES", _too_many())
            pages = extracted.pages_of(span.start, span.end)
            cuts.append(Cut(*pages, section.heading, span.start, span.end, _kind(section, span)))
    return replace(extracted, cuts=tuple(cuts))


def _too_many() -> str:
    return (
        f"it falls into more than {MAX_PASSAGES:,} passages, as a document does that has a heading for every few "
        "words, or very many rows; join its shortest sections, or split it into several documents."
    )


def _kind(section: _Section, span: _Span) -> PassageKind:
    """What a span is made of; where anybody speaks it is a dialogue, and else what is mixed is prose."""
    first = bisect_right(section.blocks, span.start, key=lambda block: block.char_to)
    end = bisect_left(section.blocks, span.end, key=lambda block: block.char_from)
    kinds = {block.kind for block in section.blocks[first:end]}
    if "dialogue" in kinds:
        return "dialogue"
    if kinds <= {"table", "row"}:
        return "table"
    return "list" if kinds == {"list"} else "prose"


def renamed(passages: Sequence[Passage], document_id: str, name: str) -> list[Passage]:
    """The passages of a document as those of another one that has the same text."""
    next_id = _ids(document_id)
    return [
        replace(each, id=next_id(each.heading, each.text), document_id=document_id, document=name) for each in passages
    ]


def _ids(document_id: str) -> Callable[[tuple[str, ...], str], str]:
    """What gives each passage of a document its id, one after the other."""
    seen: Counter[str] = Counter()  # by the id of the first, as headings that differ may be the same in it

    def next_id(heading: tuple[str, ...], text: str) -> str:
        first = passage_id(document_id, heading, text, 0)
        seen[first] += 1
        return first if seen[first] == 1 else passage_id(document_id, heading, text, seen[first] - 1)

    return next_id


def _spans(extracted: Extracted, section: _Section, limit: int) -> Iterator[_Span]:
    """Where the passages of a section lie."""
    for blocks in _together(section.blocks):
        yield from _packed(extracted, [piece for block in blocks for piece in _pieces(extracted, block, limit)], limit)


def _together(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """The blocks that may share passages: no row does with anything else, and none reaches over what is omitted."""
    for kind, run in groupby(blocks, lambda block: block.kind if block.kind in _APART else ""):
        if kind == "row":
            yield from _short_together(run)
        elif kind != "omitted":
            yield list(run)


def _short_together(rows: Iterable[Block]) -> Iterator[list[Block]]:
    """The rows one by one, but short ones as many together as are no longer than a row may well be."""
    together: list[Block] = []
    for row in rows:
        if together and row.char_to - together[0].char_from > _SHORT_ROWS:
            yield together
            together = []
        together.append(row)
    if together:
        yield together


def _limit(text: str) -> int:
    """How long a passage of this document may be, in characters."""
    letters = sum(map(str.isalpha, text))
    accented = letters - sum(map(str.isalpha, text.encode("ascii", "ignore").decode()))
    return MAX_CHARACTERS if accented <= letters * _ACCENTED_SHARE else MAX_CHARACTERS_ACCENTED


def _sections(extracted: Extracted) -> Iterator[_Section]:
    """The blocks between headings. A heading with nothing below it is text of the section that it is in."""
    path: list[Block] = []
    section = _Section(())
    for block, following in _with_following(list(_covering(extracted))):
        if block.kind == "heading":
            outer = [heading for heading in path if heading.level < block.level][1 - _MOST_HEADINGS :]
            has_content = following is not None and (following.kind != "heading" or following.level > block.level)
            if has_content or len(outer) < len(path):
                yield section
                path = [*outer, block] if has_content else outer
                section = _Section(_titles(path))
            if has_content:
                continue
        section.blocks.append(block)
    yield section


def _with_following(blocks: Sequence[Block]) -> Iterator[tuple[Block, Block | None]]:
    """Each block with the next one that is read."""
    followings: list[Block | None] = [None]
    for block in reversed(blocks[1:]):
        followings.append(followings[-1] if block.kind == "omitted" else block)
    return zip(blocks, reversed(followings), strict=False)


def _titles(path: Sequence[Block]) -> tuple[str, ...]:
    """Of the headings that a section is under, the innermost ones: each of its passages is kept with them."""
    titles: list[str] = []
    for heading in reversed(path):
        if titles and sum(map(len, titles)) + len(heading.title) > _MOST_OF_TITLES:
            break
        titles.append(heading.title)
    return tuple(reversed(titles))


def _covering(extracted: Extracted) -> Iterator[Block]:
    """The blocks that have words, and as paragraphs the words that no block covers."""
    position = 0
    end = Block("paragraph", len(extracted.text), len(extracted.text))
    for block in (*extracted.blocks, end):
        if _WORD.search(extracted.text, position, block.char_from):
            yield Block("paragraph", position, block.char_from)
        if _WORD.search(extracted.text, block.char_from, block.char_to):
            yield block if len(block.title) <= _MAX_TITLE else replace(block, kind="paragraph")
        position = block.char_to


def _pieces(extracted: Extracted, block: Block, limit: int) -> Iterator[_Span]:
    """What of a block stays whole: all of it if it is short and on one page, else its lines or sentences."""
    boundaries = _BOUNDARIES.get(block.kind, _LINEWISE)
    for start, end in _between_page_breaks(extracted, block):
        yield from _cut(extracted.text, _Span(start, end), limit, boundaries)


def _between_page_breaks(extracted: Extracted, block: Block) -> Iterator[tuple[int, int]]:
    first, last = extracted.pages_of(block.char_from, block.char_to)
    if first == last:
        yield block.char_from, block.char_to
        return
    breaks = [page.char_from for page in extracted.pages if block.char_from < page.char_from < block.char_to]
    yield from zip([block.char_from, *breaks], [*breaks, block.char_to], strict=True)


def _cut(text: str, span: _Span, limit: int, boundaries: Sequence[re.Pattern[str]]) -> Iterator[_Span]:
    span = _stripped(text, span)
    if span.end - span.start <= limit:
        if span.end > span.start:
            yield span
    elif not boundaries:
        for start in range(span.start, span.end, limit):
            yield from _cut(text, _Span(start, min(start + limit, span.end)), limit, ())
    else:
        ends = _boundaries(text, span, boundaries[0])
        for start, end in zip([span.start, *ends], [*ends, span.end], strict=True):
            yield from _cut(text, _Span(start, end), limit, boundaries[1:])


def _boundaries(text: str, span: _Span, boundary: re.Pattern[str]) -> list[int]:
    ends = (match.end() for match in boundary.finditer(text, span.start, span.end))
    return [end for end in ends if boundary is not _SENTENCE or not text[end].islower()]


def _stripped(text: str, span: _Span) -> _Span:
    inner = text[span.start : span.end]
    return _Span(span.end - len(inner.lstrip()), span.start + len(inner.rstrip())) if inner.strip() else _Span(0, 0)


def _packed(extracted: Extracted, pieces: Sequence[_Span], limit: int) -> Iterator[_Span]:
    """Consecutive pieces joined up to the limit; the last two are made about equal, so that none is a scrap."""
    for run in _runs(extracted, pieces):
        first = 0
        while first < len(run):
            last = _last_fitting(extracted, run, first, limit)
            yield _Span(run[first].start, run[last].end)
            first = last + 1


def _last_fitting(extracted: Extracted, run: Sequence[_Span], first: int, limit: int) -> int:
    start, remaining = run[first].start, run[-1].end - run[first].start
    wanted = remaining / 2 if limit < remaining < 1.5 * limit else limit
    last = first
    for index in range(first + 1, len(run)):
        too_long = run[index].end - start > limit or run[last].end - start >= wanted
        if too_long or not _spans_two_pages_at_most(extracted, start, run[index]):
            break
        last = index
    return last


def _runs(extracted: Extracted, pieces: Sequence[_Span]) -> Iterator[list[_Span]]:
    """The pieces of each page; a page joins the one before when it begins in the middle of a sentence.

    Beginning anew on each page keeps citations exact, and an edit on one page from moving every later passage.
    """
    run: list[_Span] = []
    for piece in pieces:
        if run and _begins_anew(extracted, run[-1], piece):
            yield run
            run = []
        run.append(piece)
    if run:
        yield run


def _begins_anew(extracted: Extracted, before: _Span, piece: _Span) -> bool:
    first, last = extracted.pages_of(before.start, piece.end)
    if first == last:
        return False
    goes_on = extracted.text[piece.start].islower()
    return not goes_on or _ENDS_SENTENCE.search(extracted.text, before.start, before.end) is not None


def _spans_two_pages_at_most(extracted: Extracted, start: int, piece: _Span) -> bool:
    first, last = extracted.pages_of(start, piece.end)
    return first is None or last is None or last - first <= 1
