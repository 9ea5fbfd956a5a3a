"""A document's rows replaced inside one transaction: what is unchanged keeps its id, wherever in the document it moved."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.db import Row, Tx, now
from retrieval.document import Chunk, Document, Parent
from retrieval.index.semantic import MOST_TITLE
from retrieval.text.analyse import words
from retrieval.text.plain import plain


@dataclass(frozen=True, slots=True)
class Entry:
    """A document on its way into the index, with what the crawl knows of its page."""

    source_id: str
    document: Document
    content_hash: str
    chunks: Sequence[Chunk]
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Replaced:
    """What became of a document's chunks: the id of each in order, and the ids that are no more."""

    document_id: str
    ids: list[int]
    gone: list[int]


def path_of(chunk: Chunk) -> str:
    """The heading path as the table keeps it."""
    return json.dumps(chunk.heading_path, ensure_ascii=False)


async def put(tx: Tx, entry: Entry) -> Replaced:
    """Write a document and its chunks with their words; vectors are the caller's."""
    document = entry.document
    before = await tx.run("SELECT title, language FROM documents WHERE url = $1", document.url)
    same = bool(before) and (before[0]["title"], before[0]["language"]) == (document.title, document.language)
    document_id = await _put_document(tx, entry)
    old = await tx.run(
        "SELECT id, heading_path, text, context FROM chunks WHERE document_id = $1 ORDER BY position", document_id
    )
    kept = matched(old if same else (), entry.chunks)
    stays = {row["id"] for row in kept if row}
    gone = [row["id"] for row in old if row["id"] not in stays]
    await _drop(tx, gone)
    parents = await _put_parents(tx, document_id, entry.chunks)
    ids = await _put_chunks(tx, document_id, entry.chunks, kept, parents)
    told = [at for at, row in enumerate(kept) if row is None or row["context"] != entry.chunks[at].context]
    await put_words(tx, document.title, document.language, [(ids[at], entry.chunks[at]) for at in told])
    return Replaced(document_id, ids, gone)


async def drop(tx: Tx, document_id: str) -> list[int]:
    """Take a document's chunks out; their ids."""
    ids = [row["id"] for row in await tx.run("SELECT id FROM chunks WHERE document_id = $1", document_id)]
    await _drop(tx, ids)
    await tx.run("DELETE FROM parents WHERE document_id = $1", document_id)
    return ids


def matched(old: Sequence[Row], new: Sequence[Chunk]) -> list[Row | None]:
    """For each new chunk the old one with its heading path and text; equal ones are taken in their order."""
    waiting: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in reversed(old):
        waiting[row["heading_path"], row["text"]].append(row)
    same = (waiting.get((path_of(chunk), chunk.text)) for chunk in new)
    return [rows.pop() if rows else None for rows in same]


async def put_words(tx: Tx, title: str, language: str, chunks: Sequence[tuple[int, Chunk]]) -> None:
    """The keyword leg's rows of chunks, in place of those that they have."""
    await tx.many("DELETE FROM chunk_words WHERE rowid = $1", [(chunk_id,) for chunk_id, _ in chunks])
    title = " ".join(words(title[:MOST_TITLE], language))
    rows = [
        (
            chunk_id,
            title,
            " ".join(words(" ".join(chunk.heading_path), language)),
            " ".join(words(f"{chunk.context}\n{plain(chunk.text)}", language)),
        )
        for chunk_id, chunk in chunks
    ]
    await tx.many("INSERT INTO chunk_words (rowid, title, headings, text) VALUES ($1, $2, $3, $4)", rows)


async def put_contexts(tx: Tx, title: str, language: str, chunks: Mapping[int, Chunk]) -> list[int]:
    """Write the contexts of one document's chunks and their words; the ids of those that are still there."""
    rows = await tx.run("SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each($1))", json.dumps(list(chunks)))
    ids = [row["id"] for row in rows]
    await tx.many("UPDATE chunks SET context = $2 WHERE id = $1", [(i, chunks[i].context) for i in ids])
    await put_words(tx, title, language, [(i, chunks[i]) for i in ids])
    await tx.many("DELETE FROM embeddings WHERE chunk_id = $1", [(i,) for i in ids])
    return ids


