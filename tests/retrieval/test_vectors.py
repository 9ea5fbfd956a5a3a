"""The matrix against brute force: at every tier, after any replacements, and while lists are being made."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.embed.embedder import Vectors
from retrieval.errors import DimensionError
from retrieval.index.matrix.lists import Lists
from retrieval.index.matrix.preselect import Signs, closest, signs
from retrieval.index.matrix.tiers import Tiers
from retrieval.index.matrix.vectors import Matrix, Nearest

EXACT = Tiers()
SIGNS = Tiers(exact=8, few=1000, many=8000)
LISTS = Tiers(exact=8, whole=16, few=1000, many=8000, rows_a_list=5, tail=6)
"""Small limits, and shortlists that hold everything that is looked at: what differs from brute force is a fault."""
ALL = [EXACT, SIGNS, LISTS]
NAMES = ["exact", "signs", "lists"]

Steps = st.lists(st.tuples(st.sets(st.integers(0, 60), max_size=25), st.integers(0, 25), st.booleans()), max_size=8)


class Brute:
    """What the matrix should say: a dictionary."""

    def __init__(self) -> None:
        self.rows: dict[int, Vectors] = {}

    def replace(self, removed: Collection[int], ids: Sequence[int], vectors: Vectors) -> None:
        self.rows = {key: row for key, row in self.rows.items() if key not in removed}
        self.rows |= dict(zip(ids, vectors, strict=True))

    def cosines(self, vector: Vectors, among: Collection[int] | None = None) -> dict[int, float]:
        wide = vector.astype(np.float64)
        return {
            key: float(np.float32((row * wide).sum()))
            for key, row in self.rows.items()
            if among is None or key in among
        }


def unit(rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def agree(matrix: Matrix, brute: Brute, vector: Vectors, k: int, among: Collection[int] | None = None) -> None:
    found, cosines = matrix.nearest(vector, k, among), brute.cosines(vector, among)
    expected = sorted(cosines.items(), key=lambda item: (-item[1], item[0]))[:k]
    assert list(zip(found.ids.tolist(), found.cosines.tolist(), strict=True)) == expected
    every = np.array(list(brute.cosines(vector).values()) or [0.0])
    assert found.mean == pytest.approx(every.mean(), abs=1e-6)
    assert found.deviation == pytest.approx(every.std(), abs=1e-5)
    sound(matrix)


def sound(matrix: Matrix) -> None:
    """The shortlist knows the signs of every row under its own place, though a wide one finds all without them."""
    rows, known = matrix._rows[: len(matrix)], matrix._shortlist
    if isinstance(known, Signs):
        assert np.array_equal(known._words[:, : len(rows)], signs(rows, known.centre))
    if isinstance(known, Lists):
        slots = known._slot[: len(rows)]
        assert np.array_equal(known._words[:, slots], signs(rows, known.centre))
        assert known._place[slots].tolist() == list(range(len(rows)))
        labels = np.searchsorted(known._starts, slots, side="right") - 1
        assert np.bincount(labels, minlength=len(known._starts)).tolist() == known._lengths.tolist()
        assert (slots < (known._starts + known._lengths)[labels]).all()


def ordered(matrix: Matrix) -> None:
    """As the index does after documents changed, in one thread."""
    if building := matrix.due():
        building.run()
        matrix.adopt(building)


@pytest.mark.parametrize("tiers", ALL, ids=NAMES)
@settings(deadline=None, max_examples=20)
@given(steps=Steps, seed=st.integers(0, 10_000))
def test_any_replacements_leave_what_brute_force_finds(
    tiers: Tiers, steps: list[tuple[set[int], int, bool]], seed: int
) -> None:
    random = np.random.default_rng(seed)
    matrix, brute = Matrix(70, tiers), Brute()
    for removed, added, order in steps:
        ids = random.permutation(61)[:added].tolist()  # some are there already: they are replaced
        vectors = unit(random.normal(size=(added, 70)))
        matrix.replace(removed, ids, vectors)
        brute.replace(removed, ids, vectors)
        if order:
            ordered(matrix)
        vector = unit(random.normal(size=70))
        assert len(matrix) == len(brute.rows)
        agree(matrix, brute, vector, 7)
        agree(matrix, brute, vector, 5, random.permutation(70)[:20].tolist())
        assert matrix.of(vector, range(70)) == brute.cosines(vector)


@settings(deadline=None, max_examples=20)
@given(steps=Steps, seed=st.integers(0, 10_000))
def test_what_changes_while_lists_are_made_is_in_them_once_they_are_adopted(
    steps: list[tuple[set[int], int, bool]], seed: int
) -> None:
    random = np.random.default_rng(seed)
    matrix, brute = Matrix(16, LISTS), Brute()
    start = unit(random.normal(size=(40, 16)))
    matrix.extend(range(40), start)
    brute.replace((), range(40), start)
    building = matrix.due()
    assert building
    assert matrix.due() is None, "one at a time"
    for at, (removed, added, early) in enumerate(steps):
        if at == 1 and early:
            building.run()
        ids = random.permutation(61)[:added].tolist()
        vectors = unit(random.normal(size=(added, 16)))
        matrix.replace(removed, ids, vectors)
        brute.replace(removed, ids, vectors)
        agree(matrix, brute, unit(random.normal(size=16)), 6)
    building.run()
    matrix.adopt(building)
    for _ in range(3):
        agree(matrix, brute, unit(random.normal(size=16)), 6)
        agree(matrix, brute, unit(random.normal(size=16)), 6, range(0, 60, 2))
    matrix.replace(range(0, 60, 3), (), np.empty((0, 0), np.float32))
    brute.replace(range(0, 60, 3), (), np.empty((0, 0), np.float32))
    agree(matrix, brute, unit(random.normal(size=16)), 6)


@pytest.mark.parametrize("tiers", ALL, ids=NAMES)
def test_equal_chunks_come_in_the_order_of_their_ids(tiers: Tiers) -> None:
    random = np.random.default_rng(4)
    row = unit(random.normal(size=37))
    matrix = Matrix(37, tiers)
    matrix.extend(range(50, -1, -1), np.tile(row, (51, 1)))  # a kernel of BLAS treats the last rows in its own way
    ordered(matrix)
    for _ in range(20):
        found = matrix.nearest(unit(random.normal(size=37)), 20)
        assert found.ids.tolist() == list(range(20))
        assert len(set(found.cosines.tolist())) == 1
        assert found.deviation == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("tiers", ALL, ids=NAMES)
def test_an_emptied_matrix_finds_nothing_and_takes_vectors_of_any_length(tiers: Tiers) -> None:
    random = np.random.default_rng(5)
    matrix = Matrix(8, tiers)
    matrix.extend(range(40), unit(random.normal(size=(40, 8))))
    ordered(matrix)
    matrix.replace(range(40), (), np.empty((0, 0), np.float32))
    vector = unit(random.normal(size=8))
    nothing = matrix.nearest(vector, 5)
    assert (len(matrix), nothing.ids.tolist(), nothing.mean, nothing.deviation) == (0, [], 0.0, 0.0)
    assert matrix.of(vector, [1]) == {}
    matrix.extend([3], unit(random.normal(size=(1, 12))))
    assert matrix.nearest(unit(random.normal(size=12)), 5).ids.tolist() == [3]


@pytest.mark.parametrize("tiers", ALL, ids=NAMES)
def test_vectors_of_another_length_are_refused_and_nothing_is_changed(tiers: Tiers) -> None:
    random = np.random.default_rng(6)
    matrix, brute = Matrix(8, tiers), Brute()
    rows = unit(random.normal(size=(30, 8)))
    matrix.extend(range(30), rows)
    brute.replace((), range(30), rows)
    other = unit(random.normal(size=(2, 12)))
    with pytest.raises(DimensionError, match=r"12 numbers doesn't fit to an index of vectors of 8"):
        matrix.replace([1, 2], [50, 51], other)
    with pytest.raises(DimensionError):
        matrix.check(other)
    with pytest.raises(DimensionError):
        matrix.nearest(other[0], 3)
    with pytest.raises(DimensionError):
        matrix.of(other[0], [1])
    agree(matrix, brute, unit(random.normal(size=8)), 30)
    matrix.replace(range(30), [50, 51], other)
    assert len(matrix) == 2, "whoever replaces all may change the model"


@pytest.mark.parametrize("tiers", ALL, ids=NAMES)
def test_only_chunks_that_are_allowed_are_found_and_the_statistics_are_those_of_all(tiers: Tiers) -> None:
    random = np.random.default_rng(7)
    matrix = Matrix(8, tiers)
    matrix.extend(range(60), unit(random.normal(size=(60, 8))))
    ordered(matrix)
    vector = unit(random.normal(size=8))
    every = matrix.nearest(vector, 60)
    allowed = {int(i) for i in every.ids[10:20]} | {999}
    for among in (allowed, sorted(allowed), np.array(sorted(allowed))):
        some = matrix.nearest(vector, 5, among)
        assert some.ids.tolist() == every.ids[10:15].tolist()
        assert (some.mean, some.deviation) == (every.mean, every.deviation)
    assert matrix.nearest(vector, 5, []).ids.tolist() == []
    assert matrix.nearest(vector, 0).ids.tolist() == []


def clustered(count: int, seed: int, dimension: int = 64) -> Vectors:
    """Rows around eighty centres, all to one side of the origin, as some models' are."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(80, dimension)) + 1.5
    return unit(centres[random.integers(80, size=count)] + 0.7 * random.normal(size=(count, dimension)))


