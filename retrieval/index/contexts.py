"""Summaries of documents and contexts of chunks, as the index keeps them: what is missing, and what was written.

A context was written under prompts; `key` tells which, and those of other prompts count as missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.db import Database, Row

_WAITING = (
    " FROM chunks c JOIN documents d ON d.id = c.document_id WHERE d.tombstoned_at IS NULL"
    " AND (c.context = '' OR substr(d.summary_hash, 1, 16) <> $1)"
)


@dataclass(frozen=True, slots=True)
class Summarised:
    """A document with its summary; `summary_hash` tells of which text and by which prompts it was made."""

    id: str
    url: str
    title: str
    language: str
    markdown: str
    markdown_hash: str
    summary: str
    summary_hash: str


async def waiting_documents(db: Database, key: str) -> list[Summarised]:
    """The documents with chunks that lack a context, in the order of their addresses."""
    columns = ", ".join(Summarised.__slots__)
    rows = await db.read(
        f"SELECT {columns} FROM documents WHERE id IN (SELECT c.document_id{_WAITING}) ORDER BY url",  # noqa: S608 — own names
        key,
    )
    return [Summarised(*(row[name] for name in Summarised.__slots__)) for row in rows]


async def waiting_tokens(db: Database, key: str) -> list[int]:
    """The tokens of each chunk that lacks a context."""
    return [int(row["n"]) for row in await db.read(f"SELECT c.tokens AS n{_WAITING}", key)]


async def chunks_of(db: Database, document_id: str) -> Sequence[Row]:
    """A document's chunks in order: id, heading path, text and context."""
    return await db.read(
        "SELECT id, heading_path, text, context FROM chunks WHERE document_id = $1 ORDER BY position", document_id
    )


async def put_summary(db: Database, document_id: str, summary: str, summary_hash: str, *, renew: bool) -> None:
    """Keep a document's summary; `renew`: the contexts that were written from another one are missing from now on."""
    async with db.write() as tx:
        if renew:
            await tx.run("UPDATE chunks SET context = '' WHERE document_id = $1", document_id)
        await tx.run(
            "UPDATE documents SET summary = $2, summary_hash = $3 WHERE id = $1", document_id, summary, summary_hash
        )
