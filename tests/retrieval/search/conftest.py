"""A small business in an index."""

from __future__ import annotations

import pytest

from retrieval.index.index import Index
from tests.retrieval.search.pages import BOAT_HIRE, put


@pytest.fixture
async def boat_hire(index: Index) -> Index:
    return await put(index, BOAT_HIRE)
