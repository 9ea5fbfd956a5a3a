"""The semantic leg's matrix: every chunk's vector in memory, rebuilt from the database, never the truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from retrieval.embed import Vectors

GROWTH = 1.5


class Matrix:
    """Unit vectors by chunk id; exact search by one matrix-vector product.

    Rows of removed chunks are filled by the last row, so the matrix never has holes.
    """

    def __init__(self, dimension: int) -> None:
        self._rows: Vectors = np.empty((0, dimension), np.float32)
        self._ids: NDArray[np.int64] = np.empty(0, np.int64)
        self._place: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._place)

    def replace(self, removed: Iterable[int], ids: Sequence[int], vectors: Vectors) -> None:
        """Chunks out and in, in one step between two searches."""
        for chunk_id in removed:
            self._remove(chunk_id)
        if not len(ids):
            return
        if not len(self) and self._rows.shape[1] != vectors.shape[1]:
            self._rows = np.empty((0, vectors.shape[1]), np.float32)
        start, end = len(self), len(self) + len(ids)
        self._reserve(end)
        self._rows[start:end] = vectors
        self._ids[start:end] = ids
        self._place.update(zip(ids, range(start, end), strict=True))

    def _remove(self, chunk_id: int) -> None:
        place = self._place.pop(chunk_id, None)
        if place is None:
            return
        last = len(self._place)
        if place != last:
            self._rows[place] = self._rows[last]
            self._ids[place] = self._ids[last]
            self._place[int(self._ids[place])] = place

    def _reserve(self, size: int) -> None:
        if size > len(self._ids):
            room = max(size, int(GROWTH * len(self._ids)))
            rows = np.empty((room, self._rows.shape[1]), np.float32)
            rows[: len(self)] = self._rows[: len(self)]
            ids = np.empty(room, np.int64)
            ids[: len(self)] = self._ids[: len(self)]
            self._rows, self._ids = rows, ids

    def scores(self, vector: Vectors) -> tuple[NDArray[np.int64], Vectors]:
        """Every chunk's id and its cosine with the vector."""
        size = len(self)
        if not size or self._rows.shape[1] != vector.shape[-1]:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        return self._ids[:size].copy(), self._rows[:size] @ vector.reshape(-1)
