"""Diversity: one page doesn't fill the first hits while other pages are left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from retrieval.document import Hit


def spread(hits: Iterable[Hit], k: int, per_page: int) -> list[Hit]:
    """The first k hits, at most `per_page` of one document; what that puts off follows, in order, where there is room."""
    first: list[Hit] = []
    behind: list[Hit] = []
    taken: Counter[str] = Counter()
    for hit in hits:
        full = taken[hit.document_id] >= per_page
        (behind if full else first).append(hit)
        taken[hit.document_id] += 1
        if len(first) == k:
            break
    return (first + behind)[:k]
