"""Filters of a search: only chunks of some sources, languages, knowledge bases or days."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from retrieval.db import Database
from retrieval.errors import FilterError
from retrieval.index.matrix.places import Ids

_ALLOWED = """
SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document_id JOIN sources s ON s.id = d.source_id
WHERE ($1 IS NULL OR d.source_id IN (SELECT value FROM json_each($1)))
  AND ($2 IS NULL OR d.language IN (SELECT value FROM json_each($2)))
  AND ($3 IS NULL OR s.knowledge IN (SELECT value FROM json_each($3)))
  AND ($4 IS NULL OR d.fetched_at >= $4)
  AND ($5 IS NULL OR d.fetched_at < $5)
ORDER BY c.id
"""


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
    """What is searched; an empty part leaves everything in.

    `sources`: as they are configured, an address or a path. `languages`: codes of the documents. `knowledge`: names of
    knowledge bases. `since` and `until`: days as 2026-05-31, both included, on which a document's text was last read anew.
    Raises FilterError for what is no day, and for a span that ends before it begins.
    """

    sources: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    since: str = ""
    until: str = ""

    def __post_init__(self) -> None:
        first, last = _day(self.since, "since"), _day(self.until, "until")
        if first and last and first > last:
            raise FilterError(f"since: {self.since} is later than until: {self.until}; swap them")

    def __bool__(self) -> bool:
        return any((self.sources, self.languages, self.knowledge, self.since, self.until))


EVERYTHING = Filter()


async def allowed_chunks(db: Database, wanted: Filter) -> Ids:
    """The ids of the chunks that a filter lets through, in order."""
    first, last = _day(wanted.since, "since"), _day(wanted.until, "until")
    rows = await db.read(
        _ALLOWED,
        *(json.dumps(part) if part else None for part in (wanted.sources, wanted.languages, wanted.knowledge)),
        first.isoformat() if first else None,
        (last + timedelta(days=1)).isoformat() if last else None,  # moments of the last day are later than its date
    )
    return np.fromiter((row["id"] for row in rows), np.int64, len(rows))
