"""The index: chunks, their words and their vectors, replaced a document at a time in one short transaction."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrieval.analyse import Term, match_query, words
from retrieval.db import Database, Row, Tx, now
from retrieval.document import Chunk, Document
from retrieval.embed import Embedder, Vectors
from retrieval.plain import plain
from retrieval.spelling import Speller
from retrieval.vectors import Matrix

WEIGHTS = "3.0, 2.0, 1.0"
"""BM25's column weights: title, headings, text."""
MOST_KEYWORD_HITS = 5000
BATCH = 64
"""Chunks embedded at once when a model has changed; each batch is committed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A document on its way into the index, with what the crawl knows of its page."""

    source_id: str
    document: Document
    content_hash: str
    chunks: Sequence[Chunk]
    etag: str = ""
    last_modified: str = ""


class Index:
    """Both legs over one knowledge database. `load` fills what is kept in memory."""

    def __init__(self, db: Database, embedder: Embedder | None) -> None:
        self.db = db
        self.embedder = embedder
        self.languages: list[str] = []
        self._matrix = Matrix(embedder.dimension if embedder else 0)
        self._frequency: dict[str, int] = {}
        self._chunks = 0
        self.speller = Speller({})

    def __len__(self) -> int:
        return self._chunks

    async def load(self) -> None:
        """Read vectors and word frequencies; vectors of another model are left out until they are made anew."""
        if self.embedder:
            rows = await self.db.read(
                "SELECT chunk_id, vector FROM embeddings WHERE model = $1 ORDER BY chunk_id",
                self.embedder.name,
            )
            if rows:
                vectors = np.frombuffer(b"".join(row["vector"] for row in rows), np.float32).reshape(len(rows), -1)
                self._matrix = Matrix(vectors.shape[1])
                self._matrix.replace((), [row["chunk_id"] for row in rows], vectors)
        await self.refresh()

    async def refresh(self) -> None:
        """Count words and languages anew, after documents changed."""
        rows = await self.db.read("SELECT term, doc FROM chunk_vocabulary")
        self._frequency = {row["term"]: row["doc"] for row in rows}
        self.speller = Speller(self._frequency)
        count = await self.db.one("SELECT count(*) AS n FROM chunks")
        self._chunks = count["n"] if count else 0
        rows = await self.db.read(
            "SELECT language, count(*) AS n FROM documents WHERE tombstoned_at IS NULL GROUP BY language ORDER BY n DESC LIMIT 4"
        )
        self.languages = [row["language"] for row in rows]

    async def replace(self, entry: Entry) -> str:
        """Old chunks of the document out, new ones in; returns the document's id. Vectors of unchanged texts are kept."""
        document = entry.document
        texts = [_embedded(document.title, chunk) for chunk in entry.chunks]
        hashes = [_hash(text) for text in texts]
        vectors = await self._vectors(document.url, texts, hashes)
        async with self.db.write() as tx:
            document_id = await _put_document(tx, entry)
            old = await _drop_chunks(tx, document_id)
            first = (await tx.run("SELECT coalesce(max(id), 0) + 1 AS id FROM chunks"))[0]["id"]
            ids = list(range(first, first + len(entry.chunks)))
            await _put_chunks(tx, document_id, document, entry.chunks, ids)
            if self.embedder and len(ids):
                await self._put_vectors(tx, ids, hashes, vectors)
        self._matrix.replace(old, ids if self.embedder else (), vectors)
        return document_id

    async def fill_vectors(self) -> int:
        """Embed the chunks that have no vector of the current model, from their stored text; how many."""
        if self.embedder is None:
            return 0
        rows = await self.db.read(
            "SELECT c.id, c.heading_path, c.text, d.title FROM chunks c JOIN documents d ON d.id = c.document_id"
            " WHERE c.id NOT IN (SELECT chunk_id FROM embeddings WHERE model = $1)",
            self.embedder.name,
        )
        for at in range(0, len(rows), BATCH):
            await self._fill(rows[at : at + BATCH])
        return len(rows)

    async def _fill(self, rows: Sequence[Row]) -> None:
        assert self.embedder is not None
        texts = [_embedded(row["title"], Chunk(row["text"], tuple(json.loads(row["heading_path"])))) for row in rows]
        ids = [row["id"] for row in rows]
        vectors = await self.embedder.embed(texts)
        async with self.db.write() as tx:
            await tx.many("DELETE FROM embeddings WHERE chunk_id = $1", [(i,) for i in ids])
            await self._put_vectors(tx, ids, [_hash(text) for text in texts], vectors)
        self._matrix.replace(ids, ids, vectors)

    async def remove(self, document_id: str) -> None:
        """Tombstone a document: its text stays in the database, its chunks leave the index."""
        async with self.db.write() as tx:
            old = await _drop_chunks(tx, document_id)
            await tx.run("UPDATE documents SET tombstoned_at = $2, content_hash = '' WHERE id = $1", document_id, now())
        self._matrix.replace(old, (), np.empty((0, 0), np.float32))

    async def _vectors(self, url: str, texts: Sequence[str], hashes: Sequence[str]) -> Vectors:
        if self.embedder is None or not texts:
            return np.empty((0, 0), np.float32)
        rows = await self.db.read(
            "SELECT e.text_hash, e.vector FROM embeddings e JOIN chunks c ON c.id = e.chunk_id"
            " JOIN documents d ON d.id = c.document_id WHERE d.url = $1 AND e.model = $2",
            url,
            self.embedder.name,
        )
        kept = {row["text_hash"]: np.frombuffer(row["vector"], np.float32) for row in rows}
        missing = [text for text, key in zip(texts, hashes, strict=True) if key not in kept]
        made = iter(await self.embedder.embed(missing)) if missing else iter(())
        return np.stack([kept[key] if key in kept else next(made) for key in hashes])

    async def _put_vectors(self, tx: Tx, ids: Sequence[int], hashes: Sequence[str], vectors: Vectors) -> None:
        assert self.embedder is not None
        rows = zip(ids, hashes, vectors, strict=True)
        await tx.many(
            "INSERT INTO embeddings (chunk_id, model, dimension, text_hash, vector) VALUES ($1, $2, $3, $4, $5)",
            [(i, self.embedder.name, len(vector), key, vector.tobytes()) for i, key, vector in rows],
        )

    async def keyword(self, terms: Collection[Term]) -> dict[int, float]:
        """BM25 by chunk id, higher is better, best first."""
        query = match_query(terms)
        if not query:
            return {}
        rows = await self.db.read(
            f"SELECT rowid AS id, -bm25(chunk_words, {WEIGHTS}) AS score FROM chunk_words"  # noqa: S608 — constants only
            " WHERE chunk_words MATCH $1 ORDER BY score DESC, rowid LIMIT $2",
            query,
            MOST_KEYWORD_HITS,
        )
        return {row["id"]: row["score"] for row in rows}

    async def semantic(self, question: str) -> tuple[NDArray[np.int64], Vectors]:
        """Every chunk's id and its cosine with the question."""
        if self.embedder is None or not len(self._matrix):
            return np.empty(0, np.int64), np.empty(0, np.float32)
        return self._matrix.scores(await self.embedder.embed([question]))

    async def chunks(self, ids: Sequence[int]) -> dict[int, Row]:
        """Chunks with their documents and their words, by id; ids that have just gone are left out."""
        rows = await self.db.read(
            "SELECT c.id, c.document_id, c.heading_path, c.text, c.tokens, c.page, d.url, d.title, d.language, d.fetched_at,"
            " w.title || ' ' || w.headings || ' ' || w.text AS words"
            " FROM chunks c JOIN documents d ON d.id = c.document_id JOIN chunk_words w ON w.rowid = c.id"
            " WHERE c.id IN (SELECT value FROM json_each($1))",
            json.dumps(list(ids)),
        )
        return {row["id"]: row for row in rows}

    def weight(self, term: Term) -> float:
        """The term's inverse document frequency; a word that the corpus doesn't hold weighs most."""
        frequency = sum(self._frequency.get(form, 0) for form in term.forms)
        return math.log(1 + (self._chunks + 1) / (frequency + 0.5))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _embedded(title: str, chunk: Chunk) -> str:
    return "\n".join(part for part in (title, " > ".join(chunk.heading_path), plain(chunk.text)) if part)


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


