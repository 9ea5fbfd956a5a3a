"""The sums that mean and deviation follow from, against numpy's own."""

from __future__ import annotations

import numpy as np
import pytest

from retrieval.index.matrix.moments import Moments
from tests.retrieval.index.matrix.made_up import noise, unit


def test_statistics_stay_exact_when_nearly_all_that_came_has_gone() -> None:
    rows, vector = noise(5000, 24, seed=10), noise(1, 24, seed=11)[0]
    moments = Moments(rows[:4])
    assert not moments.worn
    for at in range(4, 5000, 7):
        moments.add(rows[at : at + 7])
    for at in range(4, 5000, 11):
        moments.remove(rows[at : at + 11])
    cosines = rows[:4].astype(np.float64) @ vector
    assert moments.mean_and_deviation(vector) == pytest.approx((cosines.mean(), cosines.std()), abs=1e-9)
    assert moments.worn


def test_statistics_of_many_rows_are_as_exact_as_cosines_are() -> None:
    rows = unit(np.random.default_rng(13).normal(size=(2500, 24)) + 2)
    moments = Moments(rows)
    moments.remove(rows[1200:])
    moments.add(rows[1200:])
    cosines = rows.astype(np.float64) @ rows[0]
    assert moments.mean_and_deviation(rows[0]) == pytest.approx(
        (cosines.mean(), cosines.std()), abs=2e-7
    )  # a 32-bit cosine rounds by 6e-8


def test_without_rows_mean_and_deviation_are_nothing() -> None:
    moments = Moments(noise(3, 8, seed=1))
    moments.remove(noise(3, 8, seed=1))
    assert moments.mean_and_deviation(noise(1, 8, seed=2)[0]) == (0.0, 0.0)
