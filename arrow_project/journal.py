"""The undo journal: every change of a document goes through it and can be taken back exactly."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from sys import getsizeof
from typing import Any

from arrow_project.values import inner

ABSENT = object()
"""In place of a value, where there was none."""

_OF_A_CHANGE = 300  # bytes, with what it is undone by


class Journal:
    """Changes in order, each with what undoes it; undoing restores contents and the order of keys.

    Attributes:
        kept: what it takes, with the values that were replaced, in bytes.
    """

    def __init__(self) -> None:
        self._undo: list[tuple[Callable[[], object], int]] = []
        self._committed = 0
        self.kept = 0

    @property
    def position(self) -> int:
        """How many changes there have been, and were not undone; a place to roll back to."""
        return self._committed + len(self._undo)

    def commit(self) -> None:
        """The changes stay, and nothing is kept of what was before them."""
        self._committed = self.position
        self._undo.clear()
        self.kept = 0

    def rollback(self, position: int) -> None:
        """Undo every change made after the position was taken.

        Raises:
            ValueError: there is no such position, or it lies behind an earlier rollback, or before a commit.
        """
        if position < self._committed:
            raise ValueError(f"{position} is no checkpoint, or a commit came after it; take one with checkpoint().")
        if position > self.position:
            raise ValueError("This checkpoint was already rolled back past; take a new one.")
        while self.position > position:
            undo, size = self._undo.pop()
            undo()
            self.kept -= size

    def replaced(self, position: int) -> dict[tuple[int, Any], Any]:
        """What was there before the changes since then, by the `id` of its table and the key in it; `ABSENT` is new."""
        was: dict[tuple[int, Any], Any] = {}
        undoing: list[Any] = [undo for undo, _ in self._undo[max(0, position - self._committed) :]]
        for undo in undoing:
            match undo:
                case partial(func=func, args=(table, key, value)) if func is _put:
                    was.setdefault((id(table), key), value)
                case partial(func=func, args=(table, key)) if func is _remove:
                    was.setdefault((id(table), key), ABSENT)
                case partial(func=func, args=(table, places)) if func is _restore:
                    for _, key, value in places:
                        was.setdefault((id(table), key), value)
                case _:
                    pass
        return was

    def put(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """Set a key; an existing one keeps its place."""
        if key in table:
            self.note(partial(_put, table, key, table[key]), _beside(table[key], value))
        else:
            self.note(partial(_remove, table, key))
        table[key] = value

    def drop(self, table: dict[Any, Any], key: Any) -> None:
        """Remove a key that exists."""
        self.drop_all(table, (key,))

    def drop_all(self, table: dict[Any, Any], keys: Iterable[Any]) -> None:
        """Remove several keys that exist; of the others nothing is kept, as one table may lose thousands one by one."""
        gone = set(keys)
        places: list[tuple[int, Any, Any]] = []
        for place, key in enumerate(reversed(table), 1):  # what was made last stands last
            if len(places) == len(gone):
                break
            if key in gone:
                places.append((len(table) - place, key, table[key]))
        places.reverse()
        for key in gone:
            del table[key]
        self.note(partial(_restore, table, places), sum(getsizeof(value) for _, _, value in places))

    def append(self, array: list[Any], value: Any) -> None:
        """Append to an array."""
        array.append(value)
        self.note(array.pop)

    def remove(self, array: list[Any], value: Any) -> None:
        """Remove the first element equal to the value."""
        index = array.index(value)
        self.note(partial(array.insert, index, array[index]))
        del array[index]

    def note(self, undo: Callable[[], object], replaced: int = 0) -> None:
        """Remember how to undo a change, for which so many bytes of what was there are kept."""
        size = _OF_A_CHANGE + replaced
        self._undo.append((undo, size))
        self.kept += size


def _put(table: dict[Any, Any], key: Any, value: Any) -> None:
    table[key] = value


def _remove(table: dict[Any, Any], key: Any) -> None:
    del table[key]


def _beside(old: Any, new: Any) -> int:
    """Bytes that a value takes for itself once another is in its place: what is in both is there anyway."""
    there = {id(value) for value in inner(new)}
    return getsizeof(old) + sum(_beside(value, None) for value in inner(old) if id(value) not in there)


def _restore(table: dict[Any, Any], gone: list[tuple[int, Any, Any]]) -> None:
    """Put keys back where they were, the first first; only what stands behind them is moved."""
    # lists and no pairs: thousands of new objects would call the garbage collector, which takes far longer
    start = gone[0][0] if gone else len(table)
    left = list(islice(reversed(table), len(table) - start))[::-1]
    values, keys, all_values = list(map(table.pop, left)), list[Any](), list[Any]()
    for number, (place, key, value) in enumerate(gone):
        between = slice(len(keys) - number, place - start - number)
        keys += [*left[between], key]
        all_values += [*values[between], value]
    behind = slice(len(keys) - len(gone), None)
    table.update(zip(keys + left[behind], all_values + values[behind], strict=True))
