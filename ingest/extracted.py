"""What a reader hands on: a document's text, its pages and its structure."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

from corpora import Page, PassageKind

BlockKind = Literal["heading", "paragraph", "list", "table", "row", "dialogue", "code", "omitted"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the document's structure.

    Only a heading has a `level` (from 1, the topmost) and a `title`: its words, without marks of the format
    such as `##`. A `row` is a passage by itself or with other short ones; what is `omitted` is in the file and in no
    passage, such as a note's bookkeeping or a part that its writer has struck out.
    """

    kind: BlockKind
    char_from: int
    char_to: int
    level: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a passage lies in a document: the first and the last page, the headings above it, and its span."""

    page_from: int | None
    page_to: int | None
    heading: tuple[str, ...]
    char_from: int
    char_to: int
    kind: PassageKind


@dataclass(frozen=True, slots=True)
class Extracted:
    """A document as text; `pages` and `blocks` are spans of `text`, in its order and without overlap.

    A format with pages has one `Page` for each physical page, also for an empty one. A format without pages
    has a single `Page` whose number is None and which holds the whole text. Of a text file, `text` is the file,
    decoded. Text that nobody can see on the page (white on white, tiny) is not in `text`;
    `pages_with_hidden_text` says where it was. `pages_recognized` are pictures whose text was read by OCR, and
    `ocr_languages` (`eng+deu`) are those that were tried where a page seemed to have no text. `cuts` are the passages,
    in order, once it was split: where it was read, as that may take as long.
    """

    format: str
    text: str
    pages: tuple[Page, ...]
    blocks: tuple[Block, ...]
    pages_without_text: tuple[int, ...] = ()
    pages_with_hidden_text: tuple[int, ...] = ()
    pages_recognized: tuple[int, ...] = ()
    ocr_languages: str = ""
    cuts: tuple[Cut, ...] = ()

    def pages_of(self, char_from: int, char_to: int) -> tuple[int | None, int | None]:
        """The numbers of the first and the last page that a span touches."""
        return self._page_at(char_from).number, self._page_at(max(char_from, char_to - 1)).number

    def _page_at(self, position: int) -> Page:
        following = bisect_right(self.pages, position, key=lambda page: page.char_from)
        return self.pages[max(following - 1, 0)]


class ReadError(Exception):
    """A document that could not be read; the message names the document, the rule and the remedy.

    Codes: ENCRYPTED, NO_TEXT, EMPTY, UNKNOWN_FORMAT, CORRUPT, TOO_LARGE, TOO_MANY_PAGES, TOO_MANY_PASSAGES, of readers
    that the operator names READER_FAILED and READER_UNAVAILABLE, and from the child process TIMEOUT, OUT_OF_MEMORY,
    READER_CRASHED.
    """

    def __init__(self, code: str, message: str) -> None:
        # Both are arguments of the exception, or it would not survive the way out of the child process.
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return self.message
