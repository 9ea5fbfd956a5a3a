"""Joining the legs' lists. Fusion only orders: cut-offs and the floor read the legs' own raw scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

# Cormack, Clarke and Büttcher's own (2009).
RRF_K = 60
# The three shares are round numbers chosen by hand. `python -m benchmarks.quality --data DIR` and tests/eval show what the
# search finds with them, beside each leg alone; no command compares other shares.
KEYWORD_SHARE = 0.35
"""The keyword leg's weight in the sum; the semantic leg has the rest."""
IDENTIFIER_SHARE = 0.5
"""Its weight where the question carries identifiers, which vectors can't tell apart."""
FOREIGN_SHARE = 0.15
"""Its weight where the question is in another language than the pages: only names and numbers are the same there."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk in the fused order.

    `coverage`: the share of the question's words, by rarity, that it holds. `rerank`: a cross-encoder's score, which orders
    in place of the fused one.
    """

    chunk_id: int
    score: float
    coverage: float
    rerank: float | None = None


def reciprocal_rank_fusion(orders: Sequence[Sequence[int]], k: int = RRF_K) -> dict[int, float]:
    """Each chunk's sum, over lists of ids, of 1 / (k + rank), ranks from 1 (Cormack, Clarke and Büttcher 2009)."""
    scores: dict[int, float] = {}
    for order in orders:
        for rank, chunk_id in enumerate(order, 1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + 1.0 / (k + rank)
    return scores


def z_scores(scores: Numbers, mean: float, deviation: float) -> Numbers:
    """Scores as standard deviations from the mean over the whole index."""
    return (scores - mean) / (deviation or 1.0)


def z_score_fusion(keyword: Numbers, coverage: Numbers, semantic: Numbers, *, share: float = KEYWORD_SHARE) -> Numbers:
    """`share` × coverage × z(keyword) + (1 - share) × z(semantic), each array in the candidates' order.

    `coverage`, 0 to 1, is the share of the question's words that the chunk holds: a chunk that is high by one rare word of
    many is a weaker witness than one that holds most of them.
    """
    return share * coverage * keyword + (1 - share) * semantic


def joined(orders: Sequence[Sequence[Candidate]], *, by_rank: bool) -> list[Candidate]:
    """The candidates of several questions in one order: by the best of their scores, or by reciprocal ranks; ties by id.

    Ranks are for scores that can't be compared from question to question, as those of BM25 can't.
    """
    if len(orders) == 1:
        return list(orders[0])
    by_ranks = reciprocal_rank_fusion([[candidate.chunk_id for candidate in order] for order in orders])
    best: dict[int, Candidate] = {}
    for candidate in (candidate for order in orders for candidate in order):
        first = best.setdefault(candidate.chunk_id, candidate)
        score = by_ranks[candidate.chunk_id] if by_rank else max(first.score, candidate.score)
        best[candidate.chunk_id] = replace(first, score=score)
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.chunk_id))
