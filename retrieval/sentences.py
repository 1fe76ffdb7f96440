"""Text in units that can be quoted, and the words of a text that carry meaning."""

import re
from dataclasses import dataclass

from retrieval.words import split_words, stem

# Words of a question that say nothing about what it asks for, beside those of any text.
_ASKING = frozenset(
    re.findall(
        r"\w+",
        """according also called compare could describe document documents explain get gets give gives happen
        happened happens know list many mean much name please said say says tell us whose would""",
    )
)
_LINE = re.compile(r"\s*(?:[-*+•●○▪◦■□‣]\s|\d+[.)]\s|#{1,6}\s|\||[A-Z][\w .'’-]{1,30}:\s)|.*(?:\t|\s\|\s)")
_END = re.compile(r"(?<=[.!?…])[\"”’')\]*]*\s+(?=[\"“‘'(\[*]*[A-Z0-9À-Þ])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|vs|etc|e\.g|i\.e|no|fig|p|pp)|\b[A-Z])\.[\"”’')\]*]*$", re.IGNORECASE
)


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
        units.extend(Unit(sentence, content_terms(sentence), index > 0) for index, sentence in enumerate(sentences))
    return units


def content_terms(text: str) -> frozenset[str]:
    """The words that carry meaning, folded and stemmed."""
    return frozenset(stemmed for word in split_words(text) if word not in _ASKING and (stemmed := _stem(word)))


def _stem(word: str) -> str:
    """The stemmer keeps who does something apart from what is done: keeper, keeps."""
    stemmed = stem(word)
    return stemmed[:-2] if len(stemmed) > 5 and stemmed.endswith("er") else stemmed


def _paragraphs(text: str) -> list[str]:
    """Wrapped lines put together; a table row, a list item and a speech stay lines of their own."""
    paragraphs: list[list[str]] = []
    joining = False
    for line in text.splitlines():
        if not line.strip():
            joining = False
            continue
        own = bool(_LINE.match(line))
        if joining and not own:
            paragraphs[-1].append(line.strip())
        else:
            paragraphs.append([line.strip()])
        joining = not (own and "|" in line)
    return [" ".join(lines) for lines in paragraphs]


def _sentences(paragraph: str) -> list[str]:
    sentences: list[list[str]] = []
    open_end = False
    for piece in _split_at_ends(" ".join(paragraph.split())):
        if open_end:
            sentences[-1].append(piece)
        else:
            sentences.append([piece])
        open_end = bool(_ABBREVIATION.search(piece))
    return [" ".join(pieces) for pieces in sentences]


def _split_at_ends(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for found in _END.finditer(text):
        pieces.append(text[start : found.end()].rstrip())
        start = found.end()
    return [*pieces, text[start:]]
