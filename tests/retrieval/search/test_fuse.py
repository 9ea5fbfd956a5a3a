"""Fusion, by its values."""

from __future__ import annotations

import numpy as np
import pytest

from retrieval.search.fuse import Candidate, joined, reciprocal_rank_fusion, z_score_fusion, z_scores


def test_reciprocal_ranks_are_summed_with_k_60_and_ranks_from_1() -> None:
    assert reciprocal_rank_fusion([[7, 8], [8]]) == pytest.approx({7: 1 / 61, 8: 1 / 62 + 1 / 61})


def test_score_fusion_weighs_both_legs_and_trusts_words_as_far_as_they_cover_the_question() -> None:
    keyword, coverage, semantic = np.array([2.0, -1.0]), np.array([0.5, 0.0]), np.array([1.0, 3.0])
    assert z_score_fusion(keyword, coverage, semantic, share=0.25) == pytest.approx([0.25 + 0.75, 2.25])
    assert z_scores(np.array([3.0, 1.0]), 1.0, 2.0) == pytest.approx([1.0, 0.0])
    assert z_scores(np.array([1.0]), 1.0, 0.0) == pytest.approx([0.0]), "an index where all are alike"


def test_several_orders_become_one_by_the_best_score_or_by_ranks() -> None:
    one = [Candidate(1, 3.0, 0.9), Candidate(2, 2.0, 0.5)]
    other = [Candidate(2, 5.0, 0.1), Candidate(3, 1.0, 0.2)]
    best = joined([one, other], by_rank=False)
    assert [(item.chunk_id, item.score, item.coverage) for item in best] == [
        (2, 5.0, 0.5),
        (1, 3.0, 0.9),
        (3, 1.0, 0.2),
    ]
    ranked = joined([one, other], by_rank=True)
    assert [item.chunk_id for item in ranked] == [2, 1, 3]
    assert ranked[0].score == pytest.approx(1 / 61 + 1 / 62)
    assert joined([one], by_rank=True) == one
