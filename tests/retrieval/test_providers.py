"""Embeddings and rerankers of a provider: LlamaIndex's real packages, and a provider on loopback that may be away."""

import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain, count

import numpy as np
import pytest
from numpy.typing import NDArray

from corpora import Catalog, ProjectKey
from retrieval import Embedder, EmbeddingModelUnavailable, ProviderAway, Reranker, Retriever, VectorStore
from retrieval.circuit_breaker import Patience
from tests.retrieval.conftest import Put
from tests.retrieval.provider_stub import ProviderStub, provider_stub
from tests.retrieval.small_embedder import SmallEmbedder
from tests.server_process import PATIENCE_S
from tests.waiting import eventually

MODELS = ["openai:text-embedding-3-small", "ollama:nomic-embed-text"]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderStub]:
    monkeypatch.setattr("retrieval.provider.monotonic", lambda: 0.0)  # it answers at once, whatever else goes on
    with provider_stub() as stub:
        monkeypatch.setenv("OPENAI_API_BASE", f"{stub.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test")
        monkeypatch.setenv("OLLAMA_HOST", stub.url)
        yield stub


@pytest.fixture(params=MODELS)
def embedder(request: pytest.FixtureRequest, provider: ProviderStub) -> Embedder:
    embedder = Embedder(request.param)
    embedder.check()
    return embedder


def test_passages_and_questions_are_embedded(embedder: Embedder, provider: ProviderStub) -> None:
    assert embedder.dimension == SmallEmbedder().dimension
    texts = [f"sword {number}" for number in range(70)]
    np.testing.assert_allclose(embedder.embed_passages(texts), SmallEmbedder().embed_passages(texts), atol=1e-6)
    assert list(chain.from_iterable(provider.asked[1:])) == texts
    assert len(provider.asked) < 20, "many texts in a request"
    np.testing.assert_allclose(embedder.embed_query("sword"), SmallEmbedder().embed_query("sword"), atol=1e-6)
    assert embedder.is_away() is False


