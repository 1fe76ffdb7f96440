"""What a search hands out: passages with their scores, numbered where they are to be cited."""

from dataclasses import dataclass

from corpora import Passage


@dataclass(frozen=True)
class RankedPassage:
    """A passage and its score; scores compare within one answer only."""

    passage: Passage
    score: float


@dataclass(frozen=True)
class CitedPassage:
    """A passage as the prompt shows it: `number` counts from 1 and is what an answer cites."""

    number: int
    passage: Passage
    score: float
