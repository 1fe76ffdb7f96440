"""Changing values as Arrow does: its merge, and replacing in every text."""

import re
from typing import Any, cast

from arrow_project.names import parts
from arrow_project.values import Record, inner, width_of

_OF_A_VALUE = 16  # 64 bytes, as of an empty list
_EXPOSURE = re.compile(r"\{[^{}]*+\}")


def merged(target: Any, modification: Record) -> Record:
    """Arrow's merge, into a copy: arrays are replaced whole, objects merged, null erases."""
    result = dict(cast("Record", target)) if isinstance(target, dict) else {}
    for key, value in modification.items():
        if key in result and _same_type(result[key], value):
            result[key] = merged(result[key], value) if isinstance(value, dict) else value
        elif value is None:
            result.pop(key, None)
        else:
            result[key] = value
    return result


def _same_type(one: object, other: object) -> bool:
    return type(one) is type(other)


def replaced(value: Any, exposures: dict[str, str]) -> Any:
    """A copy of a value with text replaced in every text inside of it (keys are left alone)."""
    # whole exposures are looked for together: a character has as many as tags
    whole = {old: new for old, new in exposures.items() if _EXPOSURE.fullmatch(old)}
    return _replaced(value, whole, {old: new for old, new in exposures.items() if old not in whole})


def _replaced(value: Any, whole: dict[str, str], others: dict[str, str]) -> Any:
    if isinstance(value, str):
        if whole and "{" in value:
            value = "".join(_EXPOSURE.sub(lambda it: whole.get(it[0], it[0]), part) for part in parts(value))
        for old, new in others.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, list):
        return [_replaced(item, whole, others) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _replaced(item, whole, others) for key, item in cast("Record", value).items()}
    return value


def occurrences(value: Any, said: str) -> int:
    """How often the texts inside of a value say something."""
    if isinstance(value, str):
        return value.count(said)
    return sum(occurrences(item, said) for item in inner(value))


def growth(value: Any, said: str, longer: int, width: int) -> int:
    """How many bytes of memory more the texts inside of a value take once they say another text in place of this.

    Args:
        value: What has the texts.
        said: What they say.
        longer: How many characters more the other text has.
        width: That of the other text, as `width_of` has it.
    """
    if not isinstance(value, str):
        return sum(growth(item, said, longer, width) for item in inner(value))
    if not (count := value.count(said)):
        return 0
    was = width_of(value)
    return max(was, width) * (len(value) + count * longer) - was * len(value)


def extent(value: Any) -> int:
    """What a copy of a value takes, in characters: of its texts, and for each value in it some."""
    return _OF_A_VALUE + (len(value) if isinstance(value, str) else sum(map(extent, inner(value))))


def longest(value: Any) -> int:
    """How many characters the longest text in a value has."""
    return len(value) if isinstance(value, str) else max(map(longest, inner(value)), default=0)
