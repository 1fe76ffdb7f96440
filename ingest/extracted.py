"""What a reader hands on: a document's text, its pages and its structure."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

from corpora import Page

BlockKind = Literal["heading", "paragraph", "list", "table", "dialogue", "code"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the document's structure; a heading has a level from 1, everything else level 0."""

    kind: BlockKind
    char_from: int
    char_to: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class Extracted:
    """A document as text; `pages` and `blocks` are spans of `text`, in its order and without overlap.

    A format with pages has one `Page` for each physical page, also for an empty one. A format without pages has a
    single `Page` whose number is None and which holds the whole text. Of a text file, `text` is the file, decoded.
    """

    format: str
    text: str
    pages: tuple[Page, ...]
    blocks: tuple[Block, ...]
    pages_without_text: tuple[int, ...] = ()

    def pages_of(self, char_from: int, char_to: int) -> tuple[int | None, int | None]:
        """The numbers of the first and the last page that a span touches."""
        starts = [page.char_from for page in self.pages]
        first = max(bisect_right(starts, char_from) - 1, 0)
        last = max(bisect_right(starts, max(char_from, char_to - 1)) - 1, first)
        return self.pages[first].number, self.pages[last].number


class ReadError(Exception):
    """A document that could not be read: a stable code, and a message with the document, the rule and the remedy."""

    def __init__(self, code: str, message: str) -> None:
        # Both are arguments of the exception, or it would not survive the way out of the child process.
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return self.message
