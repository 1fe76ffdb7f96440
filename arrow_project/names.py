"""Names: unique, safe to expose, and found in texts."""

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from itertools import islice

from arrow_project.long_texts import with_signs

# The field's word is "exposure": {variable} and {character.tag} in a text stand for values.
_UNSAFE = re.compile(r"[{}.:;`'\"| \t\n\r]")
_EXPOSURE = re.compile(r"\{([.]*+[^{}|.:;'\"`]*+)(\.[.]*+[^{}|.:;'\"`]*+)?\}")
_WORD = re.compile(r"[^\W_]+")
_INTEGER = re.compile(r"(?:-?[1-9][0-9]*|0)\Z")
# Of names that are compared: how long that takes grows with the cube of their lengths, and with their number.
_LONGEST = 40
_MOST = 2_000
_PART = 100_000  # characters
# Characters: taking apart takes the square of the marks in a row, and no other thread runs meanwhile.
_TAKEN_APART = 100
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def base36(number: int) -> str:
    """The number as Arrow writes it into automatic names; nothing for a negative one."""
    if number == 0:
        return "0"
    digits = ""
    while number > 0:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits


def safe(name: str) -> str:
    """The name with everything replaced that would break ``{name}`` or ``{name.tag}``."""
    return with_signs(_UNSAFE, "_", name)


def is_safe(name: str) -> bool:
    """Whether the name can stand in an exposure."""
    return bool(name) and not _UNSAFE.search(name)


def is_integer_like(name: str) -> bool:
    """Whether Arrow would turn the name into a number when it is a key."""
    return _INTEGER.match(name) is not None


def unique(name: str, is_taken: Callable[[str], bool]) -> str:
    """The name with as many underscores as make it new."""
    while is_taken(name):
        name += "_"
    return name


def fold(name: str) -> str:
    """The name without case, accents, and the signs that Arrow puts for spaces: the same for every spelling of it."""
    parts = (name[at : at + _TAKEN_APART] for at in range(0, len(name), _TAKEN_APART))
    plain = "".join(map(_plain, parts))
    folded = StringIO()  # not a list of the words: a text may be of megabytes
    for found in _WORD.finditer(plain.casefold()):
        folded.write(f" {found[0]}")
    return folded.getvalue()[1:]


def _plain(part: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", part) if not unicodedata.combining(sign))


def near(name: str, known: Iterable[str], count: int = 3, alike: float = 0.5) -> list[str]:
    """Known names that someone who wrote this one may have meant, the nearest first; long ones are nobody's slip."""
    short = islice((other for other in known if len(other) <= _LONGEST), _MOST)
    # Measured as they are compared: of a ligature come three letters.
    by_folded = {folded: other for other in short if len(folded := other.casefold()) <= _LONGEST}
    matches = difflib.get_close_matches(name[:_LONGEST].casefold()[:_LONGEST], by_folded, n=count, cutoff=alike)
    return [by_folded[match] for match in matches]


def exposed(texts: Iterable[str]) -> tuple[list[str], list[str]]:
    """Names in ``{name}`` and names in ``{name.tag}`` of the texts, each once and in order."""
    variables: dict[str, None] = {}
    characters: dict[str, None] = {}
    for part in (part for text in texts for part in parts(text)):
        for name, tag in _EXPOSURE.findall(part):
            (characters if tag else variables)[name] = None
    return list(variables), list(characters)


def parts(text: str) -> Iterator[str]:
    """A text that may be of megabytes, in parts: one search through all of it would halt every other thread.

    An exposure has no brace inside, so none is torn.
    """
    start = 0
    while (end := text.find("{", start + _PART)) >= 0:
        yield text[start:end]
        start = end
    yield text[start:]
