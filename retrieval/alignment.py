"""Aligns passages with the text of another document: whether they stand there, and in what they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, dropwhile, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from propcache import cached_property
from rapidfuzz.distance import Indel

from corpora import Passage
from retrieval.words import split_words

Words = NDArray[np.integer[Any]]
Hashes = NDArray[np.uint64]
_Title = tuple[str, ...]

_RUN = 3  # words
_AT_ONCE = 10_000  # words
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)

# Share of a passage's runs. A word that is hyphenated in one document, or a running header in the midst, breaks three
# or four of some hundred and fifty. Of 40 stories as txt, pdf and docx, .6 to .9 find all 601 passages of the pdf in
# both others, .95 finds 590.
_SAME = 0.8
_MISREAD = 0.9  # as many letters alike, in another number of words, are the same that were read badly
# Within a word only what looks alike is misread: north and south, father and mother or Mara and Mira are two words.
_LOOKS_LIKE = str.maketrans("10589q", "losbgg")
_SHORT = 6  # words; what is longer and has no counterpart is a running header, or moved, and no other wording
_FEW_LETTERS = 200
_FEW = 2  # words that only one of them has, such as a `not`: too few for a running header
_EDGE = 18  # words before the first run in common, or behind the last; of more nobody can tell what stands for what
_MOST_OF_TITLE = 16  # words of a heading: by those that come then nobody tells it from another
_COUNTERPART = 1 / 3  # share of those that both have: then they are fields of one form, and no running header


class Likeness(NamedTuple):
    """Whether a passage stands in a document, whether all of it does, and whether it does in other words."""

    stands_here: bool = False
    lacks_nothing: bool = False
    differs: bool = False


class _Gap(NamedTuple):
    """What stands between two runs that a passage and the document have in common: there, and here.

    At an edge of the passage there is only one, and what stands here is a guess; so is what is `around` that.
    """

    said: list[str]
    here: list[str]
    at_edge: bool = False
    around: Sequence[str] = ()


def hashed(words: Words) -> Hashes:
    """A number for each run of three words, by the place of its first."""
    count = max(len(words) - _RUN + 1, 0)
    total = np.zeros(count, dtype=np.uint64)
    for place, factor in enumerate(_FACTORS):
        total = (total ^ (total >> np.uint64(31))) * np.uint64(factor) + words[place : place + count].astype(np.uint64)
    total *= np.uint64(_FACTORS[0])
    return total ^ (total >> np.uint64(29))


class Alignment:
    """One document in words, numbered by a vocabulary that it shares with those it is compared with."""

    def __init__(self, passages: Sequence[Passage], vocabulary: dict[str, int]) -> None:
        self.passages = passages
        self.name = passages[0].document
        headings = {heading for passage in passages for heading in passage.heading}
        self._titles = {title for heading in headings if (title := _title(heading))}
        self._has_title: dict[_Title, bool] = {}
        self._spelled = [split_words(passage.text) for passage in passages]
        self._rows = [_numbered(row, vocabulary) for row in self._spelled]
        self._words = [word for row in self._spelled for word in row]
        runs = hashed(np.concatenate(self._rows))
        self.length = len(self._words)
        self._runs: list[int] = runs.tolist()
        self._places: dict[int, int] = {run: place for place, run in reversed(list(enumerate(self._runs)))}
        self._run_set = np.unique(runs)
        of_rows = [hashed(row) for row in self._rows]
        self._run_counts = np.array([len(runs) for runs in of_rows])
        self._runs_of_rows = np.concatenate(of_rows)
        self._row_of_runs = np.repeat(range(len(of_rows)), self._run_counts)

    def rows_like(self, other: Alignment) -> list[int]:
        """The passages of which so many runs stand in the other document that its `likeness` is worth asking for."""
        if not len(other._run_set):
            return []
        at = np.searchsorted(other._run_set[:-1], self._runs_of_rows)
        stands = other._run_set[at] == self._runs_of_rows
        standing = np.bincount(self._row_of_runs[stands], minlength=len(self._rows))
        return np.flatnonzero((standing > 0) & (standing >= _SAME * self._run_counts)).tolist()

    def is_about_others_than(self, other: Alignment, go_on: Callable[[], None]) -> bool:
        """Whether it has a heading that the other document lacks: sheets of one form say by theirs whose they are.

        `go_on` is called with each heading, and raises where that takes too long.
        """
        for title in self._titles:
            go_on()
            if not other._has(title):
                return True
        return False

    def has(self, heading: Sequence[str]) -> bool:
        """Whether these headings stand here too, or some of their words as one, or all in the midst of the text."""
        return all(self._has(_title(one)) for one in heading)

    def _has(self, title: _Title) -> bool:
        if title not in self._has_title:
            self._has_title[title] = self._says(title) or not self._titles.isdisjoint(_parts(title))
        return self._has_title[title]

    def _says(self, title: _Title) -> bool:
        """Whether each of its words stands beside the next somewhere; to find all in a row takes the whole text."""
        return all(pair in self._pairs for pair in pairwise(title)) and self._single.issuperset(title)

    @cached_property
    def _pairs(self) -> set[tuple[str, str]]:
        pairs = set[tuple[str, str]]()
        for at in range(0, len(self._words), _AT_ONCE):  # all in one go would let no other thread go on meanwhile
            pairs.update(pairwise(self._words[at : at + _AT_ONCE + 1]))
        for title in self._titles:
            pairs.update(pairwise(title))
        return pairs

    @cached_property
    def _single(self) -> set[str]:
        return {*self._words, *chain.from_iterable(self._titles)}

    def words_of(self, row: int) -> tuple[list[str], Words]:
        """The words of a passage, as they are spelled and by number."""
        return self._spelled[row], self._rows[row]

    def likeness(self, words: tuple[list[str], Words], passage: Passage) -> Likeness:
        """How far a passage of another document stands here.

        It does if nearly all its words do, in their order, and none of them is another word or number here: two
        versions that contradict each other are both to be seen.
        """
        spelled, numbered = words
        runs: list[int] = hashed(numbered).tolist()
        if runs and (start := self._places.get(runs[0])) is not None and self._runs[start : start + len(runs)] == runs:
            return Likeness(stands_here=True, lacks_nothing=True)
        anchors = list(self._anchors(runs))
        if not anchors or len(anchors) < _SAME * (len(spelled) - _RUN + 1):
            return Likeness()
        page_numbers = {str(passage.page_from), str(passage.page_to)}
        gaps = list(self._gaps(spelled, anchors))
        if any(_contradicts(gap, page_numbers) for gap in gaps):
            return Likeness(differs=True)
        odd = [gap for gap in gaps if not _is_harmless(gap)]
        return Likeness(
            stands_here=True,
            lacks_nothing=not odd,
            differs=any(not gap.at_edge and len(gap.said) + len(gap.here) <= _SHORT for gap in odd),
        )

    def _anchors(self, runs: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The runs that stand here too: their place there, and here, which goes on where it left off if it can."""
        expected = -1
        for place, run in enumerate(runs):
            here = (
                expected if 0 <= expected < len(self._runs) and self._runs[expected] == run else self._places.get(run)
            )
            expected = expected + 1 if here is None and expected >= 0 else -1 if here is None else here + 1
            if here is not None:
                yield place, here

    def _gaps(self, said: Sequence[str], anchors: Sequence[tuple[int, int]]) -> Iterator[_Gap]:
        """What is not in common between one run and the next, before the first and behind the last."""
        first, start = anchors[0]
        if first:
            here, around = (self._words[max(start - first - more, 0) : start] for more in (0, _FEW))
            yield _Gap(list(said[:first]), here, at_edge=True, around=around)
        for (place, here), (following, there) in pairwise(anchors):
            if following - place == there - here and following <= place + _RUN:
                continue
            if there >= here:
                between = said[place + _RUN : following]
                # With more words than these it is neither another wording nor the same: it may be most of a document.
                enough = here + _RUN + _SHORT + 1 + 3 * sum(map(len, between))
                yield _Gap(list(between), self._words[here + _RUN : min(there, enough)])
        last, end = anchors[-1][0] + _RUN, anchors[-1][1] + _RUN
        if last < len(said):
            here, around = (self._words[end : end + len(said) - last + more] for more in (0, _FEW))
            yield _Gap(list(said[last:]), here, at_edge=True, around=around)


