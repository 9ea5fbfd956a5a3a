"""Rows that tests make up."""

from __future__ import annotations

import numpy as np

from retrieval.embed.embedder import Vectors


def unit(rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Vectors:
    """The rows at unit length."""
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def noise(count: int, dimension: int, seed: int) -> Vectors:
    """Unit rows in all directions."""
    return unit(np.random.default_rng(seed).normal(size=(count, dimension)))


def clustered(count: int, seed: int, dimension: int = 64) -> Vectors:
    """Unit rows around eighty centres, all to one side of the origin, as some models' are."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(80, dimension)) + 1.5
    return unit(centres[random.integers(80, size=count)] + 0.7 * random.normal(size=(count, dimension)))
