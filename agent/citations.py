"""Numbers for passages, the same throughout a turn, and the places that an answer cites."""

import re
from collections.abc import Iterable, Sequence

from agent.events import Citation
from retrieval import CitedPassage, Passage

_NUMBER = re.compile(r"\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")


class Citations:
    """Every passage that a turn has shown to the model, by its number."""

    def __init__(self, passages: Sequence[CitedPassage]) -> None:
        self._by_number = {cited.number: cited for cited in passages}
        self._number_of = {cited.passage.id: cited.number for cited in passages}

    def number(self, passage: Passage, score: float) -> CitedPassage:
        """The passage with its number: the one it has already, or the next free one."""
        known = self._number_of.get(passage.id)
        if known is not None:
            return self._by_number[known]
        cited = CitedPassage(max(self._by_number, default=0) + 1, passage, score)
        self._by_number[cited.number] = cited
        self._number_of[passage.id] = cited.number
        return cited

    def cited_in(self, texts: Iterable[str]) -> tuple[Citation, ...]:
        """The citations that the texts use, in numerical order; numbers nobody was given are left out."""
        numbers = {
            int(number) for text in texts for group in _NUMBER.findall(text) for number in re.findall(r"\d+", group)
        }
        return tuple(_citation(self._by_number[number]) for number in sorted(numbers & self._by_number.keys()))


def _citation(cited: CitedPassage) -> Citation:
    passage = cited.passage
    return Citation(
        number=cited.number,
        document=passage.document,
        document_id=passage.document_id,
        page_from=passage.page_from,
        page_to=passage.page_to,
        passage_id=passage.id,
        text=passage.text,
    )
