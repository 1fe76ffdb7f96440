"""Texts to vectors: all-MiniLM-L6-v2 from an installed package, or a model that the caller names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import EmbeddingModelUnavailable
from retrieval.minilm import NAME, MiniLM
from retrieval.model_source import ModelNotUsable, provider_and_name
from retrieval.provider import ProvidedEmbedding
from retrieval.sentence_model import SentenceModel

Vectors = NDArray[np.float32]


class EmbeddingModel(Protocol):
    """What the retriever asks of a model; `Embedder` is the real one."""

    @property
    def name(self) -> str:
        """What the catalog records, so that vectors of two models never mix."""
        ...

    @property
    def dimension(self) -> int:
        """The length of its vectors; may load the model."""
        ...

    def embed_passages(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """One normalised row for each text; `progress` hears how many are done."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """The normalised vector of a question."""
        ...


class _Model(Protocol):
    dimension: int

    def vectors(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]: ...

    def query_vector(self, text: str) -> Vectors: ...


class Embedder:
    """A model on the CPU, loaded at the first use (the default .3 s and 200 MB, another 8 s and 430 MB).

    `model` is None for all-MiniLM-L6-v2, or a name on the Hugging Face hub, the path of a folder, or `provider:name`
    of LlamaIndex's embeddings. May be used from several threads; questions do not wait for passages. Raises
    `EmbeddingModelUnavailable` when the model cannot be loaded, and `ProviderAway` when its provider does not answer.
    """

    def __init__(self, model: str | None = None) -> None:
        self._source = model
        self._model: _Model | None = None
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name as the catalog records it."""
        return self._source or NAME

    @property
    def dimension(self) -> int:
        """The length of its vectors; loads the model."""
        return self._loaded().dimension

    def check(self) -> None:
        """Say now, before documents are read, if a model that was named cannot be used; loads it, and only that."""
        if self._source is not None:
            self._loaded()

    def is_away(self) -> bool | None:
        """Whether the provider did not answer when it was last asked; None of a model that runs here."""
        return self._model.is_away() if isinstance(self._model, ProvidedEmbedding) else None

    def embed_passages(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """Vectors of the texts, float32 `[len(texts), dimension]`, normalised.

        `progress` hears how many are done, after each batch and never fewer than before.
        """
        model = self._loaded()
        vectors = np.zeros((len(texts), model.dimension), dtype=np.float32)
        done = 0
        with self._telling():
            for places, rows in model.vectors(texts):
                vectors[places] = rows
                done += len(places)
                if progress is not None:
                    progress(done)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, float32 `[dimension]`, normalised."""
        model = self._loaded()
        with self._telling():
            return model.query_vector(text)

    def _loaded(self) -> _Model:
        with self._loading, self._telling():
            if self._model is None:
                self._model = MiniLM() if self._source is None else _named(self._source)
            return self._model

    @contextmanager
    def _telling(self) -> Generator[None]:
        try:
            yield
        except ModelNotUsable as error:
            raise EmbeddingModelUnavailable(
                f"The embedding model {self._source!r} cannot be used: {error}. FLETCHER_EMBEDDING_MODEL must be the "
                "name of a sentence-transformers model on the Hugging Face hub, a folder that holds one, or "
                "provider:name of LlamaIndex's embeddings; without it, all-MiniLM-L6-v2 is used."
            ) from error


def _named(source: str) -> _Model:
    if provided := provider_and_name(source):
        return ProvidedEmbedding(*provided)
    return SentenceModel(source)
