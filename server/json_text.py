"""JSON that others have written: read leniently, and not at all where reading it would cost too much.

And JSON that is long: written so that others get on meanwhile.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, cast

from arrow_project import MOST_CHARACTERS, MOST_VALUES, has_more_values, is_crowded, pieces

# What is read at all; no client's messages come near it. The content of a story is one value of a message, and has
# a limit of its own: Python's reader of JSON lets no other thread run before it has read all of a text.
_DEEPEST = 100
_MOST_VALUES = 300_000
_LONGEST_NUMBER = 100  # characters of a whole one: 64 bits have 20, and reading it takes the square of them
# An escape that may be one half of a character; Python reads it, but nobody can write it as UTF-8 again.
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
_LONE = re.compile("[\ud800-\udfff]")
_WRITER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ITS_REST = 3  # characters of what is found that may stand in another piece


class JsonError(ValueError):
    """A text that is not read; the message is a sentence without anything of the text."""


def read_object(text: str, what: str) -> dict[str, Any]:
    """The JSON object in `text`; `what` is its name in errors.

    Raises:
        JsonError: It is none, or has too many values, too many levels, a very long number or half a character; a
            story in its `arrow_content` has too many values.
    """
    if has_more_values(text, _MOST_VALUES):
        raise JsonError(f"{what} must not have more than {_MOST_VALUES} values.")
    try:
        value = json.loads(tidy(text), strict=False, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise JsonError(f"{what} must be one JSON object, and this is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise JsonError(f"{what} must be one JSON object, and this is a {type(value).__name__}.")
    _refuse_depth([value], what)
    _refuse_half_characters(text, value, what)
    return cast("dict[str, Any]", value)


def write_long(value: dict[str, Any]) -> str:
    """The JSON of what may have long texts, each written by itself: no other thread runs while C writes a value."""
    return "".join(_WRITER.iterencode(value))


def refuse_crowded_story(content: object, what: str) -> None:
    """Refuses the text of a story that would take too long to read; `what` is its name in errors.

    Raises:
        JsonError: It would.
    """
    if not isinstance(content, str):
        return
    refuse_long_story(content, what)
    if is_crowded(content):
        raise JsonError(f"{what} must not have more than {MOST_VALUES} values, bars or braces.")


def refuse_long_story(text: str, what: str) -> None:
    """Refuses the text of a story that has too many characters, each of which may take four bytes.

    Raises:
        JsonError: It has.
    """
    if len(text) > MOST_CHARACTERS:
        raise JsonError(f"{what} must not have more than {MOST_CHARACTERS:,} characters; divide the story.")


def _refuse_depth(level: list[Any], what: str) -> None:
    """Serialisers further on, a model's SDK for instance, give up much earlier than Python's reader of JSON."""
    for _ in range(_DEEPEST):
        inner = (item.values() if isinstance(item, dict) else item for item in level)
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return
    raise JsonError(f"{what} must not nest more than {_DEEPEST} levels deep.")


def _refuse_half_characters(text: str, value: Any, what: str) -> None:
    if "\\u" not in text or not any(map(_HALF_CHARACTER.search, pieces(text, _ITS_REST))):
        return
    if any(map(_has_half_character, _texts(value))):
        raise JsonError(f"{what} has half a character: a surrogate without its other half.")


def _has_half_character(text: str) -> bool:
    return not text.isascii() and any(map(_LONE.search, pieces(text)))


def _texts(value: Any) -> Iterator[str]:
    """All texts of a value, keys too."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case dict() as table:  # pyright: ignore[reportUnknownVariableType]
                waiting += [*table, *table.values()]
            case list() as items:  # pyright: ignore[reportUnknownVariableType]
                waiting += items
            case _:
                pass


def tidy(text: str) -> str:
    r"""Godot writes U+000B as ``\v``, which is not JSON, and leaves other control characters as they are."""
    if r"\v" not in text:
        return text
    return "".join(map(_tidied, pieces(text)))


def _tidied(piece: str) -> str:
    # Between two backslashes in a row every escape begins with its own.
    return r"\\".join(part.replace(r"\v", r"\u000b") for part in piece.split(r"\\"))


def _whole(number: str) -> int:
    if len(number) > _LONGEST_NUMBER:
        raise ValueError(f"{number[:_LONGEST_NUMBER]}… has more than {_LONGEST_NUMBER} characters, as no number needs")
    return int(number)


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number[:40]} is not a number that JSON has")
    return value
