"""Numbers of a document's pages, kept small: thousands of documents may each have thousands in a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import overload

_WRITTEN_OUT = 100


@dataclass(frozen=True, eq=False)
class PageNumbers(Sequence[int]):
    """Different numbers of pages, sorted, a bit for each; equal to any sequence of the same numbers."""

    bits: int

    @classmethod
    def of(cls, numbers: Iterable[int]) -> PageNumbers:
        """These numbers, in any order."""
        return cls(reduce(lambda bits, number: bits | 1 << number, numbers, 0))

    @classmethod
    def read(cls, kept: list[int] | str) -> PageNumbers:
        """From what `kept` has made."""
        return cls(int(kept, 16)) if isinstance(kept, str) else cls.of(kept)

    def kept(self) -> list[int] | str:
        """For a column of JSON: the numbers, or of many their bits, as hexadecimal digits."""
        return list(self) if len(self) <= _WRITTEN_OUT else f"{self.bits:x}"

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __iter__(self) -> Iterator[int]:
        digits = f"{self.bits:b}"[::-1]
        place = digits.find("1")
        while place >= 0:
            yield place
            place = digits.find("1", place + 1)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number >= 0 and bool(self.bits >> number & 1)

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[int, ...]: ...
    def __getitem__(self, place: int | slice) -> int | tuple[int, ...]:
        return tuple(self)[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
