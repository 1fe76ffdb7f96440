"""Puts the text of a document together from its pieces and keeps account of their spans."""

import re
import unicodedata

from corpora import Page
from ingest.extracted import Block, BlockKind, Extracted

# Control characters, soft hyphens, zero-width marks, and the half characters that broken fonts produce.
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ud800-\udfff]")
_LINE_ENDS = re.compile("\r\n?|[\v\f\u2028\u2029]")
_SPACES = re.compile(r"[^\S\n]+")
_AROUND_LINES = re.compile(r" ?\n ?")
_TYPED_ITEM = re.compile(r"[•●○◦▪■‣–—*-] ")


def clean(text: str) -> str:
    """Text as one would type it: composed characters, single spaces, nothing invisible."""
    text = _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text))
    text = _AROUND_LINES.sub("\n", _SPACES.sub(" ", text))
    return unicodedata.normalize("NFC", text).strip()


class TextBuilder:
    """Collects the blocks of a document in reading order and builds an `Extracted`."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._pages: list[tuple[int, int]] = []

    def start_page(self, number: int) -> None:
        """What follows is on this page; pages are started in order, also those without text."""
        self._pages.append((number, len(self._blocks)))

    def add(self, kind: BlockKind, text: str, level: int = 0) -> None:
        """Add a block; an item that follows another item on its page continues the same list."""
        text = text.strip("\n") if kind == "code" else clean(text)
        if not text.strip():
            return
        if kind == "paragraph" and _TYPED_ITEM.match(text):
            kind = "list"
        if self._blocks:
            self._append("\n" if kind == "list" and self._in_list() else "\n\n")
        start = self._length
        self._append(text)
        if kind == "list" and self._in_list():
            start = self._blocks.pop().char_from
        title = " ".join(text.split()) if kind == "heading" else ""
        self._blocks.append(Block(kind, start, self._length, level, title))

    def build(self, format_name: str) -> Extracted:
        """The document with everything that was added."""
        text = "".join(self._parts)
        pages = tuple(self._page_spans(text)) or (Page(None, 0, len(text), text),)
        empty = tuple(page.number for page in pages if page.number and not page.text)
        return Extracted(format_name, text, pages, tuple(self._blocks), empty)

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _in_list(self) -> bool:
        page_start = self._pages[-1][1] if self._pages else 0
        return len(self._blocks) > page_start and self._blocks[-1].kind == "list"

    def _page_spans(self, text: str) -> list[Page]:
        pages: list[Page] = []
        position = 0
        ends = [*(first for _, first in self._pages[1:]), len(self._blocks)]
        for (number, first), end in zip(self._pages, ends, strict=False):
            if end > first:
                position, to = self._blocks[first].char_from, self._blocks[end - 1].char_to
                pages.append(Page(number, position, to, text[position:to]))
                position = to
            else:
                pages.append(Page(number, position, position, ""))
        return pages
