"""What kind of variable a reply means: `number, 10`, `text`, or only `10`."""

import re
from typing import Any

_WORDS = {
    "num": ("num", "number", "a number", "numeric", "integer", "int", "whole number"),
    "str": ("str", "string", "a string", "text", "a text", "words"),
    "bool": ("bool", "boolean", "a boolean", "flag", "a flag", "true/false", "true or false", "yes/no", "yes or no"),
}
_TYPES = {word: name for name, words in _WORDS.items() for word in words}
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
_BY_VALUE: dict[type, str] = {int: "num", bool: "bool", str: "str"}
_TYPE_AND_VALUE = re.compile(r"(?P<type>[^,:=]++)[,:=](?P<value>.+)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d{1,15}")


def read_variable_type(reply: str) -> dict[str, Any] | None:
    """`type`, and `initial_value` where the reply has one; None when it says no type of variable."""
    words = reply.strip().rstrip(".!")
    if (name := _TYPES.get(words.casefold())) is not None:
        return {"type": name}
    both = _TYPE_AND_VALUE.fullmatch(words)
    name = _TYPES.get(both["type"].rstrip().casefold()) if both else None
    value = _value(both["value"].strip() if both and name else words, is_text=name == "str")
    kind = _BY_VALUE.get(type(value))
    return {"type": kind, "initial_value": value} if kind is not None and name in (kind, None) else None


def _value(written: str, *, is_text: bool) -> bool | int | str | None:
    """A value by its looks; a text has quotation marks around it, unless it `is_text` in any case."""
    is_quoted = len(written) > 1 and written[0] == written[-1] and written[0] in "\"'"
    if is_quoted or is_text:
        return written[1:-1] if is_quoted else written
    return int(written) if _NUMBER.fullmatch(written) else _TRUTHS.get(written.casefold())
