"""Sets the game bible: from Markdown to a PDF with title page, contents, outline, running heads and a map.

Beside Markdown the source knows lines of its own: `{map}`, `{page}` (turn it), `{columns}` ... `{/columns}`.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import zip_longest

import pymupdf

from corpora.samples import _drawings
from corpora.samples._markdown import Block, blocks

PAGE = pymupdf.Rect(0, 0, 499, 709)  # B5
BODY = pymupdf.Rect(62, 78, 437, 650)
COLUMNS = (pymupdf.Rect(62, 78, 240, 650), pymupdf.Rect(259, 78, 437, 650))
MAP_HEIGHT = 262.0
INK = "#22303c"

STYLE = """
body { font-family: serif; font-size: 10.2px; line-height: 1.4; color: #23262b; text-align: justify; }
body { margin: 0; }
p, h1, h2, ul, ol, blockquote, table { margin: 0; }
h1 { font-size: 23px; line-height: 1.2; color: #22303c; text-align: left; }
h2 { font-size: 13px; line-height: 1.25; color: #22303c; text-align: left; }
ul, ol { padding-left: 16px; }
li { margin: 0 0 3.5px 0; }
blockquote { padding-left: 22px; padding-right: 22px; font-size: 11px; }
table { width: 100%; border-collapse: collapse; border-spacing: 0; text-align: left; }
th { text-align: left; border-bottom: 1px solid #22303c; padding: 3px 8px 3px 0; }
td { border-bottom: 0.4px solid #b9b4a7; padding: 3px 8px 3px 0; }
td:first-child { white-space: nowrap; padding-right: 18px; }
.column { font-size: 9.1px; line-height: 1.34; text-align: left; }
.column p { margin: 0 0 4.5px 0; }
.contents td { border-bottom: none; padding: 0 0 7px 0; white-space: normal; }
.contents p { text-align: left; margin: 0; }
.chapter { font-weight: bold; color: #22303c; }
.sections { font-size: 9px; font-style: italic; color: #5d6670; line-height: 1.3; }
.number { text-align: right; font-weight: bold; color: #22303c; }
"""
BEFORE = {"h1": 30.0, "h2": 13.0, "table": 4.0, "blockquote": 3.0}
AFTER = {"h1": 11.0, "h2": 4.0, "table": 8.0, "blockquote": 9.0}
WHOLE = 88.0  # what is not taller than this is not divided between pages
CHAPTER = 150.0  # what must be left of a page for a chapter to begin on it


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter (level 1) or a section (level 2): its page, counted from 1, and how far down it stands."""

    level: int
    title: str
    page: int
    top: float


@dataclass(slots=True)
class _Press:
    """Places blocks one below the other and turns pages."""

    stream: BytesIO = field(default_factory=BytesIO)
    page: int = 0
    top: float = BODY.y0
    headings: list[Heading] = field(default_factory=list[Heading])
    map_page: int = 0
    map_top: float = 0.0
    writer: pymupdf.DocumentWriter = field(init=False)
    device: object | None = None

    def __post_init__(self) -> None:
        self.writer = pymupdf.DocumentWriter(self.stream)

    def turn(self) -> None:
        if self.device is not None:
            self.writer.end_page()
        self.device = self.writer.begin_page(PAGE)
        self.page += 1
        self.top = BODY.y0

    def close(self) -> bytes:
        self.writer.end_page()
        self.writer.close()
        return self.stream.getvalue()

    def place(self, markup: str, frame: pymupdf.Rect) -> float:
        """Sets what must fit into a frame; answers where it ends."""
        story = _story(markup)
        _, filled = story.place(frame)
        story.draw(self.device)
        return pymupdf.Rect(filled).y1

    def run(self, markup: str) -> None:
        """Sets running text, over as many pages as it takes."""
        story, more = _story(markup), 1
        while more:
            frame = pymupdf.Rect(BODY.x0, self.top, BODY.x1, BODY.y1)
            more, filled = story.place(frame)
            story.draw(self.device)
            if more:
                self.turn()
            else:
                self.top = pymupdf.Rect(filled).y1

    def text(self, content: Sequence[Block]) -> None:
        """Sets blocks; a heading stays with what follows it."""
        for block, following in zip_longest(content, content[1:]):
            needed = _undivided(block)
            if block.tag in ("h1", "h2") and following:
                needed += AFTER[block.tag] + _undivided(following)
            if block.tag == "h1":
                needed = max(needed, CHAPTER)
            self.block(block, needed)

    def block(self, block: Block, needed: float) -> None:
        space = 0.0 if self.top == BODY.y0 else BEFORE.get(block.tag, 0.0)
        if self.top + space + needed > BODY.y1:
            self.turn()
            space = 0.0
        self.top += space
        if block.tag in ("h1", "h2"):
            self.headings.append(Heading(int(block.tag[1]), block.text, self.page, self.top))
        for markup in _pieces(block):
            if self.top + min(_height(markup, BODY.width), WHOLE) > BODY.y1:
                self.turn()
            self.run(markup)
        self.top += AFTER.get(block.tag, 6.5)

    def map(self) -> None:
        if self.top + MAP_HEIGHT > BODY.y1:
            self.turn()
        self.map_page, self.map_top = self.page, self.top
        self.top += MAP_HEIGHT + 12

    def columns(self, paragraphs: Sequence[Block]) -> None:
        """Sets paragraphs in two even columns on the rest of this page, where all of them must fit."""
        markup = f'<div class="column">{"".join(paragraph.html for paragraph in paragraphs)}</div>'
        for bottom in range(int(self.top) + 20, int(BODY.y1) + 1, 4):
            frames = [pymupdf.Rect(column.x0, self.top, column.x1, bottom) for column in COLUMNS]
            if not _fill(_story(markup), frames, None):
                break
        else:
            raise ValueError(f"the columns on page {self.page} are too long for it: shorten them")
        _fill(_story(markup), frames, self.device)
        self.top = float(bottom)


def make_bible(source: str, title: str, subtitle: str, edition: str) -> bytes:
    """The PDF of a bible's Markdown source; the same bytes for the same source and library."""
    first = _compose(source, [])
    press, content = _compose(source, first[0].headings)
    with pymupdf.open("pdf", content) as document:
        _drawings.title_page(document[0], title, subtitle, edition)
        _drawings.map_of_the_flats(
            document[press.map_page - 1],
            pymupdf.Rect(BODY.x0, press.map_top, BODY.x1, press.map_top + MAP_HEIGHT),
        )
        _running_heads(document, press.headings, title)
        document.set_toc(list(_outline(press.headings)))
        document.set_metadata(
            {
                "title": f"{title}: {subtitle}",
                "author": "The Fletcher project",
                "subject": edition.splitlines()[0],
                "creator": "corpora.samples.build",
                "producer": "PyMuPDF",
                "creationDate": "D:20250309120000Z",
                "modDate": "D:20250309120000Z",
            }
        )
        slim = document.tobytes(garbage=4, deflate=True, no_new_id=True)
    with pymupdf.open("pdf", slim) as document:
        document.subset_fonts()
        return document.tobytes(garbage=4, deflate=True, deflate_fonts=True, use_objstms=1, no_new_id=True)


def _compose(source: str, contents: Sequence[Heading]) -> tuple[_Press, bytes]:
    press = _Press()
    press.turn()  # the title page is drawn afterwards
    press.turn()
    press.top = press.place("<h1>Contents</h1>", BODY) + 12
    if contents:
        press.place(_contents(contents), pymupdf.Rect(BODY.x0, press.top, BODY.x1, BODY.y1))
    press.turn()
    for kind, text in _parts(source):
        if kind == "map":
            press.map()
        elif kind == "page":
            press.turn()
        elif kind == "columns":
            press.columns(list(blocks(text)))
        else:
            press.text(list(blocks(text)))
    return press, press.close()


def _parts(source: str) -> Iterator[tuple[str, str]]:
    """The source cut at its own marks: ("text" | "map" | "page" | "columns", Markdown)."""
    for piece in re.split(r"^(\{(?:map|page)\}$|\{columns\}$.*?^\{/columns\}$)", source, flags=re.M | re.S):
        if piece in ("{map}", "{page}"):
            yield piece.strip("{}"), ""
        elif piece.startswith("{columns}"):
            yield "columns", piece.removeprefix("{columns}").removesuffix("{/columns}")
        else:
            yield "text", piece


def _contents(headings: Iterable[Heading]) -> str:
    chapters: list[tuple[Heading, list[str]]] = []
    for heading in headings:
        if heading.level == 1:
            chapters.append((heading, []))
        else:
            chapters[-1][1].append(html.escape(heading.title))
    rows = "".join(
        f'<tr><td><p class="chapter">{html.escape(chapter.title)}</p>'
        f'<p class="sections">{" · ".join(sections)}</p></td>'
        f'<td class="number">{chapter.page}</td></tr>'
        for chapter, sections in chapters
    )
    return f'<table class="contents">{rows}</table>'


def _outline(headings: Iterable[Heading]) -> Iterator[list[object]]:
    yield [1, "Contents", 2]
    for heading in headings:
        to = {"kind": pymupdf.LINK_GOTO, "to": pymupdf.Point(BODY.x0, heading.top - 8), "zoom": 0}
        yield [heading.level, heading.title, heading.page, to]


def _running_heads(document: pymupdf.Document, headings: Sequence[Heading], title: str) -> None:
    for number in range(2, document.page_count + 1):
        before = [
            heading.title
            for heading in headings
            if heading.level == 1 and (heading.page, heading.top) <= (number, BODY.y0)
        ]
        _drawings.running_head(document[number - 1], title, before[-1] if before else "Contents", number)


def _pieces(block: Block) -> list[str]:
    """What pages may be turned between: the items of an unnumbered list, or the block itself."""
    if block.tag == "ul":
        return [f"<ul>{item}</ul>" for item in re.findall(r"<li>.*?</li>", block.html, flags=re.S)]
    return [block.html]


def _undivided(block: Block) -> float:
    """How much of a block, from its top, must stand on one page."""
    tall = _height(_pieces(block)[0], BODY.width)
    return tall if block.tag in ("table", "blockquote", "ol") else min(tall, WHOLE)


def _fill(story: pymupdf.Story, frames: Sequence[pymupdf.Rect], device: object | None) -> bool:
    """Sets a story into frames, on a device or only in thought; answers whether something is left over."""
    more = 1
    for frame in frames:
        more, _ = story.place(frame)
        story.draw(device)
    return bool(more)


def _story(markup: str) -> pymupdf.Story:
    # A ligature comes out of a PDF as one odd character; an empty span keeps the letters apart.
    apart = re.sub(r"(<[^>]*>)|f(?=[fijlt])", lambda found: found[1] or "f<span></span>", markup)
    return pymupdf.Story(html=apart, user_css=STYLE)


def _height(markup: str, width: float) -> float:
    _, filled = _story(markup).place(pymupdf.Rect(0, 0, width, 10_000))
    return pymupdf.Rect(filled).y1
