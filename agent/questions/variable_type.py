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
_TYPE_AND_VALUE = re.compile(r"(?P<type>[^,:=]+?)\s*[,:=]\s*(?P<value>.+)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d{1,15}")


def read_variable_type(reply: str) -> dict[str, Any] | None:
    """`type`, and `initial_value` where the reply has one; None when it says no type of variable."""
    words = reply.strip().rstrip(".!")
    if (name := _TYPES.get(words.casefold())) is not None:
        return {"type": name}
    both = _TYPE_AND_VALUE.fullmatch(words)
    if both is not None and (name := _TYPES.get(both["type"].casefold())) is not None:
        value = _value(name, both["value"].strip())
        return None if value is None else {"type": name, "initial_value": value}
    for name in ("num", "bool"):
        value = _value(name, words)
        if value is not None:
            return {"type": name, "initial_value": value}
    return {"type": "str", "initial_value": words[1:-1]} if _is_quoted(words) else None


def _value(name: str, written: str) -> Any:
    """The value as that type has it; None when it is none."""
    match name:
        case "num":
            return int(written) if _NUMBER.fullmatch(written) else None
        case "bool":
            return _TRUTHS.get(written.casefold())
        case _:
            return written[1:-1] if _is_quoted(written) else written


def _is_quoted(words: str) -> bool:
    return len(words) > 1 and words[0] == words[-1] and words[0] in "\"'"
