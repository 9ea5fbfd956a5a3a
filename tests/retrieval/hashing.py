"""A tiny embedder for tests: the same text always gets the same vector, and it counts what it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from retrieval.embed.embedder import Vectors

DIMENSION = 16


class HashingEmbedder:
    """Adds one signed entry for each word, so that texts with words in common lie near each other."""

    def __init__(self, name: str = "hashing-16") -> None:
        self.name = name
        self.dimension = DIMENSION
        self.scale = 1.0
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], *, language: str = "", question: bool = False) -> Vectors:
        self.asked += texts
        rows = np.array([_vector(text) for text in texts], np.float32).reshape(len(texts), DIMENSION)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _vector(text: str) -> list[float]:
    vector = [0.01] * DIMENSION
    for word in text.lower().split():
        digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=2).digest()
        vector[digest[0] % DIMENSION] += 1.0 if digest[1] % 2 else -1.0
    return vector
