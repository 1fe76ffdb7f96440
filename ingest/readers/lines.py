"""The lines of a text file with their places in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end: the span that it has in the text, and where the next one begins."""

    start: int
    end: int
    after: int
    text: str

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to see on it."""
        return not self.text.strip()


def lines_of(text: str) -> Iterator[Line]:
    """All lines of a text, in order."""
    for match in _LINE.finditer(text):
        if match[0]:
            words = match[0].rstrip("\r\n")
            yield Line(match.start(), match.start() + len(words), match.end(), words)


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the white space at its ends; empty if there is nothing else in it."""
    words = text[start:end].strip()
    if not words:
        return start, start
    first = start + len(text[start:end]) - len(text[start:end].lstrip())
    return first, first + len(words)
