"""Long texts, some at a time: one call over all of one takes many times its memory, or halts every other thread."""

import re
from collections.abc import Callable, Iterator

_PIECE = 100_000  # characters


def pieces(text: str) -> Iterator[str]:
    """The text in pieces, each of which is quickly looked through."""
    return (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))


def with_signs(sign: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
    """The text with another sign for each that the pattern, of a single character, finds."""
    return "".join(sign.sub(replacement, piece) for piece in pieces(text))
