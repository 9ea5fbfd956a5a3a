"""The semantic leg's matrix: every chunk's vector in memory, rebuilt from the database, never the truth."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from threadpoolctl import threadpool_limits

from retrieval.embed.embedder import Vectors
from retrieval.errors import DimensionError
from retrieval.index.matrix.moments import Moments
from retrieval.index.matrix.places import GROWTH_FACTOR, Ids, RowIds
from retrieval.index.matrix.preselect import SignBits
from retrieval.index.matrix.tiers import DEFAULT_TIERS, Tiers

# Chosen by hand; benchmarks/vectors.py shows the time that it gives.
GATHER_ROWS = 256
"""Rows gathered at once, so that they stay in the processor's cache until they are multiplied."""
# Some thirty times what a 32-bit number near 1 rounds by; test_equal_chunks_come_in_the_order_of_their_ids fails with less.
ROUNDING_SLACK = 2e-6
"""A product of matrix and vector rounds by the row's position; what is this near to the last hit is computed once more."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The nearest chunks, best first, ties by id; mean and standard deviation of the cosine over the whole index."""

    ids: Ids
    cosines: Vectors
    mean: float
    deviation: float


NOTHING_NEAR = Nearest(np.empty(0, np.int64), np.empty(0, np.float32), 0.0, 0.0)


