"""A deterministic stand-in for the embedding model, and a way to look at what it was asked."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

DIMENSION = 64


class SmallEmbedder:
    """Texts that share words are similar: each word has a place in the vector, which its hash decides."""

    def __init__(self, name: str = "small", dimension: int = DIMENSION) -> None:
        self.name = name
        self.dimension = dimension
        self.passages: list[str] = []
        self.queries: list[str] = []

    def check(self) -> None:
        """It is always there."""

    def is_away(self) -> None:
        """No provider runs it."""

    def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        self.passages += texts
        if progress is not None:
            progress(len(texts))
        return np.stack([small_vector(text, self.dimension) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.queries.append(text)
        return small_vector(text, self.dimension)


def small_vector(text: str, dimension: int = DIMENSION) -> NDArray[np.float32]:
    vector = np.full(dimension, 0.01, dtype=np.float32)
    for word in text.lower().split():
        vector[hashlib.sha256(word.encode()).digest()[0] % dimension] += 1
    return (vector / np.linalg.norm(vector)).astype(np.float32)
