"""The documents as the check reads them: their words, and the passages that hold a sentence."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from agent.continuity.naming import Vocabulary
from retrieval import CitedPassage, Figure, content_terms, read_figures, split_units

# A place is looked for among so many passages.
_LOOKED_AT = 12
_ALL = 100

Search = Callable[[str, int], Sequence[CitedPassage]]
"""The passages nearest to a query, best first, at most so many; each has its citation number."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a document: its words and the figures in it."""

    text: str
    terms: frozenset[str]
    figures: tuple[Figure, ...]


class DocumentTexts:
    """All design documents of a project.

    Args:
        texts: The text of each page of each document.
        search: Finds passages.
    """

    def __init__(self, texts: Iterable[str], search: Search) -> None:
        self._texts = tuple(texts)
        self._search = search

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Every word of the documents."""
        return Vocabulary(self._texts)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Every sentence of the documents."""
        units = (unit for text in self._texts for unit in split_units(text))
        return tuple(Sentence(unit.text, unit.terms, read_figures(unit.text)) for unit in units)

    def near(self, query: str, count: int) -> list[CitedPassage]:
        """The passages nearest to a query."""
        return list(self._search(query, count))

    def naming(self, words: str, query: str, count: int = 2) -> list[CitedPassage]:
        """The passages nearest to a query that have these very words."""
        pattern = re.compile(rf"\b{re.escape(words)}\b", re.IGNORECASE)
        found = self._search(f"{words} {query}", _LOOKED_AT)
        return list(islice((cited for cited in found if pattern.search(cited.passage.text)), count))

    def about(self, name: str) -> list[CitedPassage]:
        """Every passage that names somebody or something, those under a heading with the name first."""
        pattern = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
        found = self._search(name, _ALL)
        titled = [cited for cited in found if any(map(pattern.search, cited.passage.heading))]
        return titled + [cited for cited in found if cited not in titled and pattern.search(cited.passage.text)]

    def holding(self, sentence: Sentence, count: int = 1) -> list[CitedPassage]:
        """The passages that hold a sentence."""
        words = content_terms(sentence.text)
        found = self._search(sentence.text[:400], _LOOKED_AT)
        return list(islice((cited for cited in found if words <= content_terms(cited.passage.text)), count))