class Matrix:
    """Unit vectors by chunk id, searched by cosine: exactly while small, through a shortlist of rows above.

    Rows of removed chunks are filled by the last row, so the matrix never has holes. The cosines of hits, and mean and
    deviation, are exact at every size; above `Tiers.exact_rows` a hit may be missed (one or two in a hundred).
    """

    def __init__(self, dimension: int, tiers: Tiers = DEFAULT_TIERS) -> None:
        _keep_blas_to_one_thread()
        self.tiers = tiers
        self._rows: Vectors = np.empty((0, dimension), np.float32)
        self._ids = RowIds()
        self._moments: Moments | None = None
        self._bits: SignBits | None = None

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self._rows.shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes in memory beside the vectors themselves."""
        parts = (self._ids, self._moments, self._bits)
        return sum(part.nbytes for part in parts if part is not None)

    def nearest(self, vector: Vectors, k: int, allowed: Collection[int] | Ids | None = None) -> Nearest:
        """The k chunks nearest to a unit vector, only of the `allowed` ids where these are given.

        Raises DimensionError for a vector of another length than those in the matrix.
        """
        asked = vector.reshape(-1)
        if not len(self):
            return NOTHING_NEAR
        self._check_dimension(asked)
        allowed_rows = None if allowed is None else self._rows_of(allowed)
        if self._bits is None or self._moments is None:
            every = self._rows[: len(self)] @ asked
            rows = np.arange(len(every)) if allowed_rows is None else allowed_rows
            cosines = every if allowed_rows is None else every[allowed_rows]
            mean, deviation = _mean_and_deviation(every)
        else:
            rows = self._shortlisted(self._bits, asked, k, allowed_rows)
            cosines = self._quick_cosines(rows, asked)
            mean, deviation = self._moments.mean_and_deviation(asked)
        return Nearest(*self._best(rows, cosines, asked, k), mean, deviation)

    def cosines(self, vector: Vectors, ids: Collection[int] | Ids) -> dict[int, float]:
        """The cosine of each id with a unit vector; ids without a vector are left out. Raises DimensionError as `nearest` does."""
        if not len(self):
            return {}
        asked = vector.reshape(-1)
        self._check_dimension(asked)
        rows = self._rows_of(ids)
        cosines = self._exact_cosines(rows, asked)
        return dict(zip(self._ids.ids_at(rows).tolist(), cosines.tolist(), strict=True))

    def _shortlisted(self, bits: SignBits, vector: Vectors, k: int, allowed_rows: Ids | None) -> Ids:
        count = max(self.tiers.cosine_rows, 10 * k)
        if allowed_rows is not None and len(allowed_rows) <= count:
            return allowed_rows
        # In order, so that gathering the rows walks through memory.
        return np.sort(bits.near(vector, count, max(self.tiers.candidate_rows, 8 * count), allowed_rows))

    def _rows_of(self, ids: Collection[int] | Ids) -> Ids:
        """The rows of the ids that are there, in order, each once."""
        rows = self._ids.rows_of(ids)
        return np.unique(rows[rows >= 0])

    def _quick_cosines(self, rows: Ids, vector: Vectors) -> Vectors:
        cosines = np.empty(len(rows), np.float32)
        for at in range(0, len(rows), GATHER_ROWS):
            part = rows[at : at + GATHER_ROWS]
            np.dot(self._rows.take(part, axis=0), vector, out=cosines[at : at + len(part)])
        return cosines

    def _exact_cosines(self, rows: Ids, vector: Vectors) -> Vectors:
        """Summed in 64 bits, row by row in the same order, so that equal rows have equal cosines."""
        wide = vector.astype(np.float64)
        parts = [
            (self._rows[rows[at : at + GATHER_ROWS]] * wide).sum(axis=1) for at in range(0, len(rows), GATHER_ROWS)
        ]
        return np.concatenate(parts).astype(np.float32) if parts else np.empty(0, np.float32)

    def _best(self, rows: Ids, cosines: Vectors, vector: Vectors, k: int) -> tuple[Ids, Vectors]:
        # The k-th cosine is found without sorting all; what might round to it is summed once more, exactly.
        if k < len(rows):
            last = np.partition(cosines, len(cosines) - max(k, 1))[len(cosines) - max(k, 1)]
            rows = rows[cosines >= last - ROUNDING_SLACK]
        cosines, ids = self._exact_cosines(rows, vector), self._ids.ids_at(rows)
        order = np.lexsort((ids, -cosines))[: max(k, 0)]
        return ids[order], cosines[order]

    def extend(self, ids: Sequence[int] | Ids, vectors: Vectors) -> None:
        """Put chunks in. Many are best brought in batches of some thousands, after `reserve`."""
        self.replace((), ids, vectors)

    def reserve(self, size: int) -> None:
        """Make room for so many chunks in all, so that growing doesn't copy the matrix."""
        if size > len(self._rows):
            rows = np.empty((size, self._rows.shape[1]), np.float32)
            rows[: len(self)] = self._rows[: len(self)]
            self._rows = rows
        self._ids.reserve(size)
        if self._bits is not None:
            self._bits.reserve(size)

    def replace(self, removed: Iterable[int], ids: Sequence[int] | Ids, vectors: Vectors) -> None:
        """Take chunks out and put chunks in, in one step between two searches.

        `ids` are distinct, those that are there are replaced; `vectors` has shape (ids, dimension). Raises DimensionError, and
        changes nothing, for vectors of another length than those that stay.
        """
        coming = np.asarray(ids, np.int64)
        going_rows = self._rows_of(np.concatenate([np.fromiter(removed, np.int64), coming]))
        if len(coming) and len(going_rows) < len(self):
            self._check_dimension(vectors[0])
        self._remove(going_rows)
        if len(coming):
            self._append(coming, vectors)
        self._choose_tier()

    def check(self, vectors: Vectors) -> None:
        """Raise DimensionError unless vectors of shape (chunks, dimension) have the length of those that are there."""
        if len(vectors) and len(self):
            self._check_dimension(vectors[0])

    def _check_dimension(self, vector: Vectors) -> None:
        check_dimension(vector, self._rows.shape[1])

    def _remove(self, rows: Ids) -> None:
        if self._moments is not None and len(rows):  # first, while the rows are still there
            self._moments.remove(self._rows[rows])
        for row in rows[::-1].tolist():  # from the end, so that a row that moves up isn't one that goes
            self._ids.remove(row)
            self._rows[row] = self._rows[len(self)]
            if self._bits is not None:
                self._bits.remove(row)

    def _append(self, ids: Ids, vectors: Vectors) -> None:
        if (
            not len(self) and self._rows.shape[1] != vectors.shape[1]
        ):  # another model's, after all of the old one's went
            self._rows = np.empty((0, vectors.shape[1]), np.float32)
            self._moments = self._bits = None
        start, end = len(self), len(self) + len(ids)
        if end > len(self._rows):
            self.reserve(max(end, int(GROWTH_FACTOR * len(self._rows))))
        self._rows[start:end] = vectors
        self._ids.append(ids)
        if self._moments is not None:
            self._moments.add(self._rows[start:end])
        if self._bits is not None:
            self._bits.add(self._rows[start:end])

    def _choose_tier(self) -> None:
        """Take up, renew or drop sums and sign bits, as the size asks for.

        A way to search is kept until the size has halved, so as not to swing between two.
        """
        size, rows = len(self), self._rows[: len(self)]
        if size <= self.tiers.exact_rows // 2 or (self._bits is None and size <= self.tiers.exact_rows):
            self._moments = self._bits = None
            return
        if self._moments is None or self._moments.worn:
            self._moments = Moments(rows)
        # The centre of the signs is that of the rows that were there; a matrix that has doubled may lie elsewhere.
        if self._bits is None or size >= 2 * self._bits.centred_on:
            self._bits = SignBits(rows)
            self._bits.reserve(len(self._rows))


def check_dimension(vector: Vectors, dimension: int) -> None:
    """Raise DimensionError unless the vector has so many numbers."""
    if len(vector) != dimension:
        raise DimensionError(
            f"a vector of {len(vector)} numbers doesn't fit to an index of vectors of {dimension}:"
            " they come from different models; embed all chunks anew with one"
        )


def _mean_and_deviation(cosines: Vectors) -> tuple[float, float]:
    mean = cosines.mean()
    apart = cosines - mean
    return float(mean), float(np.sqrt(apart @ apart / len(apart)))


@lru_cache(maxsize=1)
def _keep_blas_to_one_thread() -> None:
    """Once a process: a product of a millisecond is done before a second thread has woken up."""
    threadpool_limits(limits=1, user_api="blas")
