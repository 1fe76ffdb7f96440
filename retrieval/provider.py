"""Models of a provider, by LlamaIndex's packages: `openai:…` is in llama-index-embeddings-openai."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from retrieval import answer_limit
from retrieval.circuit_breaker import CircuitBreaker, NoAnswer, Patience
from retrieval.computing import asking_provider
from retrieval.errors import ProviderAway
from retrieval.model_source import WAITED_S, ModelNotUsable, first_line, load_local, within

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore

_Answer = TypeVar("_Answer")

# Passages in one request: as many as are answered in half a second, as others' questions may wait for that.
_FIRST, _MOST, _REQUEST_S = 4, 32, 0.5
# Somebody waits for a question's answer, which can be found without the provider; for passages nobody does.
_QUESTION = Patience(5.0, asks_again=True)
_PASSAGES = Patience(120.0, asks_again=True, most_bytes=8 * 2**20)  # of 4,096 numbers each, one a line
_CLIENT = re.compile(r"\bhttpx2?(?=\.Client\b)")


class ProvidedEmbedding:
    """An embedding model of a provider; may be used from several threads.

    The provider tells questions from passages as it does for LlamaIndex. Raises `ModelNotUsable` when the package is
    missing, when it does not take the name, and when there is no vector within five seconds; afterwards `ProviderAway`.
    """

    def __init__(self, provider: str, name: str) -> None:
        model = _class("embeddings", provider, "Embedding")
        self._passages: BaseEmbedding = _made(model, provider, name)
        self._questions, once = self._passages, _asked_once(model)
        if once:  # for passages it may try again: it may be busy
            self._questions = _made(model, provider, name, **once)
        self.dimension = 0  # until it has answered
        self._at_once = _FIRST
        first = within(WAITED_S, lambda: _tried(provider, lambda: self._asked("ready")), provider)
        self.dimension = len(first)
        self._provider = _Provider(provider, lambda: self._asked("ready"))
        self.is_away = self._provider.is_away

    def vectors(self, texts: Sequence[str]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """Normalised rows with the places in `texts` that they belong to, a batch at a time as they are made."""
        start = 0
        while batch := list(texts[start : start + self._at_once]):
            began = monotonic()
            rows = self._provider.asked(partial(self._made_of, batch), _PASSAGES)
            in_time = _REQUEST_S * len(batch) / max(monotonic() - began, 0.001)
            self._at_once = max(1, min(_MOST, int(in_time)))
            yield list(range(start, start + len(batch))), rows
            start += len(batch)

    def query_vector(self, text: str) -> NDArray[np.float32]:
        """The normalised vector of a question; nobody waits long for a provider that is away, or hangs."""
        return self._provider.asked(lambda: self._asked(text))

    def _made_of(self, passages: list[str]) -> NDArray[np.float32]:
        return _normalised(self._passages.get_text_embedding_batch(passages), len(passages), self.dimension)

    def _asked(self, question: str) -> NDArray[np.float32]:
        return _normalised([self._questions.get_query_embedding(question)], 1, self.dimension)[0]


class ProvidedReranker:
    """A reranking model of a provider; raises as `ProvidedEmbedding` does."""

    def __init__(self, provider: str, name: str, most: int) -> None:
        model = _class("postprocessor", f"{provider}_rerank", "Rerank")
        self._model: BaseNodePostprocessor = _made(model, provider, name, top_n=most, **_asked_once(model))
        within(WAITED_S, lambda: _tried(provider, lambda: self._ranked("ready", ["ready"])), provider)
        self._provider = _Provider(provider, lambda: self._ranked("ready", ["ready"]))
        self.is_away = self._provider.is_away

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """How well each text answers the query: `[len(texts)]`, higher is better; -inf for what it left out."""
        scores = np.full(len(texts), -np.inf)
        for one in self._provider.asked(lambda: self._ranked(query, texts)):
            scores[int(one.node.node_id)] = one.score or 0.0
        return scores

    def _ranked(self, query: str, texts: Sequence[str]) -> Sequence[NodeWithScore]:
        from llama_index.core.schema import NodeWithScore, TextNode

        nodes = [NodeWithScore(node=TextNode(id_=str(place), text=text)) for place, text in enumerate(texts)]
        return self._model.postprocess_nodes(nodes, query_str=query)


class _Provider:
    """Asks a provider that answered once; nobody waits for one that is away."""

    def __init__(self, name: str, probe: Callable[[], object]) -> None:
        self._name = name
        self._breaker = CircuitBreaker(name, probe, doubtful=(Exception,))  # of the provider's client, of whatever type
        self.is_away = self._breaker.is_away

    def asked(self, ask: Callable[[], _Answer], patience: Patience | None = None) -> _Answer:
        """The answer; raises `ProviderAway` without one. Without a patience somebody waits for it."""
        try:
            if patience is not None:
                return self._breaker.call(ask, patience)
            with asking_provider():
                return self._breaker.call(ask, _QUESTION)
        except NoAnswer as error:
            raise ProviderAway(
                f"{self._name} does not answer as it should ({first_line(error)}): check that it runs, and its key. "
                "Search goes on without it."
            ) from error


def _tried(provider: str, ask: Callable[[], _Answer]) -> _Answer:
    try:
        return answer_limit.within(WAITED_S, ask)
    except Exception as error:  # of the provider's client, of whatever type
        raise ModelNotUsable(f"{provider} does not answer as it should ({first_line(error)})") from error


def _class(kind: str, provider: str, suffix: str) -> type:
    """The provider's class of that kind."""
    package = f"llama-index-{kind}-{provider.replace('_', '-')}"
    try:
        module = import_module(f"llama_index.{kind}.{provider.replace('-', '_')}")
    except ImportError as error:
        raise ModelNotUsable(f"its package is not installed. Install it: pip install {package}") from error
    for one in vars(module).values():
        if inspect.isclass(one) and one.__name__.endswith(suffix) and not one.__name__.startswith("Base"):
            return one
    raise ModelNotUsable(f"{package} has no class whose name ends with {suffix}")