def recall(found: Sequence[Nearest], truth: Sequence[Nearest]) -> float:
    return float(np.mean([len(np.intersect1d(a.ids, b.ids)) / len(b.ids) for a, b in zip(found, truth, strict=True)]))


@pytest.mark.parametrize(
    ("tiers", "least"),
    [
        (Tiers(exact=100, few=150, many=1200), 0.98),
        (Tiers(exact=100, whole=200, few=150, many=1200, rows_a_list=60, share=0.2, least=0), 0.95),
    ],
    ids=NAMES[1:],
)
def test_shortlists_find_nearly_all_that_is_near(tiers: Tiers, least: float) -> None:
    rows, questions = clustered(6000, 8), clustered(40, 9)
    matrix, exact = Matrix(64, tiers), Matrix(64)
    for at in range(0, 6000, 500):
        matrix.extend(range(at, at + 500), rows[at : at + 500])
    exact.extend(range(6000), rows)
    ordered(matrix)
    found = [matrix.nearest(question, 20) for question in questions]
    truth = [exact.nearest(question, 20) for question in questions]
    assert recall(found, truth) >= least
    allowed = np.arange(0, 6000, 2)
    found = [matrix.nearest(question, 20, allowed) for question in questions]
    truth = [exact.nearest(question, 20, allowed) for question in questions]
    assert recall(found, truth) >= 0.98, "among allowed chunks no list is left out"


