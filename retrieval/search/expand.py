"""From the small chunks that were found to the larger parents that are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from retrieval.db import Row
from retrieval.document import Hit, Parent


def expanded(hits: Iterable[Hit]) -> list[Hit]:
    """The hits, best first, each with its parent's text and tokens; of the hits of one parent only the best.

    A hit without a parent stays as it is. Ranks, scores and the chunk's id are those of the chunk that was found.
    """
    shown: list[Hit] = []
    parents: set[int] = set()
    for hit in hits:
        if hit.parent is None:
            shown.append(hit)
        elif hit.parent.id not in parents:
            parents.add(hit.parent.id)
            shown.append(replace(hit, text=hit.parent.text, tokens=hit.parent.tokens, page=hit.parent.page))
    return shown


def parent_of(row: Row) -> Parent | None:
    """The parent in a row of `Index.chunks`, if the chunk has one."""
    if row["parent_id"] is None:
        return None
    return Parent(row["parent_text"], row["parent_tokens"], row["parent_page"], row["parent_id"])
