"""A dialogue as a document writes it: speeches, directions, and choices with what follows from them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Speech:
    """What somebody says; `manner` is how, such as `quietly`."""

    speaker: str
    words: str
    manner: str = ""


@dataclass(frozen=True)
class Direction:
    """What happens, or what a narrator tells."""

    text: str


@dataclass(frozen=True)
class Option:
    """One answer the player can choose, what follows only from it, and the condition it is offered on."""

    text: str
    items: "tuple[Item, ...]" = ()
    condition: str = ""


@dataclass(frozen=True)
class Choice:
    """Where the player chooses; afterwards all options go on together."""

    options: tuple[Option, ...]


@dataclass(frozen=True)
class Leave:
    """The dialogue ends here or goes on elsewhere; `target` is empty at an end."""

    target: str = ""


Item: TypeAlias = Speech | Direction | Choice | Leave


@dataclass(frozen=True)
class Dialogue:
    """One dialogue of a document.

    Attributes:
        title: Its heading without the word "dialogue" and its number.
        number: The number in its heading; empty without one.
        items: In order.
        facts: Lines such as `Place: the quay` at its head.
        remarks: What was guessed while reading it.
    """

    title: str
    number: str
    items: tuple[Item, ...]
    facts: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=())

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who speaks, in order of appearance."""
        return tuple(dict.fromkeys(item.speaker for item in walk(self.items) if isinstance(item, Speech)))

    @property
    def is_played(self) -> bool:
        """Whether it is more than prose in which a few lines happen to look like speeches."""
        kinds = [type(item) for item in walk(self.items)]
        speeches = kinds.count(Speech)
        enough = speeches > 1 or (speeches == 1 and Choice in kinds)
        return enough and speeches * 2 >= kinds.count(Direction)


def walk(items: tuple[Item, ...]) -> Iterator[Item]:
    """All items, those of options after their choice."""
    for item in items:
        yield item
        if isinstance(item, Choice):
            for option in item.options:
                yield from walk(option.items)
