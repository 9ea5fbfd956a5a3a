"""One bit a coordinate: which rows may be near a vector, told by the signs of their numbers alone, before any row is read.

Two passes. The first counts, for all rows, how many signs differ from the vector's (Hamming distance). The second adds up the
vector's own coordinates with the rows' signs, for the best rows of the first; it tells rows apart that the first can't (an
asymmetric distance, as in Gao and Long 2024, RaBitQ), and would be too slow for all rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retrieval.embed.embedder import Vectors
from retrieval.index.matrix.places import GROWTH_FACTOR, Ids

PackedBits = NDArray[np.uint64]
"""Bits, 64 to a number, of shape (numbers, rows): the first number of all rows lies together, so numpy walks through memory."""

# The three below were chosen by hand; benchmarks/vectors.py shows the time and the recall that they give.
BLOCK_ROWS = 4096
"""Rows that are worked on at once, so that what lies between two steps stays in the processor's cache."""
COORDINATE_BITS = 4
"""In how many bits a coordinate of the asked vector is expressed for the second pass."""
MOST_SAMPLING = 8
"""The cut-off of the first pass is read off every eighth row at most."""


class SignBits:
    """The signs of all rows in the matrix's order, around a centre. Takes one bit a coordinate."""

    def __init__(self, rows: Vectors, centre: Vectors | None = None) -> None:
        """`rows`: shape (rows, dimension). `centre`: what is subtracted before signs are taken; without it the mean row."""
        # Some models' vectors all lie to one side of the origin, where raw signs are alike and say little: see
        # test_signs_around_the_mean_tell_more_than_signs_around_zero.
        self.centre: Vectors = rows.mean(axis=0, dtype=np.float64).astype(np.float32) if centre is None else centre
        self.centred_on = len(rows)
        self._bits = _signs(rows, self.centre)
        self._size = len(rows)

    @property
    def nbytes(self) -> int:
        """Bytes of the bits."""
        return self._bits.nbytes

    def reserve(self, size: int) -> None:
        """Make room for so many rows in all."""
        if size > self._bits.shape[1]:
            wide = np.empty((len(self._bits), size), np.uint64)
            wide[:, : self._size] = self._bits[:, : self._size]
            self._bits = wide

    def add(self, rows: Vectors) -> None:
        """Rows that come after the last."""
        end = self._size + len(rows)
        if end > self._bits.shape[1]:
            self.reserve(max(end, int(GROWTH_FACTOR * self._size)))
        self._bits[:, self._size : end] = _signs(rows, self.centre)
        self._size = end

    def remove(self, row: int) -> None:
        """Take a row out; the last row moves into its place."""
        self._size -= 1
        self._bits[:, row] = self._bits[:, self._size]

    def near(self, vector: Vectors, count: int, candidates: int, allowed: Ids | None = None) -> Ids:
        """About `count` rows that are likely the nearest, in no order, only of `allowed` where that is given.

        `candidates`: how many the first pass leaves for the second.
        """
        centred = vector - self.centre
        if allowed is None:
            return _closest(self._bits[:, : self._size], centred, count, candidates)
        return allowed[_closest(self._bits.take(allowed, axis=1), centred, count, candidates)]


def _signs(rows: Vectors, centre: Vectors) -> PackedBits:
    """The packed signs of rows around a centre."""
    bits = np.empty((-(-rows.shape[1] // 64), len(rows)), np.uint64)
    for at in range(0, len(rows), BLOCK_ROWS):
        bits[:, at : at + BLOCK_ROWS] = _packed(rows[at : at + BLOCK_ROWS] > centre)
    return bits


def _closest(bits: PackedBits, vector: Vectors, count: int, candidates: int) -> Ids:
    """About `count` rows nearest to a centred vector, in no order: both passes."""
    rows = _smallest(_distances(bits, _packed(vector.reshape(1, -1) > 0)), candidates)
    if len(rows) <= count:
        return rows
    likeness = _likeness(bits.take(rows, axis=1), vector)
    return rows[np.argpartition(-likeness, count - 1)[:count]]


def _distances(bits: PackedBits, asked: PackedBits) -> NDArray[np.uint16]:
    """How many bits of each row differ from the asked ones."""
    distances = np.empty(bits.shape[1], np.uint16)
    for at in range(0, bits.shape[1], BLOCK_ROWS):
        differing = np.bitwise_count(bits[:, at : at + BLOCK_ROWS] ^ asked)
        np.add.reduce(differing, axis=0, dtype=np.uint16, out=distances[at : at + differing.shape[1]])
    return distances


def _smallest(distances: NDArray[np.uint16], count: int) -> Ids:
    """The rows of about `count` smallest distances, with all that equal the last of them."""
    if len(distances) <= count:
        return np.arange(len(distances))
    # A distance is at most the dimension, so a count of each tells the cut-off; sorting all rows would take far longer.
    step = min(max(len(distances) // (4 * count), 1), MOST_SAMPLING)
    rows_up_to_distance = np.cumsum(np.bincount(distances[::step]))
    return np.flatnonzero(distances <= np.searchsorted(rows_up_to_distance, count / step))


def _likeness(bits: PackedBits, vector: Vectors) -> NDArray[np.int64]:
    """Σ ±coordinate over the signs of each row, up to a factor; a coordinate is one of sixteen steps from -15 to 15.

    With b the bits and u = 0 … 15 the step: Σ (2u - 15) b, which takes one count of bits for each bit of u.
    """
    largest = float(np.abs(vector).max()) or 1.0
    top = 2**COORDINATE_BITS - 1
    steps = np.rint((vector.reshape(1, -1) / largest + 1) * (top / 2)).astype(np.uint8)
    total: NDArray[np.int64] = -top * _counted(bits)
    for bit in range(COORDINATE_BITS):
        total += (2 << bit) * _counted(bits & _packed((steps >> bit & 1) > 0))
    return total


def _counted(bits: PackedBits) -> NDArray[np.int64]:
    """How many bits are set in each row."""
    counts: NDArray[np.uint8] = np.bitwise_count(bits)
    return np.asarray(counts.sum(axis=0, dtype=np.int64))


def _packed(bits: NDArray[np.bool_]) -> PackedBits:
    """Bits of shape (rows, dimension), packed; the last number of a row is filled up with zeros."""
    packed = np.packbits(bits, axis=1)
    whole = np.zeros((len(bits), -(-bits.shape[1] // 64) * 8), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return whole.view(np.uint64).T
