"""A BERT encoder as an ONNX graph: token numbers in, one normalised vector for each text out.

Built once, by `python -m retrieval.bert_graph`, and kept in `minilm.onnx` (needs the package onnx, which nothing else
does). The weights are no part of it: they are those of the model's own file (`bert_weights.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from retrieval.bert_weights import Weights

_OPSET = 20  # the first with Gelu
_IR_VERSION = 9  # which belongs to that opset
_LAYER_NORM_EPSILON = 1e-12
_MASKED = -1e4  # added to the attention that padding would get; exp() of it is 0


def bert_graph(weights: Weights, heads: int) -> bytes:
    """The graph, whose session must be given the tensors of `graph_weights` as external initializers.

    Inputs are `ids` and `mask`, int64 `[texts, tokens]` with 1 in the mask where a token is; the output `vectors` is
    float32 `[texts, hidden]`, the mean of the tokens' last states, normalised.

    Args:
        weights: those tensors; only their names and shapes matter.
        heads: how many attention heads a layer has.
    """
    return _Graph(weights, heads).built()


class _Graph:
    def __init__(self, weights: Weights, heads: int) -> None:
        self._weights = weights
        self._heads = heads
        self._hidden = weights["embeddings.word_embeddings.weight"].shape[1]
        self._nodes: list[Any] = []
        self._constants: dict[str, TensorProto] = {}
        self._given: set[str] = set()

    def built(self) -> bytes:
        state = self._embedded()
        no_padding = self._op("Cast", "mask", to=TensorProto.FLOAT)
        bias = self._op("Mul", self._op("Sub", no_padding, self._float("one", 1)), self._float("masked", -_MASKED))
        bias = self._op("Unsqueeze", bias, self._ints("middle", 1, 2))
        layers = 0
        while f"encoder.layer.{layers}.output.dense.weight" in self._weights:
            state = self._layer(f"encoder.layer.{layers}.", state, bias)
            layers += 1
        self._pooled(state, no_padding)
        graph = helper.make_graph(
            self._nodes,
            "bert",
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in ("ids", "mask")],
            [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", self._hidden])],
            [*self._constants.values(), *(_declared(name, self._weights[name]) for name in sorted(self._given))],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
        return model.SerializeToString(deterministic=True)

    def _embedded(self) -> str:
        words = self._op("Gather", self._weight("embeddings.word_embeddings.weight"), "ids")
        tokens = self._op("Shape", "ids", start=1, end=2)
        here = self._op("Slice", self._weight("places"), self._ints("zero", 0), tokens, self._ints("zero", 0))
        return self._normalised("embeddings.LayerNorm", self._op("Add", words, here))

    def _layer(self, name: str, state: str, bias: str) -> str:
        attention = self._attention(name + "attention.self.", state, bias)
        attention = self._linear(name + "attention.output.dense", attention)
        state = self._normalised(name + "attention.output.LayerNorm", self._op("Add", attention, state))
        wide = self._op("Gelu", self._linear(name + "intermediate.dense", state))
        return self._normalised(
            name + "output.LayerNorm", self._op("Add", self._linear(name + "output.dense", wide), state)
        )

    def _attention(self, name: str, state: str, bias: str) -> str:
        together = self._op("MatMul", state, self._weight(name + "weight"))
        together = self._op("Add", together, self._weight(name + "bias"))
        query, key, value = (self._part(together, number) for number in range(3))
        query = self._op("Transpose", self._by_head(query), perm=[0, 2, 1, 3])
        key = self._op("Transpose", self._by_head(key), perm=[0, 2, 3, 1])
        value = self._op("Transpose", self._by_head(value), perm=[0, 2, 1, 3])
        shares = self._op("Softmax", self._op("Add", self._op("MatMul", query, key), bias), axis=-1)
        mixed = self._op("Transpose", self._op("MatMul", shares, value), perm=[0, 2, 1, 3])
        return self._op("Reshape", mixed, self._ints("whole", 0, 0, self._hidden))

    def _part(self, together: str, number: int) -> str:
        start, end = number * self._hidden, (number + 1) * self._hidden
        ends = self._ints(f"from_{start}", start), self._ints(f"from_{end}", end), self._ints("last", 2)
        return self._op("Slice", together, *ends)

    def _by_head(self, states: str) -> str:
        return self._op("Reshape", states, self._ints("heads", 0, 0, self._heads, self._hidden // self._heads))

    def _pooled(self, state: str, no_padding: str) -> None:
        weighed = self._op("Mul", state, self._op("Unsqueeze", no_padding, self._ints("last", 2)))
        # The length of a sum is taken out with that of the vector: no division by the number of tokens is needed.
        self._op("LpNormalization", self._op("ReduceSum", weighed, self._ints("second", 1), keepdims=0), out="vectors")

    def _linear(self, name: str, state: str) -> str:
        product = self._op("MatMul", state, self._weight(name + ".weight"))
        return self._op("Add", product, self._weight(name + ".bias"))

    def _normalised(self, name: str, state: str) -> str:
        scale, offset = self._weight(name + ".weight"), self._weight(name + ".bias")
        return self._op("LayerNormalization", state, scale, offset, axis=-1, epsilon=_LAYER_NORM_EPSILON)

    def _weight(self, name: str) -> str:
        self._given.add(name)
        return name

    def _ints(self, name: str, *values: int) -> str:
        return self._constant(name, np.array(values, dtype=np.int64))

    def _float(self, name: str, value: float) -> str:
        return self._constant(name, np.array(value, dtype=np.float32))

    def _constant(self, name: str, values: NDArray[Any]) -> str:
        self._constants[name] = numpy_helper.from_array(values, name)
        return name

    def _op(self, kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        name = out or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name


def _declared(name: str, tensor: NDArray[np.float32]) -> TensorProto:
    """A tensor without its values, which the session is given."""
    declared = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=tensor.shape)
    declared.data_location = TensorProto.EXTERNAL
    declared.external_data.add(key="location", value="given")
    return declared


if __name__ == "__main__":
    from retrieval.minilm import GRAPH, HEADS, bundled_weights

    GRAPH.write_bytes(bert_graph(bundled_weights(), HEADS))
