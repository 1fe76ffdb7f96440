"""The best of many scores, without sorting all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def top(scores: NDArray[Any], count: int) -> NDArray[np.intp]:
    """The places of the `count` highest scores, best first; of equal ones the first come first."""
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count] if count else np.inf
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")][:count]
