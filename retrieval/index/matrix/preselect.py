"""One bit a coordinate: which rows may be near a vector, told by their signs alone, before any is read.

Two passes. The first counts differing signs of all rows (Hamming distance). The second adds up the vector's own
coordinates with the rows' signs, for the best of the first; it tells rows apart that the first can't (an asymmetric
distance, as in Gao and Long 2024, RaBitQ), at a price that the first can't pay for all rows.

Signs are taken after the mean row is subtracted: some models' vectors all lie to one side, and there raw signs say little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.embed.embedder import Vectors
from retrieval.index.matrix.places import GROWTH

Words = NDArray[np.uint64]
"""Signs, 64 to a word, of shape (words, rows): a word of all rows lies together, so that numpy walks through memory."""
Columns = NDArray[np.int64]
BLOCK = 4096
"""Rows at once, so that what is between two steps stays in the processor's cache."""
BITS = 4
"""In how many bits a coordinate of the asked vector is expressed for the second pass."""
SAMPLE = 8
"""The first pass's cut-off is read off every eighth row at most."""


class Shortlist(Protocol):
    """What narrows a search down to some rows. Places are the matrix's; the last place's row fills a removed one's."""

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""

    def reserve(self, size: int) -> None:
        """Room for so many rows."""

    def add(self, rows: Vectors) -> None:
        """Rows at the places after the last."""

    def remove(self, place: int) -> None:
        """Take a row out."""

    def near(self, vector: Vectors, few: int, many: int, among: Columns | None = None) -> Columns:
        """About `few` places whose rows are likely the nearest, out of `many`; only of `among`, where that is given."""


class Signs:
    """The signs of all rows, in the matrix's order: a shortlist that looks at every row."""

    def __init__(self, rows: Vectors) -> None:
        self.centre: Vectors = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
        self.centred_on = len(rows)
        self._words = signs(rows, self.centre)
        self._size = len(rows)

    @property
    def nbytes(self) -> int:
        """Bytes of the signs."""
        return self._words.nbytes

    def reserve(self, size: int) -> None:
        """Room for so many rows."""
        self._words = widened(self._words, size, self._size)

    def add(self, rows: Vectors) -> None:
        """Rows at the places after the last."""
        end = self._size + len(rows)
        if end > self._words.shape[1]:
            self.reserve(max(end, int(GROWTH * self._size)))
        self._words[:, self._size : end] = signs(rows, self.centre)
        self._size = end

    def remove(self, place: int) -> None:
        """Take a row out; the last one takes its place."""
        self._size -= 1
        self._words[:, place] = self._words[:, self._size]

    def near(self, vector: Vectors, few: int, many: int, among: Columns | None = None) -> Columns:
        """About `few` places whose rows are likely the nearest, out of `many`; only of `among`, where that is given."""
        centred = vector - self.centre
        if among is None:
            return closest(self._words, [(0, self._size)], centred, few, many)
        return among[closest(self._words.take(among, axis=1), [(0, len(among))], centred, few, many)]


def signs(rows: Vectors, centre: Vectors) -> Words:
    """The packed signs of the rows around a centre."""
    words = np.empty((-(-rows.shape[1] // 64), len(rows)), np.uint64)
    for at in range(0, len(rows), BLOCK):
        words[:, at : at + BLOCK] = _packed(rows[at : at + BLOCK] > centre)
    return words


def widened(words: Words, room: int, size: int) -> Words:
    """The first `size` columns in an array that has `room`."""
    if room <= words.shape[1]:
        return words
    wide = np.empty((len(words), room), np.uint64)
    wide[:, :size] = words[:, :size]
    return wide


def closest(words: Words, spans: Sequence[tuple[int, int]], vector: Vectors, few: int, many: int) -> Columns:
    """About `few` columns nearest to a centred vector, out of those in the spans (start, end), in no order."""
    asked = _packed(vector.reshape(1, -1) > 0)
    at = _smallest(_distances(words, spans, asked), many)
    columns = _columns(spans, at)
    if len(columns) <= few:
        return columns
    likeness = _likeness(words.take(columns, axis=1), vector)
    return columns[np.argpartition(-likeness, few - 1)[:few]]


def _distances(words: Words, spans: Sequence[tuple[int, int]], asked: Words) -> NDArray[np.uint16]:
    """How many signs differ, for each column of the spans, one span after the other."""
    found = np.empty(sum(end - start for start, end in spans), np.uint16)
    at = 0
    for start, end in spans:
        for low in range(start, end, BLOCK):
            differing = np.bitwise_count(words[:, low : min(low + BLOCK, end)] ^ asked)
            np.add.reduce(differing, axis=0, dtype=np.uint16, out=found[at : at + differing.shape[1]])
            at += differing.shape[1]
    return found


def _smallest(distances: NDArray[np.uint16], many: int) -> Columns:
    """Where about `many` of the smallest distances are, and all that equal the last."""
    if len(distances) <= many:
        return np.arange(len(distances))
    step = min(max(len(distances) // (4 * many), 1), SAMPLE)
    counts = np.cumsum(np.bincount(distances[::step]))
    return np.flatnonzero(distances <= np.searchsorted(counts, many / step))


def _columns(spans: Sequence[tuple[int, int]], at: Columns) -> Columns:
    """The columns of positions that count through the spans."""
    edges = np.array(spans, np.int64).reshape(-1, 2)
    ends = np.cumsum(edges[:, 1] - edges[:, 0])
    return at + (edges[:, 1] - ends)[np.searchsorted(ends, at, side="right")]


def _likeness(words: Words, vector: Vectors) -> NDArray[np.int64]:
    """Σ ±coordinate over the signs of each column, up to a factor; a coordinate is one of sixteen steps from -15 to 15.

    With b the sign bits and u = 0 … 15 the step: Σ (2u - 15) b, a popcount for each bit of u.
    """
    largest = float(np.abs(vector).max()) or 1.0
    top = 2**BITS - 1
    steps = np.rint((vector.reshape(1, -1) / largest + 1) * (top / 2)).astype(np.uint8)
    total: NDArray[np.int64] = -top * _counted(words)
    for bit in range(BITS):
        total += (2 << bit) * _counted(words & _packed((steps >> bit & 1) > 0))
    return total


def _counted(words: Words) -> NDArray[np.int64]:
    counts: NDArray[np.uint8] = np.bitwise_count(words)
    return np.asarray(counts.sum(axis=0, dtype=np.int64))


def _packed(bits: NDArray[np.bool_]) -> Words:
    """Rows of bits as columns of words; the last word is filled up with zeros."""
    packed = np.packbits(bits, axis=1)
    whole = np.zeros((len(bits), -(-bits.shape[1] // 64) * 8), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return whole.view(np.uint64).T
