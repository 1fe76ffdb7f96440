"""A BERT encoder's weights as its graph (`bert_graph.py`) multiplies with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

Weights = Mapping[str, NDArray[np.float32]]


def graph_weights(weights: Weights, heads: int) -> dict[str, NDArray[np.float32]]:
    """The tensors that a session of the graph must be given as external initializers, by their names in it.

    Args:
        weights: as transformers' `BertModel` names them.
        heads: how many attention heads a layer has.
    """
    return {name: np.ascontiguousarray(tensor) for name, tensor in _tensors(weights, heads)}


def _tensors(weights: Weights, heads: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    words = "embeddings.word_embeddings.weight"
    yield words, weights[words]
    # All texts are of the first type, so its vector is added to every place once and for all.
    places = weights["embeddings.position_embeddings.weight"]
    yield "places", places + weights["embeddings.token_type_embeddings.weight"][:1]
    for name, tensor in weights.items():
        if "LayerNorm" in name or (name.startswith("encoder.") and name.endswith("dense.bias")):
            yield name, tensor
        elif name.startswith("encoder.") and name.endswith("dense.weight"):
            yield name, tensor.T
        elif name.endswith("attention.self.query.weight"):
            yield from _attention(weights, name.removesuffix("query.weight"), heads)


def _attention(weights: Weights, name: str, heads: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    # Queries are scaled in their weights, and the three products are one: both save passes over the memory.
    hidden = weights[f"{name}query.weight"].shape[0]
    factors = {"query": np.float32((hidden / heads) ** -0.5), "key": np.float32(1), "value": np.float32(1)}
    yield f"{name}weight", np.concatenate([weights[f"{name}{part}.weight"] * by for part, by in factors.items()]).T
    yield f"{name}bias", np.concatenate([weights[f"{name}{part}.bias"] * by for part, by in factors.items()])
