"""When the matrix changes its way to search, and what becomes of its lists."""

from __future__ import annotations

import numpy as np

from retrieval.index.matrix.building import assigned
from retrieval.index.matrix.lists import Lists
from retrieval.index.matrix.preselect import Signs
from retrieval.index.matrix.vectors import Matrix
from tests.retrieval.test_vectors import LISTS, ordered, unit


def test_each_tier_is_searched_in_its_own_way_and_left_again() -> None:
    matrix = Matrix(8, LISTS)
    kinds = []
    for ids in (range(8), range(8, 16), range(16, 40)):
        matrix.extend(ids, unit(np.random.default_rng(1).normal(size=(len(ids), 8))))
        ordered(matrix)
        kinds.append(type(matrix._shortlist))
    for removed in (range(8, 40), range(4, 8), range(40)):
        matrix.replace(removed, (), np.empty((0, 0), np.float32))
        kinds.append(type(matrix._shortlist))
    assert kinds == [type(None), Signs, Lists, Signs, type(None), type(None)]


def test_a_long_tail_is_sorted_in_and_a_doubled_matrix_is_trained_anew() -> None:
    random = np.random.default_rng(2)
    matrix = Matrix(8, LISTS)
    matrix.extend(range(40), unit(random.normal(size=(40, 8))))
    ordered(matrix)
    first = matrix._shortlist
    assert isinstance(first, Lists)
    matrix.extend(range(40, 46), unit(random.normal(size=(6, 8))))
    assert first.tail == 6
    assert matrix.due() is None
    matrix.extend([46], unit(random.normal(size=(1, 8))))
    ordered(matrix)
    second = matrix._shortlist
    assert isinstance(second, Lists)
    assert (second.tail, second.centroids is first.centroids) == (0, True)
    assert second.labels().tolist() == assigned(matrix._rows[:47] - second.centre, second.centroids).tolist()
    matrix.extend(range(47, 80), unit(random.normal(size=(33, 8))))
    ordered(matrix)
    third = matrix._shortlist
    assert isinstance(third, Lists)
    assert (len(first.centroids), len(third.centroids), third.tail) == (8, 16, 0)


def test_lists_that_were_never_finished_are_forgotten_and_due_again() -> None:
    matrix = Matrix(8, LISTS)
    matrix.extend(range(40), unit(np.random.default_rng(3).normal(size=(40, 8))))
    building = matrix.due()
    assert building
    matrix.adopt(building)
    assert isinstance(matrix._shortlist, Signs)
    assert matrix.due()
    building.run()
    matrix.adopt(building)
    assert isinstance(matrix._shortlist, Signs), "another one is under way"
