"""The documents as the check reads them: their words, and the passages that hold a sentence."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from propcache import cached_property

from agent.continuity.naming import Vocabulary
from arrow_project import GoOn
from retrieval import CitedPassage, Figure, Unit, content_terms, read_figures, split_units

# A place is looked for among so many passages.
_LOOKED_AT = 12
_ALL = 100
LONGEST_SENTENCE = 1_000
"""Characters; what is longer is no sentence, and each number in it would be compared with all of it."""
# Of all documents: each is kept with its sentence, and one of the story may be compared with all of its kind.
_MOST_FIGURES = 50_000
_MOST_CHARACTERS = 2_000_000  # of their sentences, whose words take some forty times as much
# Characters that are read in one go.
_PIECE = 100_000

Search = Callable[[str, int], Sequence[CitedPassage]]
"""The passages nearest to a query, best first, at most so many; each has its citation number."""


class DocumentTexts:
    """All design documents of a project.

    Args:
        texts: Gives the text of each page of each document; asked twice, so that none is kept.
        search: Finds passages.
        go_on: Called between two steps, by the check as well; what it raises ends the check.
    """

    def __init__(self, texts: Callable[[], Iterable[str]], search: Search, go_on: GoOn = lambda: None) -> None:
        self.go_on = go_on
        self._texts = texts
        self._searched = search
        self._about: dict[str, list[CitedPassage]] = {}

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Every word of the documents."""
        return Vocabulary(self._pieces())

    @cached_property
    def figures(self) -> dict[tuple[str, str], list[tuple[Unit, Figure]]]:
        """Every figure of the documents with its sentence, by its kind and by what it counts."""
        found: dict[tuple[str, str], list[tuple[Unit, Figure]]] = {}
        units = (unit for text in self._pieces() for unit in split_units(text) if len(unit.text) <= LONGEST_SENTENCE)
        figures = ((unit, figure) for unit in units for figure in read_figures(unit.text))
        left = _MOST_CHARACTERS
        for unit, figure in islice(figures, _MOST_FIGURES):
            left -= len(unit.text)
            if left < 0:
                break
            found.setdefault((figure.kind, figure.noun), []).append((unit, figure))
        return found

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
        if name not in self._about:
            pattern = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
            found = self._search(name, _ALL)
            titled = [cited for cited in found if any(map(pattern.search, cited.passage.heading))]
            rest = [cited for cited in found if cited not in titled and pattern.search(cited.passage.text)]
            self._about[name] = titled + rest
        return self._about[name]

    def holding(self, sentence: Unit, count: int = 1) -> list[CitedPassage]:
        """The passages that hold a sentence."""
        words = content_terms(sentence.text)
        found = self._search(sentence.text[:400], _LOOKED_AT)
        return list(islice((cited for cited in found if words <= content_terms(cited.passage.text)), count))

    def _search(self, query: str, count: int) -> Sequence[CitedPassage]:
        self.go_on()
        return self._searched(query, count)

    def _pieces(self) -> Iterator[str]:
        """All texts, long ones line by line in several pieces."""
        for text in self._texts():
            begin = 0
            while begin < len(text):
                self.go_on()
                end = begin + _PIECE
                if end < len(text):
                    end = text.rfind("\n", begin, end) + 1 or end
                yield text[begin:end]
                begin = end
