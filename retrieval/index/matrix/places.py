"""Which row of the matrix belongs to which chunk: ids in arrays, since a dictionary would take more memory than sign bits do."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
"""Ids of chunks; also numbers of rows."""

# Chosen by hand, no command compares others: half as much room again, so that growing by single rows copies rarely.
GROWTH_FACTOR = 1.5
# Chosen by hand; that the dictionary stays small beside the arrays is what benchmarks/vectors.py shows as bytes a row.
PENDING_CHANGES = 256
"""Changes are kept in a dictionary up to so many, or up to one for so many chunks; with more the ids are sorted anew."""


class RowIds:
    """Chunk ids by row, without holes, and rows by chunk id. Ids are distinct and not negative.

    Takes 12 bytes a chunk while ids fit into 32 bits, 24 beyond. A sorted copy of the ids is made when it is first asked
    for; what changed since then lies in a small dictionary.
    """

    def __init__(self) -> None:
        self._ids: NDArray[np.integer] = np.empty(0, np.int32)
        self._size = 0
        self._highest = -1
        self._sorted: NDArray[np.integer] | None = None
        self._order: NDArray[np.int32] = np.empty(0, np.int32)
        self._pending: dict[int, int] = {}

    def __len__(self) -> int:
        return self._size

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        sorted_bytes = self._sorted.nbytes if self._sorted is not None else 0
        return self._ids.nbytes + self._order.nbytes + sorted_bytes

    def ids_at(self, rows: Ids) -> Ids:
        """The chunk ids of rows."""
        return self._ids[rows].astype(np.int64)

    def reserve(self, size: int) -> None:
        """Make room for so many ids in all."""
        if size > len(self._ids):
            self._ids = np.concatenate([self._ids[: self._size], np.zeros(size - self._size, self._ids.dtype)])

    def append(self, ids: Ids) -> None:
        """Add new ids, for the rows after the last."""
        if not len(ids):
            return
        start, end = self._size, self._size + len(ids)
        self._highest = max(self._highest, int(ids.max()))
        if self._highest > np.iinfo(self._ids.dtype).max:
            self._ids = self._ids.astype(np.int64)
        if end > len(self._ids):
            self.reserve(max(end, int(GROWTH_FACTOR * len(self._ids))))
        self._ids[start:end] = ids
        self._size = end
        self._note(ids.tolist(), start)

    def remove(self, row: int) -> None:
        """Take a row's id out; the last row's id moves into its row."""
        self._size -= 1
        if row != self._size:
            self._ids[row] = self._ids[self._size]
            self._note([int(self._ids[row])], row)

    def rows_of(self, ids: Collection[int] | Ids) -> Ids:
        """The row of each id, -1 for those that aren't there."""
        wanted = ids if isinstance(ids, np.ndarray) else np.fromiter(ids, np.int64, len(ids))
        if not self._size or not len(wanted) or int(wanted.min()) > self._highest:
            return np.full(len(wanted), -1, np.int64)
        if self._sorted is None or (self._pending and len(wanted) > PENDING_CHANGES):
            self._sort()
        rows = self._looked_up(wanted.astype(np.int64))
        if self._pending:
            changed = [self._pending.get(int(i), -1) for i in wanted]
            rows = np.where(np.asarray(changed) >= 0, changed, rows)
        # Removed ids stay in the sorted copy and in the dictionary: an entry counts only if its row still holds the id.
        there = (rows >= 0) & (rows < self._size)
        there[there] = self._ids[rows[there]] == wanted[there]
        return np.where(there, rows, -1)

    def _looked_up(self, wanted: Ids) -> Ids:
        assert self._sorted is not None
        at = np.minimum(np.searchsorted(self._sorted, wanted.astype(self._sorted.dtype)), len(self._sorted) - 1)
        return np.where(self._sorted[at] == wanted, self._order[at], -1).astype(np.int64)

    def _note(self, ids: list[int], first_row: int) -> None:
        if self._sorted is None:
            return
        if len(self._pending) + len(ids) > max(PENDING_CHANGES, self._size // PENDING_CHANGES):
            self._sorted, self._order = None, np.empty(0, np.int32)
            self._pending.clear()
        else:
            self._pending.update(zip(ids, range(first_row, first_row + len(ids)), strict=True))

    def _sort(self) -> None:
        ids = self._ids[: self._size]
        self._order = np.argsort(ids, kind="stable").astype(np.int32)
        self._sorted = ids[self._order]
        self._pending.clear()