async def _drop_chunks(tx: Tx, document_id: str) -> list[int]:
    rows = await tx.run("SELECT id FROM chunks WHERE document_id = $1", document_id)
    await tx.run("DELETE FROM chunk_words WHERE rowid IN (SELECT id FROM chunks WHERE document_id = $1)", document_id)
    await tx.run("DELETE FROM chunks WHERE document_id = $1", document_id)
    return [row["id"] for row in rows]


async def _put_chunks(
    tx: Tx, document_id: str, document: Document, chunks: Sequence[Chunk], ids: Sequence[int]
) -> None:
    numbered = list(zip(ids, chunks, strict=True))
    await tx.many(
        "INSERT INTO chunks (id, document_id, position, heading_path, text, tokens, page) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        [
            (
                i,
                document_id,
                position,
                json.dumps(chunk.heading_path, ensure_ascii=False),
                chunk.text,
                chunk.tokens,
                chunk.page,
            )
            for position, (i, chunk) in enumerate(numbered)
        ],
    )
    title = " ".join(words(document.title, document.language))
    await tx.many(
        "INSERT INTO chunk_words (rowid, title, headings, text) VALUES ($1, $2, $3, $4)",
        [
            (
                i,
                title,
                " ".join(words(" ".join(chunk.heading_path), document.language)),
                " ".join(words(plain(chunk.text), document.language)),
            )
            for i, chunk in numbered
        ],
    )
