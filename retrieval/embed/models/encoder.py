"""The forward pass of BERT's encoder (Devlin et al. 2019), mean-pooled (Reimers and Gurevych 2019), in numpy.

Texts of a batch are laid end to end in one matrix, so that nothing is padded; only attention is done text by text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


class Encoder:
    """Unit vectors from token numbers. `rows` gives the word vectors of tokens."""

    def __init__(
        self, weights: Mapping[str, Array], rows: Callable[[NDArray[np.int64]], Array], *, heads: int, epsilon: float
    ) -> None:
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        self._rows = rows
        self._places = weights["embeddings.position_embeddings.weight"] + kind
        self._first = _Norm(weights, "embeddings.LayerNorm", epsilon)
        count = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
        self._layers = [_Layer(weights, f"encoder.layer.{number}.", heads, epsilon) for number in range(count)]

    def encode(self, texts: Sequence[Sequence[int]]) -> Array:
        """An array (texts, width) of unit vectors, one a list of token numbers; none may be empty."""
        lengths = [len(numbers) for numbers in texts]
        ends = np.cumsum(lengths)
        spans = [slice(int(end) - length, int(end)) for end, length in zip(ends, lengths, strict=True)]
        flat = np.fromiter((number for numbers in texts for number in numbers), np.int64, int(ends[-1]))
        x = self._first(self._rows(flat) + np.concatenate([self._places[:length] for length in lengths]))
        for layer in self._layers:
            x = layer(x, spans)
        pooled = np.stack([x[span].mean(axis=0) for span in spans])
        return np.asarray(pooled / np.linalg.norm(pooled, axis=1, keepdims=True), np.float32)


class _Layer:
    def __init__(self, weights: Mapping[str, Array], prefix: str, heads: int, epsilon: float) -> None:
        parts = [f"{prefix}attention.self.{part}." for part in ("query", "key", "value")]
        self._qkv = np.concatenate([weights[f"{name}weight"] for name in parts], axis=1)
        self._qkv_bias = np.concatenate([weights[f"{name}bias"] for name in parts])
        width = len(self._qkv)
        scale = np.float32(1 / math.sqrt(width // heads))
        self._qkv[:, :width] *= scale
        self._qkv_bias[:width] *= scale
        self._heads = heads
        self._out = _product(weights, f"{prefix}attention.output.dense")
        self._out_norm = _Norm(weights, f"{prefix}attention.output.LayerNorm", epsilon)
        self._up = _product(weights, f"{prefix}intermediate.dense")
        self._down = _product(weights, f"{prefix}output.dense")
        self._down_norm = _Norm(weights, f"{prefix}output.LayerNorm", epsilon)

    def __call__(self, x: Array, spans: Sequence[slice]) -> Array:
        qkv = x @ self._qkv
        qkv += self._qkv_bias
        seen = np.empty_like(x)
        for span in spans:
            seen[span] = _attended(qkv[span], self._heads)
        out = self._out(seen)
        out += x
        x = self._out_norm(out)
        out = self._down(_gelu(self._up(x)))
        out += x
        return self._down_norm(out)


def _product(weights: Mapping[str, Array], name: str) -> Callable[[Array], Array]:
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]

    def product(x: Array) -> Array:
        found = x @ weight
        found += bias
        return found

    return product


class _Norm:
    """Layer normalisation (Ba, Kiros, Hinton 2016); changes what it is given."""

    def __init__(self, weights: Mapping[str, Array], name: str, epsilon: float) -> None:
        self._weight, self._bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        self._epsilon = np.float32(epsilon)

    def __call__(self, x: Array) -> Array:
        x -= x.mean(axis=-1, keepdims=True)
        spread = np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[1])
        x /= np.sqrt(spread + self._epsilon)
        x *= self._weight
        x += self._bias
        return x


def _attended(qkv: Array, heads: int) -> Array:
    """Scaled dot-product attention of one text over its own tokens; the scale is in the query already."""
    length, width = len(qkv), qkv.shape[1] // 3
    query, key, value = qkv.reshape(length, 3, heads, width // heads).transpose(1, 2, 0, 3)
    weights = query @ key.transpose(0, 2, 1)
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.asarray((weights @ value).transpose(1, 0, 2).reshape(length, width), np.float32)


def _gelu(x: Array) -> Array:
    """x · Φ(x) by the tanh form (Hendrycks and Gimpel 2016), within 0.0005 of the exact one; changes `x`."""
    inner = x * x
    inner *= np.float32(0.044715 * math.sqrt(2 / math.pi))
    inner += np.float32(math.sqrt(2 / math.pi))
    inner *= x
    np.tanh(inner, out=inner)
    inner += np.float32(1)
    x *= inner
    x *= np.float32(0.5)
    return x
