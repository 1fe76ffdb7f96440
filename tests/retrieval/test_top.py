import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retrieval.top import top


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(0, 45))
def test_it_is_the_beginning_of_a_stable_sort(numbers: list[int], count: int) -> None:
    scores = np.array(numbers, dtype=np.float64)
    assert top(scores, count).tolist() == np.argsort(-scores, kind="stable")[:count].tolist()
