"""Joining the legs' lists. Fusion only orders: cut-offs and the floor read the legs' own raw scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

RRF_K = 60
KEYWORD_SHARE = 0.3
IDENTIFIER_SHARE = 0.5
"""The keyword leg's weight where the question carries identifiers, which vectors can't tell apart."""


def rrf(legs: Sequence[Sequence[int]], k: int = RRF_K) -> dict[int, float]:
    """Reciprocal rank fusion: the sum over legs of 1 / (k + rank), ranks from 1 (Cormack, Clarke, Büttcher 2009)."""
    scores: dict[int, float] = {}
    for leg in legs:
        for rank, chunk_id in enumerate(leg, 1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + 1.0 / (k + rank)
    return scores


def zscores(scores: Mapping[int, float], size: int) -> tuple[dict[int, float], float]:
    """Scores as standard deviations from the mean over the whole index of `size` chunks; those not listed count as 0.

    Returns the listed chunks' z-scores and the z-score of a chunk that isn't listed.
    """
    size = max(size, len(scores), 1)
    mean = sum(scores.values()) / size
    variance = sum(score * score for score in scores.values()) / size - mean * mean
    deviation = math.sqrt(max(variance, 0.0)) or 1.0
    return {key: (score - mean) / deviation for key, score in scores.items()}, -mean / deviation


def weighted(
    words: Mapping[int, float], no_word: float, vectors: Mapping[int, float], *, share: float = KEYWORD_SHARE
) -> dict[int, float]:
    """Score fusion: `share` × z(keyword) + (1 - share) × z(semantic) for every chunk of `vectors`.

    `vectors` holds the z-scores of all candidates of both legs, `no_word` that of a chunk without any of the words.
    """
    return {key: share * words.get(key, no_word) + (1 - share) * score for key, score in vectors.items()}
