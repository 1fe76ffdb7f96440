"""Long texts, some at a time: one call over all of one takes many times its memory, or halts every other thread."""

import re
from collections.abc import Callable, Iterator

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
