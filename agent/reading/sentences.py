"""Text in units that can be quoted, and the words of a text that carry meaning."""

import re
import threading
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

from arrow_project import fold

_WORD = re.compile(r"[^\W_]+")
# Words of a question that say nothing about what it asks for; English, as the stemmer.
_STOP = frozenset(
    re.findall(
        r"\w+",
        """a about after all also an and any are as at be because been before being but both by called can compare could
        d did do does document documents doing don t explain describe for from get gets give gives had
        happen happened happens has have having he her here hers him his how i if in into is it its
        just know ll m many me mean much my name no nor not of on or our out over please re s said
        say says she should so some tell than that the their them then there these they this those
        to too under up us ve very was we were what when where which while who whom whose why will
        with would you your according list between""",
    )
)
_LINE = re.compile(r"\s*(?:[-*+•●○▪◦■□‣]\s|\d+[.)]\s|#{1,6}\s|\||[A-Z][\w .'’-]{1,30}:\s)|.*(?:\t|\s\|\s)")
_END = re.compile(r"(?<=[.!?…])[\"”’')\]*]*\s+(?=[\"“‘'(\[*]*[A-Z0-9À-Þ])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|vs|etc|e\.g|i\.e|no|fig|p|pp)|\b[A-Z])\.[\"”’')\]*]*$", re.IGNORECASE
)
_stemmer = Stemmer.Stemmer("english")
_stemmer_lock = threading.Lock()  # a stemmer object must not be used by two threads at once


@dataclass(frozen=True)
class Unit:
    """A sentence, a table row or a line.

    Attributes:
        text: On one line.
        terms: Its words that carry meaning, stemmed.
        follows: Whether the unit before it stands in the same paragraph.
    """

    text: str
    terms: frozenset[str]
    follows: bool


def split_units(text: str) -> list[Unit]:
    """A passage's text in units, in order."""
    units: list[Unit] = []
    for paragraph in _paragraphs(text):
        sentences = [sentence for sentence in _sentences(paragraph) if sentence]
        units.extend(Unit(sentence, terms(sentence), index > 0) for index, sentence in enumerate(sentences))
    return units


def terms(text: str) -> frozenset[str]:
    """The words that carry meaning, folded and stemmed."""
    return frozenset(_stem(word) for word in _WORD.findall(fold(text)) if word not in _STOP)


def _paragraphs(text: str) -> list[str]:
    """Wrapped lines put together; a table row, a list item and a speech stay lines of their own."""
    paragraphs: list[str] = []
    joining = False
    for line in text.splitlines():
        if not line.strip():
            joining = False
            continue
        own = bool(_LINE.match(line))
        if joining and not own:
            paragraphs[-1] += f" {line.strip()}"
        else:
            paragraphs.append(line.strip())
        joining = not (own and "|" in line)
    return paragraphs


def _sentences(paragraph: str) -> list[str]:
    sentences: list[str] = []
    open_end = False
    for piece in _split_at_ends(" ".join(paragraph.split())):
        if open_end:
            sentences[-1] += f" {piece}"
        else:
            sentences.append(piece)
        open_end = bool(_ABBREVIATION.search(piece))
    return sentences


def _split_at_ends(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for found in _END.finditer(text):
        pieces.append(text[start : found.end()].rstrip())
        start = found.end()
    return [*pieces, text[start:]]


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    with _stemmer_lock:
        stem = _stemmer.stemWord(word)
    # The stemmer keeps who does something apart from what is done: keeper, keeps.
    return stem[:-2] if len(stem) > 5 and stem.endswith("er") else stem
