"""Numbers as keys that somebody has chosen for their places in Python's tables."""

from itertools import groupby

from arrow_project.errors import ParseError

# Few keep nobody waiting, however they were chosen; of more so many places are looked at for each.
_FEW, _MOST_LOOKED_AT = 64, 12
_SIZES = (-1, 0, 1, 2)  # that Python gives a table of so many, from the smallest that has room, and as it grows
_64_BITS = (1 << 64) - 1


def refuse_colliding(keys: list[int]) -> None:
    """Refuse numbers each of which is looked for among most of the others, as somebody has chosen them.

    Python looks for one in the place that its last bits name, and goes on from each that is taken. To compare two such
    objects is one step, for seconds, in which no other thread runs.
    """
    different = sum(1 for _ in groupby(sorted(keys)))  # by their order, and by no table for which they may be chosen
    smallest = (3 * different // 2).bit_length()
    if different <= _FEW or max(keys) - min(keys) < 1 << (smallest - 1):  # each has a place of its own
        return
    if any(_looked_at(keys, smallest + more) > _MOST_LOOKED_AT * len(keys) for more in _SIZES):
        raise ParseError(
            "An object has numbers as keys that no editor gives: one of them is looked for among all the others. "
            "Save a copy from Arrow 3.",
            63,
        )


def _looked_at(keys: list[int], bits: int) -> int:
    """How many places of a table with 2 to the power of `bits` are taken where one was looked for; not much more."""
    mask, found = (1 << bits) - 1, 0
    table: list[int | None] = [None] * (mask + 1)
    room = 2 * len(table) // 3
    for key in keys:
        rest = hash(key) & _64_BITS
        place = rest & mask
        while table[place] is not None and table[place] != key:
            found += 1
            rest >>= 5
            place = (5 * place + rest + 1) & mask
        room -= table[place] is None
        table[place] = key
        if not room or found > _MOST_LOOKED_AT * len(keys):
            break
    return found
