"""Passages that say again what better ones have said: the same text as docx and as pdf is shown once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from corpora import Passage
from retrieval.words import split_words

_RUN = 3  # words

# Share of a passage's runs of words that are known already. One story as txt, docx and pdf, each cut at other places:
# of the text of eight passages .32 is shown twice with .9, .21 with .8, .19 with .6, where a third may be new.
_KNOWN = 0.8


class NoveltyFilter:
    """Tells passages that add something to those before from those that repeat them."""

    def __init__(self) -> None:
        self._runs = defaultdict[str, set[tuple[str, ...]]](set)  # by the document that they were shown from
        self._known: set[tuple[str, ...]] = set()  # of all of them
        self._headings: set[tuple[str, ...]] = set()
        self._numbers: set[str] = set()

    def adds(self, passage: Passage, also_in: Collection[str] = ()) -> bool:
        """Whether the passage says something new; if so, it counts as shown from now on.

        It need not be a near-duplicate of one passage: two readers cut the same text at different places. A number
        that was not there is always new, so that two versions of a document which contradict each other are
        both seen. So is a word, or a heading, where the passage is not `also_in` the other document: sheets and entries
        on several people may differ in their names alone.
        """
        words = split_words(passage.text)
        runs = set(zip(*(words[start:] for start in range(_RUN)), strict=False)) or {tuple(words)}
        numbers = set(filter(str.isdecimal, words)) - _page_numbers(passage)
        heading = tuple(map(str.casefold, passage.heading))
        elsewhere = set().union(*(runs & self._runs[name] for name in also_in if name in self._runs))
        is_said_again = runs <= self._known and heading in self._headings
        if (len(elsewhere) >= _KNOWN * len(runs) or is_said_again) and numbers <= self._numbers:
            return False
        self._runs[passage.document] |= runs
        self._known |= runs
        self._headings.add(heading)
        self._numbers |= numbers
        return True


def _page_numbers(passage: Passage) -> set[str]:
    """Footers number the pages of a pdf, and the same text in another format has none."""
    return {str(passage.page_from), str(passage.page_to)}
