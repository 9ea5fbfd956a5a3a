"""Filters of a search: only chunks of some sources, languages, knowledge bases or days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from retrieval.db import Database
from retrieval.errors import FilterError
from retrieval.index.documents import chunk_ids
from retrieval.index.matrix.places import Ids


def _day(text: str, name: str) -> date | None:
    """The day that a text names; `name` is the filter's part, for the error."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise FilterError(f"{name}: {text!r} is no day; write it as 2026-05-31") from None


@dataclass(frozen=True, slots=True)
class Filter:
    """What is searched; a part that is empty or None leaves everything in.

    `sources`: as they are configured, an address or a path; () lets nothing through. `languages`: codes of the documents.
    `knowledge`: names of knowledge bases, for `Knowledge.search`, which knows their sources. `since` and `until`: days as
    2026-05-31, both included, on which a document's text was last read anew. Raises FilterError for what is no day, and for a
    span that ends before it begins.
    """

    sources: tuple[str, ...] | None = None
    languages: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    since: str = ""
    until: str = ""

    def __post_init__(self) -> None:
        first, last = _day(self.since, "since"), _day(self.until, "until")
        if first and last and first > last:
            raise FilterError(f"since: {self.since} is later than until: {self.until}; swap them")

    def __bool__(self) -> bool:
        return self.sources is not None or any((self.languages, self.knowledge, self.since, self.until))

    def within(self, sources: Sequence[str]) -> Filter:
        """The filter with its knowledge bases told as their `sources`."""
        both = sources if self.sources is None else [source for source in self.sources if source in sources]
        return replace(self, sources=tuple(both), knowledge=())


EVERYTHING = Filter()


async def allowed_chunks(db: Database, wanted: Filter) -> Ids:
    """The ids of the chunks that a filter lets through, in order."""
    first, last = _day(wanted.since, "since"), _day(wanted.until, "until")
    ids = await chunk_ids(
        db,
        wanted.sources,
        wanted.languages or None,
        since=first.isoformat() if first else None,
        until=(last + timedelta(days=1)).isoformat()
        if last
        else None,  # the last day's moments are later than its date
    )
    return np.array(ids, np.int64)