def _title(heading: str) -> _Title:
    """The words of a heading but for its number; of a heading that is a number, that."""
    words = split_words(heading)
    return tuple((list(dropwhile(str.isdecimal, words)) or words)[:_MOST_OF_TITLE])


def _parts(title: _Title) -> Iterator[_Title]:
    """Some of its words in a row, from the first alone to all."""
    places = range(len(title) + 1)
    return (title[start:end] for end in places for start in range(end))


def _numbered(words: Sequence[str], vocabulary: dict[str, int]) -> Words:
    return np.array([vocabulary.setdefault(word, len(vocabulary)) for word in words], dtype=np.int32)


def _contradicts(gap: _Gap, page_numbers: set[str]) -> bool:
    """Whether there is something else in its place here: another number, or other words."""
    said = [word for word in gap.said if word not in page_numbers]
    if not said or not gap.here or max(len(said), len(gap.here)) > (_EDGE if gap.at_edge else _SHORT):
        return False
    return _contradicts_at_edge(said, gap) if gap.at_edge else not _is_same(said, gap.here)


def _contradicts_at_edge(said: Sequence[str], gap: _Gap) -> bool:
    """The same, where words are to be a number for a number, very few, or in the midst of others that both have."""
    pairs = zip(said, gap.here, strict=False)
    if len(said) == len(gap.here) and any(a != b and a.isdecimal() and b.isdecimal() for a, b in pairs):
        return True
    here = gap.here if max(len(said), len(gap.here)) <= _FEW else gap.around
    words = SequenceMatcher(None, said, here, autojunk=False)
    if here is gap.around and words.ratio() < _COUNTERPART:
        return False
    return any(kind == "replace" and not _is_same(said[i:j], here[k:end]) for kind, i, j, k, end in words.get_opcodes())