def _made(model: type, provider: str, name: str, **options: Any) -> Any:
    if provider == "huggingface":  # which loads it, and asks the hub for minutes where there is none
        return load_local(name, lambda offline: model(model_name=name, local_files_only=offline, **options))
    if provider == "ollama" and (host := os.environ.get("OLLAMA_HOST")):  # which its package does not look at
        options["base_url"] = host
    try:
        return model(**{_name_of(model): name}, **options, **_limited(model))
    except Exception as error:  # a key that is missing, a name that it does not know, of whatever type
        raise ModelNotUsable(f"the package of {provider} does not take it ({first_line(error)})") from error


def _limited(model: type) -> dict[str, Any]:
    """The option with which answers have an end; the packages of some providers have none, and read what comes."""
    options: dict[str, Any] = {"event_hooks": answer_limit.hooks(), "follow_redirects": True}
    for name, parameter in inspect.signature(model).parameters.items():
        if client := _CLIENT.search(str(parameter.annotation)):
            return {name: import_module(client[0]).Client(timeout=_PASSAGES.limit_s, **options)}
    return {"client_kwargs": options} if model.__name__ == "OllamaEmbedding" else {}


def _asked_once(model: type) -> dict[str, int]:
    """The option with which it says at once what is wrong: the clients of some providers try again for minutes."""
    return {"max_retries": 0} if "max_retries" in inspect.signature(model).parameters else {}


def _name_of(model: type) -> str:
    """How a class calls its model: most of them `model_name`, OpenAI's and others `model`."""
    parameters = inspect.signature(model).parameters
    return "model" if "model" in parameters and "model_name" not in parameters else "model_name"


def _normalised(rows: Any, count: int, dimension: int) -> NDArray[np.float32]:
    """The vectors of so many texts; `dimension` is 0 where any will do."""
    # They may differ in length, be of something else than numbers, or of numbers too large.
    with suppress(TypeError, ValueError, OverflowError), np.errstate(over="ignore"):
        vectors = np.asarray(rows, dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        if vectors.shape == (count, dimension or vectors.shape[-1]) and np.isfinite(lengths).all() and lengths.all():
            return vectors / lengths
    expected = f" of {dimension} numbers, one for each text" if dimension else ""
    raise ModelNotUsable(f"what it answers are no vectors{expected}")
