"""Tells whether a table begins with the names of its columns."""

from collections.abc import Sequence
from contextlib import suppress


def is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: every cell that it has is a word, and none is there twice."""
    if not rows:
        return False
    names = [cell.strip() for cell in rows[0] if cell.strip()]
    return len(names) > 1 and len(set(names)) == len(names) and not any(map(_is_value, names))


def _is_value(cell: str) -> bool:
    with suppress(ValueError):
        float(cell.replace(",", "."))
        return True
    return len(cell) > _LONGEST_NAME or cell.endswith((".", "!", "?"))


_LONGEST_NAME = 60
