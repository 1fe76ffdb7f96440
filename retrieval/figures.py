"""Numbers in texts with what they count: "one hundred and seventeen steps", "Form 12", "the twenty-third step"."""

import re
from dataclasses import dataclass
from typing import Literal

from retrieval.sentences import content_terms

_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: value for value, word in enumerate(_UNITS)} | {word: 10 * (i + 2) for i, word in enumerate(_TENS)}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "twentieth": 20, "thirtieth": 30, "hundredth": 100,
}  # fmt: skip

_WORDS = "|".join((*sorted(_SMALL, key=len, reverse=True), *_LARGE))
_SPELLED = rf"(?:(?:a|an)\s+(?=(?:hundred|thousand|million)\b))?(?:{_WORDS})(?:(?:[\s-]+|\s+and\s+)(?:{_WORDS}))*"
_ORDINAL = rf"(?:(?:{'|'.join(_TENS)})-)?(?:{'|'.join(_ORDINALS)})"
_NUMBER = re.compile(
    rf"\b(?:(?P<ordinal>{_ORDINAL}|\d+(?:st|nd|rd|th))|(?P<words>{_SPELLED})|(?P<digits>\d{{1,3}}(?:,\d{{3}})+|\d+))\b"
    r"(?![.,:]\d|%)",
    re.IGNORECASE,
)
_NEXT = re.compile(r"[\s-]+([^\W\d_]+)")
_BEFORE = re.compile(r"\b([A-Z][a-z]+|prism|section|form|gate|page|table)\s+$")
_MONTH = re.compile(
    "January|February|March|April|May|June|July|August|September|October|November|December|In|Since|Of|From|Until|By"
)
# Characters before a number among which its label is looked for, and digits that a number has at most.
_LABEL, _DIGITS = 40, 15
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
# "117 of the steps" counts steps, "three full turns" turns.
_SKIPPED = frozenset(
    {
        "of", "the", "a", "an", "more", "full", "whole", "good", "long", "short", "small", "little", "great", "other",
        "such", "very", "per", "to", "and", "or", "in", "on", "at", "by", "for", "from", "with", "is", "are", "was",
        "were", "have", "has", "had", "o", "oclock",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """A number in a sentence.

    Attributes:
        value: The number.
        kind: `count` of something, `place` in an order, `label` such as "Form 12", or `year`.
        noun: The stem of what is counted or labelled; empty for years.
        words: As written, with the noun.
    """

    value: int
    kind: Literal["count", "place", "label", "year"]
    noun: str
    words: str


def read_figures(text: str) -> tuple[Figure, ...]:
    """The numbers of a sentence whose noun is clear."""
    found = (_figure(text, match) for match in _NUMBER.finditer(text) if sum(map(str.isdigit, match[0])) <= _DIGITS)
    return tuple(figure for figure in found if figure is not None)


def _figure(text: str, match: re.Match[str]) -> Figure | None:
    if match["ordinal"]:
        value, kind = _ordinal(match["ordinal"]), "place"
    else:
        value, kind = (_spelled(match["words"]) if match["words"] else int(match["digits"].replace(",", ""))), "count"
    before = _BEFORE.search(text[max(0, match.start() - _LABEL) : match.start()])
    if match["digits"] and _YEAR.fullmatch(match[0]) and (before is None or _MONTH.fullmatch(before[1])):
        return Figure(value, "year", "", match[0])
    if before and kind == "count" and _follows_capital(match):
        return Figure(value, "label", _stem(before[1]), f"{before[1]} {match[0]}")
    noun, end = _noun(text, match.end())
    return Figure(value, kind, noun, " ".join(text[match.start() : end].split())) if noun else None


def _follows_capital(match: re.Match[str]) -> bool:
    """A label's number is written in digits, or with a capital: "Gate Six"."""
    return match["digits"] is not None or match[0][0].isupper()


def _noun(text: str, start: int) -> tuple[str, int]:
    """The stem of the first word after the number that can be counted, and where it ends."""
    position = start
    for _ in range(3):
        found = _NEXT.match(text, position)
        if found is None:
            return "", start
        position = found.end()
        if found[1].casefold() not in _SKIPPED:
            return _stem(found[1]), position
    return "", start


def _stem(word: str) -> str:
    return next(iter(content_terms(word)), "")


def _ordinal(words: str) -> int:
    if words[0].isdigit():
        return int(re.sub(r"\D", "", words))
    tens, _, unit = words.casefold().rpartition("-")
    return _SMALL.get(tens, 0) + _ORDINALS[unit]


def _spelled(words: str) -> int:
    total = part = 0
    for word in re.split(r"[\s-]+", words.casefold()):
        if word in _LARGE:
            part = max(part, 1) * _LARGE[word]
            if _LARGE[word] >= 1000:
                total, part = total + part, 0
        else:
            part += _SMALL.get(word, 0)
    return total + part
