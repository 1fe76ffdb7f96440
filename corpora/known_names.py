"""What an error says of the names that there are, where one was given that there is not."""

from collections.abc import Sequence

from rapidfuzz import process

from corpora.chunks import chunks

_NEAR = 75  # of 100: a slip, another case, the name without its ending; other names have 70 and less
_SOME = 5
# Of a name's end: twice the length takes four times as long, and no other thread runs until rapidfuzz has compared
# all that it was given.
_COMPARED = 100


def hint_at(name: str, names: Sequence[str]) -> str:
    """The names that may be meant, else some of those there are."""
    if near := _nearest(name, names):
        return f"the nearest name{'s are' if len(near) > 1 else ' is'} {some_of(near)}"
    return f"it has{',' if len(names) > _SOME else ''} {some_of(names)}"


def _nearest(name: str, names: Sequence[str]) -> list[str]:
    near: list[tuple[str, float, int]] = []
    for part in chunks(names):
        near += process.extract(name, part, processor=_compared, limit=3, score_cutoff=_NEAR)
    return [close for close, *_ in sorted(near, key=lambda found: -found[1])[:3]]


def _compared(name: str) -> str:
    return name[-_COMPARED:].lower()


def some_of(names: Sequence[str]) -> str:
    """All of few names, else the first of them and how many there are."""
    listed = ", ".join(repr(name) for name in names[:_SOME]) or "none"
    return f"among {len(names)}, {listed}" if len(names) > _SOME else listed
