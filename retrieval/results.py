"""What a search hands out: passages with their scores, numbered where they are to be cited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from corpora import Passage
from retrieval.relevance import Relevance, relevance

_MOST_PAGES = 100  # of a document that are named


@dataclass(frozen=True)
class RankedPassage:
    """A passage and its score; scores compare within one answer only. `also_in`: who says the same."""

    passage: Passage
    score: float
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True)
class CitedPassage:
    """A passage as the prompt shows it: `number` counts from 1 and is what an answer cites."""

    number: int
    passage: Passage
    score: float
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True)
class Retrieved:
    """The passages for a prompt; `text_only` where their vectors could not be asked, so that BM25 alone found them.

    `confidence`: how likely it is that the documents answer the message, 0 to 1.
    """

    passages: tuple[CitedPassage, ...]
    confidence: float = 0.0
    text_only: bool = False

    @property
    def relevance(self) -> Relevance:
        """The confidence as a word."""
        return relevance(self.confidence)


@dataclass(frozen=True)
class SearchAnswer:
    """What a search found, and which pages of these documents it could not look at, by the documents' names.

    `confidence`: how likely it is that the documents have an answer at all, 0 to 1.
    `text_only`: there are vectors, and they could not be asked, so that BM25 alone has searched.
    `not_reranked`: the reranker's provider is away, so the order is that of the search.
    """

    query: str
    passages: tuple[RankedPassage, ...]
    pages_without_text: Mapping[str, Sequence[int]]
    confidence: float = 0.0
    text_only: bool = False
    not_reranked: bool = False

    @property
    def relevance(self) -> Relevance:
        """The confidence as a word."""
        return relevance(self.confidence)

    def as_dict(self) -> dict[str, Any]:
        """The JSON, the same on the command line and over HTTP.

        `also_in` of a passage, `pages_without_text`, `text_only` and `not_reranked` are there where they say something.
        """
        answer: dict[str, Any] = {
            "query": self.query,
            "relevance": self.relevance,
            "confidence": self.confidence,
            "passages": [_as_dict(found) for found in self.passages],
        }
        if self.pages_without_text:
            answer["pages_without_text"] = list(starmap(_pages, self.pages_without_text.items()))
        if self.text_only:
            answer["text_only"] = True
        if self.not_reranked:
            answer["not_reranked"] = True
        return answer


def _pages(document: str, numbers: Sequence[int]) -> dict[str, Any]:
    """The first pages, and how many there are besides."""
    more = len(numbers) - _MOST_PAGES
    return {"document": document, "pages": list(numbers[:_MOST_PAGES])} | ({"more_pages": more} if more > 0 else {})


def _as_dict(found: RankedPassage) -> dict[str, Any]:
    passage = found.passage
    return {
        "id": passage.id,
        "document": passage.document,
        "document_id": passage.document_id,
        "page_from": passage.page_from,
        "page_to": passage.page_to,
        "heading": list(passage.heading),
        "char_from": passage.char_from,
        "char_to": passage.char_to,
        "score": found.score,
        "text": passage.text,
    } | ({"also_in": list(found.also_in)} if found.also_in else {})


@dataclass(frozen=True)
class Surroundings:
    """A passage where it stands in its document: the text before and after it, as much as was asked for."""

    document: str
    document_id: str
    before: str
    text: str
    after: str
