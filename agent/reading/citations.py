"""Numbers for passages, the same throughout a turn, and the places that an answer cites."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from agent.turn.events import Citation
from arrow_project import pieces
from retrieval import CitedPassage, Passage, part_ids

# "[2]", "[1, 3]", "[1; 2]", "[1-3]", "[1, p. 3]"; the page is the user's to look at.
_PART = r"\d{1,4}(?:\s*[-–]\s*\d{1,4})?(?:,?\s*(?:pp?\.|pages?)\s*\d{1,5}(?:\s*[-–]\s*\d{1,5})?)?"
_GROUP = re.compile(rf"{_PART}(?:\s*[,;]\s*{_PART})*")
_LONGEST = 300  # what is longer may be all of a story, and is no citation
_BRACKETS = re.compile(rf"\[([^\[\]]{{1,{_LONGEST}}})\]")
_PAGES = re.compile(r"(?<![\s,]),?\s*(?:pp?\.|pages?)\s*\d+(?:\s*[-–]\s*\d+)?")
_RANGE = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?")


class Citations:
    """Every passage that a turn has shown to the model, by its number."""

    def __init__(self, passages: Sequence[CitedPassage]) -> None:
        self._by_number = {cited.number: cited for cited in passages}
        self._number_of = {part: cited.number for cited in passages for part in part_ids(cited.passage.id)}

    def number(self, passage: Passage, score: float, also_in: tuple[str, ...] = ()) -> CitedPassage:
        """The passage with its number, the next free one; or what has been shown already with this passage in it."""
        known = self._number_of.get(passage.id)
        if known is not None:
            return self._by_number[known]
        cited = CitedPassage(max(self._by_number, default=0) + 1, passage, score, also_in)
        self._by_number[cited.number] = cited
        self._number_of[passage.id] = cited.number
        return cited

    def cited_in(self, texts: Iterable[str]) -> tuple[Citation, ...]:
        """The citations that the texts use, in numerical order.

        Brackets that hold a number nobody was given are no citation: a connection is `[27, 1, 29, 0]`.
        """
        if not self._by_number:
            return ()  # nor is a text as long as the story looked through
        ranges = set[tuple[int, int]]()
        some = (piece for text in texts for piece in pieces(text, _LONGEST + 2))
        for group in (it[1] for piece in some for it in _BRACKETS.finditer(piece) if _GROUP.fullmatch(it[1])):
            found = _ranges(group)
            # Numbers are given without a gap: what lies between two of them needs no look, which may be thousands.
            if all(end in self._by_number for ends in found for end in ends):
                ranges.update(found)
        cited = (number for number in sorted(self._by_number) if any(a <= number <= b for a, b in ranges))
        return tuple(_citation(self._by_number[number]) for number in cited)


def described(cited: CitedPassage) -> dict[str, Any]:
    """A passage in a tool's result."""
    passage = cited.passage
    return {
        "number": cited.number,
        "document": passage.document,
        "pages": [passage.page_from, passage.page_to],
        "heading": list(passage.heading),
        "text": passage.text,
    } | ({"also_in": list(cited.also_in)} if cited.also_in else {})


def _ranges(group: str) -> list[tuple[int, int]]:
    """The first and the last number of each; those that run backwards are none."""
    found = [(int(first), int(last or first)) for first, last in _RANGE.findall(_PAGES.sub("", group))]
    return [(first, last) for first, last in found if first <= last]


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
        also_in=cited.also_in,
    )
