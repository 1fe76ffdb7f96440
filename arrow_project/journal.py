"""The undo journal: every change of a document goes through it and can be taken back exactly."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any


class Journal:
    """Changes in order, each with what undoes it; undoing restores contents and the order of keys.

    Attributes:
        rewritten: what data takes that is kept as it was because a name in it was changed, in characters.
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []
        self.rewritten = 0

    @property
    def position(self) -> int:
        """How many changes there are; a place to roll back to."""
        return len(self._undo)

    def rollback(self, position: int) -> None:
        """Undo every change made after the position was taken.

        Raises:
            ValueError: there is no such position, or it lies behind an earlier rollback.
        """
        if position < 0:
            raise ValueError(f"{position} is no checkpoint; take one with checkpoint().")
        if position > len(self._undo):
            raise ValueError("This checkpoint was already rolled back past; take a new one.")
        while len(self._undo) > position:
            self._undo.pop()()

    def put(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """Set a key; an existing one keeps its place."""
        if key in table:
            self._undo.append(partial(table.__setitem__, key, table[key]))
        else:
            self._undo.append(partial(table.__delitem__, key))
        table[key] = value

    def drop(self, table: dict[Any, Any], key: Any) -> None:
        """Remove a key that exists."""
        self.drop_all(table, (key,))

    def drop_all(self, table: dict[Any, Any], keys: Iterable[Any]) -> None:
        """Remove several keys that exist; of the others nothing is kept, as one table may lose thousands one by one."""
        gone = set(keys)
        places = [(place, key, table[key]) for place, key in enumerate(table) if key in gone]
        for key in gone:
            del table[key]
        self._undo.append(partial(_restore, table, places))

    def append(self, array: list[Any], value: Any) -> None:
        """Append to an array."""
        array.append(value)
        self._undo.append(array.pop)

    def remove(self, array: list[Any], value: Any) -> None:
        """Remove the first element equal to the value."""
        index = array.index(value)
        self._undo.append(partial(array.insert, index, array[index]))
        del array[index]

    def count_rewritten(self, characters: int) -> None:
        """Count data that was written anew, until that is undone."""
        self._undo.append(partial(setattr, self, "rewritten", self.rewritten))
        self.rewritten += characters

    def note(self, undo: Callable[[], object]) -> None:
        """Remember how to undo a change of something beside the document."""
        self._undo.append(undo)


def _restore(table: dict[Any, Any], gone: list[tuple[int, Any, Any]]) -> None:
    """Put keys back where they were, the first first."""
    # two lists and no pairs: thousands of new objects would call the garbage collector, which takes far longer
    left, values, keys, all_values = list(table), list(table.values()), list[Any](), list[Any]()
    for number, (place, key, value) in enumerate(gone):
        between = slice(len(keys) - number, place - number)
        keys += [*left[between], key]
        all_values += [*values[between], value]
    behind = slice(len(keys) - len(gone), None)
    table.clear()
    table.update(zip(keys + left[behind], all_values + values[behind], strict=True))