async def _drop(tx: Tx, ids: Sequence[int]) -> None:
    rows = [(chunk_id,) for chunk_id in ids]
    await tx.many("DELETE FROM chunk_words WHERE rowid = $1", rows)
    await tx.many("DELETE FROM chunks WHERE id = $1", rows)


async def _put_parents(tx: Tx, document_id: str, chunks: Sequence[Chunk]) -> dict[Parent, int]:
    """The ids of the chunks' parents; one whose text is there already keeps its own, the others go when they are free."""
    wanted = list(dict.fromkeys(chunk.parent for chunk in chunks if chunk.parent))
    old = await tx.run("SELECT id, text FROM parents WHERE document_id = $1 ORDER BY id DESC", document_id)
    waiting: dict[str, list[int]] = defaultdict(list)
    for row in old:
        waiting[row["text"]].append(row["id"])
    fresh = await _next_id(tx, "parents")
    ids: dict[Parent, int] = {}
    for parent in wanted:
        same = waiting.get(parent.text)
        ids[parent] = same.pop() if same else fresh
        fresh = max(fresh, ids[parent] + 1)
    await tx.many(
        "INSERT INTO parents (id, document_id, text, tokens, page) VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (id) DO UPDATE SET tokens = $4, page = $5",
        [(number, document_id, parent.text, parent.tokens, parent.page) for parent, number in ids.items()],
    )
    return ids


async def _put_chunks(
    tx: Tx, document_id: str, chunks: Sequence[Chunk], kept: Sequence[Row | None], parents: dict[Parent, int]
) -> list[int]:
    fresh = await _next_id(tx, "chunks")
    ids = []
    for row in kept:
        ids.append(row["id"] if row else fresh)
        fresh += row is None
    await tx.run("UPDATE chunks SET position = -1 - position WHERE document_id = $1", document_id)  # out of the way
    await tx.many(
        "INSERT INTO chunks (id, document_id, position, heading_path, text, tokens, page, parent_id, context)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        " ON CONFLICT (id) DO UPDATE SET position = $3, tokens = $6, page = $7, parent_id = $8, context = $9",
        [
            (
                chunk_id,
                document_id,
                position,
                path_of(chunk),
                chunk.text,
                chunk.tokens,
                chunk.page,
                parents[chunk.parent] if chunk.parent else None,
                chunk.context,
            )
            for position, (chunk_id, chunk) in enumerate(zip(ids, chunks, strict=True))
        ],
    )
    await tx.run(
        "DELETE FROM parents WHERE document_id = $1 AND id NOT IN"
        " (SELECT parent_id FROM chunks WHERE document_id = $1 AND parent_id IS NOT NULL)",
        document_id,
    )
    return ids


async def _next_id(tx: Tx, table: str) -> int:
    """The first id of a table that was never used."""
    rows = await tx.run("SELECT coalesce(max(seq), 0) + 1 AS id FROM sqlite_sequence WHERE name = $1", table)
    return int(rows[0]["id"])


async def _put_document(tx: Tx, entry: Entry) -> str:
    document = entry.document
    new_id = document.id or hashlib.sha256(document.url.encode()).hexdigest()[:20]
    rows = await tx.run(
        "INSERT INTO documents (id, source_id, url, title, language, markdown, content_hash, markdown_hash, etag,"
        " last_modified, fetched_at, frame_facts) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
        " ON CONFLICT (url) DO UPDATE SET source_id = $2, title = $4, language = $5, markdown = $6, content_hash = $7,"
        " markdown_hash = $8, etag = $9, last_modified = $10, fetched_at = $11, frame_facts = $12, missed = 0,"
        " tombstoned_at = NULL"
        " RETURNING id",
        new_id,
        entry.source_id,
        document.url,
        document.title,
        document.language,
        document.markdown,
        entry.content_hash,
        hashlib.sha256(document.markdown.encode()).hexdigest(),
        entry.etag,
        entry.last_modified,
        now(),
        "" if document.frame_facts is None else json.dumps(document.frame_facts),
    )
    return str(rows[0]["id"])
