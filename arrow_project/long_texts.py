"""Long texts, some at a time: one call over all of one takes many times its memory, or halts every other thread."""

import re
from collections.abc import Callable, Iterator

MOST_VALUES = 500_000
"""Of a story: four times what a story of 5,000 nodes has."""
MOST_CHARACTERS = 16 * 2**20
"""Of a story as JSON has it as a text, which is how clients get it: five times what one of 5,000 nodes has."""
_PIECE = 100_000  # characters


def pieces(text: str, further: int = 0) -> Iterator[str]:
    """The text in pieces, none of which ends in the midst of an escape, each with so many characters of the next."""
    start = 0
    while piece := text[start : start + _PIECE]:
        end = start + len(piece) + (len(piece) - len(piece.rstrip("\\"))) % 2
        yield text[start : end + further]
        start = end


def with_signs(sign: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
    """The text with another sign for each that the pattern, of a single character, finds."""
    return "".join(sign.sub(replacement, piece) for piece in pieces(text))


def has_more_values(text: str, most: int) -> bool:
    """Whether there are more brackets and commas than `most` outside of the texts of a JSON text, which is not read."""
    most_quotes = 4 * most  # two for a key, two for its value
    if _marks(text) <= most and text.count('"') <= most_quotes:
        return False
    marks = quotes = 0
    for outside, more_quotes in outside_of_texts(text):
        marks += _marks(outside)
        quotes += more_quotes
        if marks > most or quotes > most_quotes:
            return True
    return False


def outside_of_texts(text: str) -> Iterator[tuple[str, int]]:
    """What is outside of the texts of a JSON text, which is not read, and how many quotation marks: in pieces."""
    quotes = 0
    for piece in pieces(text):
        parts = piece.replace("\\\\", "").replace('\\"', "").split('"')
        yield "".join(parts[quotes % 2 :: 2]), len(parts) - 1
        quotes += len(parts) - 1


def _marks(text: str) -> int:
    return text.count(",") + text.count("[") + text.count("{")


def is_crowded(story: str) -> bool:
    """Whether the text of a story has more than `MOST_VALUES`, or as many bars or braces."""
    # Bars divide the choices of a generator, each of which becomes a text; braces expose names, each of which is kept.
    # Whoever hides them writes them as escapes, as nobody else does.
    signs = max(story.count("|"), story.count("{") + story.count("}")) + story.count("\\u007")
    return has_more_values(story, MOST_VALUES) or signs > MOST_VALUES
