"""Tells hyphens that break a word at the end of a line from those that belong to it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from ingest.readers.pdf.layout import TextLine

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_MARKS = ("-", "‐")
_BROKEN = re.compile(r"([^\W\d_]+)[-‐]$")
_REST = re.compile(r"[^\W\d_]+")
_LONGEST_WORD = 60
# Programs that break words do it in more lines than this; those that only wrap at hyphens in fewer.
_RATE = 0.02


@dataclass(frozen=True)
class Hyphens:
    """What a document's own words say about its hyphens: all of its whole words, and whether it breaks any."""

    words: frozenset[str]
    breaks_words: bool

    @classmethod
    def of(cls, pages: Sequence[Sequence[TextLine]]) -> Self:
        """Learn from a document; words at the break of a line are not whole."""
        words: set[str] = set()
        broken: list[str] = []
        for page in pages:
            before = ""
            for line in page:
                found = [word.lower() for word in _WORD.findall(line.text)]
                if before and found and line.text[0].islower():
                    broken.append(before + found.pop(0))
                before = found.pop() if found and line.text.endswith(_MARKS) else ""
                words.update(found)
        often = len(broken) >= sum(map(len, pages)) * _RATE
        return cls(frozenset(words), often or any(word in words for word in broken))

    def joined(self, before: str, line: str) -> str:
        """Two lines of a paragraph; a word that was broken between them is made whole."""
        if not before.endswith(_MARKS) or not line[0].islower():
            return f"{before} {line}"
        broken, rest = _BROKEN.search(before, max(len(before) - _LONGEST_WORD, 0)), _REST.match(line)
        if not broken or not rest:
            return before + line
        return before + line if self._belongs(broken[1].lower(), rest[0].lower()) else before[:-1] + line

    def _belongs(self, start: str, rest: str) -> bool:
        if start + rest in self.words:
            return False
        if f"{start}-{rest}" in self.words:
            return True
        return not self.breaks_words
