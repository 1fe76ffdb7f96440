"""An embedding model that the user names, by sentence-transformers on torch."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from retrieval.computing import running_model
from retrieval.model_source import load_local

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_BATCH = 32  # texts; sorted by length a batch has hardly any padding, and progress moves every few seconds


class SentenceModel:
    """A sentence-transformers model on the CPU, loaded (8 s, 430 MB and more); may be used from several threads.

    Passages are embedded one batch at a time, and questions do not wait for them. Both get the prompts that the model's
    configuration has for them. `source` is a name on the Hugging Face hub, or the path of a folder. Raises
    `ModelNotUsable` when it cannot be loaded.
    """

    def __init__(self, source: str) -> None:
        self._model = load_local(source, lambda offline: _loaded(source, offline))
        # The first use also sets the tokenizer's padding for good, before threads share it.
        self.dimension = len(self.query_vector("ready"))
        self._prompt = _passage_prompt(self._model)
        self._embedding = threading.Lock()
        # Its libraries are 500,000 objects, and looking through them for garbage would halt every thread.
        gc.freeze()

    def vectors(self, texts: Sequence[str]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """Normalised rows with the places in `texts` that they belong to, a batch at a time as they are made."""
        by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(texts), _BATCH):
            places = by_length[start : start + _BATCH]
            with self._embedding:
                rows = self._model.encode_document(
                    [texts[place] for place in places],
                    prompt_name=self._prompt,
                    batch_size=_BATCH,
                    show_progress_bar=False,
                    normalize_embeddings=True,
                )
            yield places, np.asarray(rows, dtype=np.float32)

    def query_vector(self, text: str) -> NDArray[np.float32]:
        """The normalised vector of a question."""
        # Not behind the lock: a question must not wait two seconds for a batch of passages.
        with running_model():
            row = self._model.encode_query(text, show_progress_bar=False, normalize_embeddings=True)
        return np.asarray(row, dtype=np.float32)


def _passage_prompt(model: SentenceTransformer) -> str | None:
    """The name of the prompt for passages; the library, which has an empty `document`, would not look any further."""
    return next((name for name in ("document", "passage", "corpus") if model.prompts.get(name)), None)


def _loaded(source: str, offline: bool) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    model = SentenceTransformer(source, device="cpu", local_files_only=offline)
    model.encode_query("ready", show_progress_bar=False)  # so that what cannot compute is said as the rest is
    return model
