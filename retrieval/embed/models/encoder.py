"""The forward pass of BERT's encoder (Devlin et al. 2019), mean-pooled (Reimers and Gurevych 2019), in numpy.

Texts of a batch are laid end to end in one matrix, so that nothing is padded; only attention is done text by text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from retrieval.embed.embedder import unit

Array = NDArray[np.float32]
"""Weights, and the states of tokens: shape (tokens, width)."""


class Encoder:
    """Unit vectors from token numbers."""

    def __init__(
        self,
        weights: Mapping[str, Array],
        word_vectors: Callable[[NDArray[np.int64]], Array],
        *,
        heads: int,
        epsilon: float,
    ) -> None:
        """`weights`: by their names in BERT, matrices input × output. `word_vectors`: from token numbers to their rows."""
        segment = weights["embeddings.token_type_embeddings.weight"][
            0
        ]  # there is only one text, so it is always the first
        self._word_vectors = word_vectors
        self._positions = weights["embeddings.position_embeddings.weight"] + segment
        self._norm = _LayerNorm(weights, "embeddings.LayerNorm", epsilon)
        count = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
        self._layers = [_Layer(weights, f"encoder.layer.{number}.", heads, epsilon) for number in range(count)]

    def encode(self, texts: Sequence[Sequence[int]]) -> Array:
        """An array (texts, width) of unit vectors, one for each list of token numbers; no list may be empty."""
        lengths = [len(numbers) for numbers in texts]
        ends = np.cumsum(lengths)
        spans = [slice(int(end) - length, int(end)) for end, length in zip(ends, lengths, strict=True)]
        tokens = np.fromiter((number for numbers in texts for number in numbers), np.int64, int(ends[-1]))
        positions = np.concatenate([self._positions[:length] for length in lengths])
        states = self._norm(self._word_vectors(tokens) + positions)
        for layer in self._layers:
            states = layer(states, spans)
        return unit(np.stack([states[span].mean(axis=0) for span in spans]))


class _Layer:
    """One layer: attention, then two products; each adds to what came in, and is normalised."""

    def __init__(self, weights: Mapping[str, Array], prefix: str, heads: int, epsilon: float) -> None:
        parts = [f"{prefix}attention.self.{part}." for part in ("query", "key", "value")]
        # Query, key and value in one product, and attention's scale in the query's weights: fewer, larger steps.
        self._qkv = np.concatenate([weights[f"{name}weight"] for name in parts], axis=1)
        self._qkv_bias = np.concatenate([weights[f"{name}bias"] for name in parts])
        width = len(self._qkv)
        scale = np.float32(1 / math.sqrt(width // heads))
        self._qkv[:, :width] *= scale
        self._qkv_bias[:width] *= scale
        self._heads = heads
        self._out = _linear(weights, f"{prefix}attention.output.dense")
        self._out_norm = _LayerNorm(weights, f"{prefix}attention.output.LayerNorm", epsilon)
        self._up = _linear(weights, f"{prefix}intermediate.dense")
        self._down = _linear(weights, f"{prefix}output.dense")
        self._down_norm = _LayerNorm(weights, f"{prefix}output.LayerNorm", epsilon)

    def __call__(self, states: Array, spans: Sequence[slice]) -> Array:
        """The states after this layer; `spans`: each text's tokens."""
        # Sums are added in place, here and below: a new array for each step costs as much as the step itself.
        qkv = states @ self._qkv
        qkv += self._qkv_bias
        attended = np.empty_like(states)
        for span in spans:
            attended[span] = _attention(qkv[span], self._heads)
        out = self._out(attended)
        out += states
        states = self._out_norm(out)
        out = self._down(_gelu(self._up(states)))
        out += states
        return self._down_norm(out)


def _linear(weights: Mapping[str, Array], name: str) -> Callable[[Array], Array]:
    """A product with a matrix, and its bias added."""
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]

    def linear(states: Array) -> Array:
        out = states @ weight
        out += bias
        return out

    return linear


class _LayerNorm:
    """Layer normalisation (Ba, Kiros, Hinton 2016). Changes the array that it is given: a copy costs as much as the rest."""

    def __init__(self, weights: Mapping[str, Array], name: str, epsilon: float) -> None:
        self._weight, self._bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        self._epsilon = np.float32(epsilon)

    def __call__(self, x: Array) -> Array:
        x -= x.mean(axis=-1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[1])
        x /= np.sqrt(variance + self._epsilon)
        x *= self._weight
        x += self._bias
        return x


def _attention(qkv: Array, heads: int) -> Array:
    """Scaled dot-product attention of one text over its own tokens; the scale is in the query already."""
    length, width = len(qkv), qkv.shape[1] // 3
    query, key, value = qkv.reshape(length, 3, heads, width // heads).transpose(1, 2, 0, 3)
    weights = query @ key.transpose(0, 2, 1)
    weights -= weights.max(axis=-1, keepdims=True)  # softmax is the same, and nothing overflows
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
