"""Which row belongs to which chunk, whatever came and went."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.index.matrix.places import RowIds


@settings(deadline=None, max_examples=50)
@given(
    steps=st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(1, 600)), max_size=10),
    factor=st.sampled_from([1, 2**40]),
)
def test_every_id_and_every_row_is_found_after_any_changes(steps: list[tuple[bool, int, int]], factor: int) -> None:
    row_ids, truth, fresh = RowIds(), list[int](), 0
    for appends, at, count in steps:
        if appends:
            ids = [(fresh + i) * factor for i in reversed(range(count))]
            fresh += count
            row_ids.append(np.array(ids, np.int64))
            truth += ids
        elif truth:
            for _ in range(min(count, len(truth))):
                row = at % len(truth)
                row_ids.remove(row)
                truth[row] = truth[-1]
                truth.pop()
        asked = [i * factor for i in range(0, fresh + 3, 7)]
        assert row_ids.rows_of(asked).tolist() == [truth.index(i) if i in truth else -1 for i in asked]
        assert row_ids.ids_at(np.arange(len(row_ids))).tolist() == truth
