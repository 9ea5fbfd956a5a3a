"""The light re-ranker's effect on an order."""

from __future__ import annotations

import pytest

from retrieval.index.index import Index
from retrieval.search.floor import OffTopicLevels
from retrieval.search.search import Mode, Options, search
from tests.retrieval.search.pages import name_of, put


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize("size", ["30", "40", "50"])
async def test_the_twin_that_says_another_size_goes_below(index: Index, mode: Mode, size: str) -> None:
    text = "# Brackets\n\nThe bracket of {} mm is made of steel and holds shelves."
    await put(index, {name: text.format(name) for name in ("30", "40", "50")})
    question = f"steel bracket of {size}mm"
    options = Options(mode=mode, threshold=-1.0, floor=0.0)
    found = await search(index, question, options, OffTopicLevels(), language="en")
    assert name_of(found.hits[0]) == size
    without = Options(mode=mode, threshold=-1.0, light=False)
    bare = await search(index, question, without, OffTopicLevels(), language="en")
    assert found.confidence == bare.confidence, "the floor reads what the legs found"
    assert {hit.url for hit in found.hits} == {hit.url for hit in bare.hits}
