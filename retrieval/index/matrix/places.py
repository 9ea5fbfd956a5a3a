"""Which place of the matrix holds which chunk: ids in arrays, since a dictionary would cost more than the bits do."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
GROWTH = 1.5
PENDING = 256
"""Changes are kept in a dictionary until there are this many, and more than one to so many chunks; then ids are sorted anew."""


class Places:
    """Chunk ids by place, without holes, and places by chunk id. Ids are distinct and not negative.

    Twelve bytes a chunk while ids fit into 32 bits, twenty-four beyond; a sorted copy of the ids is made when it is first
    asked for, and what changed since lies in a small dictionary. An entry of either counts only if its place holds the id.
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
        known = self._sorted.nbytes if self._sorted is not None else 0
        return self._ids.nbytes + self._order.nbytes + known

    def ids(self, places: Ids) -> Ids:
        """The ids at the places."""
        return self._ids[places].astype(np.int64)

    def reserve(self, size: int) -> None:
        """Room for so many ids."""
        if size > len(self._ids):
            self._ids = np.concatenate([self._ids[: self._size], np.zeros(size - self._size, self._ids.dtype)])

    def append(self, ids: Ids) -> None:
        """New ids, at the places after the last."""
        if not len(ids):
            return
        start, end = self._size, self._size + len(ids)
        self._highest = max(self._highest, int(ids.max()))
        if self._highest > np.iinfo(self._ids.dtype).max:
            self._ids = self._ids.astype(np.int64)
        if end > len(self._ids):
            self.reserve(max(end, int(GROWTH * len(self._ids))))
        self._ids[start:end] = ids
        self._size = end
        self._note(ids.tolist(), start)

    def remove(self, place: int) -> None:
        """Take an id out; the last one takes its place."""
        self._size -= 1
        if place != self._size:
            self._ids[place] = self._ids[self._size]
            self._note([int(self._ids[place])], place)

    def find(self, ids: Collection[int] | Ids) -> Ids:
        """The place of each id, -1 for those that aren't there."""
        wanted = ids if isinstance(ids, np.ndarray) else np.fromiter(ids, np.int64, len(ids))
        if not self._size or not len(wanted) or int(wanted.min()) > self._highest:
            return np.full(len(wanted), -1, np.int64)
        if self._sorted is None or (self._pending and len(wanted) > PENDING):
            self._sort()
        found = self._looked_up(wanted.astype(np.int64))
        if self._pending:
            changed = [self._pending.get(int(i), -1) for i in wanted]
            found = np.where(np.asarray(changed) >= 0, changed, found)
        there = (found >= 0) & (found < self._size)
        there[there] = self._ids[found[there]] == wanted[there]
        return np.where(there, found, -1)

    def _looked_up(self, wanted: Ids) -> Ids:
        assert self._sorted is not None
        at = np.minimum(np.searchsorted(self._sorted, wanted.astype(self._sorted.dtype)), len(self._sorted) - 1)
        return np.where(self._sorted[at] == wanted, self._order[at], -1).astype(np.int64)

    def _note(self, ids: list[int], start: int) -> None:
        if self._sorted is None:
            return
        if len(self._pending) + len(ids) > max(PENDING, self._size // PENDING):
            self._sorted, self._order = None, np.empty(0, np.int32)
            self._pending.clear()
        else:
            self._pending.update(zip(ids, range(start, start + len(ids)), strict=True))

    def _sort(self) -> None:
        ids = self._ids[: self._size]
        self._order = np.argsort(ids, kind="stable").astype(np.int32)
        self._sorted = ids[self._order]
        self._pending.clear()
