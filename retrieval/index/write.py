"""A document's rows replaced inside one transaction: what is unchanged keeps its id, wherever in the document it moved."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.db import Row, Tx, now
from retrieval.document import Chunk, Document, Parent
from retrieval.index.semantic import MOST_TITLE_LETTERS
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
class WrittenDocument:
    """What became of a document's chunks: the id of each, in order, and the ids that were deleted."""

    document_id: str
    chunk_ids: list[int]
    removed_ids: list[int]


def path_of(chunk: Chunk) -> str:
    """The heading path as the table keeps it."""
    return json.dumps(chunk.heading_path, ensure_ascii=False)


async def write_document(tx: Tx, entry: Entry) -> WrittenDocument:
    """Write a document and its chunks with their words; vectors are the caller's."""
    document = entry.document
    before = await tx.run("SELECT title, language FROM documents WHERE url = $1", document.url)
    # Title and language are part of each chunk's words and vector: with others, no chunk is what it was.
    same = bool(before) and (before[0]["title"], before[0]["language"]) == (document.title, document.language)
    document_id = await _write_document_row(tx, entry)
    old = await tx.run(
        "SELECT id, heading_path, text, context FROM chunks WHERE document_id = $1 ORDER BY position", document_id
    )
    kept = matched(old if same else (), entry.chunks)
    kept_ids = {row["id"] for row in kept if row}
    removed_ids = [row["id"] for row in old if row["id"] not in kept_ids]
    await _delete_chunks(tx, removed_ids)
    parent_ids = await _write_parents(tx, document_id, entry.chunks)
    chunk_ids = await _write_chunks(tx, document_id, entry.chunks, kept, parent_ids)
    other_words = [at for at, row in enumerate(kept) if row is None or row["context"] != entry.chunks[at].context]
    await _write_words(tx, document.title, document.language, [(chunk_ids[at], entry.chunks[at]) for at in other_words])
    return WrittenDocument(document_id, chunk_ids, removed_ids)


async def delete_chunks_of(tx: Tx, document_id: str) -> list[int]:
    """Delete a document's chunks and their parents; the chunks' ids."""
    ids = [row["id"] for row in await tx.run("SELECT id FROM chunks WHERE document_id = $1", document_id)]
    await _delete_chunks(tx, ids)
    await tx.run("DELETE FROM parents WHERE document_id = $1", document_id)
    return ids


def matched(old: Sequence[Row], new: Sequence[Chunk]) -> list[Row | None]:
    """For each new chunk the old row with its heading path and text; equal ones are taken in their order."""
    unmatched: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in reversed(old):  # so that the first of equal ones is the last in its list, and the first to be taken
        unmatched[row["heading_path"], row["text"]].append(row)
    equal = (unmatched.get((path_of(chunk), chunk.text)) for chunk in new)
    return [rows.pop() if rows else None for rows in equal]


async def _write_words(tx: Tx, title: str, language: str, chunks: Sequence[tuple[int, Chunk]]) -> None:
    """The keyword leg's rows of chunks, by id, in place of those that they have."""
    await tx.many("DELETE FROM chunk_words WHERE rowid = $1", [(chunk_id,) for chunk_id, _ in chunks])
    title = " ".join(words(title[:MOST_TITLE_LETTERS], language))
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


async def write_contexts(tx: Tx, title: str, language: str, chunks: Mapping[int, Chunk]) -> list[int]:
    """Write the contexts of one document's chunks, by id, and their words; the ids of those that are still there."""
    rows = await tx.run("SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each($1))", json.dumps(list(chunks)))
    ids = [row["id"] for row in rows]
    await tx.many("UPDATE chunks SET context = $2 WHERE id = $1", [(i, chunks[i].context) for i in ids])
    await _write_words(tx, title, language, [(i, chunks[i]) for i in ids])
    await tx.many(
        "DELETE FROM embeddings WHERE chunk_id = $1", [(i,) for i in ids]
    )  # of all models: the text is another
    return ids


async def _delete_chunks(tx: Tx, ids: Sequence[int]) -> None:
    # Vectors go with their chunks, by a foreign key; a full-text table can't have one.
    rows = [(chunk_id,) for chunk_id in ids]
    await tx.many("DELETE FROM chunk_words WHERE rowid = $1", rows)
    await tx.many("DELETE FROM chunks WHERE id = $1", rows)


async def _write_parents(tx: Tx, document_id: str, chunks: Sequence[Chunk]) -> dict[Parent, int]:
    """The ids of the chunks' parents; a parent whose text is there already keeps its id.

    The others are deleted once no chunk leads to them, by `_write_chunks`.
    """
    wanted = list(dict.fromkeys(chunk.parent for chunk in chunks if chunk.parent))
    old = await tx.run("SELECT id, text FROM parents WHERE document_id = $1 ORDER BY id DESC", document_id)
    ids_by_text: dict[str, list[int]] = defaultdict(list)
    for row in old:
        ids_by_text[row["text"]].append(row["id"])
    next_id = await _next_id(tx, "parents")
    ids: dict[Parent, int] = {}
    for parent in wanted:
        equal = ids_by_text.get(parent.text)
        ids[parent] = equal.pop() if equal else next_id
        next_id = max(next_id, ids[parent] + 1)
    await tx.many(
        "INSERT INTO parents (id, document_id, text, tokens, page) VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (id) DO UPDATE SET tokens = $4, page = $5",
        [(number, document_id, parent.text, parent.tokens, parent.page) for parent, number in ids.items()],
    )
    return ids


async def _write_chunks(
    tx: Tx, document_id: str, chunks: Sequence[Chunk], kept: Sequence[Row | None], parent_ids: Mapping[Parent, int]
) -> list[int]:
    """Write the chunks; the id of each: that of the row it keeps, else a new one."""
    next_id = await _next_id(tx, "chunks")
    ids = []
    for row in kept:
        ids.append(row["id"] if row else next_id)
        next_id += row is None
    # A position may be taken by a chunk that is yet to move: all move out of the way first.
    await tx.run("UPDATE chunks SET position = -1 - position WHERE document_id = $1", document_id)
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
                parent_ids[chunk.parent] if chunk.parent else None,
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
    """The first id of a table that was never used: an id that comes back would find another chunk's scores in memory."""
    rows = await tx.run("SELECT coalesce(max(seq), 0) + 1 AS id FROM sqlite_sequence WHERE name = $1", table)
    return int(rows[0]["id"])


async def _write_document_row(tx: Tx, entry: Entry) -> str:
    """Write the document itself; its id, which stays that of the address."""
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
