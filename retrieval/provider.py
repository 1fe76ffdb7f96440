"""Models of a provider, by LlamaIndex's packages: `openai:…` is in llama-index-embeddings-openai."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from retrieval.circuit_breaker import CircuitBreaker, NoAnswer, Patience
from retrieval.model_source import WAITED_S, ModelNotUsable, first_line, within

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.postprocessor.types import BaseNodePostprocessor

_BATCH = 32  # texts in one request
# Somebody waits for a question's answer, which can be found without vectors.
_QUESTION = Patience(5.0, asks_again=True)


class ProvidedEmbedding:
    """An embedding model of a provider; may be used from several threads.

    The provider tells questions from passages as it does for LlamaIndex. Raises `ModelNotUsable` when the package is
    missing, when it does not take the name, and when there is no vector within ten seconds.
    """

    def __init__(self, provider: str, name: str) -> None:
        made = _made("embeddings", provider, name, "Embedding")
        self._model = cast("BaseEmbedding", made)
        self._provider = provider
        self._questions = CircuitBreaker(provider, lambda: self._model.get_query_embedding("ready"), (Exception,))
        self.dimension = len(within(WAITED_S, lambda: _normalised([self._asked_for("ready")])[0], provider))

    def vectors(self, texts: Sequence[str]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """Normalised rows with the places in `texts` that they belong to, a batch at a time as they are made."""
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            yield (
                list(range(start, start + len(batch))),
                _normalised(_asked(self._provider, lambda batch=batch: self._model.get_text_embedding_batch(batch))),
            )

    def query_vector(self, text: str) -> NDArray[np.float32]:
        """The normalised vector of a question; nobody waits long for a provider that is away, or hangs."""
        try:
            answer = self._questions.call(lambda: self._model.get_query_embedding(text), _QUESTION)
        except NoAnswer as error:
            raise ModelNotUsable(f"{self._provider} does not answer ({first_line(error)})") from error
        return _normalised([answer])[0]

    def _asked_for(self, text: str) -> Any:
        return _asked(self._provider, lambda: self._model.get_query_embedding(text))


class ProvidedReranker:
    """A reranking model of a provider; raises as `ProvidedEmbedding` does."""

    def __init__(self, provider: str, name: str, most: int) -> None:
        made = _made("postprocessor", f"{provider}_rerank", name, "Rerank", top_n=most)
        self._model = cast("BaseNodePostprocessor", made)
        self._provider = provider
        within(WAITED_S, lambda: self.scores("ready", ["ready"]), provider)

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """How well each text answers the query: `[len(texts)]`, higher is better; -inf for what it left out."""
        from llama_index.core.schema import NodeWithScore, TextNode

        nodes = [NodeWithScore(node=TextNode(id_=str(place), text=text)) for place, text in enumerate(texts)]
        ranked = _asked(self._provider, lambda: self._model.postprocess_nodes(nodes, query_str=query))
        scores = np.full(len(texts), -np.inf)
        for one in ranked:
            scores[int(one.node.node_id)] = one.score or 0.0
        return scores


def _asked(provider: str, ask: Any) -> Any:
    try:
        return ask()
    except Exception as error:  # of the provider's client, of whatever type
        raise ModelNotUsable(f"{provider} does not answer as it should ({first_line(error)})") from error


def _made(kind: str, provider: str, name: str, suffix: str, **options: Any) -> object:
    """The provider's class of that kind, made with the model's name."""
    package = f"llama-index-{kind}-{provider.replace('_', '-')}"
    try:
        module = import_module(f"llama_index.{kind}.{provider.replace('-', '_')}")
    except ImportError as error:
        raise ModelNotUsable(f"its package is not installed. Install it: pip install {package}") from error
    classes = (one for one in vars(module).values() if inspect.isclass(one))
    made = next((one for one in classes if one.__name__.endswith(suffix) and not one.__name__.startswith("Base")), None)
    if made is None:
        raise ModelNotUsable(f"{package} has no class whose name ends with {suffix}")
    try:
        return made(**{_name_of(made): name}, **options)
    except Exception as error:  # a key that is missing, a name that it does not know, of whatever type
        raise ModelNotUsable(f"{package} does not take it ({first_line(error)})") from error


def _name_of(model: type) -> str:
    """How a class calls its model: most of them `model_name`, OpenAI's and others `model`."""
    parameters = inspect.signature(model).parameters
    return "model" if "model" in parameters and "model_name" not in parameters else "model_name"


def _normalised(rows: Any) -> NDArray[np.float32]:
    vectors = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if vectors.ndim != 2 or not np.isfinite(vectors).all() or not lengths.all():
        raise ModelNotUsable("what it answers are no vectors")
    return vectors / lengths
