"""Mean and deviation of a question's cosines over the whole index, without computing all of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from retrieval.embed.embedder import Vectors

BLOCK = 1024
"""Rows whose products are summed at once: in 32 bits where there are so many, which is off by less than a hundred-millionth."""
CHURN = 16
"""Once this many rows have come or gone for each row that is there, sums are taken anew: rounding errors don't pile up."""
LEAST = 1e-12
"""Variances below this are rounding errors of 32-bit cosines, and count as none."""


class Moments:
    """Sum of the rows and sum of their outer products, 64 bit: with the mean row m and the mean product S,

    the cosines with a question q have mean q·m and variance qᵀSq − (q·m)². Costs dimension² × 8 bytes, whatever the size.
    """

    def __init__(self, rows: Vectors) -> None:
        dimension = rows.shape[1]
        self._sum = np.zeros(dimension)
        self._products = np.zeros((dimension, dimension))
        self._count = self._changes = 0
        self.add(rows)
        self._changes = 0

    @property
    def nbytes(self) -> int:
        """Bytes of the sums."""
        return self._products.nbytes + self._sum.nbytes

    @property
    def worn(self) -> bool:
        """Whether so much has come and gone that the sums should be taken anew."""
        return self._changes > CHURN * self._count

    def add(self, rows: Vectors) -> None:
        """Rows that come."""
        self._count += len(rows)
        self._change(rows, 1)

    def remove(self, rows: Vectors) -> None:
        """Rows that go; they must have been added."""
        self._count -= len(rows)
        self._change(rows, -1)

    def _change(self, rows: Vectors, sign: int) -> None:
        self._changes += len(rows)
        for at in range(0, len(rows), BLOCK):
            block: NDArray[np.floating] = rows[at : at + BLOCK]
            if len(block) < BLOCK:
                block = block.astype(np.float64)
            self._sum += sign * block.sum(axis=0, dtype=np.float64)
            self._products += sign * (block.T @ block)

    def of(self, vector: Vectors) -> tuple[float, float]:
        """Mean and population standard deviation of the cosines with a vector; zeros without rows."""
        if not self._count:
            return 0.0, 0.0
        wide = vector.astype(np.float64)
        mean = float(wide @ self._sum) / self._count
        variance = float(wide @ self._products @ wide) / self._count - mean * mean
        return mean, math.sqrt(variance) if variance > LEAST else 0.0
