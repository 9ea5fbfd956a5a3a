"""Sign bits: what they let through, and that each row's bits stay with it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.embed.embedder import Vectors
from retrieval.index.matrix.preselect import SignBits
from tests.retrieval.index.matrix.made_up import clustered, noise


def test_signs_around_the_mean_tell_more_than_signs_around_zero() -> None:
    rows, questions = clustered(6000, 8), clustered(40, 9)
    truth = np.argsort(-(questions @ rows.T), axis=1)[:, :20]

    def kept(centre: Vectors | None) -> float:
        bits = SignBits(rows, centre)
        near = [bits.near(question, 200, 6000) for question in questions]
        return float(np.mean([np.isin(best, some).mean() for best, some in zip(truth, near, strict=True)]))

    assert kept(None) > kept(np.zeros(64, np.float32))


@settings(deadline=None, max_examples=30)
@given(steps=st.lists(st.one_of(st.integers(1, 40), st.integers(-40, -1)), max_size=8), seed=st.integers(0, 1000))
def test_after_any_changes_the_same_rows_are_near_as_if_all_were_made_anew(steps: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = noise(30, 70, seed)
    bits = SignBits(rows)
    for number, step in enumerate(steps):
        if step > 0:
            more = noise(step, 70, seed + number + 1)
            bits.add(more)
            rows = np.concatenate([rows, more])
        for _ in range(min(-step, len(rows) - 1)):
            row = int(random.integers(len(rows)))
            bits.remove(row)
            rows[row] = rows[-1]
            rows = rows[:-1]
    anew = SignBits(rows, bits.centre)
    for vector in noise(5, 70, seed + 99):
        assert sorted(bits.near(vector, 4, 12)) == sorted(anew.near(vector, 4, 12))
        allowed = np.arange(0, len(rows), 2)
        near = bits.near(vector, 4, 12, allowed)
        assert sorted(near) == sorted(anew.near(vector, 4, 12, allowed))
        assert set(near.tolist()) <= set(allowed.tolist())
