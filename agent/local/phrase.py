"""A piece of a message in which quotations are single characters, so that patterns never look inside them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

# Private-use characters stand for quotations: the first one for the first quotation, and so on.
_FIRST = 0xE000
_LAST = 0xF8FF
_PRIVATE = re.compile("[\ue000-\uf8ff]")
# More white space than any indentation; patterns would try every way to divide it.
_GAP = re.compile(r"\s{30,}")
_QUOTATION = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|(?<!\w)\'[^\'\n]+\'(?!\w)|(?<!\w)‘[^‘’\n]+’(?!\w)')

QUOTED = "[\ue000-\uf8ff]"
"""The pattern of one quotation in a masked text."""


@dataclass(frozen=True)
class Phrase:
    """Words as the user wrote them.

    Attributes:
        masked: The words; each quotation is one character.
        quotations: What these characters stand for, quotation marks included.
    """

    masked: str
    quotations: tuple[str, ...] = ()

    @property
    def raw(self) -> str:
        """The words as written."""
        return _PRIVATE.sub(lambda found: self.quotations[ord(found[0]) - _FIRST], self.masked)

    @property
    def text(self) -> str:
        """The words without surrounding space; without quotation marks if they are one quotation."""
        return self.raw.strip()[1:-1].strip() if self.is_quoted else self.raw.strip()

    @property
    def is_quoted(self) -> bool:
        """Whether the words are exactly one quotation."""
        return bool(_PRIVATE.fullmatch(self.masked.strip()))

    @property
    def ends_quoted(self) -> bool:
        """Whether the last word is a quotation."""
        return bool(_PRIVATE.fullmatch(self.masked.rstrip()[-1:]))

    @property
    def is_empty(self) -> bool:
        """Whether there are no words."""
        return not self.masked.strip()

    def part(self, masked: str) -> "Phrase":
        """Some of these words."""
        return Phrase(masked, self.quotations)

    def match(self, pattern: re.Pattern[str]) -> "dict[str, Phrase] | None":
        """The named groups that took part if the whole phrase matches."""
        found = pattern.fullmatch(self.masked.strip())
        return None if found is None else self.groups(found.groupdict())

    def groups(self, found: Mapping[str, str | None]) -> "dict[str, Phrase]":
        """Groups of a match on `masked` as phrases."""
        return {name: self.part(value) for name, value in found.items() if value is not None}

    def split(self, pattern: re.Pattern[str]) -> "list[Phrase]":
        """The non-empty words between matches of `pattern`, which has no groups."""
        return [self.part(piece.strip()) for piece in pattern.split(self.masked) if piece.strip()]

    def quoted_parts(self) -> "list[Phrase]":
        """Each quotation as a phrase of its own."""
        return [self.part(found[0]) for found in _PRIVATE.finditer(self.masked)]


def read_phrase(message: str) -> Phrase:
    """The message as one phrase."""
    quotations: list[str] = []

    def mask(found: re.Match[str]) -> str:
        if len(quotations) > _LAST - _FIRST:
            return found[0]
        quotations.append(found[0])
        return chr(_FIRST + len(quotations) - 1)

    message = _GAP.sub(lambda gap: "\n" if "\n" in gap[0] else " ", message)
    # A private-use character of the message itself would be taken for a quotation.
    masked = _QUOTATION.sub(mask, _PRIVATE.sub("\ufffd", message))
    return Phrase(masked, tuple(quotations))
