"""The semantic leg's matrix: every chunk's vector in memory, rebuilt from the database, never the truth."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from retrieval.embed.embedder import Vectors
from retrieval.errors import DimensionError
from retrieval.index.matrix.building import Building
from retrieval.index.matrix.lists import Lists
from retrieval.index.matrix.moments import Moments
from retrieval.index.matrix.places import GROWTH, Ids, Places
from retrieval.index.matrix.preselect import Shortlist, Signs
from retrieval.index.matrix.tiers import Tiers

BLOCK = 256
"""Rows gathered at once, so that they stay in the processor's cache until they are multiplied."""
SLACK = 2e-6
"""A product of matrix and vector rounds by the row's position; what is this near to the last hit is computed once more."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The nearest chunks, best first, ties by id; mean and standard deviation of the cosine over the whole index."""

    ids: Ids
    cosines: Vectors
    mean: float
    deviation: float


NOTHING = Nearest(np.empty(0, np.int64), np.empty(0, np.float32), 0.0, 0.0)


class Matrix:
    """Unit vectors by chunk id, searched by cosine: exactly while small, through a shortlist of rows above.

    Rows of removed chunks are filled by the last row, so the matrix never has holes. The cosines of hits, and mean and
    deviation, are exact at every size; above `Tiers.exact` a hit may be missed (one or two in a hundred).

    Lists of a large matrix are made beside the searches. Whoever owns the matrix calls, after documents changed:

        if building := matrix.due():
            try:
                await asyncio.to_thread(building.run)
            finally:
                matrix.adopt(building)

    `due` and `adopt` belong in the thread that searches and replaces; both take milliseconds.
    """

    def __init__(self, dimension: int, tiers: Tiers | None = None) -> None:
        _one_thread()
        self.tiers = tiers or Tiers()
        self._rows: Vectors = np.empty((0, dimension), np.float32)
        self._places = Places()
        self._moments: Moments | None = None
        self._shortlist: Shortlist | None = None
        self._building: Building | None = None
        self._changed: set[int] = set()

    def __len__(self) -> int:
        return len(self._places)

    @property
    def dimension(self) -> int:
        """Numbers a vector has."""
        return int(self._rows.shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes beside the vectors themselves."""
        parts = (self._places, self._moments, self._shortlist)
        return sum(part.nbytes for part in parts if part is not None)

    def nearest(self, vector: Vectors, k: int, among: Collection[int] | Ids | None = None) -> Nearest:
        """The k nearest chunks, only of `among` where that is given; raises DimensionError for another model's vector."""
        wanted = vector.reshape(-1)
        if not len(self):
            return NOTHING
        self._check(wanted)
        allowed = None if among is None else self._found(among)
        if self._shortlist is None or self._moments is None:
            every = self._rows[: len(self)] @ wanted
            places = np.arange(len(every)) if allowed is None else allowed
            cosines = every if allowed is None else every[allowed]
            mean, deviation = _moments(every)
        else:
            places = self._listed(self._shortlist, wanted, k, allowed)
            cosines = self._cosines(places, wanted)
            mean, deviation = self._moments.of(wanted)
        return Nearest(*self._best(places, cosines, wanted, k), mean, deviation)

    def of(self, vector: Vectors, ids: Collection[int] | Ids) -> dict[int, float]:
        """The cosine of each id; ids without a vector are left out."""
        if not len(self):
            return {}
        wanted = vector.reshape(-1)
        self._check(wanted)
        places = self._found(ids)
        cosines = self._exact(places, wanted)
        return dict(zip(self._places.ids(places).tolist(), cosines.tolist(), strict=True))

    def _listed(self, shortlist: Shortlist, vector: Vectors, k: int, allowed: Ids | None) -> Ids:
        few = max(self.tiers.few, 10 * k)
        if allowed is not None and len(allowed) <= few:
            return allowed
        return np.sort(shortlist.near(vector, few, max(self.tiers.many, 8 * few), allowed))

    def _found(self, ids: Collection[int] | Ids) -> Ids:
        places = self._places.find(ids)
        return np.unique(places[places >= 0])

    def _cosines(self, places: Ids, vector: Vectors) -> Vectors:
        found = np.empty(len(places), np.float32)
        for at in range(0, len(places), BLOCK):
            part = places[at : at + BLOCK]
            np.dot(self._rows.take(part, axis=0), vector, out=found[at : at + len(part)])
        return found

    def _exact(self, places: Ids, vector: Vectors) -> Vectors:
        """Summed in 64 bits, row by row in the same order, so that equal rows have equal cosines."""
        wide = vector.astype(np.float64)
        parts = [(self._rows[places[at : at + BLOCK]] * wide).sum(axis=1) for at in range(0, len(places), BLOCK)]
        return np.concatenate(parts).astype(np.float32) if parts else np.empty(0, np.float32)

    def _best(self, places: Ids, cosines: Vectors, vector: Vectors, k: int) -> tuple[Ids, Vectors]:
        if k < len(places):
            last = np.partition(cosines, len(cosines) - max(k, 1))[len(cosines) - max(k, 1)]
            places = places[cosines >= last - SLACK]
        cosines, ids = self._exact(places, vector), self._places.ids(places)
        order = np.lexsort((ids, -cosines))[: max(k, 0)]
        return ids[order], cosines[order]

    def extend(self, ids: Sequence[int] | Ids, vectors: Vectors) -> None:
        """Chunks in. Many are best brought in batches of some thousands, after `reserve`."""
        self.replace((), ids, vectors)

    def reserve(self, size: int) -> None:
        """Room for so many chunks in all, so that growing doesn't copy the matrix."""
        if size > len(self._rows):
            rows = np.empty((size, self._rows.shape[1]), np.float32)
            rows[: len(self)] = self._rows[: len(self)]
            self._rows = rows
        self._places.reserve(size)
        if self._shortlist is not None:
            self._shortlist.reserve(size)

    def replace(self, removed: Iterable[int], ids: Sequence[int] | Ids, vectors: Vectors) -> None:
        """Chunks out and in, in one step between two searches; ids are distinct, and those that are there are replaced.

        Raises DimensionError, and changes nothing, for vectors of another length than those that stay.
        """
        coming = np.asarray(ids, np.int64)
        gone = self._found(np.concatenate([np.fromiter(removed, np.int64), coming]))
        if len(coming) and len(gone) < len(self):
            self._check(vectors[0])
        self._remove(gone)
        if len(coming):
            self._append(coming, vectors)
        self._settle()

    def check(self, vectors: Vectors) -> None:
        """Raise DimensionError unless the vectors, of shape (chunks, dimension), fit to those that are there."""
        if len(vectors) and len(self):
            self._check(vectors[0])

    def _check(self, vector: Vectors) -> None:
        check_dimension(vector, self._rows.shape[1])

    def _remove(self, gone: Ids) -> None:
        if self._moments is not None and len(gone):
            self._moments.remove(self._rows[gone])
        for place in gone[::-1].tolist():  # from the end, so that a row that moves up isn't one that goes
            self._places.remove(place)
            self._rows[place] = self._rows[len(self)]
            if self._shortlist is not None:
                self._shortlist.remove(place)
        self._note(gone)

    def _append(self, ids: Ids, vectors: Vectors) -> None:
        if not len(self) and self._rows.shape[1] != vectors.shape[1]:
            self._rows = np.empty((0, vectors.shape[1]), np.float32)
            self._moments = self._shortlist = self._building = None
        start, end = len(self), len(self) + len(ids)
        if end > len(self._rows):
            self.reserve(max(end, int(GROWTH * len(self._rows))))
        self._rows[start:end] = vectors
        self._places.append(ids)
        if self._moments is not None:
            self._moments.add(self._rows[start:end])
        if self._shortlist is not None:
            self._shortlist.add(self._rows[start:end])
        self._note(np.arange(start, end))

    def _note(self, places: Ids) -> None:
        if self._building is not None:
            self._changed.update(places[places < self._building.size].tolist())

    def _settle(self) -> None:
        """The way to search that the size asks for; it is kept until the size has halved, so as not to swing."""
        size, rows = len(self), self._rows[: len(self)]
        if size <= self.tiers.exact // 2 or (self._shortlist is None and size <= self.tiers.exact):
            self._moments = self._shortlist = None
            return
        if self._moments is None or self._moments.worn:
            self._moments = Moments(rows)
        if isinstance(self._shortlist, Lists):
            outgrown = size <= self.tiers.whole // 2
        else:
            outgrown = not isinstance(self._shortlist, Signs) or size >= 2 * self._shortlist.centred_on
        if outgrown:
            self._shortlist = Signs(rows)
            self._shortlist.reserve(len(self._rows))

    def due(self) -> Building | None:
        """Lists to make, if the matrix has grown beyond its signs, doubled, or has a long tail; else None."""
        size, old = len(self), self._shortlist
        if self._building is not None or size <= self.tiers.whole:
            return None
        if not isinstance(old, Lists) or size >= 2 * old.trained_on:
            self._building = Building(self._rows[:size], self.tiers)
        elif old.tail > self.tiers.tail:
            self._building = Building(self._rows[:size], self.tiers, old)
        self._changed = set()
        return self._building

    def adopt(self, building: Building) -> None:
        """Search through the lists that were made, brought up to what has changed meanwhile; unfinished ones are forgotten."""
        if building is not self._building:
            return
        self._building = None
        if building.lists is not None and len(self) > self.tiers.whole // 2:
            building.lists.follow(self._rows[: len(self)], np.array(sorted(self._changed), np.int64))
            self._shortlist = building.lists
        self._changed = set()


def check_dimension(vector: Vectors, dimension: int) -> None:
    """Raise DimensionError unless the vector has so many numbers."""
    if len(vector) != dimension:
        raise DimensionError(
            f"a vector of {len(vector)} numbers doesn't fit to an index of vectors of {dimension}:"
            " they come from different models; embed all chunks anew with one"
        )


def _moments(cosines: NDArray[np.float32]) -> tuple[float, float]:
    mean = cosines.mean()
    apart = cosines - mean
    return float(mean), float(np.sqrt(apart @ apart / len(apart)))


@lru_cache(maxsize=1)
def _one_thread() -> None:
    """A product of a millisecond is done before a second thread has woken up."""
    threadpool_limits(limits=1, user_api="blas")
