"""Names as people compare them, and what to say when one fits nothing or too much."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Protocol, TypeVar

from agent.local.phrase import Phrase
from agent.local.steps import NotDone

_LISTED = 8


class Named(Protocol):
    """Anything with an id and a name."""

    @property
    def id(self) -> int:
        """Its id."""
        ...

    @property
    def name(self) -> str:
        """Its name."""
        ...


Thing = TypeVar("Thing", bound=Named)


def plain_name(words: Phrase) -> str:
    """The words as a new name.

    Raises:
        NotDone: Only a part of them is quoted, so it is unclear where the name ends.
    """
    if words.quoted_parts() and not words.is_quoted:
        raise NotDone(f"I do not know what is the name in “{words.raw.strip()}”.")
    return words.text


def fold(name: str) -> str:
    """The name without case, accents and the underscores that Arrow puts for spaces."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return " ".join(re.split(r"[\s_.:;`'’\"-]+", plain.casefold())).strip()


def find_named(kind: str, words: str, things: Mapping[int, Thing]) -> Thing:
    """The one thing that the words name: its id, its name, or its first name if only one has it.

    Raises:
        NotDone: Nothing or several things are named so; the message lists the choices.
    """
    number = re.fullmatch(r"#?(\d{1,18})", words.strip())
    if number and int(number[1]) in things:
        return things[int(number[1])]
    found = matching(words, things.values())
    if len(found) == 1:
        return found[0]
    if found:
        raise NotDone(f"There are several {kind}s that “{words}” may mean: {listed(found)}. Name one by its id.")
    raise NotDone(f"There is no {kind} “{words}”{remedy(kind, words, things.values())}")


def matching(words: str, things: Iterable[Thing]) -> list[Thing]:
    """What is named so: exactly if possible, else apart from case and accents, else by first name."""
    known = list(things)
    tests: tuple[Callable[[Thing], bool], ...] = (
        lambda thing: thing.name == words,
        lambda thing: fold(thing.name) == fold(words),
        lambda thing: fold(thing.name).split(" ")[0] == fold(words),
    )
    for test in tests:
        if found := [thing for thing in known if words and test(thing)]:
            return found
    return []


def remedy(kind: str, words: str, things: Iterable[Named]) -> str:
    """The end of the sentence "There is no …": the near names, or all of them."""
    known = list(things)
    if not known:
        return f"; the project has no {kind}s yet."
    by_name = {name: thing for thing in known for name in (fold(thing.name), *fold(thing.name).split(" "))}
    near = list({by_name[name].id: by_name[name] for name in get_close_matches(fold(words), by_name, n=3)}.values())
    return f". Did you mean {listed(near, 'or')}?" if near else f". The {kind}s are: {listed(known)}."


def listed(things: Sequence[Named], word: str = "and") -> str:
    """Names with ids, for a sentence; a long list is cut."""
    names = [f"{thing.name} ({thing.id})" for thing in things[:_LISTED]]
    if len(things) > _LISTED:
        names.append(f"{len(things) - _LISTED} more")
    return join(names, word)


def join(words: Sequence[str], word: str = "and") -> str:
    """`a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {word} {words[-1]}" if words else ""