def test_signs_around_the_mean_tell_more_than_signs_around_zero() -> None:
    rows, questions = clustered(6000, 8), clustered(40, 9)
    truth = np.argsort(-(questions @ rows.T), axis=1)[:, :20]
    centre = rows.mean(axis=0)

    def kept(origin: Vectors) -> float:
        words = signs(rows, origin)
        parts = [closest(words, [(0, 6000)], question - origin, 6000, 200) for question in questions]
        return float(np.mean([np.isin(best, part).mean() for best, part in zip(truth, parts, strict=True)]))

    assert kept(centre) > kept(np.zeros_like(centre))


def test_worn_statistics_are_taken_anew() -> None:
    random = np.random.default_rng(11)
    matrix = Matrix(8, SIGNS)
    rows = unit(random.normal(size=(20, 8)))
    matrix.extend(range(20), rows)
    first = matrix._moments
    for _ in range(60):
        matrix.replace(range(20), range(20), rows)
    assert matrix._moments is not first
    assert matrix._moments is not None
    assert not matrix._moments.worn


def test_beside_the_vectors_a_chunk_takes_less_than_a_dictionary_entry() -> None:
    random = np.random.default_rng(12)
    matrix = Matrix(384, Tiers(exact=1000))
    matrix.reserve(4000)
    for at in range(0, 4000, 1000):
        matrix.extend(range(at, at + 1000), unit(random.normal(size=(1000, 384))))
    matrix.of(unit(random.normal(size=384)), [1])
    assert matrix._moments
    assert matrix.nbytes - matrix._moments.nbytes <= 60 * 4000
