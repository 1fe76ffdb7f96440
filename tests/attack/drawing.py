"""Values from hypothesis' strategies, outside of a test: the same ones for the same seed."""

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

_AT_ONCE, _FEWEST = 20, 3


def drawn(strategy: SearchStrategy[T], count: int, number: int) -> list[T]:
    """`count` values of a strategy, no two alike; `number` is the seed."""
    values: dict[str, T] = {}
    while len(values) < count:
        # The first example is always the smallest there is.
        _draw(strategy, max(_FEWEST, (count - len(values)) // _AT_ONCE), number, values)
        number += 1
    return list(values.values())[:count]


def _draw(strategy: SearchStrategy[T], examples: int, number: int, values: dict[str, T]) -> None:
    @seed(number)
    @settings(
        max_examples=examples,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )
    @given(st.lists(strategy, min_size=_AT_ONCE, max_size=_AT_ONCE))
    def gather(batch: list[T]) -> None:
        values.update((repr(value), value) for value in batch)

    gather()
