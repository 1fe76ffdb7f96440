"""An embedding model that the user names, by sentence-transformers on torch."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import EmbeddingModelUnavailable

_BATCH = 32  # texts; sorted by length a batch has hardly any padding, and progress moves every few seconds


class SentenceModel:
    """A sentence-transformers model on the CPU, loaded (8 s, 430 MB and more); may be used from several threads.

    Passages are embedded one batch at a time, and questions do not wait for them. `source` is a name on the Hugging
    Face hub, or the path of a folder. Raises `EmbeddingModelUnavailable` when it cannot be loaded.
    """

    def __init__(self, source: str) -> None:
        _silence(offline=Path(source).is_dir())
        from llama_index.embeddings.huggingface import HuggingFaceEmbedding
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        try:
            self._model = HuggingFaceEmbedding(source, device="cpu", embed_batch_size=_BATCH)
        except (OSError, ValueError) as error:
            raise EmbeddingModelUnavailable(
                f"The embedding model {source!r} cannot be loaded ({error}): it must be the name of a "
                "sentence-transformers model on the Hugging Face hub or a folder that holds one. "
                "Without FLETCHER_EMBEDDING_MODEL, all-MiniLM-L6-v2 is used."
            ) from error
        # The first use also sets the tokenizer's padding for good, before threads share it.
        self.dimension = len(self._model.get_query_embedding("ready"))
        self._embedding = threading.Lock()
        # Its libraries are 500,000 objects, and looking through them for garbage would halt every thread.
        gc.freeze()

    def vectors(self, texts: Sequence[str]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """Normalised rows with the places in `texts` that they belong to, a batch at a time as they are made."""
        by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(texts), _BATCH):
            places = by_length[start : start + _BATCH]
            with self._embedding:
                rows = self._model.get_text_embedding_batch([texts[place] for place in places])
            yield places, np.asarray(rows, dtype=np.float32)

    def query_vector(self, text: str) -> NDArray[np.float32]:
        """The normalised vector of a question, with the instruction that the model wants for one."""
        # Not behind the lock: a question must not wait two seconds for a batch of passages.
        return np.asarray(self._model.get_query_embedding(text), dtype=np.float32)


def _silence(*, offline: bool) -> None:
    """Progress bars, telemetry and the network off, where the user's environment does not say otherwise."""
    for name in (
        "HF_HUB_DISABLE_PROGRESS_BARS",
        "HF_HUB_DISABLE_TELEMETRY",
        "TRANSFORMERS_NO_ADVISORY_WARNINGS",
    ):
        os.environ.setdefault(name, "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns whenever a reader process is started
    if offline:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
