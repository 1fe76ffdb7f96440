"""A dialogue as a document writes it: speeches, directions, choices, branches, and what it does to variables."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias


class ScriptError(Exception):
    """Something in a script cannot be read; the message names it."""


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
class Comparison:
    """`gold >= 10`; without a sign, whether `name` is true; with the sign `?`, nobody can tell.

    `negated` turns it round.
    """

    name: str
    sign: str = ""
    value: str = ""
    negated: bool = False


@dataclass(frozen=True)
class Option:
    """One answer the player can choose, what follows only from it, and the condition it is offered on."""

    text: str
    items: "tuple[Item, ...]" = ()
    condition: Comparison | None = None


@dataclass(frozen=True)
class Choice:
    """Where the player chooses; afterwards all options go on together."""

    options: tuple[Option, ...]


@dataclass(frozen=True)
class Branch:
    """One way or the other; afterwards both go on together."""

    condition: Comparison
    then: "tuple[Item, ...]"
    otherwise: "tuple[Item, ...]" = ()


@dataclass(frozen=True)
class VariableChange:
    """`set gold to 5`; the operator is one of `=`, `+=`, `-=`, `*=`, `/=`."""

    name: str
    operator: str
    value: str


@dataclass(frozen=True)
class Command:
    """An order to the game that the script is for; it is a note to the writers, and nobody says it."""

    text: str


@dataclass(frozen=True)
class Leave:
    """The dialogue ends here or goes on elsewhere; `target` is empty at an end."""

    target: str = ""


Item: TypeAlias = Speech | Direction | Choice | Branch | VariableChange | Command | Leave


@dataclass(frozen=True)
class Dialogue:
    """One dialogue of a document.

    Attributes:
        title: Its heading without the word "dialogue" and its number.
        number: The number in its heading; empty without one.
        items: In order.
        facts: Lines such as `Place: the quay` at its head.
        remarks: What was guessed while reading it.
        declared: The values with which its document declares variables.
        problem: What of it has no counterpart in a story; then it has no items.
    """

    title: str
    number: str
    items: tuple[Item, ...]
    facts: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    declared: dict[str, str] = field(default_factory=dict[str, str])
    problem: str = ""

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who speaks, in order of appearance."""
        return tuple(dict.fromkeys(item.speaker for item in walk(self.items) if isinstance(item, Speech)))

    @property
    def targets(self) -> tuple[str, ...]:
        """Where it goes on, in order."""
        return tuple(dict.fromkeys(item.target for item in walk(self.items) if isinstance(item, Leave) and item.target))

    @property
    def is_played(self) -> bool:
        """Whether it is more than prose in which a few lines happen to look like speeches."""
        if self.problem:
            return True
        kinds = [type(item) for item in walk(self.items)]
        speeches = kinds.count(Speech)
        enough = speeches > 1 or (speeches == 1 and Choice in kinds)
        return enough and speeches * 2 >= kinds.count(Direction)


def walk(items: tuple[Item, ...]) -> Iterator[Item]:
    """All items, those of options and branches after what they belong to."""
    for item in items:
        yield item
        if isinstance(item, Choice):
            for option in item.options:
                yield from walk(option.items)
        if isinstance(item, Branch):
            yield from walk(item.then)
            yield from walk(item.otherwise)
