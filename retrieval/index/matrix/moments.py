"""Mean and deviation of a question's cosines over the whole index, without computing all of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from retrieval.embed.embedder import Vectors

# Products of so many rows may be summed in 32 bits, which is faster: their mean is off by less than a hundred-millionth.
# test_statistics_of_many_rows_are_as_exact_as_cosines_are checks it.
PRODUCT_ROWS = 1024
"""Rows whose products are summed at once; fewer are summed in 64 bits."""
# Chosen by hand, no command: rounding errors of 64-bit sums stay far below those of one 32-bit cosine until then.
WORN_CHANGES_A_ROW = 16
"""Once this many rows have come or gone for each row that is there, the sums should be taken anew."""
# Of the order of a squared rounding error of a 32-bit cosine (6e-8), with room: vectors that are all alike deviate by 0.
LEAST_VARIANCE = 1e-12


class Moments:
    """Sum of the rows and sum of their outer products, in 64 bits.

    With the mean row m and the mean outer product S, the cosines with a vector q have mean q·m and variance qᵀSq − (q·m)².
    Takes dimension² × 8 bytes, whatever the number of rows.
    """

    def __init__(self, rows: Vectors) -> None:
        """`rows`: shape (rows, dimension)."""
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
        """Whether so much has come and gone that the sums should be taken anew, since rounding errors pile up."""
        return self._changes > WORN_CHANGES_A_ROW * self._count

    def add(self, rows: Vectors) -> None:
        """Count rows in."""
        self._count += len(rows)
        self._change(rows, 1)

    def remove(self, rows: Vectors) -> None:
        """Count rows out; they must have been added."""
        self._count -= len(rows)
        self._change(rows, -1)

    def _change(self, rows: Vectors, sign: int) -> None:
        self._changes += len(rows)
        for at in range(0, len(rows), PRODUCT_ROWS):
            block: NDArray[np.floating] = rows[at : at + PRODUCT_ROWS]
            if len(block) < PRODUCT_ROWS:
                block = block.astype(np.float64)
            self._sum += sign * block.sum(axis=0, dtype=np.float64)
            self._products += sign * (block.T @ block)

    def mean_and_deviation(self, vector: Vectors) -> tuple[float, float]:
        """Mean and population standard deviation of the cosines with a vector; zeros without rows."""
        if not self._count:
            return 0.0, 0.0
        wide = vector.astype(np.float64)
        mean = float(wide @ self._sum) / self._count
        variance = float(wide @ self._products @ wide) / self._count - mean * mean
        return mean, math.sqrt(variance) if variance > LEAST_VARIANCE else 0.0
