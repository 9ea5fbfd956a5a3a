"""Diversity: one page doesn't fill the first hits while other pages are left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from retrieval.document import Hit


def spread(hits: Iterable[Hit], k: int, per_page: int) -> list[Hit]:
    """The first k hits, at most `per_page` of one document; where there is room, what that puts off follows in order."""
    first: list[Hit] = []
    put_off: list[Hit] = []
    by_document: Counter[str] = Counter()
    for hit in hits:
        full = by_document[hit.document_id] >= per_page
        (put_off if full else first).append(hit)
        by_document[hit.document_id] += 1
        if len(first) == k:
            break
    return (first + put_off)[:k]
