"""Inverted lists: rows grouped around centroids, so that a search looks at the signs of the likeliest groups only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retrieval.embed.embedder import Vectors
from retrieval.index.matrix.places import GROWTH
from retrieval.index.matrix.preselect import Columns, Words, closest, signs, widened
from retrieval.index.matrix.tiers import Tiers


class Lists:
    """A shortlist over the signs of the lists nearest to the vector, and of the tail: the rows that came since.

    Signs lie by slot: one list after the other, then the tail. A removed row's slot is filled by the last row of its
    list, so lists shrink in place and what is left over stays unused until lists are made anew. Rows are never moved:
    two arrays say which place a slot stands for and which slot a place has. Beyond the signs 8 bytes a row.
    """

    def __init__(
        self, centroids: Vectors, centre: Vectors, labels: NDArray[np.int32], words: Words, tiers: Tiers
    ) -> None:
        """`labels`: each place's list. `words`: each place's signs around the centre."""
        self._tiers = tiers
        self.centroids, self.centre = centroids, centre
        self.trained_on = len(labels)
        self._size = len(labels)
        order = np.argsort(labels, kind="stable")
        self._words = words.take(order, axis=1)
        self._place = order.astype(np.int32)
        self._slot = np.empty(len(order), np.int32)
        self._slot[order] = np.arange(len(order), dtype=np.int32)
        lengths = np.bincount(labels, minlength=len(centroids))
        self._lengths: Columns = np.append(lengths, 0)
        self._starts: Columns = np.append(0, np.cumsum(lengths))

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        parts = (self._words, self._place, self._slot, self._lengths, self._starts, self.centroids)
        return sum(part.nbytes for part in parts)

    @property
    def tail(self) -> int:
        """Rows that are in no list yet."""
        return int(self._lengths[-1])

    def __len__(self) -> int:
        return self._size

    def labels(self) -> NDArray[np.int32]:
        """Each place's list; -1 in the tail."""
        found = np.full(self._size, -1, np.int32)
        for label, (start, length) in enumerate(zip(self._starts[:-1], self._lengths[:-1], strict=True)):
            found[self._place[start : start + length]] = label
        return found

    def reserve(self, size: int) -> None:
        """Room for so many rows."""
        room = size + len(self._place) - self._size
        self._words = widened(self._words, room, self._words.shape[1])
        self._place = _longer(self._place, room)
        self._slot = _longer(self._slot, size)

    def add(self, rows: Vectors) -> None:
        """Rows at the places after the last; they go to the tail."""
        start, end = self._size, self._size + len(rows)
        if end > len(self._slot):
            self._slot = _longer(self._slot, max(end, int(GROWTH * start)))
        self._size = end
        self._to_tail(np.arange(start, end), rows)

    def remove(self, place: int) -> None:
        """Take a row out; the last place's row takes its place, its signs stay where they are."""
        self._free(place)
        self._size -= 1
        if place != self._size:
            self._slot[place] = self._slot[self._size]
            self._place[self._slot[place]] = place

    def follow(self, rows: Vectors, changed: Columns) -> None:
        """Catch up with the matrix's rows as they are now: `changed` places hold other rows, others came or went at the end."""
        while self._size > len(rows):
            self.remove(self._size - 1)
        changed = changed[changed < self._size]
        for place in changed.tolist():
            self._free(place)
        self._to_tail(changed, rows[changed])
        self.add(rows[self._size :])

    def near(self, vector: Vectors, few: int, many: int, among: Columns | None = None) -> Columns:
        """About `few` places whose rows are likely the nearest, out of `many`; only of `among`, where that is given."""
        centred = vector - self.centre
        if among is None:
            return self._place[closest(self._words, self._probed(centred), centred, few, many)].astype(np.int64)
        slots = np.sort(self._slot[among])
        at = closest(self._words.take(slots, axis=1), [(0, len(slots))], centred, few, many)
        return self._place[slots[at]].astype(np.int64)

    def _probed(self, centred: Vectors) -> list[tuple[int, int]]:
        """The spans of the nearest lists that hold the wanted share of the rows, and the tail's."""
        order = np.argsort(-(self.centroids @ centred))
        rows = np.cumsum(self._lengths[order])
        enough = int(np.searchsorted(rows, self._tiers.probed(self._size))) + 1
        chosen = np.append(order[:enough], len(order))
        starts = self._starts[chosen]
        return list(zip(starts.tolist(), (starts + self._lengths[chosen]).tolist(), strict=True))

    def _free(self, place: int) -> None:
        slot = int(self._slot[place])
        label = int(np.searchsorted(self._starts, slot, side="right")) - 1
        self._lengths[label] -= 1
        last = int(self._starts[label] + self._lengths[label])
        self._words[:, slot] = self._words[:, last]
        self._place[slot] = self._place[last]
        self._slot[self._place[slot]] = slot

    def _to_tail(self, places: Columns, rows: Vectors) -> None:
        start = int(self._starts[-1] + self._lengths[-1])
        end = start + len(places)
        if end > self._words.shape[1]:
            room = max(end, int(GROWTH * start))
            self._words = widened(self._words, room, start)
            self._place = _longer(self._place, room)
        self._words[:, start:end] = signs(rows, self.centre)
        self._place[start:end] = places
        self._slot[places] = np.arange(start, end)
        self._lengths[-1] += len(places)


def _longer(numbers: NDArray[np.int32], room: int) -> NDArray[np.int32]:
    if room <= len(numbers):
        return numbers
    return np.concatenate([numbers, np.zeros(room - len(numbers), np.int32)])
