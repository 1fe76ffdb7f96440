"""Lists of values in pieces that a database takes as parameters of one statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

_AT_ONCE = 500


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """The values in order, in lists of at most 500."""
    rest = iter(values)
    while chunk := list(islice(rest, _AT_ONCE)):
        yield chunk
