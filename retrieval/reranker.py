"""A cross-encoder that reads question and passage together, for those who name one; without one nothing is loaded."""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.computing import running_model, waiting
from retrieval.errors import ProviderAway, RerankerUnavailable
from retrieval.model_source import ModelNotUsable, load_local, provider_and_name
from retrieval.provider import ProvidedReranker
from retrieval.results import RankedPassage

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

logger = logging.getLogger(__name__)

# How many of the best passages are read again. Reading one takes as long as embedding one, so these are about a second
# with a model of MiniLM's size on two cores. Of FairytaleQA's questions .96 find their passage among ten already.
RERANKED = 20
_BATCH = 4  # pairs; all twenty at once are no faster, and take half a gigabyte


class RerankingModel(Protocol):
    """What the retriever asks of a cross-encoder; `Reranker` is the real one."""

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """How well each text answers the query: `[len(texts)]`, higher is better."""
        ...


class Reranker:
    """A sentence-transformers CrossEncoder on the CPU, or a model of a provider.

    `model` is a name on the Hugging Face hub, the path of a folder, or `provider:name` of LlamaIndex's rerankers.
    Loaded at the first use or by `load`; may be used from several threads. Raises `RerankerUnavailable` when the model
    cannot be loaded: it was asked for by name, so nothing is answered without it. A provider that does not answer later
    is `ProviderAway`.
    """

    def __init__(self, model: str) -> None:
        self._source = model
        self._model: RerankingModel | None = None
        self._loading = threading.Lock()

    def load(self) -> None:
        """Load the model now, for whoever wants to know at the start whether it works."""
        self._loaded()

    def is_away(self) -> bool | None:
        """Whether the provider did not answer when it was last asked; None of a model that runs here."""
        return self._model.is_away() if isinstance(self._model, ProvidedReranker) else None

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """How well each text answers the query: `[len(texts)]`, higher is better."""
        if not texts:
            return np.zeros(0)
        model = self._loaded()
        with self._telling():
            return model.scores(query, texts)

    def _loaded(self) -> RerankingModel:
        with self._loading, self._telling():
            if self._model is None:
                provided = provider_and_name(self._source)
                self._model = ProvidedReranker(*provided, RERANKED) if provided else _LocalReranker(self._source)
            return self._model

    @contextmanager
    def _telling(self) -> Generator[None]:
        try:
            yield
        except ModelNotUsable as error:
            raise RerankerUnavailable(
                f"The reranker {self._source!r} cannot be used: {error}. FLETCHER_RERANKER must be the name of a "
                "sentence-transformers cross-encoder on the Hugging Face hub, a folder that holds one, with one score "
                "for each text, or provider:name of LlamaIndex's rerankers; unset, passages stay in the order of the "
                "search."
            ) from error


class _LocalReranker:
    def __init__(self, source: str) -> None:
        self._model = load_local(source, lambda offline: _cross_encoder(source, offline))
        shape = self.scores("ready", ["ready"]).shape
        if shape != (1,):
            raise ModelNotUsable(f"it gives {shape[-1]} scores for a text")
        if _has_no_head(self._model):
            raise ModelNotUsable("it is an encoder that nobody has taught to score")

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        pairs = [(query, text) for text in texts]
        with running_model():
            scores = self._model.predict(pairs, batch_size=_BATCH, show_progress_bar=False)
        return np.asarray(scores, dtype=np.float64)


def _cross_encoder(source: str, offline: bool) -> CrossEncoder:
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    model = CrossEncoder(source, device="cpu", local_files_only=offline)
    model.predict([("ready", "ready")], show_progress_bar=False)
    return model


def reranked(
    model: RerankingModel, query: str, ranked: Iterator[RankedPassage]
) -> tuple[Iterator[RankedPassage], bool]:
    """The first passages in the order of the model, then the others as they were; scores fall throughout.

    And whether that could be done: where the model's provider is away, all are as they were.
    """
    first = list(islice(ranked, RERANKED))
    try:
        with waiting():
            scores = model.scores(query, [one.passage.embedding_text for one in first])
    except ProviderAway as error:
        logger.warning("not reranked: %s", error)
        return chain(first, ranked), False
    return _in_order(first, scores, ranked), True


def _in_order(
    first: Sequence[RankedPassage], scores: NDArray[np.float64], ranked: Iterator[RankedPassage]
) -> Iterator[RankedPassage]:
    if not first:
        return
    # What a provider has left out, or gives no number for, comes last; a client is told numbers alone.
    known = np.isfinite(scores)
    scores = np.where(known, scores, scores[known].min(initial=0.0) - 1.0)
    for place in np.argsort(-scores, kind="stable"):
        yield replace(first[place], score=float(scores[place]))
    shift = float(scores.min()) - first[-1].score
    for one in ranked:
        yield replace(one, score=one.score + shift)


def _has_no_head(model: CrossEncoder) -> bool:
    """Whether the weights that score are made up: an embedding model loads without an error, and answers at random."""
    named = None if model.config is None else model.config.architectures
    return bool(named) and all(name.endswith("Model") for name in named)