def test_of_one_that_is_slow_few_passages_are_asked_for_at_a_time(
    embedder: Embedder, provider: ProviderStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever searches meanwhile waits for what it is busy with."""
    now = count(0, 0.6)  # seconds: an answer takes as long
    monkeypatch.setattr("retrieval.provider.monotonic", lambda: next(now))
    embedder.embed_query("sword")
    before = len(provider.asked)
    embedder.embed_passages([f"sword {number}" for number in range(10)])
    assert [len(texts) for texts in provider.asked[before:]] == [4, 3, 2, 1]


def test_a_question_takes_its_turn_with_those_of_others(
    embedder: Embedder, provider: ProviderStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that answers one after the other had others' questions wait for sixteen of a workspace."""
    asked = list[int]()

    @contextmanager
    def asking_provider() -> Generator[None]:
        asked.append(len(provider.asked))
        yield
        asked.append(len(provider.asked))

    monkeypatch.setattr("retrieval.provider.asking_provider", asking_provider)
    embedder.embed_passages(["sword"])
    before = len(provider.asked)
    embedder.embed_query("sword")
    assert asked == [before, before + 1]


def test_a_provider_that_refuses_is_told_with_its_reason(provider: ProviderStub) -> None:
    provider.refuses = True
    for model in MODELS:
        with pytest.raises(EmbeddingModelUnavailable, match="no credit left"):
            Embedder(model).check()


@pytest.mark.parametrize(("model", "host"), zip(MODELS, ["OPENAI_API_BASE", "OLLAMA_HOST"], strict=True))
@pytest.mark.usefixtures("provider")
def test_one_that_is_not_there_is_told_with_its_reason(model: str, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        monkeypatch.setenv(host, f"http://127.0.0.1:{closed.getsockname()[1]}")
    with pytest.raises(EmbeddingModelUnavailable, match=r"does not answer as it should \(.*[Cc]onnect"):
        Embedder(model).check()  # not after all the attempts that the provider's own client would make


def test_one_that_is_busy_is_asked_again_for_passages_and_not_for_a_question(
    provider: ProviderStub, catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    embedder = Embedder("openai:text-embedding-3-small")
    with closing(Retriever(catalog, embedder, vectors)) as retriever:
        put(key, "a.md", "the dragon sleeps", "the dragon wakes")
        embedder.check()
        provider.busy = 5
        assert retriever.embed_pending(key) == 2
        provider.busy = 1
        assert retriever.answer(key, "dragon").text_only
        eventually(lambda: embedder.is_away() is False)
        assert retriever.answer(key, "dragon").text_only is False


def test_search_goes_on_while_it_refuses_and_vectors_follow(
    embedder: Embedder, provider: ProviderStub, catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    with closing(Retriever(catalog, embedder, vectors)) as retriever:
        put(key, "a.md", "the dragon sleeps")
        retriever.embed_pending(key)
        assert retriever.answer(key, "dragon").text_only is False
        provider.refuses = True
        put(key, "b.md", "a dragon that is new")
        retriever.refresh(key)
        with pytest.raises(ProviderAway, match="no credit left"):
            retriever.embed_pending(key)
        assert embedder.is_away() is True
        answer = retriever.answer(key, "dragon new")
        assert answer.text_only
        assert {one.passage.document for one in answer.passages} == {"a.md", "b.md"}
        provider.refuses = False
        eventually(lambda: embedder.is_away() is False)
        retriever.embed_pending(key)
        assert retriever.answer(key, "dragon new").text_only is False
        assert catalog.lacking_vectors(key) == 0


Rows = list[np.ndarray]


@pytest.mark.parametrize(
    "mangled",
    [
        pytest.param(lambda rows: [row[:5] for row in rows], id="shorter"),
        pytest.param(lambda rows: [np.append(row, row) for row in rows], id="longer"),
        pytest.param(lambda rows: [row[: len(row) - place] for place, row in enumerate(rows)], id="of all lengths"),
        pytest.param(lambda rows: rows[1:], id="too few"),
        pytest.param(lambda rows: [*rows, *rows, *rows], id="too many"),
        pytest.param(lambda rows: [row * 0 for row in rows], id="zeros"),
        pytest.param(lambda rows: [row * np.float32(1e30) for row in rows], id="too large"),
    ],
)
def test_vectors_that_cannot_be_the_texts_are_its_failure(
    embedder: Embedder,
    provider: ProviderStub,
    catalog: Catalog,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
    mangled: Callable[[Rows], Rows],
) -> None:
    with closing(Retriever(catalog, embedder, vectors)) as retriever:
        put(key, "a.md", "the dragon sleeps")
        retriever.embed_pending(key)
        put(key, "b.md", "a dragon that is new", "and another", "and a third")
        provider.mangled = mangled
        with pytest.raises(ProviderAway, match="are no vectors of 64 numbers, one for each text"):
            retriever.embed_pending(key)
        answer = retriever.answer(key, "dragon new")
        assert {one.passage.document for one in answer.passages} == {"a.md", "b.md"}
        provider.mangled = list
        eventually(lambda: embedder.is_away() is False)
        assert retriever.embed_pending(key) == 3
        assert retriever.answer(key, "dragon new").text_only is False


def test_a_question_does_not_wait_for_a_provider_that_is_known_to_hang(
    embedder: Embedder, provider: ProviderStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.provider._QUESTION", Patience(0.2, asks_again=True))
    monkeypatch.setattr("retrieval.circuit_breaker._PROBE_S", 0.2)
    provider.goes_on.clear()
    for _ in range(3):
        with pytest.raises(ProviderAway):
            embedder.embed_query("sword")
    assert embedder.is_away() is True
    provider.goes_on.set()
    eventually(lambda: embedder.is_away() is False)
    assert embedder.embed_query("sword").shape == (embedder.dimension,)


@pytest.mark.parametrize(
    ("patience_s", "blanks", "pause_s"),
    [(PATIENCE_S, b" " * 2**16, 0), (0.2, b" ", 0.01)],
    ids=["by bytes", "by time"],
)
def test_an_answer_without_end_is_given_up_and_one_that_answers_again_is_found(
    embedder: Embedder,
    provider: ProviderStub,
    monkeypatch: pytest.MonkeyPatch,
    patience_s: float,
    blanks: bytes,
    pause_s: float,
) -> None:
    """No thread of ours reads it on, nor what a probe is answered."""
    monkeypatch.setattr("retrieval.provider._QUESTION", Patience(patience_s, asks_again=True))
    monkeypatch.setattr("retrieval.circuit_breaker._PROBE_ENDS_S", patience_s)
    provider.blanks = blanks, pause_s
    with pytest.raises(ProviderAway, match=r"more than 1,048,576 bytes|in time"):
        embedder.embed_query("sword")
    assert provider.left.wait(PATIENCE_S), "it is still read"
    provider.left.clear()
    assert embedder.is_away() is True
    assert provider.left.wait(PATIENCE_S), "the probe still reads"
    provider.blanks = None
    monkeypatch.setattr("retrieval.provider._QUESTION", Patience(PATIENCE_S, asks_again=True))
    monkeypatch.setattr("retrieval.circuit_breaker._PROBE_ENDS_S", PATIENCE_S)
    eventually(lambda: embedder.is_away() is False)
    assert embedder.embed_query("sword").shape == (embedder.dimension,)


def test_a_request_of_passages_has_room_for_the_longest_vectors(provider: ProviderStub) -> None:
    provider.mangled = lambda rows: [np.resize(row, 8192) for row in rows]
    assert Embedder(MODELS[0]).embed_passages(["sword"] * 36).shape == (36, 8192)
    assert len(provider.asked[-1]) == 32


class Answering:
    """A reranker that stops to answer."""

    def __init__(self) -> None:
        self.away = False

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        if self.away:
            raise ProviderAway("cohere does not answer (no credit left).")
        return np.arange(len(texts), dtype=np.float64)


def test_a_search_goes_on_without_a_reranker_that_does_not_answer_and_says_so(
    catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "dragon dragon", "dragon of gold", "dragon of lead and much else")
    reranker = Answering()
    with (
        closing(Retriever(catalog, SmallEmbedder(), vectors)) as plain,
        closing(Retriever(catalog, SmallEmbedder(), vectors, reranker=reranker)) as retriever,
    ):
        as_found = plain.search(key, "dragon", 3)
        answer = retriever.answer(key, "dragon", 3)
        assert [one.passage for one in answer.passages] == [one.passage for one in reversed(as_found)]
        assert "not_reranked" not in answer.as_dict()
        reranker.away = True
        answer = retriever.answer(key, "dragon", 3)
        assert list(answer.passages) == as_found
        assert answer.as_dict()["not_reranked"] is True
        both, _ = retriever.answer_any(key, ["dragon", "gold"], 3)
        assert both.not_reranked
        assert len(retriever.retrieve(key, "dragon", 100).passages)


RERANKER = """
import os, httpx
class StubRerank:
    def __init__(self, model, top_n, client: httpx.Client | None = None): self.top_n, self.client = top_n, client
    def postprocess_nodes(self, nodes, query_str):
        answer = self.client.post(
            os.environ["OPENAI_API_BASE"] + "/embeddings", json={"model": "m", "input": [node.text for node in nodes]}
        )
        answer.raise_for_status()
        return list(reversed(nodes))[: self.top_n]
"""


@pytest.fixture
def reranker(
    provider: ProviderStub, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Reranker:
    """One of a package that is laid out as LlamaIndex's are."""
    folder = tmp_path_factory.mktemp("packages")
    package = folder / "llama_index" / "postprocessor" / "stub_rerank"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(RERANKER)
    monkeypatch.syspath_prepend(folder)
    return Reranker("stub:m")


def test_a_reranker_of_a_provider_is_an_error_at_the_start_only(reranker: Reranker, provider: ProviderStub) -> None:
    reranker.load()
    assert reranker.scores("dragon", ["gold", "lead"]).shape == (2,)
    assert reranker.is_away() is False
    provider.refuses = True
    with pytest.raises(ProviderAway, match="402"):
        reranker.scores("dragon", ["gold", "lead"])
    assert reranker.is_away() is True
    provider.refuses = False
    eventually(lambda: reranker.is_away() is False)


def test_an_answer_without_end_to_a_reranker_whose_package_takes_a_client_is_given_up(
    reranker: Reranker, provider: ProviderStub
) -> None:
    reranker.load()
    provider.blanks = b" " * 2**16, 0
    with pytest.raises(ProviderAway, match="more than 1,048,576 bytes"):
        reranker.scores("dragon", ["gold", "lead"])
    assert provider.left.wait(PATIENCE_S), "it is still read"
    provider.blanks = None
    eventually(lambda: reranker.is_away() is False)


@pytest.mark.parametrize("local", [Embedder().is_away, Embedder("folder").is_away, Reranker("folder").is_away])
def test_what_is_no_providers_is_never_away(local: Callable[[], bool | None]) -> None:
    assert local() is None
