"""The matrix against brute force: in both of its ways to search, and after any replacements."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.embed.embedder import Vectors
from retrieval.errors import DimensionError
from retrieval.index.matrix.tiers import Tiers
from retrieval.index.matrix.vectors import Matrix, Nearest
from tests.retrieval.index.matrix.made_up import clustered, noise, unit

EXACT = Tiers()
SIGN_BITS = Tiers(exact_rows=8, cosine_rows=1000, candidate_rows=8000)
"""A small limit, and a shortlist that holds everything: what differs from brute force is a fault."""
BOTH = pytest.mark.parametrize("tiers", [EXACT, SIGN_BITS], ids=["exact", "sign bits"])
NO_VECTORS = np.empty((0, 0), np.float32)

Steps = st.lists(st.tuples(st.sets(st.integers(0, 60), max_size=25), st.integers(0, 25)), max_size=8)


class Brute:
    """What the matrix should say: a dictionary."""

    def __init__(self) -> None:
        self.rows: dict[int, Vectors] = {}

    def replace(self, removed: Collection[int], ids: Sequence[int], vectors: Vectors) -> None:
        self.rows = {key: row for key, row in self.rows.items() if key not in removed}
        self.rows |= dict(zip(ids, vectors, strict=True))

    def cosines(self, vector: Vectors, allowed: Collection[int] | None = None) -> dict[int, float]:
        wide = vector.astype(np.float64)
        return {
            key: float(np.float32((row * wide).sum()))
            for key, row in self.rows.items()
            if allowed is None or key in allowed
        }


def agree(matrix: Matrix, brute: Brute, vector: Vectors, k: int, allowed: Collection[int] | None = None) -> None:
    found, cosines = matrix.nearest(vector, k, allowed), brute.cosines(vector, allowed)
    expected = sorted(cosines.items(), key=lambda item: (-item[1], item[0]))[:k]
    assert list(zip(found.ids.tolist(), found.cosines.tolist(), strict=True)) == expected
    every = np.array(list(brute.cosines(vector).values()) or [0.0])
    assert found.mean == pytest.approx(every.mean(), abs=1e-6)
    assert found.deviation == pytest.approx(every.std(), abs=1e-5)


@BOTH
@settings(deadline=None, max_examples=20)
@given(steps=Steps, seed=st.integers(0, 10_000))
def test_any_replacements_leave_what_brute_force_finds(
    tiers: Tiers, steps: list[tuple[set[int], int]], seed: int
) -> None:
    random = np.random.default_rng(seed)
    matrix, brute = Matrix(70, tiers), Brute()
    for removed, added in steps:
        ids = random.permutation(61)[:added].tolist()  # some are there already: they are replaced
        vectors = unit(random.normal(size=(added, 70)))
        matrix.replace(removed, ids, vectors)
        brute.replace(removed, ids, vectors)
        vector = unit(random.normal(size=70))
        assert len(matrix) == len(brute.rows)
        agree(matrix, brute, vector, 7)
        agree(matrix, brute, vector, 5, random.permutation(70)[:20].tolist())
        assert matrix.cosines(vector, range(70)) == brute.cosines(vector)


@BOTH
def test_equal_chunks_come_in_the_order_of_their_ids(tiers: Tiers) -> None:
    random = np.random.default_rng(4)
    row = unit(random.normal(size=37))
    matrix = Matrix(37, tiers)
    matrix.extend(range(50, -1, -1), np.tile(row, (51, 1)))  # a kernel of BLAS treats the last rows in its own way
    for _ in range(20):
        found = matrix.nearest(unit(random.normal(size=37)), 20)
        assert found.ids.tolist() == list(range(20))
        assert len(set(found.cosines.tolist())) == 1
        assert found.deviation == pytest.approx(0, abs=1e-6)


@BOTH
def test_an_emptied_matrix_finds_nothing_and_takes_vectors_of_any_length(tiers: Tiers) -> None:
    matrix = Matrix(8, tiers)
    matrix.extend(range(40), noise(40, 8, seed=5))
    matrix.replace(range(40), (), NO_VECTORS)
    vector = noise(1, 8, seed=6)[0]
    nothing = matrix.nearest(vector, 5)
    assert (len(matrix), nothing.ids.tolist(), nothing.mean, nothing.deviation) == (0, [], 0.0, 0.0)
    assert matrix.cosines(vector, [1]) == {}
    matrix.extend([3], noise(1, 12, seed=7))
    assert matrix.nearest(noise(1, 12, seed=8)[0], 5).ids.tolist() == [3]


@BOTH
def test_vectors_of_another_length_are_refused_and_nothing_is_changed(tiers: Tiers) -> None:
    matrix, brute = Matrix(8, tiers), Brute()
    rows, other = noise(30, 8, seed=6), noise(2, 12, seed=7)
    matrix.extend(range(30), rows)
    brute.replace((), range(30), rows)
    with pytest.raises(DimensionError, match=r"12 numbers doesn't fit to an index of vectors of 8"):
        matrix.replace([1, 2], [50, 51], other)
    with pytest.raises(DimensionError):
        matrix.check(other)
    with pytest.raises(DimensionError):
        matrix.nearest(other[0], 3)
    with pytest.raises(DimensionError):
        matrix.cosines(other[0], [1])
    agree(matrix, brute, noise(1, 8, seed=8)[0], 30)
    matrix.replace(range(30), [50, 51], other)
    assert len(matrix) == 2, "whoever replaces all may change the model"


@BOTH
def test_only_chunks_that_are_allowed_are_found_and_the_statistics_are_those_of_all(tiers: Tiers) -> None:
    matrix, vector = Matrix(8, tiers), noise(1, 8, seed=8)[0]
    matrix.extend(range(60), noise(60, 8, seed=7))
    every = matrix.nearest(vector, 60)
    ids = {int(i) for i in every.ids[10:20]} | {999}
    for allowed in (ids, sorted(ids), np.array(sorted(ids))):
        some = matrix.nearest(vector, 5, allowed)
        assert some.ids.tolist() == every.ids[10:15].tolist()
        assert (some.mean, some.deviation) == (every.mean, every.deviation)
    assert matrix.nearest(vector, 5, []).ids.tolist() == []
    assert matrix.nearest(vector, 0).ids.tolist() == []


def recall(found: Sequence[Nearest], truth: Sequence[Nearest]) -> float:
    return float(np.mean([len(np.intersect1d(a.ids, b.ids)) / len(b.ids) for a, b in zip(found, truth, strict=True)]))


def test_sign_bits_find_nearly_all_that_is_near_also_after_many_replacements() -> None:
    rows, questions = clustered(6000, 8), clustered(40, 9)
    matrix, exact = Matrix(64, Tiers(exact_rows=100, cosine_rows=150, candidate_rows=1200)), Matrix(64)
    for at in range(0, 6000, 500):
        matrix.extend(range(at, at + 500), rows[at : at + 500])
    exact.extend(range(6000), rows)
    allowed = np.arange(0, 6000, 2)
    for _ in range(2):
        for among in (None, allowed):
            found = [matrix.nearest(question, 20, among) for question in questions]
            assert recall(found, [exact.nearest(question, 20, among) for question in questions]) >= 0.98
        for one in (matrix, exact):  # half of the chunks get other vectors, then a third goes
            one.replace((), range(0, 6000, 2), rows[1::2])
            one.replace(range(0, 6000, 3), (), NO_VECTORS)


def test_signs_are_taken_anew_around_the_middle_of_a_matrix_that_has_doubled() -> None:
    rows, questions = clustered(6000, 8), clustered(40, 9)
    matrix, exact = Matrix(64, Tiers(exact_rows=100, cosine_rows=150, candidate_rows=1200)), Matrix(64)
    matrix.extend(range(6000, 6150), -rows[:150])  # the first ones lie on the other side
    exact.extend(range(6000, 6150), -rows[:150])
    for one in (matrix, exact):
        for at in range(0, 6000, 100):
            one.extend(range(at, at + 100), rows[at : at + 100])
    found = [matrix.nearest(question, 20) for question in questions]
    assert recall(found, [exact.nearest(question, 20) for question in questions]) >= 0.98


def test_sums_and_bits_are_taken_up_above_the_limit_and_kept_until_the_size_has_halved() -> None:
    matrix = Matrix(64, Tiers(exact_rows=100))
    sums = 8 * 64 * 65

    def size_after(ids: range, removed: range = range(0)) -> tuple[int, bool]:
        matrix.replace(removed, ids, noise(len(ids), 64, seed=1))
        assert matrix.nearest(noise(1, 64, seed=2)[0], 9).ids.size == 9
        return len(matrix), matrix.nbytes > sums

    assert size_after(range(100)) == (100, False)
    assert size_after(range(100, 104)) == (104, True)
    assert size_after(range(0), removed=range(53)) == (51, True)
    assert size_after(range(0), removed=range(53, 54)) == (50, False)


def test_rounding_errors_that_have_piled_up_are_forgotten_once_much_has_come_and_gone() -> None:
    matrix, anew = Matrix(8, SIGN_BITS), Matrix(8, SIGN_BITS)
    vector, rows = noise(1, 8, seed=1)[0], noise(20, 8, seed=2)
    anew.extend(range(20), rows)
    matrix.extend(range(20), rows)
    matrix.extend([20], 1e8 * noise(1, 8, seed=3))  # no vector is as long; it makes the error large enough to be seen
    matrix.replace([20], (), NO_VECTORS)
    truth = anew.nearest(vector, 5)
    assert abs(matrix.nearest(vector, 5).deviation - truth.deviation) > 1e-3
    for _ in range(40):
        matrix.replace(range(5), range(5), rows[:5])
    renewed = matrix.nearest(vector, 5)
    assert (renewed.mean, renewed.deviation) == pytest.approx((truth.mean, truth.deviation), abs=1e-9)


def test_beside_the_vectors_a_chunk_takes_less_than_a_dictionary_entry() -> None:
    matrix = Matrix(384, Tiers(exact_rows=1000))
    matrix.reserve(4000)
    for at in range(0, 4000, 1000):
        matrix.extend(range(at, at + 1000), noise(1000, 384, seed=at))
    matrix.cosines(noise(1, 384, seed=1)[0], [1])
    sums = 8 * 384 * 385
    assert matrix.nbytes - sums <= 60 * 4000
