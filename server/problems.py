"""What is wrong with fields that were sent, in one sentence without what was sent."""

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import Any

_TOLD = 10
_LONGEST_NAME = 40


def first_problems(problems: Sequence[Any], skip: int = 0) -> str:
    """The first ten of pydantic's `errors()` as `field: what is wrong; …`, without `skip` parts of each path."""
    said = [f"{_path(problem['loc'][skip:])}: {problem['msg']}" for problem in problems[:_TOLD]]
    return _with_the_rest("; ".join(said), "; and", len(problems))


def first_names(keys: Iterable[Any]) -> str:
    """The first ten of the keys in order, each cut where it is long: a key may be all of what was sent."""
    names = list(map(str, keys))
    first = nsmallest(_TOLD, names)  # to put all in order takes a second, in which no other thread runs
    return _with_the_rest(", ".join(repr(name[:_LONGEST_NAME]) for name in first), " and", len(names))


def _with_the_rest(said: str, and_: str, number: int) -> str:
    return said if number <= _TOLD else f"{said}{and_} {number - _TOLD} more"


def _path(parts: Iterable[Any]) -> str:
    return ".".join(str(part)[:_LONGEST_NAME] for part in parts) or "body"