def _is_harmless(gap: _Gap) -> bool:
    """Whether the passage says nothing that is not here, nor leaves out a word that turns its sense."""
    if not gap.said:
        return len(gap.here) > _FEW or all(word.isdecimal() for word in gap.here)
    return _is_same(gap.said, gap.here)


def _is_same(said: Sequence[str], here: Sequence[str]) -> bool:
    """Whether it is the same, be it with a hyphen, without a space, or read badly."""
    one, other = "".join(said), "".join(here)
    if one == other:
        return True
    numbers = [word for word in said if word.isdecimal()], [word for word in here if word.isdecimal()]
    if numbers[0] != numbers[1]:
        return False
    if len(said) == len(here):
        return all(map(_looks_like, said, here))
    if 2 * min(len(one), len(other)) < _MISREAD * (len(one) + len(other)):
        return False  # whatever they are; what stands here may be most of a document
    return _likeness(one, other) >= _MISREAD


def _likeness(one: str, other: str) -> float:
    """From 0 to 1; of few words letters in a row count, which takes the square of them or more."""
    likeness = Indel.normalized_similarity(one, other)
    if len(one) + len(other) > _FEW_LETTERS or likeness < _MISREAD:  # letters in a row are fewer
        return likeness
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _looks_like(one: str, other: str) -> bool:
    return one.translate(_LOOKS_LIKE) == other.translate(_LOOKS_LIKE)
