"""Names in texts, and names that are nearly the same."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from propcache import cached_property
from rapidfuzz import process
from rapidfuzz.distance import OSA
from spellchecker import SpellChecker

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s$|['’]$")
# What Arrow and its runtime replace or read as markup: `{gold}`, `[i]`, `*[hook]`.
_MARKUP = re.compile(r"\{[^{}]*\}|\[/?[^\[\]]*\]|<[^<>]*>")
# A capital after these begins a sentence, a line or a quotation, and tells nothing.
_BEGINS = re.compile(r"(?:^|[.!?…:;–—\n]|[\"“‘(*_#>•|-]\s?)[\s\"“”‘’'(*_]*$")
_SHORTEST = 3
_LONG = 7
_LONGEST = 50  # what is longer is no misspelt name, and comparing takes the square of it
_COMPARED_AT_ONCE = 2_000  # which takes a millisecond, in which no other thread computes
# Different ones: more than any language's documents have.
_MOST_WORDS = 300_000
_MOST_LETTERS = 3_000_000


@dataclass(frozen=True)
class Capitalised:
    """A word with a capital.

    Attributes:
        word: Without the possessive's ending.
        opens: Whether it opens a sentence, where every word has a capital.
    """

    word: str
    opens: bool


class Vocabulary:
    """The words of some texts, and which of them are names."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._plain: Counter[str] = Counter()
        self._names: Counter[str] = Counter()
        self._shown: dict[str, str] = {}
        self._nearest: dict[str, str | None] = {}
        self._letters = 0
        for text in texts:
            self._add(text)

    @property
    def is_empty(self) -> bool:
        """Whether there are no words at all."""
        return not self._plain and not self._names

    def knows(self, word: str) -> bool:
        """Whether the texts have the word, as a name or otherwise, or may have it: not all is kept of very many."""
        key = word.casefold()
        return key in self._plain or key in self._names or key in self._shown or not self._may_keep(key)

    def nearest_name(self, word: str) -> str | None:
        """The name that differs from `word` by one letter, or by two where it is long; None without one."""
        key = word.casefold()
        if len(key) > _LONGEST:
            return None
        if key not in self._nearest:
            self._nearest[key] = self._nearest_to(key)
        return self._nearest[key]

    def _nearest_to(self, key: str) -> str | None:
        distance = 2 if len(key) >= _LONG else 1
        found = self._nearest_within(key, distance)
        if found is None or found[1] == 0:
            return None
        short = min(len(key), len(found[0])) <= _SHORTEST
        # "Osc" may be Osk, but "Ask" is not, and neither is a word that a plural or an ending makes.
        if (short and key[0] != found[0][0]) or _is_ending(key, found[0]):
            return None
        return self._shown[found[0]]

    def _nearest_within(self, key: str, distance: int) -> tuple[str, int] | None:
        """The first of the nearest names, and how many letters it differs by."""
        nearest = None
        for first in range(0, len(self._sure_names), _COMPARED_AT_ONCE):
            some = self._sure_names[first : first + _COMPARED_AT_ONCE]
            known = [name for name in some if abs(len(name) - len(key)) <= distance]
            cutoff = distance if nearest is None else nearest[1] - 1
            if found := process.extractOne(key, known, scorer=OSA.distance, score_cutoff=cutoff):
                nearest = found[0], int(found[1])
                if nearest[1] == 0:
                    break
        return nearest

    @cached_property
    def _sure_names(self) -> tuple[str, ...]:
        return tuple(
            name for name, count in self._names.items() if len(name) >= _SHORTEST and count > self._plain[name]
        )

    def _may_keep(self, key: str) -> bool:
        words = len(self._plain) + len(self._names) + len(self._shown)
        return len(key) <= _LONGEST and words < _MOST_WORDS and self._letters < _MOST_LETTERS

    def _add(self, text: str) -> None:
        for found in _WORD.finditer(_MARKUP.sub(" ", text)):
            word = _POSSESSIVE.sub("", found[0])
            key = word.casefold()
            if key not in self._plain and key not in self._names:
                if not self._may_keep(key):
                    continue
                self._letters += len(key) * (key not in self._shown)
            if word[0].islower():
                self._plain[key] += 1
            elif word.isupper() or not _opens(text, found.start()):
                self._names[key] += 1
                self._shown.setdefault(key, word.capitalize() if word.isupper() else word)
            else:
                self._shown.setdefault(key, word)


def capitalised(text: str) -> Iterator[Capitalised]:
    """The words of a text that may be names."""
    plain = _MARKUP.sub(lambda found: " " * len(found[0]), text)
    for found in _WORD.finditer(plain):
        word = _POSSESSIVE.sub("", found[0])
        if word[0].isupper() and not word.isupper() and len(word) >= _SHORTEST and "'" not in word and "’" not in word:
            yield Capitalised(word, _opens(plain, found.start()))


def is_ordinary(word: str) -> bool:
    """Whether an English dictionary has the word."""
    return word.casefold() in _dictionary()


def _opens(text: str, start: int) -> bool:
    return bool(_BEGINS.search(text[max(0, start - 12) : start])) or start == 0


def _is_ending(one: str, other: str) -> bool:
    """Whether one is the other with an `s`: a family's plural is no misspelling."""
    shorter, longer = sorted((one, other), key=len)
    return longer in (f"{shorter}s", f"{shorter}es")


@cache
def _dictionary() -> frozenset[str]:
    return frozenset(SpellChecker(language="en").word_frequency.keys())
