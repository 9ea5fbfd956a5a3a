"""Making inverted lists anew: spherical k-means on a sample, all of it in a thread, while searches go on over what there is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retrieval.embed.embedder import Vectors
from retrieval.index.matrix.lists import Lists
from retrieval.index.matrix.preselect import signs
from retrieval.index.matrix.tiers import Tiers

SAMPLE = 32
"""Rows a list that k-means learns from."""
ROUNDS = (0.125, 0.25, 0.5, 1.0, 1.0)
"""The share of the sample that each round of k-means looks at: centroids need few rows as long as they are far off."""
BLOCK = 4096
SEED = 20


class Building:
    """Lists under construction. `Matrix.due` starts one, `run` does the work in any thread, `Matrix.adopt` swaps it in.

    The rows are read where they lie: those that change meanwhile may end up in a wrong list, or be read half old and half
    new. The matrix notes which do, and `adopt` puts them right.
    """

    def __init__(self, rows: Vectors, tiers: Tiers, old: Lists | None = None) -> None:
        """With `old`, its centroids are kept and only its tail is sorted in; without, all are learned anew."""
        self.size = len(rows)
        self.lists: Lists | None = None
        self._rows, self._tiers = rows, tiers
        self._count = min(max(len(rows) // tiers.rows_a_list, 1), tiers.most_lists)
        self._kept = (old.centroids, old.centre, old.labels(), old.trained_on) if old else None

    def run(self) -> None:
        """Train, sort and pack; `lists` is set at the end. About 25 s a million rows of 384, one thread; no search waits."""
        if self._kept is None:
            centre = self._rows.mean(axis=0, dtype=np.float64).astype(np.float32)
            centroids = trained(self._sample(), centre, self._count)
            labels, trained_on = np.full(self.size, -1, np.int32), self.size
        else:
            centroids, centre, labels, trained_on = self._kept
        missing = np.flatnonzero(labels < 0)
        for at in range(0, len(missing), BLOCK):
            part = missing[at : at + BLOCK]
            labels[part] = assigned(self._rows[part] - centre, centroids)
        made = Lists(centroids, centre, labels, signs(self._rows, centre), self._tiers)
        made.trained_on = trained_on
        self.lists = made

    def _sample(self) -> Vectors:
        chosen = np.random.default_rng(SEED).permutation(self.size)[: SAMPLE * self._count]
        return self._rows[chosen]


def trained(sample: Vectors, centre: Vectors, count: int) -> Vectors:
    """`count` centroids of unit length around the centre: spherical k-means (Dhillon and Modha 2001)."""
    rows = _unit(sample - centre)
    centroids = rows[:count].copy()
    for share in ROUNDS:
        centroids = _moved(rows[: max(int(share * len(rows)), count)], centroids)
    return centroids


def assigned(rows: Vectors, centroids: Vectors) -> NDArray[np.int32]:
    """The nearest centroid's number for each centred row."""
    found = np.empty(len(rows), np.int32)
    for at in range(0, len(rows), BLOCK):
        found[at : at + BLOCK] = (rows[at : at + BLOCK] @ centroids.T).argmax(axis=1)
    return found


def _moved(rows: Vectors, centroids: Vectors) -> Vectors:
    """Each centroid at the mean of its rows; one without rows stays."""
    labels = assigned(rows, centroids)
    order = np.argsort(labels, kind="stable")
    used, starts = np.unique(labels[order], return_index=True)
    moved = centroids.copy()
    moved[used] = _unit(np.add.reduceat(rows[order], starts, axis=0))
    return moved


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-12), np.float32)
