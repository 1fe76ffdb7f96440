"""A cross-encoder that reads question and passage together, for those who name one; without one nothing is loaded."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import RerankerUnavailable
from retrieval.model_source import is_missing_folder
from retrieval.results import RankedPassage

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

# How many of the best passages are read again. Reading one takes as long as embedding one, so these are about a second
# with a model of MiniLM's size on two cores. Of FairytaleQA's questions .96 find their passage among ten already.
RERANKED = 20


class RerankingModel(Protocol):
    """What the retriever asks of a cross-encoder; `Reranker` is the real one."""

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """How well each text answers the query: `[len(texts)]`, higher is better."""
        ...


class Reranker:
    """A sentence-transformers CrossEncoder on the CPU, by its name on the Hugging Face hub or the path of a folder.

    Loaded at the first use or by `load`; may be used from several threads. Raises `RerankerUnavailable` when the model
    cannot be loaded: it was asked for by name, so nothing is answered without it.
    """

    def __init__(self, model: str) -> None:
        self._source = model
        self._model: CrossEncoder | None = None
        self._loading = threading.Lock()

    def load(self) -> None:
        """Load the model now, for whoever wants to know at the start whether it works."""
        self._loaded()

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """How well each text answers the query: `[len(texts)]`, higher is better."""
        return _predicted(self._loaded(), query, texts) if texts else np.zeros(0)

    def _loaded(self) -> CrossEncoder:
        with self._loading:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> CrossEncoder:
        if is_missing_folder(self._source):
            raise self._unavailable("there is no such folder")
        from sentence_transformers import CrossEncoder
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        try:
            model = CrossEncoder(self._source, device="cpu", local_files_only=Path(self._source).is_dir())
            shape = _predicted(model, "ready", ["ready"]).shape
        except (OSError, ValueError) as error:
            raise self._unavailable(f"it cannot be loaded ({error})") from error
        if shape != (1,):
            raise self._unavailable(f"it gives {shape[-1]} scores for a text")
        if _has_no_head(model):
            raise self._unavailable("it is an encoder that nobody has taught to score")
        return model

    def _unavailable(self, problem: str) -> RerankerUnavailable:
        return RerankerUnavailable(
            f"The reranker {self._source!r} cannot be used: {problem}. FLETCHER_RERANKER must be the name of a "
            "sentence-transformers cross-encoder on the Hugging Face hub, or a folder that holds one, with one score "
            "for each text; unset, passages stay in the order of the search."
        )


def reranked(model: RerankingModel, query: str, ranked: Iterator[RankedPassage]) -> Iterator[RankedPassage]:
    """The first passages in the order of the model, then the others as they were; scores fall throughout."""
    first = list(islice(ranked, RERANKED))
    if not first:
        return
    scores = model.scores(query, [one.passage.embedding_text for one in first])
    for place in np.argsort(-scores, kind="stable"):
        yield replace(first[place], score=float(scores[place]))
    shift = float(scores.min()) - first[-1].score
    for one in ranked:
        yield replace(one, score=one.score + shift)


def _has_no_head(model: CrossEncoder) -> bool:
    """Whether the weights that score are made up: an embedding model loads without an error, and answers at random."""
    named = None if model.config is None else model.config.architectures
    return bool(named) and all(name.endswith("Model") for name in named)


def _predicted(model: CrossEncoder, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
    return np.asarray(model.predict([(query, text) for text in texts], show_progress_bar=False), dtype=np.float64)
