"""The table `sources`: where content comes from, its schedule, and the last crawl that reached its end."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

from retrieval.db import Database, Tx, now

UPLOAD = "upload"
"""The kind of documents that come as they are, not by a crawl."""


@dataclass(frozen=True, slots=True)
class StoredSource:
    """A source as the database knows it. `kind`: site, file or upload; `crawled_at` is None before a crawl reached its end."""

    id: str
    kind: str
    knowledge: str
    every: str
    crawled_at: str | None


async def register(tx: Tx, source_id: str, kind: str, knowledge: str, every: str) -> None:
    """Make a source known, or note how it is configured now."""
    await tx.run(
        "INSERT INTO sources (id, kind, knowledge, every, added_at) VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (id) DO UPDATE SET kind = $2, knowledge = $3, every = $4",
        source_id, kind, knowledge, every, now(),
    )  # fmt: skip


async def crawled(tx: Tx, source_id: str) -> None:
    """Note that a crawl of the source has reached its end."""
    await tx.run("UPDATE sources SET crawled_at = $2 WHERE id = $1", source_id, now())


async def stored_sources(db: Database) -> list[StoredSource]:
    """Every source that documents came from, in the order of their ids."""
    rows = await db.read("SELECT id, kind, knowledge, every, crawled_at FROM sources ORDER BY id")
    return [StoredSource(row["id"], row["kind"], row["knowledge"], row["every"], row["crawled_at"]) for row in rows]


async def stored_source(db: Database, source_id: str) -> StoredSource | None:
    """One source, or None when it was never crawled."""
    return next((source for source in await stored_sources(db) if source.id == source_id), None)


async def of_knowledge(db: Database, names: Collection[str]) -> list[str]:
    """The ids of the sources of these knowledge bases."""
    rows = await db.read(
        "SELECT id FROM sources WHERE knowledge IN (SELECT value FROM json_each($1)) ORDER BY id",
        json.dumps(list(names)),
    )
    return [str(row["id"]) for row in rows]


async def remove(db: Database, source_id: str) -> None:
    """Forget a source with its crawls; its documents must have left the index before."""
    async with db.write() as tx:
        await tx.run("DELETE FROM sources WHERE id = $1", source_id)
