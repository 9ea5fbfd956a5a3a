"""Where each chunk lies, and the sums that mean and deviation follow from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.index.matrix.moments import Moments
from retrieval.index.matrix.places import Places
from tests.retrieval.test_vectors import unit


@settings(deadline=None, max_examples=50)
@given(
    steps=st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(1, 600)), max_size=10),
    far=st.sampled_from([1, 2**40]),
)
def test_places_know_every_id_whether_sorted_or_pending(steps: list[tuple[bool, int, int]], far: int) -> None:
    places, truth, fresh = Places(), list[int](), 0
    for appends, at, count in steps:
        if appends:
            ids = [(fresh + i) * far for i in reversed(range(count))]
            fresh += count
            places.append(np.array(ids, np.int64))
            truth += ids
        elif truth:
            for _ in range(min(count, len(truth))):
                place = at % len(truth)
                places.remove(place)
                truth[place] = truth[-1]
                truth.pop()
        asked = [i * far for i in range(0, fresh + 3, 7)]
        expected = [truth.index(i) if i in truth else -1 for i in asked]
        assert places.find(asked).tolist() == expected
        assert places.ids(np.arange(len(places))).tolist() == truth


def test_statistics_stay_exact_when_nearly_all_that_came_has_gone() -> None:
    random = np.random.default_rng(10)
    rows = unit(random.normal(size=(5000, 24)))
    moments = Moments(rows[:4])
    for at in range(4, 5000, 7):
        moments.add(rows[at : at + 7])
    for at in range(4, 5000, 11):
        moments.remove(rows[at : at + 11])
    vector = unit(random.normal(size=24))
    cosines = rows[:4].astype(np.float64) @ vector
    assert moments.of(vector) == pytest.approx((cosines.mean(), cosines.std()), abs=1e-9)
    assert moments.worn


def test_statistics_of_many_rows_are_as_exact_as_cosines_are() -> None:
    random = np.random.default_rng(13)
    rows = unit(random.normal(size=(2500, 24)) + 2)
    moments = Moments(rows)
    moments.remove(rows[1200:])
    moments.add(rows[1200:])
    cosines = rows.astype(np.float64) @ rows[0]
    assert moments.of(rows[0]) == pytest.approx(
        (cosines.mean(), cosines.std()), abs=2e-7
    )  # a 32-bit cosine rounds by 6e-8
