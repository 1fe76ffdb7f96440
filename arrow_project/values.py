"""Honest reading of document data: whatever a file holds, these answer with the type they name."""

import reprlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from sys import getsizeof
from typing import Any, TypeGuard, cast

Record = dict[str, Any]
"""An object of the document with text keys: a node, its data, a variable …"""

Table = dict[int, Record]
"""A set of resources, or a scene's map: id to object."""

Connection = list[int]
"""``[from_id, from_slot, to_id, to_slot]``."""

AUTHOR_SHIFT = 37
"""Bits of an id in which its author counts; which author it is stands above them."""

LONGEST_TEXT = 500_000
"""Characters of one text of a document: what looks through all of it in one step holds up nobody for long."""

TOO_LONG = f"more than {LONGEST_TEXT:,} characters, as one text may have; divide it among several nodes."
"""What is said of one that has."""

_SHOWN = 60
_LONG = 1_000  # characters, beside which it is nothing what a text takes besides them
_LONGEST_PLACE = 1_000  # characters
LONGEST_KEY = 1_000
"""Characters: where very many values stand behind it, each may be named with it."""
_BRIEF = reprlib.Repr()
_BRIEF.fillvalue = "…"
_BRIEF.maxstring = _BRIEF.maxother = _SHOWN


def is_id(value: object) -> TypeGuard[int]:
    """Whether the value is an integer (a boolean is none)."""
    return isinstance(value, int) and not isinstance(value, bool)


def record(value: object) -> Record:
    """The value if it is an object, otherwise an empty one (not stored anywhere)."""
    return cast("Record", value) if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """The value if it is an array, otherwise an empty one (not stored anywhere)."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text(value: object, default: str = "") -> str:
    """The value if it is a text, otherwise the default."""
    return value if isinstance(value, str) else default


def integer(value: object, default: int = -1) -> int:
    """The value if it is an integer, otherwise the default."""
    return value if is_id(value) else default


def shown(value: object) -> str:
    """A value as an error quotes it: cut, because anything may have been given."""
    try:
        return shortened(_BRIEF.repr(value))
    except ValueError:
        return "a number of thousands of digits"


def shortened(said: str) -> str:
    """The text, with an ellipsis if it is long."""
    return said if len(said) <= _SHOWN else said[: _SHOWN - 1] + "…"


def inner(value: Any) -> Iterable[Any]:
    """What an object or an array holds; nothing of any other value."""
    return cast("Record", value).values() if isinstance(value, dict) else sequence(value)


def texts_in(value: Any) -> Iterator[str]:
    """Each text and key within a value of the document, in no order."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += chain.from_iterable(cast("dict[Any, Any]", one).items())
        else:
            waiting += sequence(one)


def is_within(value: Any, most: int) -> bool:
    """Whether a value has at most so many characters and values, told without looking at many more."""
    return left_of(most, value) >= 0


def left_of(most: int, value: Any) -> int:
    """What is left of so many characters and values once those of a value are taken; below 0 where it has more.

    Not many more are looked at.
    """
    left, waiting = most, [value]
    while waiting and left >= 0:
        one = waiting.pop()
        if isinstance(one, dict):
            one = [*chain.from_iterable(islice(cast("Record", one).items(), left + 1))]
        if isinstance(one, list):
            several = sequence(one)
            left -= len(several)
            waiting += several[: max(left, 0)]
        else:
            left -= len(one) if isinstance(one, str) else 1
    return left


def width_of(text: str) -> int:
    """How many bytes each character of a text takes: one, two or four, as its widest does."""
    if len(text) > _LONG:
        # Of a copy: the text itself may have its UTF-8 with it, once that was written somewhere.
        return getsizeof(f"{text} ") // (len(text) + 1)
    return 1 if (widest := max(text, default="")) < "\u0100" else 2 if widest < "\U00010000" else 4


def too_long(value: object) -> str | None:
    """The first text within a value, but for keys, that has more than `LONGEST_TEXT` characters."""
    if isinstance(value, str):
        return value if len(value) > LONGEST_TEXT else None
    return next(filter(None, map(too_long, inner(value))), None)


def place_of(path: Iterable[object]) -> str:
    """Where a value stands, by the keys that lead there, each cut: very many values may stand behind long ones."""
    return ".".join(shortened(str(key)) for key in path)[:_LONGEST_PLACE]


def distinct(ids: Iterable[int]) -> list[int]:
    """Each id once, in their order.

    A list may hold one that is looked for among all others a million times. In this loop others have their turns, as
    in `set` they have not.
    """
    found: dict[int, None] = {}
    for each in ids:
        found[each] = None
    return list(found)


def counted(ids: Iterable[int]) -> Counter[int]:
    """How often each id is there; in a loop, as `distinct` is."""
    counts = Counter[int]()
    for each in ids:
        counts[each] += 1
    return counts


def copied(value: Any) -> Any:
    """An independent copy of a value of the document: it is JSON, so this takes far less than `copy.deepcopy`."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [copied(item) for item in cast("list[Any]", value)]
    return value


def key_of(numbers: Iterable[int]) -> str:
    """What a connection, or its end, is found by in a table, with a blank between the numbers.

    Numbers, and tuples with them, have hashes that somebody can choose, so that each is looked for among all others; a
    text has another hash in every process.
    """
    return " ".join(map(str, numbers))


def connections(entry: Record) -> list[Connection]:
    """The well-formed connections of a map entry."""
    return [c for c in sequence(entry.get("io")) if is_connection(c)]


def is_connection(value: object) -> TypeGuard[Connection]:
    """Whether the value is an array of four integers."""
    match value:
        case [a, b, c, d]:
            return type(a) is int and type(b) is int and type(c) is int and type(d) is int
        case _:
            return False
